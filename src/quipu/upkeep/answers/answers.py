"""Doing a request once, however often it is sent."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from psycopg.types.json import Jsonb

from quipu.errors import BadInput, Conflict
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import acting_for
from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, SpaceTransaction

KEPT: Final = timedelta(hours=24)
_ABANDONED: Final = timedelta(minutes=5)  # longer than any request may take: its process died
_SQL = queries.load("quipu.upkeep.answers")


@dataclass(frozen=True, slots=True)
class Asking:
    """One request: in which space, whose, under which ``Idempotency-Key``, the SHA-256 of what it asks."""

    space: str
    caller: str
    key: str
    sha256: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """Kept answer: the HTTP status, a few headers, the body."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class AsyncAnswers:
    """Answers to requests that may be sent again. Kept for 24 hours."""

    def __init__(self, database: Database, *, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, asking: Asking) -> KeptAnswer | None:
        """Take a request on: None where it is to be done now, else what was answered to it before.

        Raises:
            BadInput: something else was asked under the same key.
            Conflict: it is being done at this moment.
        """
        now = self._clock.now()
        with acting_for(None):  # it is the key's: who has it asked before
            async with self._database.write(asking.space) as tx:
                begun = await _begin(tx, asking, now=now)
                earlier = None if begun else await _find(tx, asking)
        if earlier is None:
            return None
        sha256, answer = earlier
        if sha256 != asking.sha256:
            raise BadInput(
                "something else was asked under this key.",
                field="Idempotency-Key",
                hint="Take a new key for each new request.",
            )
        if answer is None:
            raise Conflict("This request is being done.", hint="Wait a moment, then send it again.")
        return answer

    async def keep(self, asking: Asking, answer: KeptAnswer) -> None:
        """Keep the answer to a request that was done; not where an erasure took the request meanwhile."""
        with acting_for(None):
            async with self._database.transaction(asking.space) as tx:
                if tx is not None:
                    await tx.execute(
                        _SQL["keep"],
                        **_key(asking),
                        status=answer.status,
                        headers=Jsonb(dict(answer.headers)),
                        body=answer.body,
                    )

    async def release(self, asking: Asking) -> None:
        """Give back a request that failed: it may be sent again under the same key."""
        with acting_for(None):
            async with self._database.transaction(asking.space) as tx:
                if tx is not None:
                    await tx.execute(_SQL["release"], **_key(asking))

    async def drop_old(self) -> int:
        """Drop what is older than 24 hours, in every space, and return how many answers that were."""
        async with self._database.unscoped() as conn:
            row = await (
                await conn.execute(_SQL["drop_old"], {"before": self._clock.now() - KEPT})
            ).fetchone()
        assert row is not None
        return row[0]


async def drop_of_space(tx: SpaceTransaction) -> None:
    """Drop all answers of a space."""
    await tx.execute(_SQL["drop_of_space"])


async def _begin(tx: SpaceTransaction, asking: Asking, *, now: datetime) -> bool:
    """Take a request on; False where it is being done or was answered."""
    times: dict[str, Any] = {"now": now, "expired": now - KEPT, "abandoned": now - _ABANDONED}
    return bool(await tx.rows(_SQL["begin"], **_key(asking), sha256=asking.sha256, **times))


async def _find(tx: SpaceTransaction, asking: Asking) -> tuple[bytes, KeptAnswer | None] | None:
    """Return the SHA-256 of the request that came under this key, and its answer if there is one yet."""
    for sha256, status, headers, body in await tx.rows(_SQL["find"], **_key(asking)):
        return sha256, None if status is None else KeptAnswer(status, headers, body)
    return None


def _key(asking: Asking) -> dict[str, Any]:
    return {"caller": asking.caller, "key": hashlib.sha256(asking.key.encode()).digest()}
