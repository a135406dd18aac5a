"""Answers to requests with an ``Idempotency-Key``: each request is done once, however often it is sent."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Any, Final

from psycopg.types.json import Jsonb
from typing_extensions import Doc

from quipu.errors import BadInput, Conflict
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import acting_for
from quipu.kernel.db import queries
from quipu.kernel.db.database import Database

KEPT: Final = timedelta(hours=24)
_ABANDONED: Final = timedelta(minutes=5)  # longer than any request may take: its process died
_SQL = queries.load("quipu.upkeep.answers")


@dataclass(frozen=True, slots=True)
class Asking:
    """One request: its space, caller, ``Idempotency-Key``, and the SHA-256 of its content."""

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


TheRequest = Annotated[Asking, Doc("The request, as its server knows it again.")]


class AsyncAnswers:
    """Answers to requests that may be sent again. Kept for 24 hours."""

    def __init__(self, database: Database, *, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def begin(self, asking: TheRequest) -> KeptAnswer | None:
        """Take a request on. Return None if it is to be done now, or the answer it was given before.

        Raises:
            BadInput: something else was asked under the same key.
            Conflict: it is being done at this moment.
        """
        now = self._clock.now()
        times: dict[str, Any] = {"now": now, "expired": now - KEPT, "abandoned": now - _ABANDONED}
        with acting_for(None):  # the answer belongs to the key, whoever it acts for
            async with self._database.write(asking.space) as tx:
                if await tx.rows(_SQL["begin"], **_key(asking), sha256=asking.sha256, **times):
                    return None
                earlier = await tx.rows(_SQL["find"], **_key(asking))
        if not earlier:
            return None
        sha256, status, headers, body = earlier[0]
        if sha256 != asking.sha256:
            raise BadInput(
                "something else was asked under this key.",
                field="Idempotency-Key",
                hint="Take a new key for each new request.",
            )
        if status is None:
            raise Conflict("This request is being done.", hint="Wait a moment, then send it again.")
        return KeptAnswer(status, headers, body)

    async def keep(
        self, asking: TheRequest, answer: Annotated[KeptAnswer, Doc("What was answered.")]
    ) -> None:
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

    async def release(self, asking: TheRequest) -> None:
        """Give back a request that failed: it may be sent again under the same key."""
        with acting_for(None):
            async with self._database.transaction(asking.space) as tx:
                if tx is not None:
                    await tx.execute(_SQL["release"], **_key(asking))

    async def drop_old(self) -> int:
        """Drop what is older than 24 hours, in every space, and return how many answers that were."""
        async with self._database.unscoped() as conn:
            return await conn.value(_SQL["drop_old"], before=self._clock.now() - KEPT)


def _key(asking: Asking) -> dict[str, Any]:
    return {"caller": asking.caller, "key": hashlib.sha256(asking.key.encode()).digest()}
