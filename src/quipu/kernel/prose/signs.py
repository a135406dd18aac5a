"""Signs in what is said: of a change, of a question and what it asks for, of another name."""

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
_CLAUSE: Final = re.compile(r"[,;:]\s|\s[–—-]\s")
_FEWEST_TOLD: Final = 4  # words; fewer are a greeting or a name
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
    """Return the time that a question asks about, for a value that changed; None if it does not say.

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
    """Return True if every sentence of a text asks something and tells nothing.

    "I moved to Cork in May, where do I register?" tells something before it asks.
    """
    sentences = [one.strip() for one in _SENTENCE.findall(text[:_READ]) if len(one.strip()) > _SHORTEST]
    return all(one.endswith(("?", "？", "؟")) and not _tells(_plain(one)) for one in sentences)


def _tells(question: str) -> bool:
    """Return True if a clause before the one that asks is a statement."""
    *before, _ = _CLAUSE.split(question)
    asks = _patterns("asks")
    return any(len(one.split()) >= _FEWEST_TOLD and not asks.match(one.strip()) for one in before)


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


_ASKER_READ: Final = 2_000
_OPENING: Final = r"(?:(?<=^)|(?<=[.!?,;:\n]))\W{0,4}(?:(?:and|so|but|hey|hi|ok|okay)\b\W{0,3})?"


def asks_about_asker(question: str) -> bool:
    """Return True if a question is about its asker ("where do I live?"), not about an earlier answer.

    A polite opening ("can you tell me") points at nobody. A summary is about both sides. The first 2,000
    characters are read.
    """
    rest = _said("polite").sub(" ", question[:_ASKER_READ])
    if not _said("first_person").search(rest):
        return False
    return not (_said("back").search(rest) or _said("summary").search(rest))


def asks_when(question: str) -> bool:
    """Return True if a time would answer the question."""
    return bool(_said("when").search(question))


@cache
def _said(name: str) -> re.Pattern[str]:
    """Return one expression for all languages; whether capitals count is up to its words."""
    words = [expression for file in lexicon("questions").values() for expression in file[name]]
    if name == "polite":
        return re.compile(f"{_OPENING}(?:{_either(words)})", re.IGNORECASE | re.MULTILINE)
    return re.compile(_either(words), re.NOFLAG if name == "first_person" else re.IGNORECASE)


def _either(expressions: Sequence[str]) -> str:
    return "|".join(f"(?:{one})" for one in expressions)


_ALIAS_READ: Final = 2_000
_NAME: Final = r"[A-ZÀ-ÖØ-ÞĀ-Ž][\w'’-]{0,38}\w"
_PARTS: Final = {
    "alias": rf"(?P<alias>{_NAME})",
    "name": rf"(?P<name>{_NAME}(?: {_NAME})?)",
    "end": r"(?=\s*(?:$|[.!?,;:()\n–—-]|\b(?:and|because|since|now|at|for short|und|weil)\b))",
}
_ALIAS_SIGN: Final = re.compile(
    r"\b[cC]alls? \w|nickname|short for|for short|\baka\b|a\.k\.a|known as|goe?s? by [A-Z]"
    r"|, (?:that['’]s|I mean|meaning|i\.e\.|das ist) [A-Z]|^\W{0,3}\w{1,40} = |nenn|[kK]urz|pitzname|genannt",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class ToldAlias:
    """Another name of somebody: ``name`` is None where it is the speaker."""

    alias: str
    name: str | None


def told_aliases(text: str) -> list[ToldAlias]:
    """Return the other names that a text plainly tells, in order, each once; its first 2,000 characters.

    A question tells none.
    """
    text = text[:_ALIAS_READ]
    if not _ALIAS_SIGN.search(text):
        return []
    found: dict[ToldAlias, None] = {}
    for expression, is_sure in _expressions():
        for match in expression.finditer(text):
            one = ToldAlias(match["alias"], match.groupdict().get("name"))
            if _is_name(one) and (is_sure or _begin_alike(one)) and not _asks(text, match.end()):
                found[one] = None
    return list(found)


def _is_name(one: ToldAlias) -> bool:
    words, no_names = [one.alias, *(one.name or "").split()], _no_names()
    return (
        not any(word.lower() in no_names or (word.isupper() and len(word) > 2) for word in words)
        and one.alias.lower() != (one.name or "").lower()
    )


def _begin_alike(one: ToldAlias) -> bool:
    return one.name is not None and one.name[:2].lower() == one.alias[:2].lower()


def _asks(text: str, end: int) -> bool:
    """Return True if the sentence in which something ends at ``end`` is a question."""
    mark = re.search(r"[.!?\n]", text[end:])
    return mark is not None and mark[0] == "?"


@cache
def _expressions() -> tuple[tuple[re.Pattern[str], bool], ...]:
    return tuple(
        (re.compile(re.sub(r"\{(alias|name|end)\}", lambda m: _PARTS[m[1]], words), re.MULTILINE), is_sure)
        for file in lexicon("aliases").values()
        for kind, is_sure in (("told", True), ("alike", False))
        for words in file[kind]
    )


@cache
def _no_names() -> frozenset[str]:
    """Return words that may have a capital and are no names."""
    return frozenset(word for file in lexicon("aliases").values() for word in file["no_names"])
