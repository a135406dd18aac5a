"""Topics of exchanges: their words and names, when the subject changes, and when one comes back. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import Stemmer

from quipu.kernel.embedding.embedder import Vectors
from quipu.recall.terms import KNOWN, STOP, detect

MOST_COUNTED: Final = 20
"""So many exchanges make the centre of a topic; each later one moves it as much as the last of these."""

MOST_WORDS: Final = 40
"""So many words of a topic are kept, the commonest."""

_FEWEST_WORDS: Final = 3  # fewer tell of no topic: "ok, thanks"
_NEAR: Final = 0.30
_FAR: Final = 0.16
_BACK: Final = 0.40
_BETTER_BY: Final = 0.08
_JUST_NOW_BONUS: Final = 0.06
_PAUSE: Final = timedelta(minutes=30)
_SWITCH = re.compile(
    r"(?i)^\W*(?:(?:ok(?:ay)?|so|and|oh|well|hey|great|thanks?(?: you)?|cool)\b\W*){0,3}"
    r"(?:by the way|btw|another (?:thing|question|topic)"
    r"|(?:on|in) (?:a different|another|an unrelated) (?:note|topic|matter)"
    r"|different (?:topic|question|subject)|changing (?:the )?(?:topic|subject)"
    r"|change of (?:topic|subject)|unrelated\b|new topic|switching (?:gears|topics)|moving on"
    r"|something (?:else|completely different)|separately)"
)


_WORD = re.compile(r"[^\W\d_]{3,40}")
_MARKED = re.compile(r"https?://\S+|\[redacted:[^\]]*\]|`[^`\n]*`|```.*?```", re.DOTALL)
_MOST_CHARACTERS: Final = 20_000
_WORDS_OF_A_NAME: Final = 3
_LONGEST_NAME: Final = 80

# Said in every conversation, whatever it is about.
_EMPTY: Final = frozenset(Path(__file__).with_name("empty_words.txt").read_text("utf-8").split())


def topical(text: str) -> Counter[str]:
    """Count the words that show what a text is about: lower case, in the order of the text.

    Function words of its language, words of every conversation, addresses and code are left out.
    """
    plain = _MARKED.sub(" ", text[:_MOST_CHARACTERS]).lower().replace("’", "'")
    plain = re.sub(r"'(?:s|t|re|ve|ll|d|m)\b", " ", plain)
    words: list[str] = _WORD.findall(plain)
    language = detect(words)
    skipped = STOP[language] if language in KNOWN else frozenset[str]()
    return Counter(word for word in words if word not in skipped and word not in _EMPTY)


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the stem of a word: tomatoes and tomato are one."""
    # A stemmer must not be shared by threads, and costs little to make.
    return cast("str", cast("Any", Stemmer).Stemmer("english", 0).stemWord(word))


def name_of(words: Counter[str], *, taken: Collection[str] = (), besides: Iterable[str] = ()) -> str:
    """Return a name of the commonest words, like ``garden-fence-paint``, that is not ``taken``.

    Words ``besides`` (names of people) are used only where there are no others.
    """
    shunned = {part for name in besides for part in name.lower().split()}
    order = {word: place for place, word in enumerate(words)}
    common = sorted(words, key=lambda word: (word in shunned, -words[word], order[word]))[:_WORDS_OF_A_NAME]
    if len(common) > 1:
        common = [word for word in common if word not in shunned] or common
    common.sort(key=order.__getitem__)
    name = "-".join(common)[:_LONGEST_NAME].strip("-") or "small-talk"
    if name not in taken:
        return name
    return next(numbered for n in range(2, len(taken) + 3) if (numbered := f"{name}-{n}") not in taken)


@dataclass(frozen=True, slots=True, eq=False)
class KnownTopic:
    """A topic as it is held against an exchange. ``centroid``: unit length, or None."""

    id: int
    name: str
    words: Mapping[str, int]
    centroid: Vectors | None
    messages: int
    last_at: datetime


@dataclass(frozen=True, slots=True, eq=False)
class TopicCues:
    """An exchange as topics see it: its words, its vector (unit length, or None), its beginning, its time."""

    words: Counter[str]
    vector: Vectors | None
    opening: str
    at: datetime


def choose(heard: TopicCues, current: KnownTopic | None, others: Sequence[KnownTopic]) -> int | None:
    """Return the topic of an exchange: the current one, one that comes back, or None for a new one.

    An exchange with too few words to be about anything stays with the current topic.
    """
    here = 0.0 if current is None else nearness(heard, current)
    if current is not None and len(heard.words) < _FEWEST_WORDS:
        return current.id
    back = max(others, key=lambda one: nearness(heard, one), default=None)
    there = 0.0 if back is None else nearness(heard, back)
    stays = current is not None and not _turns(heard, here, current)
    if back is not None and there >= _BACK and there > here + _BETTER_BY + (_JUST_NOW_BONUS if stays else 0):
        return back.id
    if stays and current is not None:
        return current.id
    if back is not None and there >= _NEAR:
        return back.id
    return None


def nearness(heard: TopicCues, topic: KnownTopic) -> float:
    """Return the nearness of an exchange to a topic, 0 to 1: by meaning or by words, whichever says more."""
    meaning = 0.0
    if heard.vector is not None and topic.centroid is not None:
        meaning = float(heard.vector @ topic.centroid)
    return min(1.0, max(0.0, meaning, shared(heard.words, topic.words)))


def shared(words: Counter[str], known: Mapping[str, int]) -> float:
    """Return the share of words that were said of the topic, 0 to 0.6: one common word may be chance."""
    if not words or not known:
        return 0.0
    said, held = {stem(word) for word in words}, {stem(word) for word in known}
    common = len(said & held)
    return 0.2 * common if common < 2 else 0.6 * min(1.0, common / min(len(said), 6))


def centre(vectors: Vectors) -> Vectors | None:
    """Return the direction of the mean of vectors, shape (n, d); None if they cancel each other out."""
    return _unit(vectors.mean(axis=0)) if len(vectors) else None


def moved(topic: KnownTopic | None, vector: Vectors | None) -> Vectors | None:
    """Return the centre of a topic after one more exchange."""
    if vector is None or topic is None or topic.centroid is None or len(topic.centroid) != len(vector):
        return vector if topic is None or topic.centroid is None or vector is not None else topic.centroid
    weight = min(topic.messages, MOST_COUNTED - 1)
    return _unit(topic.centroid * weight + vector)


def grown(words: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    """Return the words of a topic after one more exchange; the rarest fall away."""
    return dict((Counter(words) + Counter(more)).most_common(MOST_WORDS))


def _turns(heard: TopicCues, here: float, current: KnownTopic) -> bool:
    """Return True if the current subject is left."""
    if _SWITCH.match(heard.opening[:200]):
        return here < _BACK
    return here < (_NEAR if heard.at - current.last_at > _PAUSE else _FAR)


def _unit(vector: Vectors) -> Vectors | None:
    length = float(np.linalg.norm(vector))
    return None if length < 1e-6 else np.asarray(vector / length, dtype=np.float32)
