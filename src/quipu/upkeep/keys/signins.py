"""People who open the pages of a server: links that sign a browser in once, and its session.

Both are random tokens of which the database has only hashes, so every process that serves it knows them, and
a copy of the database opens nothing.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Annotated

from annotated_types import Gt
from typing_extensions import Doc

from quipu.kernel.base.clock import Clock
from quipu.kernel.db import queries
from quipu.kernel.db.database import Database
from quipu.upkeep.keys.model import sha256

_SQL = queries.load("quipu.upkeep.keys")

Seconds = Annotated[float, Doc("The seconds after which it ends."), Gt(0)]
SessionToken = Annotated[str, Doc("The token of the session, which its browser keeps.")]


class AsyncSignIns:
    """The browsers that are signed in to the servers of a database."""

    def __init__(self, database: Database, *, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def link(self, *, seconds: Seconds) -> str:
        """Make the token of a link that signs a browser in once; the database keeps its hash."""
        token = secrets.token_urlsafe(32)
        until = self._clock.now() + timedelta(seconds=seconds)
        async with self._database.owner() as conn:
            await conn.execute(_SQL["keep_link"], {"link": sha256(token), "until": until})
        return token

    async def redeem(
        self, link: Annotated[str, Doc("The token of the link.")], *, seconds: Seconds
    ) -> str | None:
        """Exchange the token of a link for that of a new session; None if it was used or is none."""
        session, now = secrets.token_urlsafe(32), self._clock.now()
        async with self._database.unscoped() as conn:
            done = await conn.value(
                _SQL["redeem"],
                link=sha256(link),
                session=sha256(session),
                at=now,
                until=now + timedelta(seconds=seconds),
            )
        return session if done else None

    async def is_signed_in(self, session: SessionToken) -> bool:
        """Return True if there is such a session, which has not ended."""
        async with self._database.unscoped() as conn:
            return await conn.value(_SQL["is_signed_in"], session=sha256(session), at=self._clock.now())

    async def sign_out(self, session: SessionToken) -> None:
        """End a session. Other servers of the database take notice within a second."""
        async with self._database.unscoped() as conn:
            await conn.execute(_SQL["sign_out"], {"session": sha256(session)})

    async def drop_ended(self) -> int:
        """Drop links and sessions that have ended, and return how many they were."""
        async with self._database.unscoped() as conn:
            return await conn.value(_SQL["drop_ended"], at=self._clock.now())
