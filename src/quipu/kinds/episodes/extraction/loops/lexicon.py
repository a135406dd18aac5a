"""The wordings of open loops from ``lexicon.toml``, and the terms by which later turns are recognised."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from quipu.kernel.prose.lexicon import beside
from quipu.kernel.prose.patterns import any_of, entries
from quipu.recall.terms import question_terms

_WORD: Final = re.compile(r"[^\W_]+(?:'[a-z]{1,2}\b)?")
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_LANGUAGE: Final = ("english",)
_PAST_ENDING: Final = re.compile(r"\b[a-z]{2,}ed\b")


@dataclass(frozen=True, slots=True)
class Promising:
    """Wordings of promises. ``light`` verbs promise nothing, ``doing`` ones do without a time too."""

    said: re.Pattern[str]
    later: re.Pattern[str]
    light: frozenset[str]
    doing: frozenset[str]
    now: re.Pattern[str]
    never: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Saying:
    """Wordings that say so alone, and those that say so only with a time."""

    said: re.Pattern[str]
    timed: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Following:
    """Wordings that ask to be told later, and those said only out of courtesy."""

    said: re.Pattern[str]
    courtesy: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Asking:
    """Wordings of what is undecided, of answers that do not answer, and of questions not meant as such."""

    said: re.Pattern[str]
    evaded: re.Pattern[str]
    answered: re.Pattern[str]
    idle: re.Pattern[str]
    wanted: re.Pattern[str]
    offered: re.Pattern[str]
    elsewhere: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Closing:
    """Wordings that say that something came about or is off, and those that say it did not."""

    done: re.Pattern[str]
    arrived: re.Pattern[str]
    found: re.Pattern[str]
    dropped: re.Pattern[str]
    denied: re.Pattern[str]
    denied_not: re.Pattern[str]
    planned: re.Pattern[str]
    affirmed: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Words:
    """Words that say nothing of what a loop is about; past forms by present; verbs that do the same."""

    light: frozenset[str]
    past: Mapping[str, str]
    same: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Wording:
    """All of it."""

    time: re.Pattern[str]
    promise: Promising
    task: Saying
    waiting: Saying
    followup: Following
    question: Asking
    closing: Closing
    words: Words


@cache
def wording() -> Wording:
    """Return the wordings, read from their file the first time."""
    data: dict[str, Any] = beside(__file__, "lexicon")
    words = entries(data["words"])
    promise, terms = data["promise"], data["terms"]
    return Wording(
        time=re.compile(words["time"]),
        promise=Promising(
            said=any_of(_numbered(promise["said"]), words),
            later=any_of(promise["later"], words),
            light=frozenset(promise["light"].split()),
            doing=frozenset(promise["doing"].split()),
            now=re.compile(promise["now"]),
            never=any_of(promise["never"], words),
        ),
        task=Saying(**_patterns(data["task"], words)),
        waiting=Saying(**_patterns(data["waiting"], words)),
        followup=Following(**_patterns(data["followup"], words)),
        question=Asking(**_patterns(data["question"], words)),
        closing=Closing(**_patterns(data["closing"], words)),
        words=Words(
            light=frozenset(terms["light"].split()),
            past=terms["past"],
            same=tuple(frozenset(line.split()) for line in terms["same"]),
        ),
    )


def _numbered(listed: Sequence[str]) -> list[str]:
    """Return expressions of which each names its verb: a group may have its name once only."""
    return [text.replace("(?P<verb>", f"(?P<verb{place}>") for place, text in enumerate(listed)]


def _patterns(table: Mapping[str, Sequence[str]], words: Mapping[str, str]) -> dict[str, re.Pattern[str]]:
    return {name: any_of(listed, words) for name, listed in table.items()}


def terms(text: str) -> frozenset[int]:
    """Return the terms of a text's subject, as numbers: past forms as present ones, no empty words."""
    light = wording().words.light
    return _numbers(word for word in _words(text) if word not in light)


def deeds(text: str) -> frozenset[int]:
    """Return the terms of all words, also weak ones: a deed may be no more than to ask or to tell."""
    return _numbers(_words(text))


def _words(text: str) -> list[str]:
    return _WORD.findall(_POSSESSIVE.sub("", text.lower()))


def _numbers(words: Iterable[str]) -> frozenset[int]:
    past = wording().words.past
    kept = [past.get(word, word) for word in words]
    numbered = question_terms(" ".join(kept), _LANGUAGE)
    return frozenset(number for numbers in numbered.values() for number in numbers)


def happened(seen: str) -> bool:
    """Return True if a sentence has a past form in it."""
    past = wording().words.past
    return _PAST_ENDING.search(seen) is not None or any(word in past for word in _WORD.findall(seen))


def kindred(verbs: frozenset[int]) -> frozenset[int]:
    """Return these verbs and those that do the same to the same thing."""
    alike = [group for group in _groups() if group & verbs]
    return verbs.union(*alike)


def _groups() -> tuple[frozenset[int], ...]:
    if not _made:
        _made.extend(deeds(" ".join(sorted(group))) for group in wording().words.same)
    return tuple(_made)


_made: list[frozenset[int]] = []
