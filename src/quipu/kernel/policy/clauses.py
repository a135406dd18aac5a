"""The clauses of a text as the policy judges them: whatever can be left out without the rest. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_SUBJECT: Final = (
    r"(?:(?:now|then|today)\s)?(?:i|we|he|she|they|it|you|there|this|that|these|those|please|never|always|let's|let\sus|(?:my|our|his|her|their|its"
    r"|the|an?|both)\s\w+|\w+\s(?:is|are|has|was|lives|works|takes|makes|can|cannot|can't|must))\b"
)
_VERB: Final = (
    r"(?:am|is|are|was|were|be|been|being|has|have|had|do|does|don't|did|can|can't|cannot|could|will|must|should"
    r"|may|never|also|only|not\sallowed|live|work|speak|love|hate|like|stud(?:y|ie)|enjoy|run|own|move|mov|use"
    r"|us|write|writ|teach|take|tak|took|eat|ate|drink|need|want|play|make|mak|get|got|go|went|suffer|earn|owe"
    r"|pay|paid|spend|spent|save|sav|keep|kept|collect|drive|driv|prefer|avoid|allergic|intolerant|diagnosed"
    r"|react|feel|felt|help|learn|build|plan|start|stop|adopt|bought|buy|married|turn|become|became|stay|wear|coach|call|walk|danc|paint|read|watch|travel|climb|grow|grew|join|sell|sold|rent|lead|led|manag|ski|sail"
    r"|carry|carri|visit|see|saw|swim|swam|sing|cook|bake|rid|broke|break|tore|hurt|los|lost|twist|sprain|fractur"
    r"|injur|dislocat|ruptur|crack)(?:e?s|ed|d|ing)?\b"
)
_EDGE: Final = re.compile(
    rf"""(?<!\s)\s*(?:;|\s[-–—]+\s|\s?[()]|:\s)\s*
      | (?:,|(?<!\s))\s+(?:because|since|due\ to|thanks\ to|although|even\ though|though|whereas|while
          |which|who|whose|so\ that|after|ever\ since
          |(?:and|but|so|as)?\ ?(?:the\ doctor|my\ (?:doctor|therapist|psychiatrist|gp))\b)\b
      | (?:,|(?<!\s))\s+(?:and|but|so|plus|or|also|yet|when|before|until|unless|as|means(?:\ that)?)\s+
          (?={_SUBJECT}|{_VERB})
      | ,\s*(?:and\s+|but\s+|so\s+)?(?={_SUBJECT}|{_VERB})
      | ,\s*(?=(?:so|and|but|with|not|no)\b)""",
    re.VERBOSE | re.IGNORECASE,
)
_ONE: Final = (
    r"(?:(?:my|our|his|her|their|the(?:\suser's)?|an?|both|all)\s[\w'’-]+"
    rf"(?:\s(?!{_VERB}|(?-i:[a-z]+(?:s|ed)\b))[\w'’-]+){{0,3}}"
    r"|(?-i:[A-Z][\w'’-]+(?:\s[A-Z][\w'’-]+)?|I)|we|he|she|they|you)"
)
_SUBJECTS: Final = re.compile(rf"{_ONE}(?:(?:,|,?\s(?:and|or))\s{_ONE})*\W*", re.IGNORECASE)
_ANEW: Final = re.compile(_SUBJECT, re.IGNORECASE)
_HUNG: Final = re.compile(
    rf"(?i)^(?:when|while|before|until|since|because|although|(?:even\s)?though|whereas)\s+(?={_SUBJECT})"
)
_HEAD: Final = re.compile(
    rf"(?i)\b(?P<who>{_ONE})(?:['’](?:ve|s|m|re|d))?\s(?={_VERB})(?P<had>(?:have|has|had|got)(?:\sgot)?\b)?"
)
_PRONOUN: Final = re.compile(
    r"(?i)(?P<who>I|we|he|she|they)(?:['’](?:ve|d))?\s(?P<had>(?:have|has|had|got)(?:\sgot)?\b)?"
)
"""Who begins a clause, whatever verb follows."""

_JOINED: Final = re.compile(
    rf"(?i)[\s,]*(?:and|but|plus|also|yet|or)\s+(?:also\s+|never\s+)?(?={_VERB})(?!\w+\s(?:me|us)\b)"
    r"(?P<third>\w+(?:s|ed)\b|(?:can|could|will|must|should|may|had|got|went|took|ate|kept|saw|grew|spent|bought)\b)?"
)
_PLURAL: Final = ("i", "we", "they", "you")
_INTRO: Final = re.compile(
    r"(?i)(?:after|since|before|during|despite|following|because\sof|due\sto|thanks\sto)\s"
    r"(?:(?:(?!(?:i|we|he|she|they|it|you)\b)[\w'’-]+\s){1,5}?(?=(?:i|we|he|she|they)\s)"
    r"|(?:the|my|our|his|her|their|an?)\s(?-i:(?:[a-z][\w'’-]*\s){1,3}?(?=[A-Z])))"
)
_THING: Final = re.compile(
    r"(?i)(?:an?|one|two|three|four|five|six|seven|\d+|some)\s(?:(?:little|small|big|old|new|young|red|blue|lovely|grown(?:-up)?)\s){0,2}"
    r"(?:kid|child|son|daughter|sister|brother|twin|grandchild|niece|nephew|cousin|wife|husband|partner|cat|kitten|dog|pupp|parrot|rabbit|horse"
    r"|hamster|budgie|house|flat|apartment|cottage|cabin|garden|allotment|car|van|boat|bike|bicycle|motorbike|piano|guitar|violin|cello|job|degree)"
    rf"(?:s|ren|y|ies)?\b(?!\s(?:pain|ache|allerg|injur)|\s{_VERB})"
)
_ITEM: Final = re.compile(
    r"(?i),(?!\d)\s*(?:(?:and|or|plus)\s+)?|(?<!\s)\s+(?:and|or|plus|as\s+well\s+as|&)\s+"
)
_WORD: Final = re.compile(r"\w")
_SENTENCE: Final = re.compile(r"[.!?]+[)\]'\"]*(?=\s|$)|\n+")
_LEAD: Final = re.compile(r"[\s,;:()\-–—]*(?:(?:and|but|so|plus|also|yet|or|as)\b[\s,]*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clause:
    """``text[start:end]``, from what joins it to the clause before it."""

    start: int
    end: int
    text: str


def sentences(text: str) -> Iterator[Clause]:
    """Yield the sentences of a text in order, each as one clause, without the white space between them."""
    start = 0
    for mark in (*_SENTENCE.finditer(text), None):
        end = len(text) if mark is None else mark.end()
        part = text[start:end]
        if stripped := part.strip():
            begin = start + len(part) - len(part.lstrip())
            yield Clause(begin, begin + len(stripped), stripped)
        start = end


def clauses(text: str, sentence: Clause) -> list[Clause]:
    """Return the clauses of a sentence of the text in order. They cover all of it."""
    return [Clause(start, end, text[start:end]) for start, end in _parted(text, sentence.start, sentence.end)]


def items(clause: Clause) -> list[Clause]:
    """Return the items that a clause lists ("I'm allergic to nuts", "and diabetic"), with joining words."""
    first = _WORD.search(clause.text)
    begin = first.start() if first else len(clause.text)
    places = [0, *(one.start() for one in _ITEM.finditer(clause.text, begin)), len(clause.text)]
    return [
        Clause(clause.start + start, clause.start + end, clause.text[start:end])
        for start, end in pairwise(places)
    ]


def bare(clause: str) -> str:
    """Return the clause without the word that joins it to the one before."""
    lead = _LEAD.match(clause)
    return clause[lead.end() if lead else 0 :].strip()


def freed(clause: str) -> str:
    """Return the clause without its subordinating word: "when I lived in Rome" tells where I lived."""
    return _HUNG.sub("", clause)


def headed(left: str, refused: str) -> str:
    """Return the rest after a refused clause, with its subject: "I have gout and collect stamps"."""
    rule = bare(refused)
    head, joined = _PRONOUN.match(rule) or _HEAD.search(rule), _JOINED.match(left)
    if head is not None and joined and (joined["third"] or head["who"].lower() in _PLURAL):
        return f"{head['who']} {bare(left)}"
    if head is not None and head["had"] and thing(left):
        return f"{head[0]} {bare(left)}"
    return freed(bare(left))


def has(clause: str) -> bool:
    """Return True if the clause tells something that somebody has."""
    head = _HEAD.match(bare(clause))
    return head is not None and head["had"] is not None


def thing(text: str) -> bool:
    """Return True if the text is somebody or something that one has: "two kids", "a boat"; no illness."""
    return _THING.match(bare(text)) is not None


def subject(text: str) -> bool:
    """Return True if the text names somebody or something and says nothing of them: "Ruth and Tom"."""
    return _SUBJECTS.fullmatch(bare(text)) is not None


def starts_anew(clause: str) -> bool:
    """Return True if the clause has a subject of its own."""
    return _ANEW.match(clause) is not None


def _parted(text: str, begin: int, stop: int) -> Iterator[tuple[int, int]]:
    intro = _INTRO.match(text, begin, stop)
    if intro is not None:
        end = intro.end() - 1
        yield begin, end
        begin = end
    start, word = begin, _WORD.search(text, begin, stop)
    for edge in _EDGE.finditer(text, begin, stop):
        if word is not None and word.start() < edge.start():
            yield start, edge.start()
            start, word = edge.start(), _WORD.search(text, edge.start(), stop)
    yield start, stop
