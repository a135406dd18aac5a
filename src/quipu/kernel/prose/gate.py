"""Gate before anything is kept of English talk: a whole sentence that says of somebody known what lasts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from quipu.kernel.prose.lexicon import lexicon
from quipu.kernel.prose.patterns import any_of
from quipu.kernel.prose.standing import read as instructions

ORDERS: Final = "orders that last"
"""Family of what the assistant is told to do from now on."""

ALONE: Final = "told alone"
"""Family of a message that only tells something: a whole sentence, which may speak of what it names."""

_OF_OTHERS: Final = "another: "
_TO_THE_ASSISTANT: Final = "The user wants the assistant "
_FEWEST_WORDS: Final = 3
_NOBODY: Final = re.compile(
    r"(?i)(?:he|she|it|they|his|her|its|their|this|that|these|those|which|who|so|there|what|when|where|how"
    r"|you|your|the assistant's|(?:bug|remind|tell|ask|ping|nudge|text) the user|did|does|do|let|let's|from"
    r"|if|as|just|but|because)\b(?!(?:'s| is| are) no )"
)
_LISTENER: Final = re.compile(r"(?i)\b(?:you|you're|you've|your|yours|yourself|myself|ourselves)\b")
_UNFINISHED: Final = re.compile(
    r"(?i)\b(?:is|are|was|were|be|am|has|have|had|do|does|to|of|for|with|from|in|(?<!\w{4} )on|at|by|about"
    r"|into|than|as|like|the|an?|and|or|but|so|that|which|who|where|when|if|because|since|until|while"
    r"|very|really|just|not|no|looks?|seems?|feels?|sounds?|means|says?|said|would|could|should|might|must"
    r"|my|their|our|its|user's|assistant's|(?:big|huge|great|real|total) fan"
    r"|(?<!whenever the user )(?<!when the user )(?:can|will))[.]$"
)
_POINTING: Final = re.compile(
    r"(?i)\b(?:them|those|these(?! days\b)|it|its|here|same|something|somewhere|someone|anything|stuff"
    r"|this(?! (?:year|month|week|summer|winter|spring|autumn|fall|semester|term|repo|repository"
    r"|project|codebase)\b)"
    r"|(?:that|there|one|thing)(?=[.,;!?]|$))\b"
)
_ITSELF: Final = re.compile(r"(?i)\bbut (?:cannot|can't|does not|do not|never) \w+ (?:it|them)\b")
"""Words after a value that speak of that value: "the user understands Swiss German but cannot speak it"."""

_MAIN_VERB: Final = r"(?:is|was|has|had|does|did|cannot|could|will|would|lives|works|thinks|knows|wants)"
_RUN_ON: Final = re.compile(
    r"(?i)(?<!^)(?<!\bthat )(?<!\bwhen )(?<!whenever )(?<!\bif )(?<!\band )(?<!\bwhat )(?<!where )(?<!which )"
    rf"(?<!\bwho )(?<!because )(?<!\bunless )(?<!\bhow )(?<!\bso )(?<!, )\bthe user {_MAIN_VERB}\b"
)
_BEEN: Final = re.compile(
    r"(?:has|have) been to (?:the )?[a-z]|\bis to be\b|\b(?:hang on|no wait|wait no|scratch that)\b|\w- no\b"
)
_OTHERS: Final = re.compile(r"(?i)\b(?:he|she|they|him|her|his|hers|their|theirs)\b")
_SOMEBODY: Final = re.compile(
    r"(?:The user's \w+|(?!The user\b)[A-Z])|(?<=\s)(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b)"
    r"[A-Z][a-z]+\b"
)
_REMARK: Final = re.compile(
    r"(?i)the user (?:(?:[a-z]+ ){0,2}(?:likes?|loves?|enjoys?|adores?|hates?|dislikes?)"
    r"|is (?:[a-z]+ ){0,3}(?:fan of|into|fond of|obsessed with)) (?:both |all )?"
    r"(?:nothing|that|this|these|those|his|her|their|its|how|what|when|to[.]"
    r"|the (?!(?:ocean|sea|seaside|beach|outdoors|countryside|city|theatre|theater|cinema|opera|ballet|gym"
    r"|water|snow|rain|sun|heat|cold|summer|winter|autumn|fall|spring|night|forest|desert|river|coast"
    r"|violin|piano|guitar|cello|flute|internet|(?-i:[A-Z])|(?:smell|taste|sound|feeling|colou?r) of"
    r"|[a-z]+ season|[a-z]+(?<!s)s)\b))"
)
_THANKS: Final = re.compile(r"(?i)the user (?:[a-z]+ ){0,2}appreciates?\b")
_PASSING: Final = re.compile(
    r"(?i)\b(?:is|are|has been|have been|was|were) (?:[a-z]+ ){0,2}(?:great|good|nice|awesome|amazing|cute"
    r"|fun|funny|lovely|sweet|adorable|wonderful|best|worst|fine|better|worse|excited|supportive|motivation|rock"
    r"|everything|awful|terrible|annoying|proud|busy|tired|stressed|reason|future|special|lucky|weird|crazy"
    r"|buddies|pals|back|ready|down|up|over|around|out|gone|asleep|awake|doing|getting|going|coming|being"
    r"|having|trying|looking|making|asking|talking|saying|telling|calling|driving|acting)\b"
    r"|\b(?:keeps? the user|have the user's back)\b"
)
_FOR_NOW: Final = re.compile(
    r"(?i)the user (?:(?:does not|do not) (?:[a-z]+ )?want to (?!be |have |receive )"
    r"|would (?:[a-z]+ )?rather (?!.*\b(?:than|whenever|always|usually)\b)"
    r"|does not have (?:to|big|any plans)\b|will (?!be (?:in|at|on|away|back|travel))"
    r"|lives (?:in|at) the (?:thing|past|moment|bottom|top|middle|back|shadow|land|hope|fear)\b"
    r"|can only imagine\b|just wants? to (?:say|know|see)\b)"
)


def guarded(names: Iterable[str], text: str) -> bool:
    """Return True if a text is not said of one's own life: "hypothetical", "quoted" or "sarcasm"."""
    known = guards()
    return any(known[name].search(text) for name in names)


@cache
def guards() -> Mapping[str, re.Pattern[str]]:
    """Return the expressions of what is not said of one's own life, by name."""
    return {
        name: any_of(listed, {}, ignore_case=True) for name, listed in lexicon("guards")["english"].items()
    }


def refusal(summary: str, *, category: str, family: str, said: str) -> str | None:
    """Return why a summary in the third person is not kept; None if it may be.

    ``said`` is the clause that it was made of. What somebody cannot bear is kept even where it points at
    something ("mango makes my lips go numb, I'm allergic to it"). Remarks on a picture and thanks come by
    here as well, where people talk to each other.
    """
    whole = family == ALONE
    if _NOBODY.match(summary) and not (whole and _THERE_ARE.match(summary)):
        return "nobody is named of whom it speaks"
    if len(summary.split()) < _FEWEST_WORDS or _UNFINISHED.search(summary):
        return "it is no whole sentence"
    if summary.startswith(_TO_THE_ASSISTANT):
        return None if family != ORDERS or instructions(said) else "it is no instruction"
    if (category != "constraint" and _runs_on(_AT.sub("", summary) if whole else summary)) or _BEEN.search(
        summary
    ):
        return "it is more or less than one sentence"
    if _LISTENER.search(summary):
        return "it speaks to somebody"
    if category != "constraint" and _points(_CLAUSE.split(summary, maxsplit=1)[0] if whole else summary):
        return "it points at what was said elsewhere"
    if _REMARK.match(summary) or _THANKS.match(summary):
        return "it is a remark on what is at hand"
    if _FOR_NOW.match(summary) or (family.startswith(_OF_OTHERS) and _PASSING.search(summary)):
        return "it holds for the moment only"
    return None


_THERE_ARE: Final = re.compile(r"There (?:is|are) ")
_AT: Final = re.compile(
    r"(?:At|On|In|After|Before|Every|Each|During|For|Since|From|When|Whenever|If)\b"
    r"[^,;:.!?]{1,50}?,? (?=the user\b)"
)
"""A phrase that tells when or where, before a sentence: "At work the user uses Xero"."""

_CLAUSE: Final = re.compile(r"[,;:] | (?:so|and|but|because) ")


def _runs_on(summary: str) -> bool:
    """Return True if another sentence begins within a summary, and no relative clause."""
    match = _RUN_ON.search(summary)
    return match is not None and _NOUN.fullmatch(summary[: match.start()]) is None


_NOUN: Final = re.compile(r"(?i)(?:the|that|what|every\w*|an?|all) (?:[\w'-]+ ){0,3}")


def _points(summary: str) -> bool:
    """Return True if a word stands for what only other sentences say."""
    if _POINTING.search(_ITSELF.sub("", summary)):
        return True
    return _OTHERS.search(summary) is not None and not _SOMEBODY.search(summary)
