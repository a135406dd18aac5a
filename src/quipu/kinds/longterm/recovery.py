"""Recovery of memories before an agent answers: within a time limit, or none at all."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Final

from annotated_types import Interval
from anyio import move_on_after
from typing_extensions import Doc

from quipu.errors import QuipuError
from quipu.kernel.base import scope
from quipu.kernel.base.parameters import Example, Limit, OnlySession, OnlyUser, Since, Space
from quipu.kernel.base.prompt_text import defused
from quipu.kernel.base.scope import check_name, optional_name, own_user, reads_only
from quipu.kernel.base.text import Marks, clean, excerpt, sized
from quipu.kernel.config import Settings
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.db.space import AsOf, ErasedMeanwhile
from quipu.kernel.redact import redact
from quipu.kinds.longterm import audit, store
from quipu.kinds.longterm.indexing import LONGTERM, filed
from quipu.kinds.longterm.lookup import AsyncLongtermLookup, memories_of
from quipu.kinds.longterm.model import AuditAct, AuditLine, AuditMemory, FoundMemory, LongtermMemory
from quipu.kinds.longterm.rules import ACCESSES_APART
from quipu.kinds.longterm.sati import Recovered, SatiMemory, SatiRetrievalInput, read
from quipu.kinds.longterm.settings import LEAST_SCORE, LIMIT, TIMEOUT_MS, TOKENS
from quipu.kinds.longterm.store import Narrowed
from quipu.recall.model import Filters, Found
from quipu.recall.render import OF_BUDGET, RULES, estimate_tokens, paragraph
from quipu.record.standing import store as standing

_NOTING_SECONDS: Final = 0.5
_LONGEST_TROUBLE: Final = 500
_NOTHING: Final = Recovered()
CAVEAT: Final = "Known of the user from before. It may be out of date: what is said now comes first."
TURNS: Final = 3
LONGEST_MESSAGE: Final = 2_000
LONGEST_TURN: Final = 300


def checked(
    question: SatiRetrievalInput | Mapping[str, object] | str, *, recent: Sequence[str], limit: int
) -> SatiRetrievalInput:
    """Return the message and the turns before it.

    Raises:
        BadInput: it is no message, or ``limit`` is not 1 to 100.
    """
    if isinstance(question, SatiRetrievalInput):
        return question
    ours = {"recent_messages": tuple(recent), "memory_limit": limit}
    said = dict(question) if isinstance(question, Mapping) else {"current_message": question}
    return read(SatiRetrievalInput, ours | said)


def queries_of(given: SatiRetrievalInput, marks: Marks) -> list[str]:
    """Return the texts to search for: the message alone, and after the turns before it.

    Injected memory is left out. There are none where nothing was said.
    """
    message = _said(given.current_message, LONGEST_MESSAGE, marks)
    before = [_said(turn, LONGEST_TURN, marks) for turn in given.recent_messages[-TURNS:]]
    context = "\n".join(turn for turn in before if turn)
    texts = [message] if message else []
    if context:
        texts.append(f"{context}\n{message}".strip())
    return texts


def best(answers: Iterable[Sequence[Found]], *, limit: int, least: float) -> list[Found]:
    """Return the best hits of several answers, each by its best score, from ``least`` on."""
    by_id: dict[int, Found] = {}
    for hit in (hit for hits in answers for hit in hits):
        if hit.id not in by_id or by_id[hit.id].score < hit.score:
            by_id[hit.id] = hit
    relevant = [hit for hit in by_id.values() if hit.score >= least]
    return sorted(relevant, key=lambda hit: (-hit.score, -hit.id))[:limit]


def _said(text: str, length: int, marks: Marks) -> str:
    spoken = marks.hear(clean(text).text).spoken
    return excerpt(spoken, length) if spoken.strip() else ""


@dataclass(frozen=True, slots=True)
class Block:
    """The text, marked as memory so that it is never taken in again; its tokens, and which are in it.

    It is empty where nothing is known, or nothing fits.
    """

    text: str
    tokens: int
    places: tuple[int, ...]


def block(
    memories: Sequence[LongtermMemory], *, budget_tokens: int, marks: Marks, rules: Sequence[str] = ()
) -> Block:
    """Put memories into a block in order, a line each; if one does not fit, a shorter one may follow.

    Before them stand the standing ``rules`` that fit into a quarter of the budget.
    """
    ruled = paragraph(RULES, rules, budget_tokens=int(budget_tokens * OF_BUDGET))
    taken: list[int] = []
    lines: list[str] = []
    for place, one in enumerate(memories):
        line = defused(f"- [{one.category}] {' '.join(one.summary.split())}")
        if estimate_tokens(sized(_body(ruled, [*lines, line]))) <= budget_tokens:
            lines.append(line)
            taken.append(place)
    text = marks.mark(_body(ruled, lines)) if lines or ruled else ""
    return Block(text, estimate_tokens(text), tuple(taken))


def _body(ruled: Sequence[str], lines: Sequence[str]) -> str:
    return "\n".join([*ruled, CAVEAT, *lines] if lines else ruled).strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """For whom, and for which message, memory is recovered."""

    space: str
    user: str | None
    session: str | None
    message: str | None


class AsyncRecovery(AsyncLongtermLookup):
    """Recover memories for an answer, and list past recoveries."""

    async def recover(
        self,
        message: Annotated[
            SatiRetrievalInput | Mapping[str, object] | str,
            Doc("The message to answer."),
            Example("What shall I cook tonight?"),
        ],
        *,
        space: Space,
        user: Annotated[
            str | None, Doc("The person who is answered; without one, all memories count."), Example("ana")
        ] = None,
        session: Annotated[str | None, Doc("The session of the turn, for the audit."), Example("s1")] = None,
        message_id: Annotated[str | None, Doc("The id of the message, for the audit.")] = None,
        recent: Annotated[Sequence[str], Doc("Turns before it, the latest last.")] = (),
        limit: Annotated[int | None, Doc("The most memories to return."), Interval(ge=1, le=100)] = None,
        budget_tokens: Annotated[
            int | None, Doc("The most tokens of the block."), Interval(ge=1, le=10**6)
        ] = None,
        injected: Annotated[bool, Doc("The block goes into a prompt: that counts as use.")] = False,
    ) -> Recovered:
        """Recover what is known that matters for a message, in time or not at all.

        Live memories of the person and those that hold for everybody are searched; name the person where
        several share the space. The message may also be the seed's input, or its document, with the turns
        before it. With `injected`, what is in the block counts as used, once an hour.

        It takes no longer than the setting `longterm_timeout_ms`. Without time, database or model the result
        is empty and says so: an answer never breaks for want of memory.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        begun = time.monotonic()
        settings = await self._settings_of(check_name("space", space))
        question = checked(message, recent=recent, limit=limit or settings.of(LIMIT))
        budget = budget_tokens or settings.of(TOKENS)
        scope.whole("budget_tokens", budget, most=10**6)
        turn = _Turn(
            space=space,
            user=own_user(optional_name("user", user)),
            session=optional_name("session", session),
            message=optional_name("message_id", message_id),
        )
        recovered, as_of = _NOTHING, None
        left = settings.of(TIMEOUT_MS) / 1000 - (time.monotonic() - begun)
        with move_on_after(max(0.0, left)) as limited:
            recovered, as_of = await self._recovered(question, turn, budget, left)
        if limited.cancelled_caught:
            trouble = f"not found within {settings.of(TIMEOUT_MS)} ms"
            recovered = Recovered(outcome="timeout", trouble=trouble)
        recovered = recovered.model_copy(update={"took_ms": round((time.monotonic() - begun) * 1000)})
        with move_on_after(_NOTING_SECONDS):
            await self._note(turn, recovered, as_of, injected=injected)
        return recovered

    @reads_only
    async def audit(
        self,
        *,
        space: Space,
        act: Annotated[
            AuditAct | None, Doc("Only recoveries, or only evaluations."), Example("recover")
        ] = None,
        user: OnlyUser = None,
        session: OnlySession = None,
        since: Since = None,
        limit: Limit = 100,
    ) -> list[AuditLine]:
        """List the memories recovered for each message, and the changes of evaluations, the latest first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        user, session = optional_name("user", user), optional_name("session", session)
        earliest = scope.time("since", since)
        scope.whole("limit", limit)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            return await audit.lines(tx, act=act, user=user, session=session, since=earliest, limit=limit)

    async def _settings_of(self, space: str) -> Settings:
        """Return the settings of the space; those of the process if the database does not answer in time."""
        with suppress(QuipuError, OSError), move_on_after(self._settings.of(TIMEOUT_MS) / 1000):
            return await self._database.settings(space)
        return self._settings

    async def _recovered(
        self, question: SatiRetrievalInput, turn: _Turn, budget_tokens: int, seconds: float
    ) -> tuple[Recovered, AsOf | None]:
        """Return the result and the state of the space when it was read, or None without a state."""
        ready = filed(self._database, self._search.models, turn.space, seconds=seconds / 2)
        try:
            async with ready as tx:
                if tx is None:
                    return _NOTHING, None
                marks = await tx.marks()
                queries = queries_of(question, marks)
                memories = await self._memories(tx, queries, turn, question.memory_limit) if queries else []
                known = await standing.in_force(tx, None if turn.user is None else [turn.user])
        except (QuipuError, OSError) as error:
            return Recovered(
                outcome="failed", trouble=excerpt(redact(str(error)).text, _LONGEST_TROUBLE)
            ), None
        made = block(
            [one.memory for one in memories],
            budget_tokens=budget_tokens,
            marks=marks,
            rules=[one.line for one in known] if queries else [],
        )
        return _result(memories, made), tx.space.as_of

    async def _memories(
        self, tx: SpaceTransaction, queries: Sequence[str], turn: _Turn, limit: int
    ) -> list[FoundMemory]:
        filters = Filters(kinds=(LONGTERM,), user=turn.user, or_nobody=turn.user is not None)
        answers = await self._search.find(tx, queries, filters=filters, limit=limit)
        least = tx.settings.of(LEAST_SCORE)
        hits = best((hits for _, hits in answers), limit=limit, least=least)
        return await memories_of(tx, hits, Narrowed(current_at=self._clock.now()))

    async def _note(self, turn: _Turn, recovered: Recovered, as_of: AsOf | None, *, injected: bool) -> None:
        """Write the line of the audit, and count accesses. Where that fails too, the answer goes on.

        Nothing is written of a turn in whose space something was erased since ``as_of``: it may name that.
        """
        line = AuditLine(
            at=self._clock.now(),
            act="recover",
            outcome=recovered.outcome,
            took_ms=recovered.took_ms,
            trouble=recovered.trouble,
            user=turn.user,
            session=turn.session,
            message=turn.message,
            tokens=recovered.tokens,
            counts={"left_out": recovered.left_out} if recovered.left_out else {},
            memories=[
                AuditMemory(id=id_, action="injected" if injected else "recalled", score=score, parts=parts)
                for id_, score, parts in zip(recovered.ids, recovered.scores, recovered.parts, strict=True)
            ],
        )
        if as_of is None:
            entered = self._database.transaction(turn.space)
        else:
            entered = self._database.write(turn.space, as_of=as_of)
        with suppress(QuipuError, OSError, ErasedMeanwhile):
            async with entered as tx:
                if tx is None:
                    return
                await audit.note(tx, line)
                if injected and recovered.ids:
                    await tx.execute(
                        store.SQL["accessed"], ids=list(recovered.ids), now=line.at, apart=ACCESSES_APART
                    )


def _result(memories: Sequence[FoundMemory], shown: Block) -> Recovered:
    taken = [memories[place] for place in shown.places]
    return Recovered(
        relevant_memories=tuple(
            SatiMemory(summary=one.summary, category=one.category, importance=one.importance)
            for one in (found.memory for found in taken)
        ),
        ids=tuple(one.memory.id for one in taken),
        scores=tuple(one.score for one in taken),
        parts=tuple(dict(one.parts) for one in taken),
        block=shown.text,
        tokens=shown.tokens,
        outcome="found" if shown.text else "nothing",
        left_out=len(memories) - len(taken),
    )
