"""Requests to the memory itself in a sentence: to remember something, or to forget it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_POLITE: Final = (
    r"(?:(?:please|also|and|so|ok|oh|hey|well|just|kindly|can you|could you|would you|will you"
    r"|you can|you may|you should|you must"
    r"|i(?:'d| would) (?:also )?like you to|i (?:want|need) you to|make sure (?:you |to )"
    r"|make sure that you|be sure to"
    r"|it's (?:\w+ ){0,2}important that you|it is (?:\w+ ){0,2}important that you|from now on"
    r"|try to|go ahead and|feel free to)"
    r"[, ]+){0,4}"
)
_REMEMBER = re.compile(
    rf"(?i){_POLITE}"
    r"(?:remember|keep in mind|bear in mind|don't forget|do not forget|never forget|note|make a "
    r"(?:mental )?note|take note"
    r"|memori[sz]e|save|store|write down|jot down|log|put (?:this|that|it) (?:in(?:to)?"
    r"|on) your (?:notes|memory|list|records?)|add (?:this |that |it )?to your (?:notes|memory)"
    r"|commit (?:this |that |it )?to memory|for (?:your |the |future )?(?:reference|records?"
    r"|future|later|next time))"
    r"(?: (?:this|the following|down|of the following|for (?:later|the future|next time"
    r"|future reference|good)"
    r"|(?:in|to) (?:your |the )?(?:long-term )?memory|about me|in your notes|of it|somewhere))*"
    r"(?:\s*[:,–—-]\s*(?:that )?|\s+that\s+(?=\w)|\s+(?=(?:my|our|I|I'm|I've|we|we're)\b))(?P<what>\S.*)"
)
_REMEMBERED = re.compile(
    r"(?i)(?P<what>.{6,}?)(?:\s*[,;.–—-]+\s*|\s+)(?:and |so )?(?:please )?(?:remember (?:that|this"
    r"|it)|keep (?:that|this|it) in mind|bear (?:that|this) in mind"
    r"|don't (?:you )?forget (?:that|this|it)|make a note of (?:that|this|it)|note (?:that|this"
    r"|it) down|memori[sz]e (?:that|this|it)"
    r"|save (?:that|this|it)(?: for later)?)(?:,? please)?(?: (?:when|for|in|next)\b.*)?[.!?]*$"
)
_BACK = re.compile(
    rf"(?i){_POLITE}"
    r"(?:remember|keep|note|save|store|memori[sz]e) (?:that|this|it)(?: (?:in mind|for \w+"
    r"|please|down))*(?: when .*)?[.!?]*$"
)
_REMINDING = re.compile(r"(?i)(?:(?:and|but|hey|oh|so),? )?(?:do you )?remember\b[^.!]*\?$")
_NO_STATEMENT = re.compile(
    r"(?i)(?:to|what|how|when|where|why|which|who|if|whether|the (?:first|second|last|third))\b"
)
_FORGET = re.compile(
    rf"(?i){_POLITE}"
    r"(?P<verb>forget|delete|erase|remove|drop|discard|unlearn|wipe|clear|don't (?:keep|remember"
    r"|store|save)|do not (?:keep|remember|store|save)"
    r"|stop (?:remembering|storing))\s+(?P<what>.+?)"
    r"(?P<from>,? (?:from|in|out of) (?:the assistant's |your |the )?(?:long-term )?(?:memory"
    r"|memories|notes|records?|storage|mind|profile))?"
    r"(?:,? please)?[.!?]*$"
)
_ABOUT = re.compile(
    r"(?i)^(?:(?P<all>everything|anything|all|whatever|all the things|every ?thing) ?)?"
    r"(?:that |what |of what )?(?:(?:you|the assistant)(?:'ve| have)? (?:know|knows|remember|remembers"
    r"|stored|saved|noted|have|learned)|(?:I|the user)(?:'ve| has| have)? (?:ever )?"
    r"(?:said|told you|told the assistant|mentioned|say|says|shared|tells you))? ?(?:about|on"
    r"|regarding|concerning|of)?\s*"
)
_OWN = re.compile(r"\b(?:my|mine|I|I'm|I've|me|our|we|us|the user|the user's)\b")


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Request to forget a ``statement`` ("I live in Berlin") or a ``topic`` ("my birthday").

    ``everything`` means all that is known of the topic, not only what is nearest to it.
    """

    topic: str
    statement: bool
    everything: bool


def remembering(text: str) -> str | None:
    """Return the words that the sentence asks to remember; None if it asks no such thing."""
    match = _REMEMBER.match(text)
    if match is not None:
        is_question = _REMINDING.match(text) is not None
        return None if is_question or _NO_STATEMENT.match(match["what"]) else match["what"].rstrip(" ?!")
    told = _REMEMBERED.match(text)
    return told["what"] if told else None


def asks_back(text: str) -> bool:
    """Return True if the sentence asks to remember what was said before it."""
    return _BACK.match(text) is not None


def forgetting(text: str) -> Forgetting | None:
    """Return the topic that the sentence asks to forget; None if it only uses the word, as in "forget it"."""
    match = _FORGET.match(text)
    if match is None:
        return None
    what = match["what"].strip(" ,;:")
    verb = match["verb"].lower()
    if re.match(r"(?:to|it|this|that one|me|them|about it)\b(?! (?:I|we|my|our)\b)", what, re.IGNORECASE):
        return None
    clause = re.match(r"(?i)(?:that|the fact that)\s+(?P<rest>(?:I|I'm|I've|my|our|we|we're)\b.+)", what)
    if clause is not None:
        return Forgetting(clause["rest"], True, False)
    about = _ABOUT.match(what)
    lead = about[0].strip() if about else ""
    topic = what[about.end() :] if about else what
    named = bool(match["from"]) or (bool(lead) and lead.lower() not in ("that", "of", "on", "what"))
    if not topic or not (named or _OWN.search(topic)) or (verb in ("remove", "drop", "clear") and not named):
        return None
    return Forgetting(topic, False, bool(about and about["all"]))


_PLAY_TURNS: Final = 6
"""So many turns of the user after the last sign of a role play still belong to it."""

_PLAYING = re.compile(
    r"\brole-?play|\b(?:pretend|imagine) (?:you|that you|to be)|\bact (?:as|like)\b|\byou(?:'re| are) now\b",
    re.I,
)
_PLAYED = re.compile(
    r"\b(?:stop|end|enough|quit|done with|no more)\b.{0,20}\b(?:role|game|play|pretend|acting"
    r"|character)|\bback to (?:reality|normal|work|business|the)\b|\bout of character\b"
    r"|\bgame over\b|\bfor real now\b",
    re.I,
)


class RolePlay:
    """Follow whether the user plays a role: until some turns after the last sign of it."""

    def __init__(self) -> None:
        self._left = 0

    def goes_on(self, text: str) -> bool:
        """Take a turn of the user; True if it is played."""
        if _PLAYED.search(text):
            self._left = 0
            return False
        if _PLAYING.search(text):
            self._left = _PLAY_TURNS
            return True
        self._left = max(0, self._left - 1)
        return self._left > 0
