"""The clauses of a text as the policy judges them: whatever can be left out without the rest. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_SUBJECT: Final = (
    r"(?:i|we|he|she|they|it|you|there|this|that|these|those|please|never|always|(?:my|our|his|her|their|its"
    r"|the|an?|both)\s\w+|\w+\s(?:is|are|has|was|lives|works|takes|makes|can|cannot|can't|must))\b"
)
_VERB: Final = (
    r"(?:am|is|are|was|were|be|been|being|has|have|had|do|does|don't|did|can|can't|cannot|could|will|must|should"
    r"|may|never|also|only|not\sallowed|live|work|speak|love|hate|like|stud(?:y|ie)|enjoy|run|own|move|mov|use"
    r"|us|write|writ|teach|take|tak|took|eat|ate|drink|need|want|play|make|mak|get|got|go|went|suffer|earn|owe"
    r"|pay|paid|spend|spent|save|sav|keep|kept|collect|drive|driv|prefer|avoid|allergic|intolerant|diagnosed"
    r"|react|feel|felt|help|learn|build|plan|start|stop|adopt|bought|buy|married|turn|become|became|stay|wear"
    r"|carry|carri|visit|see|saw|swim|swam|sing|cook|bake|rid)(?:e?s|ed|d|ing)?\b"
)
_EDGE: Final = re.compile(
    rf"""(?<!\s)\s*(?:;|\s[-–—]+\s|\s?[()]|:\s)\s*
      | (?:,|(?<!\s))\s+(?:because|since|due\ to|thanks\ to|although|though|whereas|while|which|who|whose
          |so\ that|after|ever\ since
          |(?:and|but|so|as)?\ ?(?:the\ doctor|my\ (?:doctor|therapist|psychiatrist|gp))\b)\b
      | (?:,|(?<!\s))\s+(?:and|but|so|plus|or|also|yet|when|as|means(?:\ that)?)\s+(?={_SUBJECT}|{_VERB})
      | ,\s*(?:and\s+|but\s+|so\s+)?(?={_SUBJECT}|{_VERB})
      | ,\s*(?=(?:so|and|but|with|not|no)\b)""",
    re.VERBOSE | re.IGNORECASE,
)
_ITEM: Final = re.compile(
    r",\s*(?:(?:and|or|plus)\s+)?|(?<!\s)\s+(?:and|or|plus|as\s+well\s+as|&)\s+", re.IGNORECASE
)
_WORD: Final = re.compile(r"\w")
_SENTENCE: Final = re.compile(r"[.!?]+[)\]'\"]*(?=\s|$)|\n+")
_LEAD: Final = re.compile(r"[\s,;:()\-–—]*(?:(?:and|but|so|plus|also|yet|or|as)\b[\s,]*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clause:
    """``text[start:end]``, from what joins it to the clause before it. ``sentence`` counts from 0."""

    start: int
    end: int
    text: str
    sentence: int


def clauses(text: str) -> list[Clause]:
    """The clauses of a text in their order. They cover all of it but the white space between sentences."""
    return [
        Clause(start, end, text[start:end], place)
        for place, (begin, stop) in enumerate(_sentences(text))
        for start, end in _parted(text, begin, stop)
    ]


def items(clause: Clause) -> list[Clause]:
    """What a clause lists, "I'm allergic to nuts" and "and diabetic", each with what joins it to the rest."""
    first = _WORD.search(clause.text)
    begin = first.start() if first else len(clause.text)
    places = [0, *(one.start() for one in _ITEM.finditer(clause.text, begin)), len(clause.text)]
    return [
        Clause(clause.start + start, clause.start + end, clause.text[start:end], clause.sentence)
        for start, end in pairwise(places)
    ]


def bare(clause: str) -> str:
    """The clause without what joins it to the one before."""
    lead = _LEAD.match(clause)
    return clause[lead.end() if lead else 0 :].strip()


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for mark in (*_SENTENCE.finditer(text), None):
        end = len(text) if mark is None else mark.end()
        part = text[start:end]
        if part.strip():
            yield start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())
        start = end


def _parted(text: str, begin: int, stop: int) -> Iterator[tuple[int, int]]:
    start, word = begin, _WORD.search(text, begin, stop)
    for edge in _EDGE.finditer(text, begin, stop):
        if word is not None and word.start() < edge.start():
            yield start, edge.start()
            start, word = edge.start(), _WORD.search(text, edge.start(), stop)
    yield start, stop
