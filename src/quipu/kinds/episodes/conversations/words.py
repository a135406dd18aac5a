"""The words of a text that tell what it is about, and a name made of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, cast

import Stemmer

from quipu.recall.languages import KNOWN, STOP, detect

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
    """Return what forms of a word share: tomatoes and tomato are one."""
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
