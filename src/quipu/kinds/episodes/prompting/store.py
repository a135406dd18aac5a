"""The queries of prompts, one short function each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from psycopg.rows import kwargs_row

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.prompting.model import Prompt, PromptStatus
from quipu.kinds.episodes.queues import HISTORY, PROMPTS

_SQL = queries.load("quipu.kinds.episodes.prompting")
_NO_AGENT: Final = (
    "No agent is configured. Set QUIPU_AGENT to module:function, or QUIPU_LLM_BASE_URL and QUIPU_LLM_MODEL."
)
_GIVEN_UP: Final = "The last try to answer failed; its job, listed as dead, tells why."
_NO_JOB: Final = (
    "Its job is gone: somebody threw it away or forgot its session,"
    " or the conversation went on without an answer."
)


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a conversation, by the id that the caller gave."""

    message: str
    role: str
    speaker: str | None
    user: str | None
    content: str


async def put(tx: SpaceTransaction, *, session: str, user: str | None, content: str, now: datetime) -> UUID:
    """Keep a prompt; its id."""
    values = {"session": session, "user": user, "content": content, "now": now}
    ((number,),) = await _rows(tx, "put_prompt", values)
    return number


async def request(tx: SpaceTransaction, *, session: str, now: datetime) -> UUID | None:
    """Keep that somebody waits for the next answer in a session; None where nothing was asked last."""
    rows = await _rows(tx, "put_request", {"session": session, "now": now})
    return rows[0][0] if rows else None


async def prompts(
    tx: SpaceTransaction,
    *,
    id_: UUID | None = None,
    session: str | None = None,
    status: str | None = None,
    limit: int,
) -> list[Prompt]:
    """Return prompts with their answers, latest first."""
    values = {"id": id_, "session": session, "status": status, "limit": limit, "space": tx.space.id}
    values |= {"chat": HISTORY, "prompt": PROMPTS}
    async with tx.conn.cursor(row_factory=kwargs_row(_prompt)) as cursor:
        return await (await cursor.execute(_SQL["prompts"], values)).fetchall()


async def history(tx: SpaceTransaction, session: str, *, limit: int) -> list[Said]:
    """Return the latest messages of a session, oldest first."""
    rows = await _rows(tx, "history", {"session": session, "limit": limit})
    return [Said(*row) for row in reversed(rows)]


async def message(tx: SpaceTransaction, session: str, external_id: str) -> str | None:
    """Return the words of a message; None if it is not there."""
    rows = await _rows(tx, "message", {"session": session, "message": external_id})
    return rows[0][0] if rows else None


async def waiting(tx: SpaceTransaction, session: str) -> list[UUID]:
    """Return the prompts that wait for the next answer in a session."""
    return [row[0] for row in await _rows(tx, "waiting_of_session", {"session": session})]


async def run(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> None:
    """Run a write by its name; ``space`` is filled in."""
    await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})


def _prompt(*, status: PromptStatus, given_up: bool, **columns: Any) -> Prompt:
    failed = _GIVEN_UP if given_up else _NO_JOB
    error = {"no_agent": _NO_AGENT, "failed": failed}.get(status)
    return Prompt(status=status, error=error, **columns)


async def _rows(tx: SpaceTransaction, name: str, values: Mapping[str, object]) -> Sequence[tuple[Any, ...]]:
    return await (await tx.conn.execute(_SQL[name], {"space": tx.space.id, **values})).fetchall()
