"""Registration of a kind of memory, as one value: all that the system needs to know of it.

``app/kinds.py`` is the tuple of these values; nothing else knows which kinds there are.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from quipu.kernel.base.clock import Clock
from quipu.kernel.base.setting import Setting
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.language.model import Language
from quipu.kernel.queue import model as queue
from quipu.kernel.queue.attempt import Run
from quipu.recall.filters import Filter
from quipu.recall.generations import Models
from quipu.recall.model import Cited
from quipu.recall.question import Question
from quipu.recall.render import Block
from quipu.recall.search import CatchUp
from quipu.record.corrections.statements import Statements
from quipu.record.removal import Restored
from quipu.upkeep.erasure.model import Named
from quipu.upkeep.erasure.service import Eraser
from quipu.upkeep.erasure.tombstones import Noted

Cite = Callable[[SpaceTransaction, Sequence[int]], Awaitable[Mapping[int, Cited]]]
Parts = Mapping[str, float]
Weigh = Callable[[SpaceTransaction, Question, datetime, Sequence[int]], Awaitable[Mapping[int, Parts | None]]]
"""What else counts for entries that answer a question: ``await weigh(within, question, now, ids)``.

By id, parts that are added to the score (each -1 to 1, named after its signal), or None: it is not to come
back. Entries that are left out keep the score that they have. It must not change anything.
"""

Sources = Callable[[SpaceTransaction, Sequence[int]], Awaitable[Mapping[int, Sequence[int]]]]
"""Which messages entries rest on, by their entries: ``await sources(within, ids)``; others are left out."""

MatchingEntries = Callable[[SpaceTransaction, Filter], Awaitable[Sequence[int]]]
"""Which entries a filter over metadata lets through: ``await matching(within, filter)``."""

Faded = Callable[[SpaceTransaction, Sequence[int], datetime], Awaitable[Collection[int]]]
"""Which of the entries time has taken out of recall: ``await faded(within, ids, now)``."""

Used = Callable[[SpaceTransaction, Sequence[int], datetime], Awaitable[int]]
"""Notes that entries were put before an agent; how many uses count: ``await used(within, ids, now)``."""

Lately = Callable[[SpaceTransaction, int], Awaitable[Sequence[tuple[int, datetime]]]]
"""Which entries were used last, and when: ``await lately(within, limit)``, the latest first."""

Remind = Callable[[SpaceTransaction, str | None, str | None, datetime], Awaitable[Sequence[str]]]
"""What is open and should be told of in a prompt: ``await remind(within, user, session, now)``.

Lines, the most urgent first; of the whole space where neither a person nor a session is named. It must not
change anything.
"""


class RecallBlock(Protocol):
    """Recall across all kinds of memory, as ``memory.recall_block``."""

    async def __call__(
        self, question: str, *, space: str, budget_tokens: int, user: str | None, besides: str | None
    ) -> Block:
        """Return memories that answer a question, and open loops, as text for a prompt; they count as used.

        ``user`` keeps to one person's memory. ``besides`` is a message that stays out of it.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Context of a job.

    ``settings`` are those of the job's space as it begins. ``language`` is None if no language model is
    configured: then rules do the work. ``erasers`` are those of all kinds, in their order. ``subscribes`` are
    the topics of which a job is put for a session in which something is said. ``recall_block`` recalls for a
    prompt; None if there is none.
    """

    database: Database
    models: Models
    clock: Clock
    settings: Settings
    language: Language | None
    erasers: Sequence[Eraser]
    run: Run
    subscribes: Sequence[str] = ()
    recall_block: RecallBlock | None = None

    @property
    def space(self) -> str:
        """The space of the job; empty where it is for the whole database."""
        return self.run.job.space or ""

    @property
    def job(self) -> queue.Job:
        """The job: its topic, key, payload, and which try this is."""
        return self.run.job

    def effect(self) -> AbstractAsyncContextManager[SpaceTransaction]:
        """Open the one transaction of the job's writes, which takes it out: exactly once (``Run.effect``)."""
        return self.run.effect()


Handler = Callable[[Context, queue.Payload], Awaitable[None]]
"""Does a job: ``async def build(context, payload)``. What it raises has it tried again, later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule(queue.Schedule):
    """Something that a kind does at times. It may be done twice, so it must not matter."""

    handler: Callable[[Context], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of memory.

    ``name`` and ``code``: how recall calls it and files it (core.recall_kinds). ``package``: where its
    migrations lie. ``cite``: tells of entries that were found, by id. ``sources``: which messages they rest
    on; none where a kind derives nothing from messages. ``matching``: which entries a filter over metadata
    lets through; none where a kind has no metadata: then a filter lets nothing of it through.
    ``weigh``: what else counts for them;
    ``restored``: takes up a message that is put back;
    ``faded``: which are not to come back any more; ``used``: notes that they were put before an agent;
    ``lately``: which were, last; ``remind``: what is open, for prompts.
    ``eraser``: forgets; ``named``: what is changed where it names somebody who is forgotten everywhere;
    ``noted``: notes what is about to go, so that a recording does not bring it back.
    ``catch_up``: files what a space holds of this kind and the index does not know yet; called before a
    recall where the bit ``1 << (code - 1)`` of ``core.spaces.unindexed`` is set, which it clears.
    A kind that files as it writes has none. ``subscribes``: topics of which a job ``{"session": name}`` is
    put, in the same transaction, for each session in which something was said; one job waits for a session,
    however much is said meanwhile. ``handlers``: does the jobs of a topic; ``job_seconds`` says of a topic
    how long one may take, where that is not ``QUIPU_JOB_SECONDS``. ``schedules``: what it does at times.
    ``settings``: what can be set about it. ``derives``: its statements that can be marked as wrong.
    """

    name: str
    code: int
    package: str
    cite: Cite
    eraser: Eraser
    named: Named = field(default_factory=Named)
    noted: Noted | None = None
    sources: Sources | None = None
    matching: MatchingEntries | None = None
    weigh: Weigh | None = None
    restored: Restored | None = None
    faded: Faded | None = None
    used: Used | None = None
    lately: Lately | None = None
    remind: Remind | None = None
    catch_up: CatchUp | None = None
    subscribes: Sequence[str] = ()
    handlers: Mapping[str, Handler] = field(default_factory=dict[str, Handler])
    job_seconds: Mapping[str, float] = field(default_factory=dict[str, float])
    schedules: Sequence[Schedule] = ()
    settings: Sequence[Setting[Any]] = ()
    derives: Sequence[Statements] = ()
