"""Keys of beliefs: those that mean the same, and those that hold several values."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from quipu.kernel.prose.lexicon import beside

_NO_LETTER: Final = re.compile(r"[^\w%€$£+#./:-]+")
_EDGES: Final = re.compile(r"^[\W_]+|[^\w%€$£+#]+$")
_ARTICLE: Final = re.compile(r"^(?:the|a|an|in|at|to|my|his|her|our|their)\b ?")
_LONGEST_KEY: Final = 64


@dataclass(frozen=True, slots=True)
class _Keys:
    first: Mapping[str, str]
    many: frozenset[str]
    beginnings: tuple[str, ...]
    one: frozenset[str]
    one_beginnings: tuple[str, ...]
    one_endings: tuple[str, ...]
    drifting: frozenset[str]
    corrected: re.Pattern[str]
    changed: re.Pattern[str]


def key_of(name: str) -> str:
    """Return a key as it is filed: snake_case, and one for all keys that mean the same."""
    snake = re.sub(r"[^a-z0-9]+", "_", unicodedata.normalize("NFKD", name).lower()).strip("_")
    key = snake[:_LONGEST_KEY] or "fact"
    return _keys().first.get(key, key)


def holds_many(key: str) -> bool:
    """Return True if another value of a key is another belief, and no contradiction."""
    keys = _keys()
    return key in keys.many or key.startswith(keys.beginnings)


def holds_one(key: str) -> bool:
    """Return True if a key is known to have one value: of others nobody can say if two values conflict."""
    keys = _keys()
    return key in keys.one or key.startswith(keys.one_beginnings) or key.endswith(keys.one_endings)


def drifts(key: str) -> bool:
    """Return True if a value changes on its own, as an age does."""
    return key in _keys().drifting


def form_of(value: str) -> str:
    """Return a value without case, articles and punctuation: equal values have equal forms."""
    lower = unicodedata.normalize("NFKC", value).casefold()
    words = [_EDGES.sub("", word) for word in _NO_LETTER.split(lower)]
    joined = " ".join(word for word in words if word)
    return _ARTICLE.sub("", joined) or joined or lower.strip()


def cue_of(seen: str) -> Literal["corrected", "changed"] | None:
    """Return "corrected" or "changed" if a sentence, in lower case, says so."""
    keys = _keys()
    if keys.corrected.search(seen):
        return "corrected"
    return "changed" if keys.changed.search(seen) else None


@cache
def _keys() -> _Keys:
    data: dict[str, Any] = beside(__file__, "keys")
    lines = [line.split() for line in data["same"]]
    cues = data["cues"]
    return _Keys(
        first={key: line[0] for line in lines for key in line},
        many=frozenset(data["many"]),
        beginnings=tuple(data["many_beginnings"]),
        one=frozenset(data["one"]),
        one_beginnings=tuple(data["one_beginnings"]),
        one_endings=tuple(data["one_endings"]),
        drifting=frozenset(data["drifting"]),
        corrected=re.compile("|".join(cues["corrected"])),
        changed=re.compile("|".join(cues["changed"])),
    )
