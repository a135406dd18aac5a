"""An agent that writes memories itself: its claims, each with the words of the record that it rests on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from typing_extensions import Doc

from quipu.errors import BadInput
from quipu.kernel.base.parameters import Example, Space
from quipu.kernel.base.scope import check_name, optional_name, own_user
from quipu.kernel.base.text import excerpt
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.policy.policy import policy
from quipu.kinds.longterm import audit, store
from quipu.kinds.longterm.changes import Changes, changed
from quipu.kinds.longterm.derived import uncorrected
from quipu.kinds.longterm.evaluation import alike, turns
from quipu.kinds.longterm.evaluation.agent import (
    EVALUATOR,
    VERSION,
    AgentClaim,
    ClaimAction,
    ClaimOutcome,
    ClaimOutcomes,
    HeardClaim,
    checked,
    quoted,
)
from quipu.kinds.longterm.evaluation.evaluation import AsyncEvaluations
from quipu.kinds.longterm.evaluation.judge import Decided, Judge
from quipu.kinds.longterm.evaluation.known import as_known
from quipu.kinds.longterm.evaluation.nearby import near
from quipu.kinds.longterm.evaluation.turns import RecordedTurn
from quipu.kinds.longterm.evaluation.writer import apply, refusing
from quipu.kinds.longterm.model import AuditAction, AuditLine, AuditMemory
from quipu.kinds.longterm.store import StoredMemory
from quipu.record.corrections.model import MARKED_WRONG
from quipu.record.store import session_id

RECENT: Final = 200
"""Turns of a session in which the words of a claim are looked for."""

_NAMED: Final = 20
_LONGEST_QUERY: Final = 300
_BY: Final = f"{EVALUATOR}:{VERSION}"
_ACTIONS: Final[Mapping[AuditAction, ClaimAction]] = {
    "included": "included", "restated": "restated", "revived": "revived", "edited": "edited",
    "archived": "archived", "kept": "kept",
}  # fmt: skip
_SILENT: Final = ("kept", "left out")


class AsyncAgentClaims(AsyncEvaluations):
    """Takes what an agent itself wants to remember of a person."""

    async def remember(
        self,
        claims: Annotated[
            Sequence[AgentClaim],
            Doc("Up to 20 claims, each with the words it rests on."),
            Example(
                [
                    {
                        "statement": "The user lives in Porto.",
                        "category": "identity",
                        "words": "we moved to Porto",
                        "session": "s1",
                    }
                ]
            ),
        ],
        *,
        space: Space,
        user: Annotated[str | None, Doc("The person of whom they are.")] = None,
        session: Annotated[str | None, Doc("The session of claims that name none.")] = None,
    ) -> ClaimOutcomes:
        """Write what an agent claims of a person, each claim by its own words, in one transaction.

        A claim goes the way of all others: it passes the gate before what is kept, and the policy. One that
        is known already is not doubled, a new value takes the place of the old one. Doing it again changes
        nothing.

        Raises:
            BadInput: A claim cannot be read, or its words are not where it says; names it, such as
                `claims[2].words`. Nothing was written.
        """
        begun, given = time.monotonic(), checked(claims)
        space, user = check_name("space", space), own_user(optional_name("user", user))
        heard = await self._heard(given, optional_name("session", session), user=user, space=space)
        settings = await self._database.settings(space)
        kept_of_people = policy(settings.policy)
        unread = Judge(kept_of_people, user=user, meanings={})
        summaries = [unread.summary(one.statement) for one in given]
        texts = [excerpt(one, _LONGEST_QUERY) for one in (*summaries, *(one.words for one in given))]
        rows = await near(self._database, self._models, self._search, texts, user=user, space=space)
        async with self._models.lent() as embedder:
            meanings = await alike.vectors(
                embedder, [*summaries, *(one.words for one in given), *(row.summary for row in rows)]
            )
        judge = Judge(kept_of_people, user=user, meanings=meanings)

        async def work(changes: Changes) -> ClaimOutcomes:
            outcomes = await _written(changes, judge, heard, [row.id for row in rows], user=user)
            if any(one.action not in _SILENT for one in outcomes):
                await audit.note(changes.tx, _line(heard, outcomes, user, changes, time.monotonic() - begun))
            return ClaimOutcomes(claims=tuple(outcomes))

        return await changed(
            self._database,
            self._models,
            work,
            space=space,
            clock=self._clock,
            by=_BY,
            texts=summaries,
            refuses=refusing(kept_of_people),
        )

    async def _heard(
        self, given: Sequence[AgentClaim], session: str | None, *, user: str | None, space: str
    ) -> list[HeardClaim]:
        async with self._database.snapshot_read(space) as tx:
            heard: list[HeardClaim] = []
            for place, one in enumerate(given):
                try:
                    turn = _of(one, await _turns(tx, one, one.session or session), user)
                except BadInput as error:
                    raise error.at(f"claims[{place}].{error.field}") from None
                heard.append(HeardClaim(claim=one, turn=turn))
        return heard


async def _turns(tx: SpaceTransaction | None, one: AgentClaim, session: str | None) -> list[RecordedTurn]:
    """Return the messages in which the words of a claim may stand, the latest first."""
    if one.message is not None:
        there = [] if tx is None else await turns.named(tx, one.message, session=session, limit=_NAMED)
        field, what = "message", "message"
    elif session is not None:
        number = None if tx is None else await session_id(tx, session)
        there = []
        if tx is not None and number is not None:
            there = await turns.of_session(tx, number, session, limit=RECENT)
        field, what = "session", "session"
    else:
        raise BadInput("name the message or the session with them.", field="words", hint=_WAY_OUT)
    if not there:
        raise BadInput(f"there is no such {what}.", field=field, hint=_WAY_OUT)
    return there


def _of(one: AgentClaim, there: Sequence[RecordedTurn], user: str | None) -> RecordedTurn:
    """Return the turn in which the person said the words of a claim."""
    own = [turn for turn in there if turn.role == "user" and turn.user == user]
    turn = next((turn for turn in own if quoted(one.words, turn.content)), None)
    if turn is None:
        raise BadInput("the person did not say these words there.", field="words", hint=_WAY_OUT)
    return turn


_WAY_OUT: Final = (
    "Quote the person word for word; name the recorded message or session, or hand in the whole text as well."
)


async def _written(
    changes: Changes, judge: Judge, heard: Sequence[HeardClaim], near_ids: Sequence[str], *, user: str | None
) -> list[ClaimOutcome]:
    """Decide on each claim against what is known by then, and write it."""
    outcomes: list[ClaimOutcome] = []
    ids = dict.fromkeys(near_ids)
    for one in heard:
        rows = [row for row in await store.memories(changes.tx, ids=[*ids]) if not row.archived]
        decided = judge.decide(
            one, [as_known(row) for row in rows], {row.id: row.happened_at for row in rows}
        )
        outcome = await _apply(changes, decided, one, rows, user=user)
        ids |= dict.fromkeys(outcome.memories)
        outcomes.append(outcome)
    return outcomes


async def _apply(
    changes: Changes, decided: Decided, heard: HeardClaim, rows: Sequence[StoredMemory], *, user: str | None
) -> ClaimOutcome:
    if decided.left_out:
        return ClaimOutcome(action="left out", reason=decided.left_out)
    applied = await apply(changes, decided.evaluation, user=user, session=heard.turn.session)
    if not applied.memories:
        if not decided.evaluation.empty and (await uncorrected(changes.tx, decided.evaluation)).empty:
            return ClaimOutcome(action="left out", reason=MARKED_WRONG)
        if decided.same is not None:  # written by hand, as no evaluation may: it stays as it is
            return ClaimOutcome(action="kept", memories=(decided.same.id,), summary=decided.same.summary)
        return ClaimOutcome(action="left out", reason="somebody changed it meanwhile")
    main = applied.memories[-1]  # what is over comes before what takes its place
    summary = next((one.summary for one in rows if one.id == main.id), "")
    if main.action in ("included", "edited"):
        summary = (await store.memory(changes.tx, main.id)).summary
    ids = tuple(one.id for one in reversed(applied.memories))
    return ClaimOutcome(action=_ACTIONS[main.action], memories=ids, summary=summary, reason=main.reason or "")


def _line(
    heard: Sequence[HeardClaim],
    outcomes: Sequence[ClaimOutcome],
    user: str | None,
    changes: Changes,
    seconds: float,
) -> AuditLine:
    last = heard[-1].turn
    return AuditLine(
        at=changes.now,
        act="evaluate",
        outcome="done",
        took_ms=round(seconds * 1000),
        user=user,
        session=last.session,
        message=last.external_id,
        evaluator=_BY,
        counts={"claims": len(heard), "dropped": sum(one.action == "left out" for one in outcomes)},
        memories=[
            AuditMemory(id=one.memories[0], action=action)
            for one in outcomes
            if one.memories and (action := one.action) != "left out"
        ],
    )
