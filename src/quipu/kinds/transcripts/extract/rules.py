"""What the words of one sentence say that lasts. Pure, deterministic, linear in the sentence's length."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quipu.kinds.transcripts.extract.model import Category
from quipu.kinds.transcripts.extract.patterns import patterns
from quipu.kinds.transcripts.extract.wording import led, read

_HEDGED = re.compile(
    r"\b(?:i think|i guess|probably|i believe|as far as i know|afaik|iirc|i suppose|should be|kind of)\b"
)
_GUARDS_OF_THE_OPEN = (
    "order",
    "question",
    "hypothetical",
    "third",
    "indifferent",
    "oneoff",
    "trouble",
    "reaction",
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """``category`` is None where the words do not decide; ``open`` then, where the meaning still may.

    ``explicitness``: 0 to 1. ``hedged``: whoever said it was not sure.
    """

    category: Category | None
    explicitness: float
    hedged: bool
    open: bool


def judge(seen: str) -> Verdict:
    """What a sentence says, code and quotations in it hidden (``Sentence.seen``)."""
    whole = read(seen)
    text = led(whole)
    known = patterns()
    raised = {name for name, guard in known.guards.items() if guard.fits(text)}
    if whole.endswith("?"):
        raised.add("question")
    hedged = _HEDGED.search(whole) is not None
    for family in known.families:
        if raised.isdisjoint(family.guards) and family.wording.fits(text):
            return Verdict(family.category, family.explicitness, hedged, open=False)
    return Verdict(None, 0.0, hedged, open=raised.isdisjoint(_GUARDS_OF_THE_OPEN))
