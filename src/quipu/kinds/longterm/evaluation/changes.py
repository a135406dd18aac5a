"""Sentences that take something back or put it right: "I no longer work there", "not Berlin, Lisbon"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from quipu.kernel.prose.verbs import third_person
from quipu.kinds.longterm.model import CATEGORIES, Category

_ANY: Final[tuple[Category, ...]] = CATEGORIES
_DOINGS: Final[tuple[Category, ...]] = (
    "project", "preference", "languages", "context", "professional_profile", "favorite_things", "constraint",
)  # fmt: skip
_THINGS: Final[tuple[Category, ...]] = ("personal_data", "context", "pets", "project", "naming", "constraint")


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Claim that no longer holds: a ``statement`` in the third person, or a topic; and its categories."""

    topic: str
    statement: bool
    categories: tuple[Category, ...] = _ANY

    @property
    def parted(self) -> bool:
        """True if it may be about two people: "Mia and I broke up" is one clause."""
        return not self.statement and self.categories == ("relationships",)

    @property
    def final(self) -> bool:
        """True if there is nothing else to keep in it: what is gone is not there."""
        return not self.statement and self.categories != ("project", "context")


@dataclass(frozen=True, slots=True)
class PutRight:
    """Words that were wrong, and what is right; ``new`` is None where the sentence itself says it."""

    old: str
    new: str | None


_STILL: Final = (
    (re.compile(
        r"^(?P<a>the user(?:'s [\w ]{1,30}?)? )(?:is|are) (?:no longer|not (?=.* any ?more)) ?"
        r"(?P<b>.+)", re.I), r"\g<a>is \g<b>"),
    (re.compile(r"^(?P<a>the user(?:'s [\w ]{1,30}?)? )no longer (?P<b>.+)", re.I), r"\g<a>\g<b>"),
    (re.compile(r"^(?P<a>the user(?:'s [\w ]{1,30}?)? )(?:is|are) not (?P<b>.+)", re.I), r"\g<a>is \g<b>"),
)  # fmt: skip
_DID_NOT = re.compile(
    r"^(?P<a>the user(?:'s [\w ]{1,30}?)? )(?:does not|do not|did not) (?:actually |really )?"
    r"(?P<verb>\w+)(?P<b>.*)",
    re.I,
)
_ANY_MORE = re.compile(r",? (?:any ?more|any longer|now|these days|at all|either)$", re.I)
_UNTRUE = re.compile(
    r"^(?:it(?:'s| is) (?:simply |just )?(?:not|no longer) (?:true|right|correct)"
    r"(?: any ?more)? that|it(?:'s| is) (?:false|wrong) that|i never said(?: that)?"
    r"|the user never said(?: that)?) (?P<what>.+)",
    re.I,
)
_POINTING = re.compile(
    r"^(?:(?:that|this|it)(?:'s no longer|'s not| is no longer| is not| isn't|'s never"
    r"| was never| wasn't)(?: (?:really|actually|quite))? (?:true|right|correct|the case|so"
    r"|accurate|up to date|valid)(?: any ?more| for me| now)?"
    r"|(?:that|this|it)(?:'s| is| has become)? (?:outdated|false|wrong now|old news"
    r"|ancient history|out of date)|(?:that|it) (?:has )?changed)\b",
    re.I,
)
_GONE: Final[tuple[tuple[re.Pattern[str], tuple[Category, ...]], ...]] = (
    (re.compile(
        r"^(?:the user(?: has| have)?|has|have) (?:finally |just |completely |recently |already )*"
        r"(?:gave up|given up|quit|stopped|abandoned|dropped|cancel(?:l?ed)|ended|is done with"
        r"|shelved|scrapped)(?: on)? (?:learning |doing )?(?P<what>.+)", re.I), _DOINGS),
    (re.compile(
        r"^(?:the user(?: has| have)?|has|have) (?:finally |just |completely |recently |already )*"
        r"(?:finished|completed|wrapped up|is finished with) (?P<what>.+)", re.I), ("project", "context")),
    (re.compile(
        r"^(?:the user(?: has| have)?|has|have) (?:finally |just |recently |already )*(?:sold|lost"
        r"|got rid of|gave away|given away|returned|scrapped|rehomed|cancelled) (?P<what>.+)", re.I),
     _THINGS),
    (re.compile(
        r"^(?:the user(?: has| have)?|has|have) (?:finally |just |recently |already )*(?:left|quit"
        r"|was fired from|was laid off (?:by|from)|resigned from|retired from|was let go (?:by"
        r"|from)) (?P<what>.+)", re.I), ("professional_profile",)),
    (re.compile(
        r"^(?:the user's )(?P<what>[\w' -]{3,60}?) (?:is|are|was|were|has been|have been) "
        r"(?:finally |now |already |all )*(?:over|finished|done|cancelled|canceled|called off|off"
        r"|gone|complete|completed|behind (?:me|the user|us))$", re.I), (*_DOINGS, "relationships")),
    (re.compile(
        r"^(?P<what>[\w' -]{2,40}?) (?:has |sadly |recently |unfortunately )*(?:died|passed away"
        r"|was put (?:down|to sleep)|is dead|has passed|ran away for good)", re.I),
     ("pets", "relationships", "naming")),
    (re.compile(
        r"^(?:the user and )?(?P<what>[\w'-]+(?: [\w'-]+)?)(?: and the user| and I)? (?:has |have "
        r"|are |is )*(?:broke up|broken up|split up|separated|got divorced|no longer together"
        r"|not together any ?more|not friends any ?more|no longer friends)", re.I), ("relationships",)),
    (re.compile(
        r"^the user (?:has )?(?:just )?(?:broke up|broken up|split up|got divorced|fell out) (?:with"
        r"|from) (?P<what>[\w' -]+)", re.I), ("relationships",)),
    (re.compile(
        r"^the user (?:is|came|has come|got|has got|is finally|has returned|returned|is just)"
        r"(?: finally| just)? (?:back |home )?from (?P<what>[\w' -]+)$", re.I), ("context",)),
)  # fmt: skip
_NOT_SO_BUT = re.compile(
    r"^(?:no,? )?(?:it(?:'s| is) )?not (?:in )?(?P<old>[\w' -]{2,40}?)\s*[,;–—-]+\s*(?:but |it"
    r"(?:'s| is) |rather |in )*(?P<new>[\w' .+-]{1,60}?)[.!]*$",
    re.I,
)
_SO_NOT = re.compile(
    r"^(?P<all>(?:no,? )?.{3,}?)\s*[,–—-]+\s*(?:and )?not (?:in |at |on |an? |the )?"
    r"(?P<old>[\w' -]{1,40}?)(?: any ?more)?[.!]*$",
    re.I,
)
_INSTEAD = re.compile(
    r"^(?P<all>.{3,}?) (?:instead of|rather than) (?P<old>[\w' -]{2,40}?)(?: now| from now on)?[.!]*$", re.I
)
_FROM_TO = re.compile(
    r"\b(?:switch(?:ed|ing)?|chang(?:ed|ing)|mov(?:ed|ing)|migrat(?:ed|ing)|went|renam(?:ed"
    r"|ing))\b[^,;.]{0,40}? from (?P<old>[\w' .+#-]{1,40}?) to (?P<new>[\w' .+#-]{1,40}?)"
    r"(?: now| last \w+| this \w+| yesterday| recently)?[.!]*$",
    re.I,
)
_REPLACED = re.compile(
    r"^the user (?:has )?(?:just )?(?:replaced|swapped|exchanged|traded(?: in)?) (?:the user's "
    r"|the |an? )?(?P<old>[\w' -]{2,40}?) (?:with|by|for) (?P<new>[\w' -]{2,50}?)[.!]*$",
    re.I,
)
_MEANT = re.compile(
    r"^(?:no,? |sorry,? )?(?:I|the user) (?:actually )?(?:meant|mean)(?: to say)? (?:in |at )?"
    r"(?P<new>(?!that\b|it\b|this\b|to\b|the (?:other|first|second|last)\b)[\w' -]{2,40}?)[.!]*$",
    re.I,
)


def taken_back(clause: str) -> TakenBack | None:
    """Return the statement that a clause in the third person takes back, as no longer or never true."""
    untrue = _UNTRUE.match(clause)
    if untrue is not None:
        return TakenBack(untrue["what"].rstrip(" .!"), True)
    for pattern, categories in _GONE:
        match = pattern.match(clause.rstrip(" .!"))
        if match is not None:
            return TakenBack(re.split(r"[,;:]", match["what"])[0], False, categories)
    return None


def positive(clause: str) -> str | None:
    """Return the opposite of a denial: for "the user is no longer a nurse", that they are one."""
    bare = _ANY_MORE.sub("", clause.rstrip(" .!"))
    for pattern, form in _STILL:
        if pattern.match(clause.rstrip(" .!")):
            return _ANY_MORE.sub("", pattern.sub(form, clause.rstrip(" .!")))
    did = _DID_NOT.match(bare)
    return f"{did['a']}{third_person(did['verb'])}{did['b']}" if did else None


def points_back(text: str) -> bool:
    """Return True if the sentence says that what was just said is not so."""
    return _POINTING.match(text) is not None


def put_right(text: str, told: str) -> tuple[PutRight | None, str]:
    """Return the words that a sentence puts right, and the sentence without what was wrong.

    ``told`` is the sentence in the third person.
    """
    not_so = _NOT_SO_BUT.match(text)
    if not_so is not None and len(text.split()) <= 10:
        return PutRight(not_so["old"], not_so["new"]), text
    for pattern in (_SO_NOT, _INSTEAD):
        so = pattern.match(text)
        if so is not None:
            return PutRight(so["old"], None), so["all"]
    for pattern in (_FROM_TO, _REPLACED):
        other = pattern.search(told)
        if other is not None:
            return PutRight(other["old"], other["new"]), text
    return None, text


_BLAME = re.compile(
    r"\b(?:you|we) (?:(?:got|had|have|mixed) (?:that|it|this)(?: all)? (?:wrong|up|backwards"
    r"|mixed up)|misremember\w*|mixed up|confused)\b"
    r"|\b(?:that's|that is|this is) (?:wrong|incorrect|not right)\b|^(?:wrong|correction)\b"
    r"|\bnot (?:any ?more )?[A-Z]\w+[.!]*$",
    re.I,
)


def blames(text: str) -> bool:
    """Return True if the sentence says that what was known is wrong."""
    return _BLAME.search(text.replace("’", "'")) is not None


def named_instead(text: str) -> str | None:
    """Return the right value from the rest of a sentence that put something right: "It's Kate with a K"."""
    match = re.match(
        r"^(?:it's|it is|that's|i'm|i am|the name is) (?:spelled |in |at )?(?P<new>[\w'-]+"
        r"(?: [A-Z][\w'-]+)?)",
        text,
        re.I,
    )
    return match["new"] if match else None


def meant(text: str) -> str | None:
    """Return the words that the user meant, if the sentence says only that."""
    match = _MEANT.match(text)
    return match["new"] if match else None
