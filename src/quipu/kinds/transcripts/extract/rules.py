"""Lasting facts in the words of one sentence. Pure, deterministic, linear in the sentence's length."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quipu.kinds.transcripts.extract.model import Category
from quipu.kinds.transcripts.extract.patterns import patterns
from quipu.kinds.transcripts.extract.wording import led, read

_HEDGED = re.compile(
    r"\b(?:i think|i guess|probably|i believe|as far as i know|afaik|iirc|i suppose|should be|kind of)\b"
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """``category`` is None where the words do not decide. ``explicitness``: 0 to 1.

    ``hedged``: whoever said it was not sure.
    """

    category: Category | None
    explicitness: float
    hedged: bool


def judge(seen: str) -> Verdict:
    """Judge a sentence with its code and quotations hidden (``Sentence.seen``)."""
    whole = read(seen)
    text = led(whole)
    hedged = _HEDGED.search(whole) is not None
    raised: dict[str, bool] = {}
    for family in patterns().families:
        if family.wording.fits(text) and not any(_raised(name, text, raised) for name in family.guards):
            return Verdict(family.category, family.explicitness, hedged)
    return Verdict(None, 0.0, hedged)


def is_open(seen: str) -> bool:
    """Return True if a sentence that no family fits may still say something that lasts: no guard fits it."""
    text = led(read(seen))
    return not any(guard.fits(text) for guard in patterns().guards.values())


def _raised(name: str, text: str, known: dict[str, bool]) -> bool:
    """Return True if a guard fits; looked up once for each sentence, and only if a family fits."""
    if name not in known:
        known[name] = patterns().guards[name].fits(text)
    return known[name]
