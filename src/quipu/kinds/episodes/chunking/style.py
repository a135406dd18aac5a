"""Style of speech, measured from what somebody wrote: nine dimensions of 1 to 10. Pure.

Each starts in the middle (5.5) and is moved by shares of words, so that ten words and a thousand are read
alike; how sure it is grows with the words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from quipu.kinds.episodes.shapes import Style

_MIDDLE: Final = 5.5
_MOST_CHARACTERS: Final = 8_000
_WORDS_PER_CONFIDENCE: Final = 12.0
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SENTENCE = re.compile(r"[^.!?\n]+")


def _any(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_HEDGES = _any(
    "maybe|perhaps|possibly|probably|might|could be|i think|i guess|i suppose|sort of|kind of|somewhat"
    "|not sure|seems?"
    "|apparently|unsure|i feel like|roughly|more or less"
)
_SURE = _any(
    "definitely|certainly|absolutely|always|never|clearly|obviously|must|sure|of course|without a doubt"
    "|exactly|know"
    "|guarantee|surely|undoubtedly"
)
_POLITE = _any(
    "please|could you|would you|would it be possible|if you don['’]t mind|when you have time|just wondering"
)
_ORDERS = re.compile(
    r"(?i)^\W*(?:do|don['’]t|stop|give|make|fix|tell|show|write|use|send|add|remove|explain|list|run|go|get"
    r"|find|just)\b"
)
_FORMAL = _any(
    "dear|regards|sincerely|kindly|furthermore|therefore|however|regarding|would|shall|whom|hence"
    "|moreover|thus|sir"
    "|madam|appreciate|require|please find|additionally"
)
_CASUAL = _any(
    "hey|hi|yeah|yep|nope|gonna|wanna|gotta|lol|haha\\w*|btw|omg|idk|tbh|dude|cool|awesome|kinda|stuff"
    "|thx|pls|u|ur|ok|ya"
    "|cuz|ain['’]t|y['’]all|guys|nah|sup|wow"
)
_CONTRACTED = re.compile(r"\w['’](?:s|re|ve|ll|d|m|t)\b", re.IGNORECASE)
_ABSTRACT = re.compile(r"(?i)\b\w{3,}(?:tion|sion|ness|ity|ism|ment|ance|ence|ship|hood|logy|ics)s?\b")
_CONCRETE = re.compile(
    r"\b\d[\d.,:/]*\b|(?<=[a-z,] )[A-Z][a-z]+|[/\\]\w+|\w+\.(?:py|js|md|txt|json|com|org)\b"
)
_HUMOUR = re.compile(
    r"(?i)\b(?:lol|lmao|rofl|haha\w*|hehe\w*|jk|just kidding|funny|joke|joking)\b|[😂🤣😜😆😹😉]|[:;]-?[)DP]"
)
_CHALLENGE = _any(
    "but|disagree|wrong|incorrect|are you sure|really\\?|why not|not true|doubt|actually|no,"
    "|that['’]s not|doesn['’]t make sense"
    "|i don['’]t think so|prove|however"
)
_DEPTH = _any(
    "because|why|therefore|since|although|whereas|implies?|reason|consider|consequence|underlying"
    "|trade-?offs?|depends"
    "|in order to|so that|which means|how does|as a result|explain|difference between|assum\\w+"
)
_URGENT = _any("asap|now|quick(?:ly)?|urgent(?:ly)?|immediately|hurry|right away|fast|soon|today")


def measure(texts: Sequence[str]) -> Style:
    """Return the style of what one person wrote, a message each."""
    text = "\n".join(one[:_MOST_CHARACTERS] for one in texts)[: 4 * _MOST_CHARACTERS]
    words = len(_WORD.findall(text))
    if not words:
        return Style()
    sentences = [one for one in _SENTENCE.findall(text) if _WORD.search(one)] or [text]
    per_message, per_sentence = words / max(1, len(texts)), words / len(sentences)

    def share(pattern: re.Pattern[str]) -> float:
        """Count the matches per hundred words."""
        return 100.0 * len(pattern.findall(text)) / max(words, 20)

    orders = sum(1 for one in sentences if _ORDERS.match(one)) / len(sentences)
    lower = sum(1 for one in sentences if one.strip()[:1].islower()) / len(sentences)
    loud = 100.0 * text.count("!") / max(words, 20)
    return Style(
        verbosity=_scale(3.0 * math.log2(max(per_message, 1.0) / 24.0) / 2.0),
        directness=_scale(4.0 * orders - 0.7 * share(_POLITE) - 0.4 * share(_HEDGES) + 0.2 * share(_SURE)),
        formality=_scale(
            0.6 * share(_FORMAL)
            - 0.6 * share(_CASUAL)
            - 0.25 * share(_CONTRACTED)
            - 2.0 * lower
            - 0.2 * loud
            + 1.0
        ),
        abstraction=_scale(0.5 * share(_ABSTRACT) - 0.3 * share(_CONCRETE)),
        humour=_scale(1.2 * share(_HUMOUR) - 1.5),
        certainty=_scale(0.6 * share(_SURE) - 0.8 * share(_HEDGES) + 0.5),
        challenge=_scale(0.7 * share(_CHALLENGE) - 1.5),
        depth=_scale(0.6 * share(_DEPTH) + 1.5 * math.log2(max(per_sentence, 1.0) / 12.0)),
        pace=_scale(0.4 * loud + 0.7 * share(_URGENT) - 1.2 * math.log2(max(per_sentence, 1.0) / 10.0)),
        confidence=round(min(10.0, words / _WORDS_PER_CONFIDENCE), 1),
    )


def _scale(moved: float) -> float:
    return round(min(10.0, max(1.0, _MIDDLE + moved)), 1)
