"""Messages that only tell something and ask for nothing: whoever types that wants it to be known.

"The bins go out on Wednesdays, our flat is on the third floor." No family of sayings has to fit then; a
sentence is kept as it is said, if it speaks of the user's own life and of what lasts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Final

from quipu.kernel.prose.lexicon import lexicon
from quipu.kernel.prose.verbs import finite, past, plain
from quipu.kinds.longterm.evaluation.words import third

_MOST_SENTENCES: Final = 2
_MOST_WORDS: Final = 45
_FEWEST_WORDS: Final = 3
_WORD: Final = re.compile(r"[\w'-]+")
_ING: Final = re.compile(
    r"\b(?:is|are|am|was|were|be|been|'s|'re|'m) (?:\w+ly |also |still |only |now )?(\w+ing)\b"
)
_PERFECT: Final = re.compile(r"\b(?:has|have|'ve) (?:\w+ly |also |never |always |only )?\w+")
_MODAL: Final = frozenset(("will", "would", "could", "should", "might", "may", "must"))
_MANY: Final = frozenset(("children", "people", "men", "women", "both", "all"))
_OF_OWN: Final = re.compile(
    r"(?i)^the user\b|\bthe user's\b|, the user among them,"
    r"|^(?:at|on|in|after|before|every|each|during|for|since|from)\b[^,;:.!?]{1,50}?,? the user\b"
)
_OF_THE_USER: Final = re.compile(
    r"the user (?:also |always |never |usually |often |only |still |now )*(\w+s)\b"
)
_OF_US: Final = re.compile(r"(?i)\bof us\b")
_KIN: Final = re.compile(
    r"(?<=user's )(?:Mum|Mom|Mam|Dad|Nan|Granny|Grandma|Grandad|Grandpa|Auntie?|Uncle)\b"
)
_MESSY: Final = re.compile(r"[`\n{}<>|=*#\[\]]|\.\.\.|https?:")


def told_alone(message: str, sentences: Sequence[str]) -> bool:
    """Return True if a message has one or two sentences that tell something, and asks for nothing."""
    return (
        0 < len(sentences) <= _MOST_SENTENCES
        and len(message.split()) <= _MOST_WORDS
        and "?" not in message
        and not _MESSY.search(message)
    )


def in_third(sentence: str) -> str:
    """Return a sentence in the third person; "five of us" tells that the user is one of them."""
    told = third(_OF_US.sub("people, the user among them,", sentence))
    return _KIN.sub(lambda match: match[0].lower(), told)


def lasts(sentence: str, told: str) -> bool:
    """Return True if a sentence tells of the user's own life what holds for long.

    ``told`` is the sentence in the third person. In the present tense it does, unless a word of the moment is
    in it; what goes on, what is to come and what was needs a date, or a word of what lasts.
    """
    data, plain = _data(), sentence.lower()
    if len(plain.split()) < _FEWEST_WORDS or data["passing"].search(plain) or not _OF_OWN.search(told):
        return False
    is_dated = data["dated"].search(plain) is not None
    going_on = _ING.search(told.lower())
    if going_on is not None:
        return is_dated or going_on[1] in data["ongoing"]
    verb = _verb(told.lower())
    if verb is None:
        return False
    if verb in _MODAL:
        return is_dated
    if (verb in past() or verb in data["lasting"]) and not _PERFECT.search(told.lower()):
        return is_dated or verb in data["lasting"]
    return True


def _verb(told: str) -> str | None:
    """Return the first verb of a sentence in the third person; None if there is none that is known."""
    own = _OF_THE_USER.match(told)
    if own is not None:
        return own[1]
    words = _WORD.findall(told)
    first = next((one for one in words if one in _data()["verbs"]), None)
    of_many = (two for one, two in pairwise(words) if two in plain() and (one.endswith("s") or one in _MANY))
    return first or next(of_many, None)


@cache
def _data() -> dict[str, Any]:
    words = lexicon("alone")["english"]
    return {
        "passing": re.compile("|".join(f"(?:{one})" for one in words["passing"])),
        "dated": re.compile("|".join(f"(?:{one})" for one in words["dated"])),
        "ongoing": frozenset(words["ongoing"].split()),
        "lasting": (lasting := frozenset(words["lasting"].split())),
        "verbs": finite() | past() | lasting | {"are"},
    }
