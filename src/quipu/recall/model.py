"""The values of recall: what is filed (Draft), what is asked (Filters), what comes back (Hit)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from quipu.recall.terms import Bag

Certainty = Literal["sure", "likely", "maybe"]

THREAD_SHIFT: Final = 24
MOST_ENTRIES_OF_A_THREAD: Final = 1 << THREAD_SHIFT


class GenerationChanged(Exception):
    """The space is searched by the vectors of another model by now: embed again with that and retry.

    A signal inside the house: who files entries handles it, no caller of ours ever sees it.
    """

    def __init__(self, generation: int) -> None:
        self.generation = generation
        super().__init__(f"the space is at generation {generation}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An entry to be filed.

    ``vector``: unit length, shape (dimensions,); None where it comes later. ``thread`` is None for what
    stands alone. ``speaker`` and ``owner`` are names, or None.
    """

    kind: int
    bag: Bag
    vector: NDArray[np.float32] | None
    happened_at: datetime
    recorded_at: datetime
    thread: int | None = None
    speaker: str | None = None
    owner: str | None = None
    by_user: bool = False
    asks: bool = False
    has_time: bool = False
    source_table: str | None = None
    source_id: str | None = None
    field: str | None = None
    chunk: int = 0
    content: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Conditions on a hit; None sets no condition. ``since`` is included, ``until`` is not.

    ``or_nobody`` adds entries that belong to nobody to those of the user. ``ids`` are the entries that other
    conditions have selected.
    """

    kinds: tuple[int, ...] | None = None
    user: str | None = None
    or_nobody: bool = False
    thread: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    ids: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """One ranked entry: its parts are what each signal added to the score.

    ``cosine`` is how near it is to the question, ``coverage`` the share of the question's words (0 to 1, the
    rarer counting more) that it has or inherits.
    """

    id: int
    kind: int
    score: float
    parts: Mapping[str, float]
    cosine: float = 0.0
    coverage: float = 0.0


@dataclass(frozen=True, slots=True)
class Source:
    """Source of a memory: the caller's own ids of message and session, its speaker and role.

    ``span`` is (start, end) in characters where the text is a passage of a longer message, else None.
    """

    message: str | None
    session: str | None
    speaker: str | None = None
    role: str | None = None
    user: str | None = None
    span: tuple[int, int] | None = None

    def __str__(self) -> str:
        who = f"{self.speaker or self.role or 'somebody'}"
        where = f" in {self.session}" if self.session else ""
        return f"{who}{where} [{self.message}]"


@dataclass(frozen=True, slots=True)
class Cited:
    """Answer of a kind about one of its entries: the text to show, its time, its source, its metadata."""

    text: str
    happened_at: datetime
    recorded_at: datetime
    source: Source
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Repeat:
    """Another time that a line was said: the id of that memory, when, and its source."""

    id: str
    happened_at: datetime
    source: Source


@dataclass(frozen=True, slots=True)
class LinkedStatement:
    """The other end of a link: the statement that a hit replaces, or that replaces it.

    ``text`` is its beginning, at most 120 characters. ``reason`` is a few words, or None.
    """

    id: str
    text: str
    happened_at: datetime
    source: Source
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Folded:
    """A memory that stands under another: the one was derived from the other, and both are one answer.

    Under a message it is what was derived from it, under a derived memory the message that it rests on.
    """

    kind: str
    id: str
    text: str
    happened_at: datetime
    source: Source

    def __str__(self) -> str:
        return f"{self.kind} {self.source.message or self.id}"


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory that came back.

    ``score`` is 0 to 1 on one scale for all kinds, the sum of ``parts``: what each signal added.
    ``happened_at`` is when it was said or done, ``recorded_at`` when we learned of it. ``repeats`` are the
    other times that the same was said in the same words. ``supersedes`` are the earlier statements that it
    replaces, ``superseded_by`` the later ones that replace it, oldest first: such links order hits and hide
    none. ``folded`` are the memories that were derived from this message, or the messages that this memory
    was derived from. ``certainty`` says how sure it is that this answers the question. ``cosine`` and
    ``coverage`` are those of `Found`. ``notice`` is empty, or says that a re-ranker had no say in the order,
    and why. ``metadata`` is that of the message or memory.
    """

    kind: str
    id: str
    text: str
    score: float
    parts: Mapping[str, float]
    happened_at: datetime
    recorded_at: datetime
    source: Source
    repeats: tuple[Repeat, ...] = ()
    certainty: Certainty = "maybe"
    cosine: float = field(default=0.0, repr=False)
    coverage: float = field(default=0.0, repr=False)
    supersedes: tuple[LinkedStatement, ...] = ()
    superseded_by: tuple[LinkedStatement, ...] = ()
    folded: tuple[Folded, ...] = ()
    space: str = field(default="", repr=False)
    question: str = field(default="", repr=False)
    notice: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def said_again(self) -> str:
        """Count of the times that it was said, and the last of them, in words; empty if it was said once."""
        if not self.repeats:
            return ""
        last = max(self.happened_at, *(one.happened_at for one in self.repeats))
        return f"said {len(self.repeats) + 1} times, last on {last:%Y-%m-%d}"

    @property
    def changed(self) -> str:
        """The statements that it replaces and that replace it, in words; empty if there are none."""
        until = f", until {self.happened_at:%Y-%m-%d}"
        told = [f"before: {_phrase(one.text)}{until}" for one in self.supersedes]
        told += [f"since {one.happened_at:%Y-%m-%d}: {_phrase(one.text)}" for one in self.superseded_by]
        return "; ".join(told)


def _phrase(text: str) -> str:
    """Return a text on one line, without the full stop that ends it."""
    return " ".join(text.split()).removesuffix(".")
