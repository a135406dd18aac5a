"""Memories that say the same in other words, where the grammar cannot tell: by words and meaning."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from quipu.kernel.embedding.embedder import Embedder
from quipu.kernel.embedding.prototypes import embed
from quipu.kernel.prose.content import content
from quipu.kernel.prose.verbs import finite
from quipu.kinds.longterm.evaluation.grammar import grammar
from quipu.kinds.longterm.evaluation.known import KnownMemory
from quipu.kinds.longterm.evaluation.words import singular, spelled, third

NEAR_ENOUGH: Final = 0.75
"""Cosine from which two memories say the same. Measured: ``docs/decisions/evaluation.md``."""

NEARER: Final = 0.92
"""Cosine from which they do although the grammar reads different things in them."""

OPEN: Final = frozenset(("", "activity", "event", "habit", "now", "project", "says", "unsafe"))
"""Slots whose value is the whole clause: two of them say the same under different names."""

BORNE: Final = 0.15
"""Cosine from which English words bear a statement that shares none of their words."""

Vectors = Mapping[str, npt.NDArray[np.float32]]

_NAME: Final = re.compile(r"(?<=\s)[A-Z][\w-]*\w")
_WORD: Final = re.compile(r"[\w-]*\w")
_NUMBER: Final = re.compile(r"(?i)\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b")
_AGAINST: Final = re.compile(
    r"(?i)\b(?:not|never|no|nothing|cannot|\w+n't|without|no longer|hates?|dislikes?|detests?|loathes?"
    r"|avoids?|refuses?|quits?|gave up|stopped|turned down|used to|former|formerly)\b"
)
_ENGLISH: Final = re.compile(
    r"(?i)\b(?:i|i'm|i've|my|me|we|our|the|is|are|to|and|of|you|it|not|please|for|with)\b"
)
_ORDERED: Final = re.compile(r"(?i)\b(?:before|after|than|over|instead of|from|until|then)\b")


async def vectors(embedder: Embedder, texts: Collection[str]) -> Vectors:
    """Embed each text once; return the vectors by their texts. Raises ``EmbeddingError``."""
    wanted = list(dict.fromkeys(texts))
    return dict(zip(wanted, await embed(embedder, wanted), strict=True)) if wanted else {}


def same(new: KnownMemory, among: Sequence[KnownMemory], meanings: Vectors) -> KnownMemory | None:
    """Return the memory that says the same as a new one, by its meaning; None if none does.

    Where the grammar reads different things in both, they must be nearer. Texts without a vector are not
    compared.
    """
    vector = meanings.get(new.summary)
    if vector is None:
        return None
    scored = [
        (float(vector @ other) - _least(new, one), one)
        for one in among
        if (other := meanings.get(one.summary)) is not None and _comparable(new, one)
    ]
    above, best = max(scored, key=lambda pair: pair[0], default=(-1.0, None))
    return best if above >= 0 else None


def bears(words: str, message: str, new: KnownMemory, meanings: Vectors) -> bool:
    """Return True unless English words have nothing to do with what they are to bear.

    ``message`` is all that was said, of which the words are a part. Other languages are not judged.
    """
    if not new.words.isdisjoint(content(third(spelled(message)))) or _ENGLISH.search(words) is None:
        return True
    said, told = meanings.get(words), meanings.get(new.summary)
    return said is None or told is None or float(said @ told) >= BORNE


def tells_more(new: KnownMemory, one: KnownMemory) -> bool:
    """Return True if a new memory has a name or a number that another one lacks."""
    return not (_names(new) <= _lower(one) and _numbers(new) <= _numbers(one))


def _least(one: KnownMemory, other: KnownMemory) -> float:
    apart = {told.slot for told in one.told}.isdisjoint(told.slot for told in other.told)
    return NEARER if _read(one) and _read(other) and apart else NEAR_ENOUGH


def _comparable(one: KnownMemory, other: KnownMemory) -> bool:
    """Return True unless a name, a number, a relation, a denial or the order sets two memories apart."""
    if one.words.isdisjoint(other.words) or _against(one) != _against(other):
        return False
    if tells_more(one, other) or tells_more(other, one):
        return False
    return _people(one) == _people(other) and _in_order(one, other)


def _read(one: KnownMemory) -> bool:
    """Return True if the grammar reads a value out of a memory, not only a clause as it stands."""
    return bool(one.told) and one.told[0].slot.rpartition("/")[2].partition(":")[0] not in OPEN


def _against(one: KnownMemory) -> bool:
    return _AGAINST.search(one.summary) is not None


def _names(one: KnownMemory) -> set[str]:
    """Return the names in a memory, lower case; its first word is one if a verb follows."""
    first, _, rest = one.summary.partition(" ")
    is_subject = first.istitle() and rest.split(" ", 1)[0] in finite()
    subject = {first.lower()} if is_subject else set[str]()
    return subject | {match[0].lower() for match in _NAME.finditer(one.summary)}


def _numbers(one: KnownMemory) -> set[str]:
    return {match[0].lower() for match in _NUMBER.finditer(one.summary)}


def _lower(one: KnownMemory) -> set[str]:
    return set(_WORD.findall(one.summary.lower()))


def _people(one: KnownMemory) -> set[str]:
    return {singular(match[0]) for match in _relation().finditer(one.summary)}


def _in_order(one: KnownMemory, other: KnownMemory) -> bool:
    """Return True unless "before", "than" or the like puts the words that both have into another order."""
    if _ORDERED.search(one.summary) is None or _ORDERED.search(other.summary) is None:
        return True
    shared = one.words & other.words
    return _order(one.summary, shared) == _order(other.summary, shared)


def _order(text: str, shared: Collection[str]) -> list[str]:
    stems = [stem for word in text.rstrip(".").split() for stem in content(word)]
    return [stem for stem in stems if stem in shared]


@cache
def _relation() -> re.Pattern[str]:
    return re.compile(rf"(?i)\b{grammar().words['relation']}\b")
