"""Purpose of an exchange. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from quipu.kinds.episodes.chunking.emotion import Felt
from quipu.kinds.episodes.chunking.gists import Judged
from quipu.kinds.episodes.shapes import Scope

_REQUESTING: Final = "requesting"
_ASKING: Final = "asking"
_NAMES: Final = {
    "decision": "deciding",
    "commitment": "committing",
    "preference": "telling a preference",
    "uncertainty": "weighing",
    "intent": "planning",
    "fact": "telling",
}


def scope(judged: Sequence[Judged], felt: Felt) -> Scope:
    """Return the intent of most sentences (in a tie, the rarest type), the sentiment and the emotion."""
    asked = [one for one in judged if one.asked]
    types = Counter(one.type for one in asked if one.type is not None)
    questions = sum(one.text.rstrip().endswith("?") for one in asked)
    if types:
        order = list(_NAMES)
        best = min(types, key=lambda one: (-types[one], order.index(one)))
        intent = _REQUESTING if best == "intent" and questions else _NAMES[best]
    else:
        intent = _ASKING if questions else "chatting"
    sure = 6.0 if types else 4.0 if questions else 2.0
    return Scope(intent=intent, sentiment=felt.valence, emotion=felt.dominant, confidence=sure)
