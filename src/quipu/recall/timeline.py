"""A timeline: what belongs to a topic, a person or a time, in order, in short passages."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from quipu.errors import BadInput
from quipu.kernel.base.prompt_text import defused
from quipu.recall.model import THREAD_SHIFT, Cited, Hit, Source
from quipu.recall.question import Question, asks_about_asker
from quipu.recall.ranking import Answer
from quipu.recall.render import HARDLY, Layout, is_remote
from quipu.recall.terms import passage

PASSAGE_CHARACTERS: Final = 180
EXCHANGE_CHARACTERS: Final = 140
"""The most characters of each side of an exchange."""

LISTED_TOKENS: Final = 12
"""Tokens of a short line of a list."""

CUT: Final = 0.45
"""What scores less than this share of the best does not belong (docs/decisions/recall.md has the figures)."""

_READ_OF_A_REPLY: Final = 4_000  # replies may be long: reading all of fifty would take its time
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_CURSOR: Final = re.compile(r"(-?\d{1,17})\.(-?\d{1,19})(?:\.(\d{1,7}))?", re.ASCII)
_MICRO: Final = 1_000_000
_ID_BOUND: Final = 2**63
_TIME_BOUND: Final = 10**17


@dataclass(frozen=True, slots=True)
class Moment:
    """A memory at its place in time.

    ``text`` is the passage of at most 180 characters that has most words of the topic. Where exchanges are
    gathered, it is what was said first, and ``reply`` is what ``replier`` answered; both are empty otherwise.
    ``score`` is 0 to 1; 0 where no topic was given. ``said_again`` tells how often it was said, if it was
    more than once.
    """

    kind: str
    id: str
    text: str
    happened_at: datetime
    source: Source
    score: float = 0.0
    said_again: str = ""
    reply: str = ""
    replier: str = ""


@dataclass(frozen=True, slots=True)
class Gathered:
    """A part of a timeline, oldest first.

    ``count`` is how many memories this part and those before it hold, ``about`` an estimate of how many there
    are in all. ``cursor`` is where the next part begins; None on the last.
    """

    items: tuple[Moment, ...]
    count: int
    about: int
    cursor: str | None = None
    order: Literal["time"] = "time"

    @property
    def coverage(self) -> str:
        """Share that is told so far, in words: "38 of about 45"."""
        return f"all {self.about}" if self.count >= self.about else f"{self.count} of about {self.about}"


@dataclass(frozen=True, slots=True)
class TimelineCursor:
    """A place in a timeline, behind which a part begins: time, id, and the least score that belongs."""

    happened_at: datetime
    id: int
    least: float | None = None

    def __str__(self) -> str:
        micros = (self.happened_at - _EPOCH) // timedelta(microseconds=1)
        least = "" if self.least is None else f".{round(self.least * _MICRO)}"
        return f"{micros}.{self.id}{least}"


def read_cursor(cursor: str | None) -> TimelineCursor | None:
    """Return the place that a cursor names; None for none.

    Raises:
        BadInput: it is no cursor of a timeline.
    """
    if cursor is None:
        return None
    match = _CURSOR.fullmatch(cursor)
    if match is None or abs(int(match[1])) >= _TIME_BOUND or not -_ID_BOUND <= int(match[2]) < _ID_BOUND:
        raise BadInput(
            "it is no cursor of a timeline.", field="after", hint="Send the `cursor` of the part before."
        )
    try:
        happened_at = _EPOCH + timedelta(microseconds=int(match[1]))
    except OverflowError:
        happened_at = datetime.max.replace(tzinfo=UTC)
    return TimelineCursor(happened_at, int(match[2]), None if match[3] is None else int(match[3]) / _MICRO)


def least_score(hits: Sequence[Hit]) -> float:
    """Return the least score with which a hit belongs to the topic."""
    return round(CUT * max((hit.score for hit in hits), default=0.0), 6)


def part(
    moments: Sequence[Moment], *, least: float, about: int, behind: TimelineCursor | None, limit: int
) -> Gathered:
    """Return the part of a topic's timeline behind a place: at most ``limit`` moments, by time and id."""
    ordered = sorted(moments, key=_key)
    first = 0 if behind is None else sum(_key(one) <= (behind.happened_at, behind.id) for one in ordered)
    items = tuple(ordered[first : first + limit])
    count = first + len(items)
    last = items[-1] if count < len(ordered) else None
    cursor = None if last is None else str(TimelineCursor(last.happened_at, int(last.id), least))
    return Gathered(items, count, max(about, len(ordered)), cursor)


def not_told(
    moments: Sequence[Moment], *, behind: TimelineCursor | None, since: datetime | None
) -> list[Moment]:
    """Return the moments that the part before has not told: of an exchange it may have told both sides."""
    if behind is None:
        return list(moments)
    told = (behind.happened_at, behind.id)
    return [one for one in moments if _key(one) > told or (since is not None and one.happened_at < since)]


def estimate(scores: Sequence[float], *, least: float, most: int) -> int:
    """Estimate how many memories score at least ``least``, from the best of them, best first.

    If the last one still does, the search ended too early: scores are taken to fall with the square root of
    the rank, as they did over its second half. There are ``most`` at the most.
    """
    held = sum(score >= least for score in scores)
    if held < len(scores) or held < 2:
        return held
    half = held // 2
    fall = (scores[half - 1] - scores[-1]) / (math.sqrt(held) - math.sqrt(half))
    if fall <= 0:
        return held
    root = math.sqrt(held) + (scores[-1] - least) / fall
    return max(held, min(most, round(root * root)))


def said_by(source: Source, speaker: str) -> bool:
    """Return True if somebody of this name, or in this role, said it; capitals do not count."""
    wanted = speaker.casefold()
    return wanted in {(source.speaker or "").casefold(), (source.role or "").casefold()}


def of_block(answer: Answer, *, is_list: bool) -> list[Hit]:
    """Return the hits that may stand in a block.

    What is remote may only in a list: that wants all there is, unless its subject is hardly known.
    """
    takes_all = is_list and answer.known >= HARDLY
    return [hit for hit in answer if takes_all or not is_remote(hit)]


def own_first(hits: Sequence[Hit], question: Question, *, user: str | None) -> list[Hit]:
    """Return the hits with what the asker said before all else, where the question is about the asker.

    Both parts keep their order. A question that names somebody is not about the asker alone.
    """
    if question.mentions or not asks_about_asker(question.text):
        return list(hits)
    return sorted(hits, key=lambda hit: not (said_by(hit.source, "user") and user in {None, hit.source.user}))


def moment(hit: Hit) -> Moment:
    """Return a hit as a moment of a timeline, with its whole text."""
    return Moment(hit.kind, hit.id, hit.text, hit.happened_at, hit.source, hit.score, hit.said_again)


def shortened(found: Gathered, terms: Mapping[str, tuple[int, ...]], *, exchanges: bool) -> Gathered:
    """Return a part with the passages of its texts that have most of the ``terms``."""
    most = EXCHANGE_CHARACTERS if exchanges else PASSAGE_CHARACTERS
    items = (
        replace(
            one,
            text=passage(one.text, terms, most=most),
            reply=passage(one.reply[:_READ_OF_A_REPLY], terms, most=most),
        )
        for one in found.items
    )
    return replace(found, items=tuple(items))


def beside(hits: Iterable[Hit]) -> list[int]:
    """Return the entries beside those of messages, which may be the other side of an exchange."""
    ids = [int(hit.id) for hit in hits if hit.kind == "message" and int(hit.id) > 0]
    return sorted({id_ + step for id_ in ids for step in (-1, 1) if _same_thread(id_, id_ + step)})


def exchanges_of(hits: Sequence[Hit], cited: Mapping[int, Cited]) -> list[Moment]:
    """Return hits as exchanges: what somebody said, and what another replied; each exchange once.

    ``cited`` tells of the entries `beside` them. Among people the turn before belongs to it if it is a
    question.
    """
    made: dict[str, Moment] = {}
    for hit in hits:
        one = _exchange(hit, cited)
        known = made.get(one.id)
        if known is None or (one.reply and not known.reply):
            made[one.id] = one
    return list(made.values())


def _exchange(hit: Hit, cited: Mapping[int, Cited]) -> Moment:
    number, one = int(hit.id), moment(hit)
    before, after = (cited.get(number + step) if hit.kind == "message" else None for step in (-1, 1))
    if before is not None and _answers(hit.source, before):
        return replace(
            one,
            id=str(number - 1),
            text=before.text,
            happened_at=before.happened_at,
            source=before.source,
            said_again="",
            reply=hit.text,
            replier=_who(hit.source),
        )
    if after is None or not _is_other(hit.source, after.source):
        return one
    return replace(one, reply=after.text, replier=_who(after.source))


def _answers(source: Source, before: Cited) -> bool:
    """Return True if what stands before it is what it answers: the user's turn, or somebody's question."""
    if not _is_other(source, before.source):
        return False
    if source.role != "user":
        return before.source.role == "user"
    return before.source.role == "user" and before.text.rstrip().endswith(("?", "？"))


def _is_other(one: Source, other: Source) -> bool:
    return (one.role, one.speaker) != (other.role, other.speaker)


def _who(source: Source) -> str:
    return source.speaker or source.role or "somebody"


def _same_thread(one: int, other: int) -> bool:
    return one >> THREAD_SHIFT == other >> THREAD_SHIFT


def _key(one: Moment) -> tuple[datetime, int]:
    return one.happened_at, int(one.id)


def _line(hit: Hit, text: str) -> str:
    again = f" ({hit.said_again})" if hit.repeats else ""
    who = hit.source.speaker or hit.source.role or hit.kind
    return defused(f"- {who}: {' '.join(text.split())}{again}")


def _heading(hit: Hit) -> str:
    return f"{hit.happened_at:%Y-%m-%d}"


LISTED: Final = Layout(_line, _heading, PASSAGE_CHARACTERS, in_time=True)
"""Form of a block that lists: a heading for each day, in the order of time, and lines without ids."""
