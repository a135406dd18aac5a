"""Memories as an evaluation knows them: what each tells, which is meant, and what a claim changes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from quipu.kernel.prose.content import content
from quipu.kernel.prose.verbs import finite
from quipu.kinds.longterm.evaluation.claims import OF_SPEAKER, claim
from quipu.kinds.longterm.evaluation.foreign import kept
from quipu.kinds.longterm.evaluation.grammar import grammar
from quipu.kinds.longterm.evaluation.model import Claim, Statement
from quipu.kinds.longterm.evaluation.words import spelled, third
from quipu.kinds.longterm.model import Category, Existing, Importance

if TYPE_CHECKING:
    from quipu.kinds.longterm.sati import SatiExistingMemory
    from quipu.kinds.longterm.store import StoredMemory

_TOLD_IN: Final = re.compile(r" \([A-Z][a-z]{2,8} \d{4}\)\.?$")

ENOUGH: Final = 0.5
"""Share of a topic's words that a memory must have to be the one that is meant."""

_NAMED = re.compile(
    r"the user's (?P<who>[\w' -]{2,40}?),? (?:(?:is|are) (?:called|named) |named |called )?"
    r"(?P<name>[A-Z][\w'-]+)"
)
_KEPT_NAMED = re.compile(r"\b(?:an?|the) (?P<who>[\w' -]{2,40}?) (?:called|named) (?P<name>[A-Z][\w'-]+)")
_DENIAL = re.compile(r"\b(?:not|never|no longer|cannot|no)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class KnownMemory:
    """A memory and what it tells. ``id`` is "" for one that this very evaluation asks to include."""

    id: str
    category: Category
    importance: Importance
    summary: str
    version: int
    clause: str
    told: tuple[Statement, ...]
    words: frozenset[str]

    @property
    def denies(self) -> bool:
        """True if it says that something is not so."""
        return _DENIAL.search(self.summary) is not None

    def names(self) -> Iterable[tuple[str, str]]:
        """Yield names in it with the person who bears each: ("Lena", "the user's daughter Lena")."""
        for match in _NAMED.finditer(self.clause):
            yield match["name"], f"the user's {match['who']} {match['name']}"
        for match in _KEPT_NAMED.finditer(self.clause):
            yield match["name"], f"the user's {match['who'].split()[-1]} {match['name']}"


def as_known(one: SatiExistingMemory | StoredMemory | Existing) -> KnownMemory:
    """Return a memory as an evaluation knows it."""
    return known(
        id=one.id,
        category=one.category,
        importance=one.importance,
        summary=one.summary,
        version=one.version,
    )


def known(
    *,
    id: str,
    category: Category,
    importance: Importance,
    summary: str,
    version: int = 1,
) -> KnownMemory:
    """Read a memory. Its summary may be in any form: "Lives in Berlin", "I live in Berlin"."""
    told_in = _TOLD_IN.search(summary)
    undated = f"{summary[: told_in.start()]}." if told_in else summary
    foreign = kept(summary)
    if foreign:
        return KnownMemory(
            id, category, importance, summary, version, summary.rstrip("."), foreign, content(summary)
        )
    clause = third(spelled(undated)).rstrip(" .")
    first, _, rest = clause.partition(" ")
    named = first.istitle() and rest.split(" ", 1)[0] in finite()
    if "the user" not in clause.lower() and not named:
        clause = f"the user {clause[:1].lower()}{clause[1:]}"
    clause = re.sub(r"^(?:The )?[Uu]ser(?='s |\s)", "the user", clause)
    own = claim(clause, order=False, learned=(first.lower(),) if named else ())
    told = own.told if own is not None else ()
    return KnownMemory(id, category, importance, summary, version, clause, told, content(summary))


def of_claim(new: Claim, *, importance: Importance) -> KnownMemory:
    """Return a claim to include as a known memory, for the rest of the conversation."""
    words = content(new.summary)
    return KnownMemory("", new.category, importance, new.summary, 0, new.summary.rstrip("."), new.told, words)


def about(
    topic: str, among: Sequence[KnownMemory], *, categories: Collection[Category], everything: bool
) -> list[KnownMemory]:
    """Return the memories that a topic means, by what its words stand for or by shared words.

    That is the one that fits best, or none if several fit equally well; with ``everything`` all that fit.
    """
    scored = [(_fit(topic, one), one) for one in among if one.category in categories]
    fitting = [(score, one) for score, one in scored if score >= ENOUGH]
    if everything:
        return [one for _, one in fitting]
    best = max((score for score, _ in fitting), default=0.0)
    first = [one for score, one in fitting if score == best]
    return first if len(first) == 1 else []


def _fit(topic: str, one: KnownMemory) -> float:
    words = content(topic)
    shared = len(words & one.words) / len(words) if words else 0.0
    for said, slots in grammar().topics:
        if said.search(topic) and any(told.slot.startswith(slot) for told in one.told for slot in slots):
            return 1.0 + shared
    return shared


def telling(told: Statement, among: Iterable[KnownMemory]) -> list[KnownMemory]:
    """Return the memories that tell the same: the same slot, and a value that is part of the other."""
    return [one for one in among if any(_same(told, other) for other in one.told)]


def _same(told: Statement, other: Statement) -> bool:
    if told.slot != other.slot:
        return False
    return told.key <= other.key or other.key <= told.key


def holding(words: str, among: Iterable[KnownMemory]) -> list[KnownMemory]:
    """Return the memories that contain these words, in their order."""
    pattern = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)", re.IGNORECASE)
    return [one for one in among if pattern.search(one.summary)]


def shown_in(text: str, among: Iterable[KnownMemory]) -> list[KnownMemory]:
    """Return the memories whose words are mostly in the text: the basis of an assistant's answer."""
    said = content(text)
    return [one for one in among if one.words and len(one.words & said) / len(one.words) > ENOUGH]


_ALIKE = 0.6
"""Share of words that two values must have in common for one to be the denial of the other."""

_FLIPPING = ("able:", "likes:", "consumes:", "has:", "speaks:")
_MENTIONED = ("mentioned", "mentioned by name")
_NUMBERS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}


@dataclass(frozen=True, slots=True)
class Same:
    """The memory says it already."""

    memory: KnownMemory


@dataclass(frozen=True, slots=True)
class Change:
    """The memory is to say ``summary`` from now on."""

    memory: KnownMemory
    summary: str
    reason: str


def decide(
    new: Claim, among: Sequence[KnownMemory], *, old: str | None = None, wrong: bool = False
) -> Same | Change | None:
    """Decide whether a memory says the same or is to be changed by a claim; None for news.

    ``old`` are words that the speaker called wrong. ``wrong`` is true if they said that something known is
    wrong.
    """
    if old is not None:
        meant = [one for one in holding(old, among) if _about_the_same(new, one)]
        if meant:
            return _corrected(new, meant[0], old)
    words = content(new.summary)
    if new.family.removeprefix(OF_SPEAKER) in _MENTIONED:
        return next((Same(one) for one in among if _implies(one, new)), None)
    for one in among:
        decided = _against(new, words, one, wrong=wrong)
        if decided is not None:
            return decided
    return None


def _about_the_same(new: Claim, one: KnownMemory) -> bool:
    slots = {told.slot.split(":")[0].split("/")[0] for told in one.told}
    return one.category == new.category or any(
        told.slot.split(":")[0].split("/")[0] in slots for told in new.told
    )


def _corrected(new: Claim, one: KnownMemory, old: str) -> Change:
    main = new.told[0]
    kept = {told.slot for told in one.told if told.slot != "named"} - {told.slot for told in new.told}
    longer = len(one.words) > len(content(new.summary))
    if (
        (kept or longer)
        and main.value
        and main.slot not in ("job",)
        and not new.family.startswith("another: state")
    ):
        return Change(one, replaced(one.summary, old, main.value), "corrected")
    return Change(one, new.summary, "corrected")


def replaced(summary: str, old: str, new: str) -> str:
    """Return the summary with new words in place of the old; an article that both have appears once."""
    if re.match(r"(?:an?|the)\s", new, re.IGNORECASE):
        old_pattern = rf"(?:(?:an?|the)\s+)?(?<!\w){re.escape(old)}(?!\w)"
    else:
        old_pattern = rf"(?<!\w){re.escape(old)}(?!\w)"
    return re.sub(old_pattern, new.replace("\\", ""), summary, count=1, flags=re.IGNORECASE)


def _implies(one: KnownMemory, mentioned: Claim) -> bool:
    """Return True if a memory says that somebody exists, under the name with which they were mentioned."""
    main = mentioned.told[0]
    name = next((told.value for told in mentioned.told if told.slot == "named"), None)
    key = main.slot.split(":")[-1].split("/")[0]
    if name is not None:
        return name.lower() in one.summary.lower()
    kin = any(key in re.split(r"[:/]", told.slot) for told in one.told)
    return kin or re.search(rf"\b{re.escape(key)}s?\b", one.summary, re.IGNORECASE) is not None


def _against(new: Claim, words: frozenset[str], one: KnownMemory, *, wrong: bool) -> Same | Change | None:
    for told in new.told:
        if told.slot == "named":
            continue
        for other in one.told:
            decided = _value(new, words, replace(told, single=told.single or wrong), other, one, wrong=wrong)
            if decided is not None:
                return decided
    same_words = words <= one.words and new.category == one.category
    denied = any(told.denied for told in new.told) or " not " in new.summary
    if same_words and not new.told[0].single and denied == one.denies and new.family not in ("rather this",):
        return Same(one)
    return None


def _value(
    new: Claim, words: frozenset[str], told: Statement, other: Statement, one: KnownMemory, *, wrong: bool
) -> Same | Change | None:
    if told.slot != other.slot:
        if _names(told, other, one):
            return Change(one, new.summary, "more is known")
        return Change(one, new.summary, "no longer so") if _flips(told, other) else None
    if told.denied != other.denied:
        return Change(one, new.summary, "no longer so")
    if told.slot.startswith("prefers:"):
        same = told.value.lower() == other.value.lower()
        return Same(one) if same else Change(one, new.summary, "prefers otherwise")
    if told.key == other.key:
        first = told.slot == new.told[0].slot
        if words > one.words and first:
            return Change(one, new.summary, "more is known")
        return Same(one) if first else None
    if _counted(told, other):
        return Change(one, new.summary, "another number")
    if not (told.single and (other.single or wrong)):
        return None
    if told.key <= other.key:
        return Same(one)
    if other.key <= told.key:
        return Change(one, new.summary, "more is known")
    return Change(one, _updated(new, told, other, one), "another value")


def _updated(new: Claim, told: Statement, other: Statement, one: KnownMemory) -> str:
    """Return the memory with the new value, keeping other things in it that still hold."""
    told_slots = {each.slot for each in new.told}
    more = [each for each in one.told if each.slot not in told_slots and each.slot != "named"]
    if more and told.slot != "job" and other.value in one.summary:
        return replaced(one.summary, other.value, told.value)
    return new.summary


def _flips(told: Statement, other: Statement) -> bool:
    prefix = next(
        (one for one in _FLIPPING if told.slot.startswith(one) and other.slot.startswith(one)), None
    )
    if prefix is None or told.denied == other.denied:
        return False
    shared = told.key & other.key
    return len(shared) >= _ALIKE * min(len(told.key), len(other.key))


def _names(told: Statement, other: Statement, one: KnownMemory) -> bool:
    """Return True if a name is told of somebody of whom it is only known that they are there."""
    whose, _, kin = told.slot.removesuffix("/name").rpartition("/")
    there = {f"{whose}/{have}{kin}".removeprefix("/") for have in ("has:", "pet:")}
    return told.slot.endswith("/name") and other.slot in there and _ONE.search(one.summary) is not None


_ONE: Final = re.compile(r"(?:\bhas|\bgot) an? [\w' -]{2,30}\.$")


def _counted(told: Statement, other: Statement) -> bool:
    one, two = _number(told.value), _number(other.value)
    return one is not None and two is not None and one != two and min(one, two) > 1


def _number(value: str) -> int | None:
    first = value.split(" ", 1)[0].lower()
    return int(first) if first.isdigit() else _NUMBERS.get(first)
