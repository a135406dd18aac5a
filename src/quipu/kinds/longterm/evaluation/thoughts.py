"""Thoughts of a sentence as people type it: run together, written small, of several people. Pure.

A sentence is cut before each new subject with its verb, and before a verb that shares the subject of the one
before: "hes 4 and only started last week, max drives him" has three thoughts. Names are marked while a
sentence is cut, so that a name written small is a subject as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Final

from quipu.kernel.prose.lexicon import lexicon
from quipu.kernel.prose.verbs import finite, plain
from quipu.kinds.longterm.evaluation.grammar import grammar
from quipu.kinds.longterm.evaluation.people import is_name, names_that_are_words

_MARK: Final = "\ue000"
"""Stands before a name while a sentence is cut."""

_NAME: Final = rf"{_MARK}[\w-]+"
_TOKEN: Final = re.compile(r"(?<![\w'@/.-])[^\W\d_][\w]*(?:-[A-Z]\w+)?(?:'s)?(?![\w'@/-])")
_SHORT_IS: Final = re.compile(
    r" (?:an?|the|coming|going|been|got|not|my|so|just|really|very|also|still|in|on|at|\w+ing)\b"
)
_SHORT_HAS: Final = re.compile(r" (?:got|been)\b")
_OF_KIN: Final = re.compile(r",? \(?(?:that's |who is |who's )?(?:my|our) (?:[\w-]+ ){0,2}[\w-]+[,)]")
_NEXT_WORD: Final = re.compile(r" ([a-z']+)")
_BEGINS: Final = re.compile(r"(?:^|[,;:.!] |\b(?:and|but|so|because|while|then) )$")
_VERBS: Final = frozenset((
    "will", "may", "mark", "art", "hope", "faith", "joy", "grace", "dawn", "eve", "april", "june", "summer",
    "autumn", "august", "grant", "drew", "major", "miles", "ray", "rich", "roar", "rose", "rune", "tone",
    "odd",
))  # fmt: skip
"""Names that are too often words to be names before a verb."""

_RELATIVE: Final = re.compile(r"(?i)\b(?:who|whose|that|which|what|where|if|when|to|how|whether)\b")
_PREFIX: Final = re.compile(r"(?:[\w'-]+,? ){1,3}$")
_NOUN: Final = re.compile(
    rf"(?:(?:[Mm]y|[Oo]ur|[Tt]he) (?:[\w-]+ ){{0,2}}[\w-]+|{_NAME}|(?:[Mm]e|[Yy]ou))\s*"
)


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Patterns of English; ``start`` is a subject with its verb, ``subject`` a subject alone."""

    start: re.Pattern[str]
    subject: re.Pattern[str]
    link: re.Pattern[str]
    next_verb: re.Pattern[str]
    aside: re.Pattern[str]
    inserted: re.Pattern[str]
    who: re.Pattern[str]
    time: re.Pattern[str]
    dependent: frozenset[str]


def apart(sentence: str, learned: Collection[str] = ()) -> str:
    """Return a spelled sentence with its names in capitals and without what is said aside of them.

    "Walt, that's Doreen's husband, is diabetic" becomes "Walt is diabetic"; ``learned`` are names, lower
    case.
    """
    known = _patterns()
    bare = known.aside.sub(_named_beside, _marked(sentence, learned))
    bare = known.inserted.sub(r"\g<name> \g<told>, \g<name> ", bare)
    return known.who.sub(r"\g<name>, \g<name>", bare).replace(_MARK, "")


def _named_beside(match: re.Match[str]) -> str:
    """Return a name without what is said aside of it; whose relation is the user's is told as well."""
    own = match["own"] or match["own_too"]
    return f"{own} is called {match['name']}; {match['name']} " if own else f"{match['name']} "


def thoughts(clause: str, learned: Collection[str] = ()) -> list[str]:
    """Return the thoughts of a clause of a spelled sentence, in order, each with its subject before it.

    ``learned`` are names, lower case, that the conversation gave to somebody.
    """
    pieces = _cut(_marked(clause, learned))
    return [one.replace(_MARK, "") for piece in pieces for one in _shared(_headed(piece))]


def _marked(text: str, learned: Collection[str]) -> str:
    """Return the text with every name marked and written with a capital."""

    def mark(match: re.Match[str]) -> str:
        token, lower = match[0], match[0].lower()
        name, owns = lower.removesuffix("'s"), "'s" if lower.endswith("'s") else ""
        if not owns and not is_name(name, learned) and name.endswith("s") and is_name(name[:-1], learned):
            name, owns = name[:-1], "'s"
        if not is_name(name, learned) and not (token[0].isupper() and _OF_KIN.match(text, match.end())):
            return token
        if name in names_that_are_words() and name not in learned and not token[0].isupper():
            before, after = text[: match.start()], _NEXT_WORD.match(text, match.end())
            begins = _BEGINS.search(before) is not None
            if owns or name in _VERBS or not begins or after is None or after[1] not in finite():
                return token
        if owns and _SHORT_IS.match(text, match.end()):
            owns = " has" if _SHORT_HAS.match(text, match.end()) else " is"
        return f"{_MARK}{name.title()}{owns}"

    return _TOKEN.sub(mark, text)


def _cut(text: str) -> list[str]:
    """Return the pieces of a clause, cut before each subject with its verb that begins a thought."""
    known = _patterns()
    starts = [0]
    for match in known.start.finditer(text):
        link = known.link.search(text, starts[-1], match.start())
        if link is None or link.start() == starts[-1] or not (link["comma"] or link["words"]):
            continue
        before = text[starts[-1] : link.start()].rstrip(" ,;")
        bound = before.rsplit(None, 1)[-1].lower() in known.dependent and "because" not in link["words"]
        if not bound and _NOUN.fullmatch(before) is None:
            starts.append(match.start())
    pieces = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return [known.link.sub("", f"{one.rstrip(' ,;')} ").strip(" ,;") for one in pieces if one.strip(" ,;")]


def _headed(piece: str) -> str:
    """Return a piece from its subject on, where only a time or some words without a verb stand before it."""
    known = _patterns()
    match = known.start.search(piece)
    if match is None or match.start() == 0:
        return piece
    before = piece[: match.start()]
    words = {one.strip(",").lower() for one in before.split()}
    if "and" in words:
        return piece
    if before.lower().startswith("every ") and known.time.fullmatch(before):
        return f"{piece[match.start() :].rstrip(' .!')} {before.strip(' ,').lower()}"
    bare = _PREFIX.fullmatch(before) and all(map(words.isdisjoint, (known.dependent, finite(), plain())))
    return piece[match.start() :] if bare or known.time.fullmatch(before) else piece


def _shared(piece: str) -> list[str]:
    """Return the thoughts of a piece, cut before verbs that share its subject."""
    known = _patterns()
    subject = known.subject.match(piece)
    if subject is None:
        return [piece]
    links = [
        one
        for one in known.next_verb.finditer(piece, subject.end())
        if not _RELATIVE.search(piece, subject.end(), one.start())
    ]
    who = subject["who"].strip(" ,")
    ends = [*(one.start() for one in links), len(piece)]
    rest = [piece[one.end() : end] for one, end in zip(links, ends[1:], strict=True)]
    return [piece[: ends[0]], *(f"{who} {text}" for text in rest)]


@cache
def _patterns() -> _Patterns:
    data, words = lexicon("thoughts")["english"], grammar().words
    adverb = rf"(?:(?:{'|'.join(data['adverbs'].split())}|kind of|sort of) ){{0,3}}"
    verb, base = "|".join(sorted(finite())), "|".join(sorted(plain()))
    sure = "|".join(sorted(finite() - set(data["unsure"].split())))
    mine = rf"(?:[Mm]y|[Oo]ur) (?:[\w-]+ ){{0,2}}?(?:{words['relation']}|{words['animal']})(?:,? {_NAME},?)?"
    kin = rf"(?:my|our) (?:[\w-]+ ){{0,2}}?(?:{words['relation']}|{words['animal']})"
    named = rf"{_NAME}(?: and {_NAME})?"
    short = rf"'s(?= {adverb}(?:an?|the|not|in|from|been|got|\w+ing|\w+ed|\d+)\b)"
    return _Patterns(
        start=re.compile(
            rf"(?:I|[Ww]e|[Tt]hey)(?:'(?:m|re|ve|d|ll)\b|n't\b| {adverb}(?:{base}|{verb})\b)"
            rf"|(?:[Hh]e|[Ss]he|[Ii]t)(?:'(?:s|d|ll)\b| {adverb}(?:{verb})\b)"
            rf"|(?:[Hh]is|[Hh]er|[Tt]heir|[Ii]ts) (?:\w+ )?(?:names?|birthday|{words['relation']})"
            rf"(?:'s| is| are| was)\b"
            rf"|(?:{mine}|{named})(?:{short}| {adverb}(?:{verb})\b)"
        ),
        subject=re.compile(rf"(?P<who>I|[Ww]e|[Tt]hey|[Hh]e|[Ss]he|[Ii]t|{mine}|{_NAME})(?='|\s)"),
        link=re.compile(rf"(?P<comma>[,;]?)\s+(?P<words>(?:(?:{'|'.join(data['links'].split())})\s+)*)$"),
        next_verb=re.compile(rf"(?:,? and|, but| but|,)\s+(?={adverb}(?:{sure})\b(?! of\b))"),
        aside=re.compile(
            rf"(?P<name>{_NAME})(?:, (?:that's |thats |who is |who's )?(?:(?P<own>{kin})|(?:my|our|{_NAME}'s)"
            rf" [\w' -]{{2,40}}),| \((?P<own_too>{kin})\)) (?={adverb}(?:{verb})\b)"
        ),
        inserted=re.compile(
            rf"(?P<name>{mine}|{_NAME}), who (?P<told>{adverb}(?:{verb})\b[^,;:]{{2,100}}),"
            rf" (?={adverb}(?:{verb})\b)"
        ),
        who=re.compile(
            rf"(?P<name>{_NAME}|{mine}),? who(?='s (?:an?|the|\d|{words['small']}|in|from)\b"
            r"| (?:is|was|lives?|works?|has|studies|plays|teaches|moved|turned|turns|just turned)\b)"
        ),
        time=re.compile(
            r"every (?:(?:other|second|single) )?\w+(?: (?:before|after) \w+| morning| evening| night)?,? $"
            r"|(?:(?:so|and|but|then) )?"
            r"(?:(?:since|in|on|last|this|next|from|as of|by|at|around|after|until) )?"
            r"(?:the )?(?:(?:start|beginning|end|middle|first|last|\d{1,2}(?:st|nd|rd|th)?) (?:of )?)?"
            rf"{data['times']}"
            r"(?: (?:\d{1,4}(?:st|nd|rd|th)?|last year|this year|morning|evening|night))?,? $",
            re.IGNORECASE,
        ),
        dependent=frozenset(data["dependent"].split()),
    )
