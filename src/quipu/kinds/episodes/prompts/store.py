"""The queries of prompts, one short function each."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.episodes.prompts.model import Prompt
from quipu.kinds.episodes.queues import HISTORY, PROMPTS

SQL = queries.load("quipu.kinds.episodes.prompts")
_NO_AGENT: Final = (
    "No agent is configured. Set QUIPU_AGENT to module:function, or QUIPU_LLM_BASE_URL and QUIPU_LLM_MODEL."
)
_GIVEN_UP: Final = "The last try to answer failed; its job, listed as dead, tells why."
_NO_JOB: Final = (
    "Its job is gone: somebody threw it away or forgot its session,"
    " or the conversation went on without an answer."
)


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """A message of a conversation, by the id that the caller gave."""

    message: str
    role: str
    speaker: str | None
    user: str | None
    content: str


async def put(tx: SpaceTransaction, *, session: str, user: str | None, content: str, now: datetime) -> UUID:
    """Store a prompt and return its id."""
    ((number,),) = await tx.rows(SQL["put_prompt"], session=session, user=user, content=content, now=now)
    return number


async def request(tx: SpaceTransaction, *, session: str, now: datetime) -> UUID | None:
    """Keep that somebody waits for the next answer in a session; None where nothing was asked last."""
    rows = await tx.rows(SQL["put_request"], session=session, now=now)
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
    return await tx.fetch(
        Prompt,
        SQL["prompts"],
        id=id_,
        session=session,
        status=status,
        limit=limit,
        chat=HISTORY,
        prompt=PROMPTS,
        no_agent=_NO_AGENT,
        given_up=_GIVEN_UP,
        no_job=_NO_JOB,
    )


async def history(tx: SpaceTransaction, session: str, *, limit: int) -> list[PromptMessage]:
    """Return the latest messages of a session, oldest first."""
    return (await tx.fetch(PromptMessage, SQL["history"], session=session, limit=limit))[::-1]


async def message(tx: SpaceTransaction, session: str, external_id: str) -> str | None:
    """Return the words of a message; None if it is not there."""
    rows = await tx.rows(SQL["message"], session=session, message=external_id)
    return rows[0][0] if rows else None


async def waiting(tx: SpaceTransaction, session: str) -> list[UUID]:
    """Return the prompts that wait for the next answer in a session."""
    return await tx.column(SQL["waiting_of_session"], session=session)
