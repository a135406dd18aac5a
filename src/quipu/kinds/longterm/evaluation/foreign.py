"""Statements in languages other than English: families of sayings as data, a file for each language. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from quipu.kernel.prose.lexicon import lexicon
from quipu.kernel.prose.patterns import filled
from quipu.kinds.longterm.evaluation.claims import USUAL, Claim, Statement
from quipu.kinds.longterm.evaluation.words import content, sentence
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
class Said:
    """Content of a clause: a claim, or the words of something that is over."""

    claim: Claim | None
    ended: str | None
    text: str


@dataclass(frozen=True, slots=True)
class _Family:
    name: str
    category: Category
    slot: str
    summary: str
    single: bool
    denies: bool
    of_others: bool
    sayings: tuple[re.Pattern[str], ...]
    kept: re.Pattern[str]

    def claim(
        self, clause: str, *, who: str = "", article: str = "", name: str = "", of: str = ""
    ) -> Claim | None:
        """Return the claim of a clause that one of the sayings fits, if any."""
        match = next((hit for one in self.sayings if (hit := one.match(clause))), None)
        if match is None:
            return None
        groups = match.groupdict()
        value = " ".join(((f"{groups['w']} " if groups.get("w") else "") + (groups.get("v") or "")).split())
        subject = who or (groups.get("s") or "").lower()
        return self.made(value, subject, article, of.format(n=name) if name else "")

    def made(self, value: str, who: str, article: str = "", named: str = "") -> Claim:
        """Return the claim that the family makes of a value."""
        slot = self.slot.format(v=" ".join(sorted(content(value))), s=who.lower())
        summary = self.summary.format(v=value, a=article, s=who, n=named)
        return Claim(
            self.category,
            USUAL[self.category],
            sentence(summary),
            (Statement(slot, value, self.single, self.denies),),
            self.name,
        )


@dataclass(frozen=True, slots=True)
class Tongue:
    """Sayings of one language, and the words by which it is known."""

    signs: re.Pattern[str]
    parts: re.Pattern[str]
    lead: re.Pattern[str]
    guards: re.Pattern[str]
    ended: tuple[re.Pattern[str], ...]
    families: tuple[_Family, ...]
    subjects: tuple[re.Pattern[str], ...]
    pronoun: re.Pattern[str]
    mention: re.Pattern[str]
    mentioned: str
    of: str
    articles: tuple[tuple[str, re.Pattern[str]], ...]
    has_capitals: bool

    def read(self, text: str) -> list[Said]:
        """Return what the clauses of a sentence say, in order; nothing of one that a guard fits."""
        if self.guards.search(text):
            return []
        read: list[Said] = []
        whom: tuple[str, str] | None = None
        for part in self.parts.split(text):
            clause = self._trimmed(part)
            for one, somebody in self._clause(clause, whom):
                whom = somebody or whom
                if one is not None:
                    read.append(one)
        return read

    def kept(self, summary: str) -> tuple[Statement, ...]:
        """Return what a memory says whose summary is of this language."""
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

    def _clause(
        self, clause: str, whom: tuple[str, str] | None
    ) -> Iterator[tuple[Said | None, tuple[str, str] | None]]:
        for pattern in self.ended:
            if (match := pattern.match(clause)) is not None:
                yield Said(None, match["v"], clause), None
                return
        for pattern in self.subjects:
            if (match := pattern.match(clause)) is not None:
                somebody = match["s"].lower(), match["n"] or ""
                named = self._of(somebody, clause[match.end() :])
                if named is None and match["n"]:
                    named = self._named(somebody)
                yield Said(named, None, clause) if named else None, somebody
                return
        pronoun = self.pronoun.match(clause)
        if whom is not None and (claim := self._of(whom, clause[pronoun.end() if pronoun else 0 :])):
            yield Said(claim, None, clause), None
            return
        if (match := self.mention.search(clause)) is not None:
            yield Said(self._named((match["s"].lower(), match["n"])), None, clause), None
        own = (family.claim(clause) for family in self.families if not family.of_others)
        claim = next((one for one in own if one is not None), None)
        if claim is not None:
            yield Said(claim, None, clause), None

    def _article(self, who: str) -> str:
        return next((article for article, nouns in self.articles if nouns.match(who)), "")

    def _noun(self, who: str) -> str:
        """Return a noun with the capital that its language wants, after the words before it."""
        if not self.has_capitals:
            return who
        *before, noun = who.split()
        return " ".join([*before, noun.capitalize()])

    def _of(self, somebody: tuple[str, str], rest: str) -> Claim | None:
        who, name = somebody
        article = self._article(who)
        of_them = (
            one.claim(rest, who=self._noun(who), article=article, name=name, of=self.of)
            for one in self.families
            if one.of_others
        )
        return next((one for one in of_them if one is not None), None)

    def _named(self, somebody: tuple[str, str]) -> Claim:
        who, name = somebody
        summary = sentence(self.mentioned.format(a=self._article(who), s=self._noun(who), n=name))
        told = (Statement(f"{who}/name", name, False), Statement("named", name, False))
        return Claim("relationships", USUAL["relationships"], summary, told, "mentioned by name")


def tongue_of(text: str) -> Tongue | None:
    """Return the language in which a message is written, if there is data for it and it is not English."""
    found = [(len(one.signs.findall(text)), one) for one in _tongues()]
    most, tongue = max(found, key=lambda pair: pair[0], default=(0, None))
    is_clear = most >= _FEWEST_SIGNS or 0 < len(text.split()) <= _WORDS_A_SIGN * most
    return tongue if is_clear and most > len(_ENGLISH.findall(text)) else None


def kept(summary: str) -> tuple[Statement, ...]:
    """Return what a memory tells whose summary is in one of the languages; nothing for others."""
    return next((told for one in _tongues() if (told := one.kept(summary))), ())


@cache
def _tongues() -> Sequence[Tongue]:
    return tuple(_tongue(data) for data in lexicon("claims").values())


def _tongue(data: Mapping[str, Any]) -> Tongue:
    words: dict[str, str] = {}
    for name, text in data["words"].items():
        words[name] = filled(text, words)

    def made(text: str) -> re.Pattern[str]:
        return re.compile(_VALUE.sub(lambda _: data["value"], filled(text, words)), re.IGNORECASE)

    others = data["others"]
    return Tongue(
        signs=re.compile(rf"(?i)(?<!\w)(?:{data['signs']})(?!\w)"),
        parts=re.compile(data["parts"]),
        lead=re.compile(data["lead"], re.IGNORECASE),
        guards=re.compile("|".join(f"(?:{one})" for one in data["guards"]), re.IGNORECASE),
        ended=tuple(made(one) for one in data["ended"]),
        families=tuple(_family(one, tuple(made(saying) for saying in one["any"])) for one in data["family"]),
        subjects=tuple(made(one) for one in others["subjects"]),
        pronoun=re.compile("|".join(others["pronouns"]), re.IGNORECASE),
        mention=made(others["mention"]),
        mentioned=others["mentioned"],
        of=others["of"],
        articles=tuple((article, re.compile(nouns)) for article, nouns in others["articles"]),
        has_capitals=data.get("has_capitals", False),
    )


def _family(one: Mapping[str, Any], sayings: tuple[re.Pattern[str], ...]) -> _Family:
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
