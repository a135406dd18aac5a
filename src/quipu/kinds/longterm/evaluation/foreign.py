"""Statements in languages other than English: families of sayings as data, a file for each language. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from quipu.kernel.prose.content import content
from quipu.kernel.prose.lexicon import lexicon
from quipu.kernel.prose.patterns import any_of, entries, filled
from quipu.kinds.longterm.evaluation.changes import TakenBack
from quipu.kinds.longterm.evaluation.model import USUAL, Claim, Statement
from quipu.kinds.longterm.evaluation.words import sentence
from quipu.kinds.longterm.model import Category

_VALUE: Final = re.compile(r"(?<![\w\\])V(?!\w)")
_ENGLISH: Final = re.compile(
    r"(?i)\b(?:the|and|is|my|i'm|with|have|was|you|it's|for|of|to|that|this|but|are|on|i|yes|am|call|what|do)\b"
)
_FEWEST_SIGNS: Final = 2
_WORDS_A_SIGN: Final = 5
"""In a text of no more words for each sign, one is enough."""

_PARTS: Final = {"v": "(?P<v>.+)", "s": "(?P<s>[^.]+?)", "a": r"(?:\w+ )?", "n": r"(?: \([^)]*\))?"}
"""Parts of a summary, as they are read back from one."""


@dataclass(frozen=True, slots=True)
class _Person:
    """Somebody near the user: the noun ("Schwester"), and the name where it is known."""

    noun: str
    article: str
    name: str

    @property
    def key(self) -> str:
        """Beginning of the slots that tell of them."""
        return self.noun.lower()


@dataclass(frozen=True, slots=True)
class _Family:
    name: str
    category: Category
    slot: str
    summary: str
    single: bool
    denies: bool
    of_others: bool
    sayings: Sequence[re.Pattern[str]]
    kept: re.Pattern[str]

    def claim(self, clause: str, of: _Person | None = None, *, named: str = "") -> Claim | None:
        """Return the claim of a clause that one of the sayings fits, if any.

        ``of`` is whom it is about, where it is not the user; ``named`` their name as a summary has it.
        """
        match = next((hit for one in self.sayings if (hit := one.match(clause))), None)
        if match is None:
            return None
        groups = match.groupdict()
        value = " ".join(f"{groups.get('w') or ''} {groups.get('v') or ''}".split())
        if of is None:
            return self.made(value, (groups.get("s") or "").lower())
        return self.made(value, of.noun, article=of.article, named=named)

    def made(self, value: str, noun: str, *, article: str = "", named: str = "") -> Claim:
        """Return the claim that the family makes of a value."""
        slot = self.slot.format(v=" ".join(sorted(content(value))), s=noun.lower())
        summary = self.summary.format(v=value, a=article, s=noun, n=named)
        return Claim(
            self.category,
            USUAL[self.category],
            sentence(summary),
            (Statement(slot, value, self.single, self.denies),),
            self.name,
        )


@dataclass(frozen=True, slots=True)
class Tongue:
    """Sayings of one language: what people say of themselves, and of those near them."""

    parts: re.Pattern[str]
    lead: re.Pattern[str]
    guards: re.Pattern[str]
    ended: Sequence[tuple[re.Pattern[str], tuple[Category, ...]]]
    families: Sequence[_Family]
    subjects: Sequence[re.Pattern[str]]
    pronoun: re.Pattern[str]
    mention: re.Pattern[str]
    mentioned: str
    of: str
    articles: Sequence[tuple[str, re.Pattern[str]]]
    has_capitals: bool

    def read(self, text: str) -> list[Claim | TakenBack]:
        """Return the claims of the clauses of a sentence, and those taken back; none if a guard fits it."""
        if self.guards.search(text):
            return []
        read: list[Claim | TakenBack] = []
        before: _Person | None = None
        for part in self.parts.split(text):
            clause = self._trimmed(part)
            if (ended := self._ended(clause)) is not None:
                read.append(ended)
            elif (subject := self._subject(clause)) is not None:
                before, rest = subject
                claim = self._about(before, rest) or (self._named(before) if before.name else None)
                read += [claim] if claim else []
            else:
                read += self._others(clause, before)
        return read

    def kept(self, summary: str) -> tuple[Statement, ...]:
        """Return the claim of a memory whose summary is of this language."""
        for family in self.families:
            match = family.kept.fullmatch(summary)
            if match is not None:
                groups = match.groupdict()
                return family.made(groups.get("v") or "", groups.get("s") or "").told
        return ()

    def _trimmed(self, part: str) -> str:
        clause = part.strip(" .!,;:-–")
        while (lead := self.lead.match(clause)) is not None and lead.end() < len(clause):
            clause = clause[lead.end() :]
        return clause

    def _ended(self, clause: str) -> TakenBack | None:
        for pattern, categories in self.ended:
            if (match := pattern.match(clause)) is not None:
                return TakenBack(match["v"], False, categories)
        return None

    def _subject(self, clause: str) -> tuple[_Person, str] | None:
        """Return somebody near the user with whom a clause begins, and the rest of it."""
        match = next((hit for one in self.subjects if (hit := one.match(clause))), None)
        return None if match is None else (self._person(match), clause[match.end() :])

    def _others(self, clause: str, before: _Person | None) -> list[Claim]:
        """Return the claims of a clause that goes on about the person before, or tells of the user."""
        if before is not None:
            pronoun = self.pronoun.match(clause)
            claim = self._about(before, clause[pronoun.end() if pronoun else 0 :])
            if claim is not None:
                return [claim]
        mention = self.mention.search(clause)
        own = (family.claim(clause) for family in self.families if not family.of_others)
        claims = [self._named(self._person(mention)) if mention else None, next(filter(None, own), None)]
        return [claim for claim in claims if claim is not None]

    def _person(self, match: re.Match[str]) -> _Person:
        """Return the person of a match, the noun with the capital that the language wants."""
        noun = match["s"].lower()
        article = next((article for article, nouns in self.articles if nouns.match(noun)), "")
        if self.has_capitals:
            *before, last = noun.split()
            noun = " ".join([*before, last.capitalize()])
        return _Person(noun, article, match["n"] or "")

    def _about(self, person: _Person, rest: str) -> Claim | None:
        named = self.of.format(n=person.name) if person.name else ""
        claims = (one.claim(rest, person, named=named) for one in self.families if one.of_others)
        return next(filter(None, claims), None)

    def _named(self, person: _Person) -> Claim:
        summary = sentence(self.mentioned.format(a=person.article, s=person.noun, n=person.name))
        told = (
            Statement(f"{person.key}/name", person.name, False),
            Statement("named", person.name, False),
        )
        return Claim("relationships", USUAL["relationships"], summary, told, "mentioned by name")


def tongue_of(text: str) -> Tongue | None:
    """Return the language in which a message is written, if there is data for it and it is not English."""
    found = [(len(signs.findall(text)), name) for name, signs in _signs().items()]
    most, name = max(found, key=lambda pair: pair[0])
    is_clear = most >= _FEWEST_SIGNS or 0 < len(text.split()) <= _WORDS_A_SIGN * most
    return _tongue(name) if is_clear and most > len(_ENGLISH.findall(text)) else None


def kept(summary: str) -> tuple[Statement, ...]:
    """Return the statements of a memory whose summary is in one of the languages; none for others."""
    named = (name for name, data in lexicon("claims").items() if data["user"] in summary)
    return next((told for name in named if (told := _tongue(name).kept(summary))), ())


@cache
def _signs() -> Mapping[str, re.Pattern[str]]:
    """Return the small words of each language: only of one that is met, the sayings are compiled."""
    return {
        name: re.compile(rf"(?i)(?<!\w)(?:{data['signs']})(?!\w)") for name, data in lexicon("claims").items()
    }


@cache
def _tongue(name: str) -> Tongue:
    data = lexicon("claims")[name]
    words, others = entries(data["words"]), data["others"]

    def made(text: str) -> re.Pattern[str]:
        return re.compile(_VALUE.sub(lambda _: data["value"], filled(text, words)), re.IGNORECASE)

    return Tongue(
        parts=re.compile(data["parts"]),
        lead=re.compile(data["lead"], re.IGNORECASE),
        guards=any_of(data["guards"], words, ignore_case=True),
        ended=[(made(text), tuple(one["categories"])) for one in data["ended"] for text in one["any"]],
        families=[_family(one, [made(saying) for saying in one["any"]]) for one in data["family"]],
        subjects=[made(one) for one in others["subjects"]],
        pronoun=any_of(others["pronouns"], words, ignore_case=True),
        mention=made(others["mention"]),
        mentioned=others["mentioned"],
        of=others["of"],
        articles=[(article, re.compile(nouns)) for article, nouns in others["articles"]],
        has_capitals=data.get("has_capitals", False),
    )


def _family(one: Mapping[str, Any], sayings: Sequence[re.Pattern[str]]) -> _Family:
    kept = re.escape(one["summary"])
    for part, pattern in _PARTS.items():
        kept = kept.replace(rf"\{{{part}\}}", pattern)
    return _Family(
        name=one["name"],
        category=one["category"],
        slot=one["slot"],
        summary=one["summary"],
        single=one.get("single", False),
        denies=one.get("denies", False),
        of_others=one.get("of_others", False),
        sayings=sayings,
        kept=re.compile(kept),
    )
