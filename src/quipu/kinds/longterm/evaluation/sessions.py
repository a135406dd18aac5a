"""Sessions evaluated, a stretch at a time: read, look up what is near, evaluate, write."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Final

from quipu.errors import NotFound, QuipuError
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.text import excerpt
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.db.space import AsOf
from quipu.kernel.policy.policy import Policy
from quipu.kernel.redact import redact
from quipu.kinds.longterm import audit
from quipu.kinds.longterm.changes import Changes, changed
from quipu.kinds.longterm.derived import uncorrected
from quipu.kinds.longterm.evaluation import turns
from quipu.kinds.longterm.evaluation.model import Applied, Evaluator, SessionEvaluation
from quipu.kinds.longterm.evaluation.nearby import near, said_once
from quipu.kinds.longterm.evaluation.rules import RulesEvaluator
from quipu.kinds.longterm.evaluation.turns import EvaluationMark, RecordedTurn
from quipu.kinds.longterm.evaluation.writer import apply, held, refusing, texts
from quipu.kinds.longterm.model import AuditLine, Evaluation
from quipu.kinds.longterm.sati import SatiEvaluationInput, SatiExistingMemory, SatiTurn
from quipu.recall.generations import Models
from quipu.recall.search import Search
from quipu.record.rules import other_speakers
from quipu.record.store import session_id

STRETCH: Final = 40
"""Turns that are evaluated together, and written in one transaction."""

CONTEXT: Final = 8
"""Turns before them that tell what is answered, and whether somebody plays a role."""

_LONGEST_TURN: Final = 20_000
_LONGEST_QUERY: Final = 300
_LONGEST_TROUBLE: Final = 1_000
_Transaction = Callable[[], AbstractAsyncContextManager[SpaceTransaction]]


class _Overtaken(Exception):
    """Somebody else evaluated the session meanwhile: nothing of this is written."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Turns of a session: ``context`` was evaluated before, ``new`` was not. ``more`` come after them.

    ``as_of`` is when they were read.
    """

    session: int
    as_of: AsOf
    place: EvaluationMark
    context: Sequence[RecordedTurn]
    new: Sequence[RecordedTurn]
    more: bool

    @property
    def said(self) -> list[RecordedTurn]:
        """Turns of users in it."""
        return [turn for turn in self.new if turn.role == "user"]

    @property
    def end(self) -> EvaluationMark:
        """Place up to which the session is evaluated with it."""
        return EvaluationMark(self.new[-1].id, self.place.turns + len(self.said)) if self.new else self.place


class Sessions:
    """Evaluates the sessions of one database with one evaluator."""

    def __init__(
        self,
        database: Database,
        models: Models,
        search: Search,
        evaluator: Evaluator,
        *,
        clock: Clock,
        policy: Policy,
    ) -> None:
        self._database = database
        self._models = models
        self._search = search
        self._evaluator = evaluator
        self._clock = clock
        self._policy = policy

    async def waiting(self, session: str, *, space: str) -> Stretch:
        """Return the next turns of a session that were not evaluated.

        Raises:
            NotFound: there is no such session.
        """
        async with self._database.snapshot_read(space) as tx:
            number = None if tx is None else await session_id(tx, session)
            if tx is None or number is None:
                raise NotFound(f"There is no session {session!r} in the space {space!r}.")
            place = await turns.place(tx, number, self._evaluator.name)
            new = await turns.after(tx, number, place.message, limit=STRETCH + 1)
            context = await turns.until(tx, number, place.message, limit=CONTEXT) if place.message else []
            return Stretch(number, tx.space.as_of, place, context, new[:STRETCH], len(new) > STRETCH)

    async def advance(
        self,
        session: str,
        stretch: Stretch,
        *,
        space: str,
        preview: bool = False,
        transaction: _Transaction | None = None,
    ) -> SessionEvaluation:
        """Evaluate a stretch of a session and do what is asked for, in one transaction.

        Nothing is done where somebody else evaluated it meanwhile. What goes wrong is noted in the audit.

        Raises:
            QuipuError: it could not be evaluated.
            ErasedMeanwhile: something was erased in the space since its turns were read.
        """
        begun = time.monotonic()
        users = list(dict.fromkeys(turn.user for turn in stretch.said))
        try:
            done = [(user, await self._evaluated(session, stretch, user, space=space)) for user in users]
        except QuipuError as error:
            await self._failed(
                session, error, space=space, as_of=stretch.as_of, took=time.monotonic() - begun
            )
            raise
        evaluations = [evaluation for _, evaluation in done]
        dropped = sum(one.dropped for one in evaluations)
        applied = Applied()
        if stretch.new and not preview:
            applied = await self._write(session, stretch, done, begun, space=space, transaction=transaction)
        return SessionEvaluation(
            session=session,
            turns=len(stretch.said),
            evaluations=evaluations,
            applied=applied,
            dropped=dropped + applied.refused,
            more=stretch.more,
        )

    async def _evaluated(self, session: str, stretch: Stretch, user: str | None, *, space: str) -> Evaluation:
        context, new = _of(stretch.context, user), _of(stretch.new, user)
        others = other_speakers((one.speaker for one in (*context, *new) if one.role == "user"), user)
        conversation = tuple(_turn(one, session, others) for one in (*context, *new))
        heard = SatiEvaluationInput(recent_conversation=conversation)
        existing = await self._near(heard, len(context), user, space=space)
        whole = heard.model_copy(update={"existing_memories": tuple(existing)})
        evaluation = await self._evaluator.evaluate(whole, since=len(context))
        evaluation = await said_once(self._database, self._models, evaluation, existing, space=space)
        async with self._database.snapshot_read(space) as tx:
            return evaluation if tx is None else await uncorrected(tx, evaluation)

    async def _near(
        self, heard: SatiEvaluationInput, since: int, user: str | None, *, space: str
    ) -> list[SatiExistingMemory]:
        """Return the user's live memories near to what was said, and to what it would have kept."""
        said = [turn.content for turn in heard.recent_conversation[since:] if turn.role == "user"]
        alone = await RulesEvaluator(policy=self._policy).evaluate(heard, since=since)
        wanted = [*said, *(one.summary for one in alone.inclusions)]
        queries = list(dict.fromkeys(short for text in wanted if (short := excerpt(text, _LONGEST_QUERY))))
        rows = await near(self._database, self._models, self._search, queries, user=user, space=space)
        return [
            SatiExistingMemory(
                id=row.id,
                category=row.category,
                importance=row.importance,
                summary=row.summary,
                version=row.version,
            )
            for row in rows
        ]

    async def _write(
        self,
        session: str,
        stretch: Stretch,
        evaluations: Sequence[tuple[str | None, Evaluation]],
        begun: float,
        *,
        space: str,
        transaction: _Transaction | None,
    ) -> Applied:
        evaluations = [(user, held(one, self._policy)) for user, one in evaluations]

        async def work(changes: Changes) -> Applied:
            name, version = self._evaluator.name, self._evaluator.version
            if await turns.place(changes.tx, stretch.session, name, hold=True) != stretch.place:
                raise _Overtaken
            done = [
                (user, one, await apply(changes, one, user=user, session=session))
                for user, one in evaluations
            ]
            await turns.mark(changes.tx, stretch.session, name, version, stretch.end, now=changes.now)
            for user, one, applied in done:
                line = self._line(session, stretch, one, applied, user=user, begun=begun)
                await audit.note(changes.tx, line)
            memories = [memory for _, _, applied in done for memory in applied.memories]
            return Applied(memories=memories, refused=sum(applied.refused for _, _, applied in done))

        try:
            return await changed(
                self._database,
                self._models,
                work,
                space=space,
                clock=self._clock,
                by=f"{self._evaluator.name}:{self._evaluator.version}",
                texts=[text for _, one in evaluations for text in texts(one)],
                refuses=refusing(self._policy),
                transaction=transaction,
                as_of=stretch.as_of,
            )
        except _Overtaken:
            return Applied()

    def _line(
        self,
        session: str,
        stretch: Stretch,
        evaluation: Evaluation,
        applied: Applied,
        *,
        user: str | None,
        begun: float,
    ) -> AuditLine:
        counts = {
            "turns": sum(turn.user == user for turn in stretch.said),
            "inclusions": len(evaluation.inclusions),
            "edits": len(evaluation.edits),
            "deletions": len(evaluation.deletions),
            "dropped": evaluation.dropped + applied.refused,
        }
        return AuditLine(
            at=self._clock.now(),
            act="evaluate",
            outcome="done",
            took_ms=round((time.monotonic() - begun) * 1000),
            user=user,
            session=session,
            message=stretch.new[-1].external_id,
            evaluator=evaluation.evaluator,
            counts=counts,
            memories=applied.memories,
        )

    async def _failed(self, session: str, error: QuipuError, *, space: str, as_of: AsOf, took: float) -> None:
        line = AuditLine(
            at=self._clock.now(),
            act="evaluate",
            outcome="failed",
            took_ms=round(took * 1000),
            trouble=redact(str(error)).text[:_LONGEST_TROUBLE],
            session=session,
            evaluator=f"{self._evaluator.name}:{self._evaluator.version}",
        )
        async with self._database.write(space, as_of=as_of) as tx:
            await audit.note(tx, line)


def _of(said: Sequence[RecordedTurn], user: str | None) -> list[RecordedTurn]:
    """Return the turns of the assistant and of one user."""
    return [turn for turn in said if turn.role == "assistant" or turn.user == user]


def _turn(one: RecordedTurn, session: str, others: frozenset[str]) -> SatiTurn:
    return SatiTurn(
        role=one.role,
        content=one.content[:_LONGEST_TURN],
        id=one.external_id,
        session=session,
        time=one.happened_at,
        speaker=one.speaker if one.speaker in others else None,
    )
