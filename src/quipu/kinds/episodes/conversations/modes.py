"""Mode of a reply (the seed's modes), by rules. Pure."""

from __future__ import annotations

import re
from typing import Final

from quipu.kinds.episodes.shapes import Mode

_SHORT: Final = 60
_QUESTION = re.compile(r"[?？]\s*(?:[\"'”’)\]*_]\s*)*$")
_BACK = re.compile(
    r"^(?:could|can|would) you (?:\w+ ){0,2}"
    r"(?:clarify|specify|elaborate|explain|share|tell|confirm|give|provide)"
    r"|\b(?:what|which|who|when|where) (?:exactly |specifically )?"
    r"(?:do|did|would|should|is|are) (?:you|your)\b"
    r"|\bdo you (?:mean|want|prefer|need|have)\b|\bwhich (?:one|of|version|file|option)\b|\bto clarify\b"
    r"|\bwould you (?:like|prefer|rather)\b|\bshould i\b|\bshall i\b|\bhow (?:many|much|long|often|big)\b"
    r"|\bbefore i\b|\bneed (?:a bit )?more (?:details|information|context)\b",
    re.IGNORECASE,
)
_ACKNOWLEDGED = re.compile(
    r"^(?:(?:ok(?:ay)?|k|got it|sure(?: thing)?|noted|done|will do|understood|alright|great|perfect"
    r"|thanks?(?: you)?|thx|yes|yep|yeah|no problem|you(?:'|’)re welcome|my pleasure|of course|sounds good"
    r"|makes sense|absolutely|certainly|i(?:'|’)ll (?:remember|note|keep)(?: (?:that|it|this))?(?: in mind)?"
    r"|i see|right|cool|nice)\b[\s,.!…👍🙏✅]*){1,4}"
    r"(?:(?:i(?:'|’)ve |i have )?(?:noted|saved|remembered|recorded|updated)(?: (?:that|it|this))?[\s.!]*)?$",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w")


def mode_of(reply: str, *, used_tools: bool) -> Mode:
    """Return what a reply did, as one of the seed's modes.

    ACT if tools were called for it, CLARIFY if it asks back, ACKNOWLEDGE if it only shows that it has heard,
    IGNORE if it says nothing; else RESPOND.
    """
    text = reply.strip()
    if used_tools:
        return "ACT"
    if not _WORD.search(text):
        return "ACKNOWLEDGE" if text else "IGNORE"
    if _asks_back(text):
        return "CLARIFY"
    if len(text) <= 3 * _SHORT and _ACKNOWLEDGED.match(text):
        return "ACKNOWLEDGE"
    return "RESPOND"


def _asks_back(text: str) -> bool:
    """Return True if the last sentence is a question that is most of the text, or asks for what is needed."""
    if not _QUESTION.search(text):
        return False
    last = re.split(r"(?<=[.!?。！？])\s+|\n+", text)[-1]
    return (bool(_BACK.search(last)) and len(text) < 600) or len(last) > 0.6 * len(text)
