"""Values that changed, among the hits: the newer statement above the older, or both in the order of time."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.base.text import excerpt
from quipu.kernel.prose.signs import Form, TimeAsked, form_asked, has_form, is_question, matters, sign_of
from quipu.recall.model import Cited, Filters, Found, LinkedStatement
from quipu.recall.question import Question
from quipu.recall.ranking import Distinct, log_odds

NEWER: Final = "newer"
ORDER: Final = "order"
"""Names of the parts by which a statement stands beside the one that it replaces, or that replaces it."""

_EXCERPT_CHARACTERS: Final = 120


@dataclass(frozen=True, slots=True)
class Pair:
    """A statement that replaces an earlier one: the ids of both entries, and why, in a few words.

    ``ended``: the system that both came from says that the earlier one holds no more.
    """

    newer: int
    older: int
    reason: str | None = None
    ended: bool = False


def arranged(
    asked: TimeAsked | None,
    entries: Sequence[Distinct],
    pairs: Sequence[Pair],
    cited: Mapping[int, Cited],
    *,
    as_of: datetime | None = None,
) -> list[Distinct]:
    """Return the entries with the two ends of each pair in the order that a question wants.

    Asked for the present, the newer stands directly above the older; for the past or the change, the older
    directly above the newer. An end that was not found is brought in beside the other. What is lifted or
    brought in gets the score of the other end (part ``newer``, or ``order``). ``as_of``: what was told from
    then on is not lifted. What ended is left out where the present is asked for.
    """
    if asked is None:
        return list(entries)
    present = asked == "present"
    kept = [one for one in pairs if one.newer in cited and one.older in cited]
    if present and as_of is not None:
        kept = [one for one in kept if cited[one.newer].happened_at < as_of]
    kept.sort(key=_told_at(cited, newer=present), reverse=not present)
    ranked = _Ranked(entries)
    for pair in kept:
        upper, lower = (pair.newer, pair.older) if present else (pair.older, pair.newer)
        ranked.lift(upper, lower, NEWER if present else ORDER)
        if not present:
            ranked.follow(upper, lower)
    ended = {pair.older for pair in kept if present and pair.ended}
    return [one for one in ranked.entries if one.found.id not in ended]


def shown(entries: Sequence[Distinct], pairs: Sequence[Pair], cited: Mapping[int, Cited]) -> list[Distinct]:
    """Return the entries, each with the statements that it replaces and that replace it, oldest first."""
    before: dict[int, list[tuple[int, str | None]]] = {}
    after: dict[int, list[tuple[int, str | None]]] = {}
    for pair in pairs:
        before.setdefault(pair.newer, []).append((pair.older, pair.reason))
        after.setdefault(pair.older, []).append((pair.newer, pair.reason))
    return [
        replace(
            one,
            supersedes=_changes(before.get(one.found.id, ()), cited),
            superseded_by=_changes(after.get(one.found.id, ()), cited),
        )
        if one.found.id in before or one.found.id in after
        else one
        for one in entries
    ]


def satisfies(told: Cited, filters: Filters) -> bool:
    """Return True if a message that is brought in is one that was asked for; its session is not looked at."""
    user = told.source.user
    return (
        (filters.user is None or user == filters.user or (user is None and filters.or_nobody))
        and (filters.since is None or told.happened_at >= filters.since)
        and (filters.until is None or told.happened_at < filters.until)
    )


def _told_at(cited: Mapping[int, Cited], *, newer: bool) -> Callable[[Pair], tuple[datetime, int]]:
    def told_at(pair: Pair) -> tuple[datetime, int]:
        end = pair.newer if newer else pair.older
        return cited[end].happened_at, end

    return told_at


class _Ranked:
    """Entries that are being put into another order."""

    def __init__(self, entries: Sequence[Distinct]) -> None:
        self._order = [one.found.id for one in entries]
        self._known = {one.found.id: one for one in entries}

    @property
    def entries(self) -> list[Distinct]:
        """The entries in their order."""
        return [self._known[id_] for id_ in self._order]

    def lift(self, upper: int, lower: int, part: str) -> None:
        """Put one entry directly above another, unless it stands higher or the other is not there."""
        if lower not in self._known:
            return
        place = self._order.index(lower)
        if upper in self._known:
            if upper in self._order[:place]:
                return
            self._order.remove(upper)
        self._order.insert(place, upper)
        self._level(upper, lower, part)

    def follow(self, upper: int, lower: int) -> None:
        """Bring one entry in directly below another, unless it is there already or the other is not."""
        if upper in self._known and lower not in self._known:
            self._order.insert(self._order.index(upper) + 1, lower)
            self._level(lower, upper, ORDER)

    def _level(self, id_: int, beside: int, part: str) -> None:
        """Give an entry the score of the one that it stands beside, and the difference as a part."""
        other = self._known[beside].found
        moved = self._known.get(id_) or Distinct(Found(id_, other.kind, 0.0, {}))
        old = moved.found
        parts = {**old.parts, part: round(old.parts.get(part, 0.0) + other.score - old.score, 6)}
        level = Found(id_, old.kind, other.score, parts, old.cosine, old.coverage)
        self._known[id_] = replace(moved, found=level)


def _changes(
    ends: Sequence[tuple[int, str | None]], cited: Mapping[int, Cited]
) -> tuple[LinkedStatement, ...]:
    told = [(cited[end], end, reason) for end, reason in ends if end in cited]
    told.sort(key=lambda one: (one[0].happened_at, one[1]))
    return tuple(
        LinkedStatement(str(end), excerpt(one.text, _EXCERPT_CHARACTERS), one.happened_at, one.source, reason)
        for one, end, reason in told
    )


NUMBERS: Final = Path(__file__).with_name("changes.toml")
_FIRST: Final = 3  # statements whose newer value is looked for
_AMONG: Final = 60  # in so many
_FREQUENT: Final = 3  # a term in more of these is about the topic, not about the one thing
_MOST_TERMS: Final = 2
_MOST_ASKED: Final = 6
_DAYS: Final = 60
_COSINE: Final = 0.15  # what is farther apart is about something else


@dataclass(frozen=True, slots=True)
class Compared:
    """Basis on which statements are compared: the hashes of their terms, their direction (unit length)."""

    terms: frozenset[int]
    direction: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Grounds:
    """Grounds for a later statement having replaced an earlier one, where a question asks for one value.

    ``sign``: how sure its sign of change is, 0 to 1. ``on_matter``: 1 if it speaks of the matter of the
    question. ``form``: .5 if it has the number or date that is asked for, -.5 if not, 0 if none is.
    ``cosine``: of both texts. ``share``: its score as a share of the earlier one's. ``asked_terms`` and
    ``other_terms``: terms of both that few other hits have, those of the question and others, at most 2 of
    each. ``days``: between them, as a share of 60. ``length``: terms of the question, at most 6; a long one
    asks for something that was said, not for a value. ``is_first``: 1 if no statement was ranked above the
    earlier one.
    """

    sign: float
    on_matter: float
    form: float
    cosine: float
    share: float
    asked_terms: float
    other_terms: float
    days: float
    length: float
    is_first: float


@dataclass(frozen=True, slots=True)
class Numbers:
    """Fitted numbers: a constant and the weight of each ground; log-odds from which on a pair counts."""

    weights: tuple[float, ...]
    enough: float

    def odds(self, grounds: Grounds) -> float:
        """Return the log-odds that the later statement has replaced the earlier one."""
        return log_odds(self.weights, astuple(grounds))


@dataclass(frozen=True, slots=True)
class Replacing:
    """A later statement and an earlier one of the same person, and the log-odds that it has replaced it."""

    newer: int
    older: int
    odds: float


class Statements:
    """Messages of people among the hits of a question, best first, and what they are compared by."""

    def __init__(
        self,
        question: Question,
        found: Sequence[Found],
        cited: Mapping[int, Cited],
        compared: Mapping[int, Compared],
    ) -> None:
        self._question = question
        self._found = [one for one in found if one.id in compared]
        self._cited = cited
        self._compared = compared
        self._tells = {one.id for one in self._found if not is_question(cited[one.id].text)}
        self._asked = frozenset(term for hashes in question.terms.values() for term in hashes)
        self._form: Form | None = form_asked(question.text)
        self._topic = matters(question.text)
        counts = Counter(term for one in self._found for term in compared[one.id].terms)
        self._frequent = frozenset(term for term, count in counts.items() if count > _FREQUENT)

    def replaced(self) -> list[Replacing]:
        """Return pairs whose newer statement has probably replaced the older, one of each of the first three.

        What was told after the newer one, and speaks of the older value with less reason to have replaced
        it, is paired with the newer one, too.
        """
        numbers = _numbers()
        every = list(self.weighed(numbers))
        likely = sorted((one for one in every if one.odds >= numbers.enough), key=lambda one: one.odds)
        best = {one.older: one for one in likely}
        later = [
            Replacing(best[one.older].newer, one.newer, best[one.older].odds)
            for one in every
            if one.older in best and one.newer not in best and self._is_memory(one, best[one.older])
        ]
        return [*best.values(), *later]

    def weighed(self, numbers: Numbers) -> Iterator[Replacing]:
        """Weigh each pair; where no words could make the odds enough, they are not looked at."""
        for older, newer in self.pairs():
            at_most = self._at_most(older, newer)
            odds = numbers.odds(at_most)
            if odds >= numbers.enough:
                odds = numbers.odds(self._with_words(at_most, newer))
            yield Replacing(newer.id, older.id, odds)

    def pairs(self) -> Iterator[tuple[Found, Found]]:
        """Return the pairs, older and newer, that are looked at.

        The older is one of the first three. The newer is ranked below it, was told later in another session
        by the same person, is no mere question, and is not about something else altogether.
        """
        for place, older in enumerate(self._found[:_FIRST]):
            for newer in self._found[place + 1 :]:
                if newer.id not in self._tells:
                    continue
                is_near = self._cosine(older, newer) >= _COSINE
                if is_near and _may_replace(self._cited[newer.id], self._cited[older.id]):
                    yield older, newer

    def grounds(self, older: Found, newer: Found) -> Grounds:
        """Return all grounds for one statement having replaced another."""
        return self._with_words(self._at_most(older, newer), newer)

    def _with_words(self, at_most: Grounds, newer: Found) -> Grounds:
        """Return grounds with those of the words of the newer statement as they are."""
        text = self._cited[newer.id].text
        sign = sign_of(text)
        return replace(
            at_most,
            sign=0.0 if sign is None else sign.strength,
            on_matter=float(not self._topic.isdisjoint(matters(text))),
            form=0.0 if self._form is None else has_form(text, self._form) - 0.5,
        )

    def _at_most(self, older: Found, newer: Found) -> Grounds:
        """Return the grounds, those of the words of the newer statement as good as they can be."""
        ours, theirs = self._compared[newer.id], self._compared[older.id]
        common = (ours.terms & theirs.terms) - self._frequent
        days = (
            self._cited[newer.id].happened_at - self._cited[older.id].happened_at
        ).total_seconds() / 86_400
        return Grounds(
            sign=1.0,
            on_matter=float(bool(self._topic)),
            form=0.0 if self._form is None else 0.5,
            cosine=self._cosine(older, newer),
            share=newer.score / max(older.score, 1e-6),
            asked_terms=min(_MOST_TERMS, len(common & self._asked)),
            other_terms=min(_MOST_TERMS, len(common - self._asked)),
            days=min(1.0, days / _DAYS),
            length=min(_MOST_ASKED, len(self._question.terms)),
            is_first=float(older is self._found[0]),
        )

    def _cosine(self, older: Found, newer: Found) -> float:
        return float(self._compared[older.id].direction @ self._compared[newer.id].direction)

    def _is_memory(self, one: Replacing, replacing: Replacing) -> bool:
        """Return True if a statement speaks of an older value after a newer one was told."""
        is_later = self._cited[one.newer].happened_at > self._cited[replacing.newer].happened_at
        old = self._compared[one.older].terms - self._asked - self._frequent
        return one.odds < replacing.odds and is_later and not old.isdisjoint(self._compared[one.newer].terms)


def statements(entries: Sequence[Distinct], cited: Mapping[int, Cited], *, kind: int) -> list[Found]:
    """Return the statements of people among the first entries, of messages of ``kind``, best first."""
    ranked = [one.found for one in entries[:_AMONG] if one.found.kind == kind]
    return [one for one in ranked if cited[one.id].source.role == "user"]


def _may_replace(newer: Cited, older: Cited) -> bool:
    ours, theirs = newer.source, older.source
    return (
        newer.happened_at > older.happened_at
        and (ours.speaker, ours.user) == (theirs.speaker, theirs.user)
        and (ours.session is None or ours.session != theirs.session)
    )


@cache
def _numbers() -> Numbers:
    read = tomllib.loads(NUMBERS.read_text("utf-8"))
    return Numbers(tuple(read["weights"]), read["enough"])
