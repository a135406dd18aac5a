"""Values that change: signs that a statement replaces an earlier one, and what a question asks of them.

A matter has one value at a time, such as a home, a job or a price.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from quipu.kernel.prose.lexicon import lexicon

TimeAsked = Literal["present", "past", "change"]
"""What a question wants of a value: the one that holds, one that held, or how it became another."""

Form = Literal["number", "date"]
"""Form of a value that a question asks for."""

Names = Mapping[str, Sequence[str]]
"""Names of matters, by words."""

_FORMS: Final[tuple[Form, ...]] = ("number", "date")
_READ: Final = 600  # what people tell as news, they tell soon
_QUESTION_READ: Final = 400
_MOST_WORDS: Final = 11  # a longer question asks for one thing that was said, not for a value
_FEW_WORDS: Final = 6  # "Which gym?", "Car insurer?": with so few no verb is needed to ask for the present
_SENTENCE: Final = re.compile(r"[^.!?？؟。！\n]+[.!?？؟。！]*")
_SHORTEST: Final = 2  # characters; fewer are no sentence
_WORD: Final = re.compile(r"\w+")
_DIGITS: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass(frozen=True, slots=True)
class Sign:
    """Words by which a statement replaces an earlier one: the name of their group, and how sure it is."""

    name: str
    strength: float


def sign_of(text: str) -> Sign | None:
    """Return the surest sign in a text that it replaces an earlier statement; None if it has none."""
    plain = _plain(text[:_READ])
    return next((sign for sign, pattern in _signs() if pattern.search(plain)), None)


def may_be_of_one(newer: str, older: str) -> bool:
    """Return False if two statements surely speak of different people: "Nora moved", "Otto works", "I live".

    People are known by capital letters before a verb, in languages that tell them so; else it is True.
    """
    ours, theirs = _named(newer), _named(older)
    if any(name in older for name in ours) or any(name in newer for name in theirs):
        return True
    if ours and theirs:
        return False
    _, first_person, _ = _people()
    return not ((ours and first_person.search(older)) or (theirs and first_person.search(newer)))


def _named(text: str) -> frozenset[str]:
    """Return the people of whom a text says that they do or are something."""
    subject, _, others = _people()
    found = {name for match in subject.finditer(text[:_READ]) for name in match[1].split()}
    return frozenset(name for name in found - others if not (name.endswith("ly") or matters(name)))


@cache
def _people() -> tuple[re.Pattern[str], re.Pattern[str], frozenset[str]]:
    """Return patterns of who does something and of the first person, and the words that are no names."""
    every = [words["people"] for words in lexicon("changes").values() if "people" in words]
    verbs = "|".join(verb for one in every for verb in one["verbs"])
    first = "|".join(word for one in every for word in one["first"])
    others = frozenset(word for one in every for word in one["no_names"].split())
    subject = re.compile(rf"((?:\b[A-Z][a-z][\w’'-]* )+)(?:{verbs})\b")
    return subject, re.compile(rf"\b(?:{first})\b"), others


def tells_past(text: str) -> bool:
    """Return True if a text speaks of what was, such as "I used to" or "back then"."""
    return bool(_patterns("past").search(_plain(text[:_READ])))


def time_asked(question: str) -> TimeAsked | None:
    """Return what a question wants of a value that changed; None if it does not say.

    A question in the past tense does not say: "where did I book?" may ask for the last booking or the first.
    """
    plain = _plain(question[:_QUESTION_READ])
    if _patterns("change").search(plain):
        return "change"
    if _patterns("before").search(plain):
        return "past"
    if _patterns("now").search(plain):
        return "present"
    if _patterns("tense").search(plain):
        return None
    is_short = question.rstrip().endswith("?") and len(plain.split()) <= _FEW_WORDS
    return "present" if is_short or _patterns("present").search(plain) else None


def wants_one_value(question: str) -> bool:
    """Return True if a question asks for the present value of a matter that has one value at a time.

    "What car do I drive?" does; "what does she like about cars?" and "what car do I drive in 2019?" do not.
    """
    plain = _plain(question[:_QUESTION_READ])
    words = plain.split()
    return (
        time_asked(question) == "present"
        and not _patterns("many").search(plain)
        and not _DIGITS.search(plain)
        and len(words) <= _MOST_WORDS
        and (len(words) < _FEW_WORDS or bool(_patterns("one").search(plain) or matters(question)))
    )


def form_asked(question: str) -> Form | None:
    """Return the form of the value that a question asks for: "how much", "when"; None if it has none."""
    plain = _plain(question[:_QUESTION_READ])
    return next((form for form in _FORMS if _patterns(f"asks_{form}").search(plain)), None)


def has_form(text: str, form: Form) -> bool:
    """Return True if a text has a number, or for a date a number, a month or a day of the week."""
    plain = _plain(text[:_READ])
    return bool(_patterns("number").search(plain) or (form == "date" and _patterns("date").search(plain)))


def is_question(text: str) -> bool:
    """Return True if every sentence of a text asks something."""
    sentences = [one for one in _SENTENCE.findall(text[:_READ]) if len(one.strip()) > _SHORTEST]
    return all(one.rstrip().endswith(("?", "？", "؟")) for one in sentences)


def matters(text: str) -> frozenset[str]:
    """Return the matters that the first 600 characters of a text speak of: ``home``, ``work``, ``price`` …"""
    exact, begun, lengths = _words_of_matters()
    words = set(_WORD.findall(text[:_READ].casefold()))
    found = {name for word in words for name in exact.get(word, ())}
    found.update(name for word in words for length in lengths for name in begun.get(word[:length], ()))
    return frozenset(found)


def _plain(text: str) -> str:
    return text.casefold().replace("’", "'")


@cache
def _signs() -> tuple[tuple[Sign, re.Pattern[str]], ...]:
    """Return the signs of all languages with their patterns, surest first."""
    entries = [entry for words in lexicon("changes").values() for entry in words["signs"]]
    entries.sort(key=lambda entry: -entry["strength"])
    return tuple((Sign(one["name"], one["strength"]), re.compile(one["pattern"])) for one in entries)


@cache
def _patterns(name: str) -> re.Pattern[str]:
    """Return one pattern for all that a table ``sentences`` of any language has under a name."""
    found = [words["sentences"].get(name, ()) for words in lexicon("changes").values()]
    return re.compile("|".join(f"(?:{pattern})" for patterns in found for pattern in patterns))


@cache
def _words_of_matters() -> tuple[Names, Names, Sequence[int]]:
    """Return the matters of each word and of each beginning of words (written with *), and their lengths."""
    exact: defaultdict[str, list[str]] = defaultdict(list)
    begun: defaultdict[str, list[str]] = defaultdict(list)
    for language in lexicon("matters").values():
        for name, line in language.items():
            for word in line.split():
                (begun if word.endswith("*") else exact)[word.rstrip("*")].append(name)
    return exact, begun, sorted({len(start) for start in begun})
