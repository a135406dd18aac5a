"""The words with which people begin a conversation anew, and with which they leave. Pure."""

from __future__ import annotations

import re
from typing import Final

_READ_CHARACTERS: Final = 300

_GREETS = re.compile(
    r"^\W*(?:hey|hi|hello|hiya|howdy|yo|greetings|(?:good )?(?:morning|afternoon|evening)|hallo|moin|servus"
    r"|guten (?:morgen|tag|abend))\b",
    re.IGNORECASE,
)
_BEGINS = re.compile(
    r"\b(?:how (?:have|'?ve) (?:you|ya) been|how(?:'s| is| are) (?:it going|everything|things|you|ya)"
    r"|long time no|(?:been|it'?s been) (?:a while|ages|so long|forever|a long time)"
    r"|(?:since|last time) we (?:last |first )?(?:spoke|talked|chatted|met|saw|caught up)|since our last"
    r"|(?:good|great|nice|lovely|awesome) to (?:see|hear from|talk to|chat with|be back)"
    r"|what'?s (?:up|new|been (?:up|happening|going on))|what have you been up to"
    r"|how was your (?:day|week|weekend|trip|holiday)|haven'?t (?:seen|talked|heard)|guess what"
    r"|new (?:question|topic|task)|something else|another (?:question|thing|topic)|on another note|unrelated"
    r"|wie geht'?s|lange nicht|etwas anderes|anderes thema|neue frage)\b",
    re.IGNORECASE,
)
_LEAVES = re.compile(
    r"\b(?:bye|goodbye|good ?night|see (?:you|ya)"
    r"|(?:talk|speak|chat|catch|write) (?:(?:to|with|up with) )?(?:(?:you|ya) )?(?:soon|later|again|tomorrow)"
    r"|catch up (?:soon|later)|take care"
    r"|(?:gotta|got to|have to|need to|must|should) (?:go|run|head|leave|get going)"
    r"|i'?m off to|(?:keep|let) (?:you|ya|me) (?:posted|updated|know)"
    r"|have (?:a (?:great|good|nice|wonderful|fantastic|lovely|awesome|safe)|fun)|until next time|good luck"
    r"|enjoy your|you'?re welcome|anytime|thanks for (?:chatting|the chat|your help)|that'?s all"
    r"|tschüss|bis (?:bald|später|morgen|dann)|mach'?s gut|schönen (?:tag|abend)|gute nacht)\b|\blater!",
    re.IGNORECASE,
)


def greets(text: str) -> bool:
    """Return True if it begins with a greeting."""
    return _GREETS.search(text[:_READ_CHARACTERS]) is not None


def begins(text: str) -> bool:
    """Return True if it speaks as one does after a while apart, or announces another subject."""
    return _BEGINS.search(text[:_READ_CHARACTERS]) is not None


def leaves(text: str) -> bool:
    """Return True if it takes leave, at its end if it is long."""
    return _LEAVES.search(text[-_READ_CHARACTERS:]) is not None
