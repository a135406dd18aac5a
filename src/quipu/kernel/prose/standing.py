"""Standing rules in what somebody says: what to do from now on, and what takes that back. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Any, Final, Self

from quipu.kernel.prose.lexicon import lexicon
from quipu.kernel.prose.patterns import any_of, entries, filled
from quipu.kernel.prose.sentences import LONGEST_PROSE, Sentence, hidden, sentences

LONGEST: Final = 400
"""Characters of a rule, with the sentence before it where it points back to that."""

_MOST: Final = 5  # of one message: who gives more has pasted a document
_LONGEST_ALONE: Final = 160  # characters of a message in which a rule needs no word for "always"
_QUOTED: Final = re.compile(r"(?<![\w'])'[^'\n]{2,200}'(?!\w)|‘[^’\n]{2,200}’|„[^“”\n]{2,400}[“”]")
_SPACES: Final = re.compile(r"\s+")
_BEGINS: Final = re.compile(r"<(start|clause)>")
_START: Final = re.compile(r"^|[;:] ?")
_CLAUSE: Final = re.compile(r"[,.!] ?| [-–—] |[(]")
_MOST_BORDERS: Final = 30
_RUN_ON: Final = re.compile(
    r",\s+(?:(?:and|but|so|also|oh|then|though) )*"
    r"|\s(?:and|but|so) (?=(?:also|always|never|please|pls|can|could|no)\b)"
)
_FEWEST: Final = 3
_ANSWER: Final = re.compile(r"(?:nah|nope|no|yes|yeah|yep),")


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction for the time to come, in one sentence.

    ``text`` is the sentence, with the one before it where it points back to that. ``is_rule``: it holds from
    now on. ``is_end``: it takes an earlier rule back; with ``is_instead`` it tells what holds in its place.
    ``scope`` are the words after "when I ask for" and the like; without any it holds everywhere.
    """

    text: str
    is_rule: bool
    is_end: bool
    is_instead: bool
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of a rule: ``words`` of its own, and ``matters`` of which one value holds at a time.

    A matter is "language" or "units". ``is_negated``: it says what not to do, and leaves open what else.
    """

    words: str
    matters: frozenset[str]
    is_negated: bool


def read(message: str) -> list[Instruction]:
    """Return the standing rules of a message to an assistant, in order. Linear in its length."""
    lower = "" if len(message) > LONGEST_PROSE else message.lower().replace("’", "'")
    languages = [name for name in lexicon("standing") if _triggers(name).search(lower)]
    if not languages:
        return []
    every = sentences(_QUOTED.sub(hidden, message))
    plain = [_plain(one.seen) for one in every]
    is_short = len(message) <= _LONGEST_ALONE
    told: list[Instruction] = []
    for place, said in enumerate(plain):
        others = [*plain[:place], *plain[place + 1 :]] if is_short else None
        first = _first(said, others, languages) or _first_of_clauses(said, languages)
        if first is not None:
            told.append(replace(first, text=_text(message, every, place, is_back=first.text == "")))
    return _once(told) if len(told) <= _MOST else []


def _first(said: str, others: Sequence[str] | None, languages: Iterable[str]) -> Instruction | None:
    """Return the instruction of a sentence, in the first language in which it has one."""
    found = (_grammar(name).read(said, others) for name in languages if _triggers(name).search(said))
    return next((one for one in found if one is not None), None)


def _first_of_clauses(said: str, languages: Iterable[str]) -> Instruction | None:
    """Return the rule in a clause of a sentence that was typed on and on."""
    clauses = [
        one for one in _RUN_ON.split(said) if len(one.split()) >= _FEWEST and not one.startswith("call me ")
    ]
    if clauses == [said] or _ANSWER.match(said):
        return None
    cut = [name for name in languages if lexicon("standing")[name].get("runs_on", False)]
    found = (_first(one, None, cut) for one in clauses)
    return next((one for one in found if one is not None and one.is_rule), None)


def subject(text: str) -> Subject:
    """Return the subject of a rule, or of the end of one."""
    plain = _plain(text)
    words = plain
    for grammar in _grammars():
        words = grammar.general.sub(" ", words)
    return Subject(
        words=_SPACES.sub(" ", words).strip(),
        matters=frozenset(one for grammar in _grammars() for one in grammar.matters_of(plain)),
        is_negated=any(grammar.negation.search(plain) for grammar in _grammars()),
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence, and the places at which something may begin that is told to do."""

    text: str
    starts: Sequence[int]
    clauses: Sequence[int]


class _Patterns:
    """Patterns of one purpose as one expression for each place where they may begin: quick to try."""

    def __init__(self, every: Iterable[str], words: Mapping[str, str]) -> None:
        places: dict[str, list[str]] = {"start": [], "clause": [], "": []}
        for one in every:
            place = _BEGINS.match(one)
            places[place[1] if place else ""].append(one[place.end() if place else 0 :])
        self._start, self._clause, self._anywhere = (
            any_of(every, words) if every else None for every in places.values()
        )

    def match(self, said: _Said) -> re.Match[str] | None:
        """Return the first match; one that begins where it must comes first."""
        for pattern, places in ((self._start, said.starts), (self._clause, said.clauses)):
            for at in places if pattern else ():
                if pattern and (found := pattern.match(said.text, at)):
                    return found
        return self._anywhere.search(said.text) if self._anywhere else None


@dataclass(frozen=True, slots=True)
class _Grammar:
    """The patterns of one language."""

    lead: re.Pattern[str]
    rules: _Patterns
    general_rules: _Patterns
    told: _Patterns
    marks: _Patterns
    once: _Patterns
    alone: _Patterns
    none: _Patterns
    instead: _Patterns
    only: _Patterns
    task: _Patterns
    polite: _Patterns
    back: _Patterns
    scopes: Sequence[_Patterns]
    matters: Mapping[str, re.Pattern[str]]
    negation: re.Pattern[str]
    general: re.Pattern[str]
    telling: _Patterns

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """Compile what a language says."""
        words, rules, ends = entries(data["words"]), data["rules"], data["ends"]
        return cls(
            lead=re.compile(f"{words['lead']}[,:.!]? "),
            rules=_Patterns(rules["patterns"], words),
            general_rules=_Patterns(rules.get("general", ()), words),
            told=_Patterns(rules.get("told", ()), words),
            marks=_Patterns(rules.get("marks", ()), words),
            once=_Patterns(rules.get("once", ()), words),
            alone=_Patterns(rules["alone"], words),
            none=_Patterns(rules["none"], words),
            telling=_Patterns(rules["telling"], words),
            instead=_Patterns(ends["instead"], words),
            only=_Patterns(ends["only"], words),
            task=_Patterns([rules["task"]], words),
            polite=_Patterns([rules["polite"]], words),
            back=_Patterns([rules["back"]], words),
            scopes=[_Patterns([one], words) for one in rules["scopes"]],
            matters={name: _whole_words(every, words) for name, every in data["matters"].items()},
            negation=_whole_words(data["subject"]["negation"], words),
            general=_whole_words(data["subject"]["general"], words),
        )

    def read(self, text: str, others: Sequence[str] | None) -> Instruction | None:
        """Return the rule of a sentence; ``text`` is empty if it points back to the one before.

        ``others`` are the other sentences of its message, or None if that is a long one.
        """
        said = self.said(text)
        if self._asks(said):
            return None
        is_instead = self.instead.match(said) is not None
        is_end = is_instead or self.only.match(said) is not None
        is_rule = self.telling.match(said) is None and self._is_rule(said, others)
        if not (is_rule or is_end) or self.none.match(said):
            return None
        return Instruction(
            text="" if self.back.match(said) else text,
            is_rule=is_rule and (is_instead or not is_end),
            is_end=is_end,
            is_instead=is_instead,
            scope=self._scope(said),
        )

    def said(self, text: str) -> _Said:
        """Return a sentence with its places."""
        starts = list(self._places(text, _START))
        return _Said(text, starts, [*starts, *self._places(text, _CLAUSE)])

    def matters_of(self, text: str) -> frozenset[str]:
        """Return the matters that a rule decides."""
        return frozenset(name for name, pattern in self.matters.items() if pattern.search(text))

    def _places(self, text: str, borders: re.Pattern[str]) -> Iterator[int]:
        """Yield the ends of borders, and the places behind words after them that only open a sentence."""
        for border in islice(borders.finditer(text), _MOST_BORDERS):
            at = border.end()
            yield at
            while (lead := self.lead.match(text, at)) is not None:
                at = lead.end()
                yield at

    def _asks(self, said: _Said) -> bool:
        return said.text.endswith("?") and not self.polite.match(said)

    def _is_rule(self, said: _Said, others: Sequence[str] | None) -> bool:
        return (
            self.rules.match(said) is not None
            or (not self.once.match(said) and self._is_for_good(said))
            or (self.alone.match(said) is not None and self._is_alone(others))
        )

    def _is_for_good(self, said: _Said) -> bool:
        if self.general_rules.match(said):
            return True
        return self.marks.match(said) is not None and self.told.match(said) is not None

    def _is_alone(self, others: Sequence[str] | None) -> bool:
        return others is not None and not any(self.task.match(self.said(one)) for one in others)

    def _scope(self, said: _Said) -> str:
        found = (match["scope"].strip() for one in self.scopes if (match := one.match(said)))
        return next((one for one in found if one), "")


@cache
def _triggers(language: str) -> re.Pattern[str]:
    """Return the words without which nothing is looked at: most messages have none, and compile no more."""
    data = lexicon("standing")[language]
    return _whole_words(data["triggers"], entries(data["words"]))


@cache
def _grammar(language: str) -> _Grammar:
    return _Grammar.of(lexicon("standing")[language])


def _grammars() -> Sequence[_Grammar]:
    return [_grammar(name) for name in lexicon("standing")]


def _whole_words(every: Iterable[str], words: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{filled('|'.join(every), words)})(?!\w)")


def _plain(seen: str) -> str:
    """Return a sentence in small letters, with single spaces, straight apostrophes and no full stop."""
    return _SPACES.sub(" ", seen.replace("’", "'")).strip().rstrip(".! ").lower()


def _text(message: str, every: Sequence[Sentence], place: int, *, is_back: bool) -> str:
    one = every[place]
    start = every[place - 1].start if is_back and place else one.start
    if one.end - start > LONGEST:
        start = one.start
    return _SPACES.sub(" ", message[start : one.end]).strip()


def _once(told: Sequence[Instruction]) -> list[Instruction]:
    """Return instructions without those whose words the next one repeats, as it points back to them."""
    return [
        one
        for place, one in enumerate(told)
        if place + 1 == len(told) or one.text not in told[place + 1].text or told[place + 1].is_end
    ]
