"""API keys as a program sees them: made, listed, revoked, and found by their token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Final

from annotated_types import Interval
from typing_extensions import Doc

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Confirm, Example
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.db import queries
from quipu.kernel.db.database import Database
from quipu.upkeep.keys.model import LEVELS, Issued, Key, Level, id_in, is_id, new_token, opens, sha256

_SQL = queries.load("quipu.upkeep.keys")
MOST_PER_MINUTE: Final = 1_000_000

KeySpace = Annotated[
    str | None, Doc("The one space that it opens, existing or not; without it, all of them."), Example("ana")
]
KeyUser = Annotated[
    str | None,
    Doc("The one person of the space whose rows it sees and writes; without it, everybody."),
    Example("una"),
]


class AsyncKeys:
    """The API keys of a database."""

    def __init__(self, database: Database, *, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def create(
        self,
        name: Annotated[str, Doc("For people: the program that uses it."), Example("notes")],
        *,
        space: KeySpace = None,
        user: KeyUser = None,
        level: Annotated[Level, Doc("The rights; each level includes those before it.")] = "read",
        requests_per_minute: Annotated[
            int, Doc("The most requests in a minute."), Interval(ge=1, le=MOST_PER_MINUTE)
        ] = 600,
    ) -> Issued:
        """Make a key with its token, which is shown this once: the database has only its hash.

        The level ``admin`` may also forget, restore and make keys; with all spaces it is what the owner of
        the database may do. What cannot be kept apart by person is closed to a key for one user.

        Raises:
            BadInput: A name, the level or the number (1 to 1,000,000) cannot be taken; or a key for one user
                has no space, or the level ``admin``.
        """
        check_name("name", name)
        optional_name("space", space)
        if level not in LEVELS:
            raise BadInput(f"it can be {', '.join(LEVELS)}.", field="level")
        if optional_name("user", user) is not None and (space is None or level == "admin"):
            raise BadInput(
                "a key for one user opens one space, to read or to write.",
                field="user",
                hint="Name the space, and take the level read or write.",
            )
        if isinstance(requests_per_minute, bool) or not 1 <= requests_per_minute <= MOST_PER_MINUTE:
            raise BadInput(f"a whole number from 1 to {MOST_PER_MINUTE:,}.", field="requests_per_minute")
        id_, token = new_token()
        key = Key(id_, name, space, user, level, requests_per_minute, self._clock.now(), None, None)
        async with self._database.owner() as conn:
            await conn.execute(_SQL["create"], {**asdict(key), "token_sha256": sha256(token)})
        return Issued(key, token)

    async def list(
        self, *, space: Annotated[str | None, Doc("Only keys of this space."), Example("ana")] = None
    ) -> Sequence[Key]:
        """List the keys, newest first, with when each was last used. Revoked ones are listed too."""
        async with self._database.owner() as conn:
            return await conn.fetch(Key, _SQL["list"], space=optional_name("space", space))

    async def revoke(
        self,
        key: Annotated[str, Doc("The id of the key, not its token."), Example("0a1b2c3d4e5f")],
        *,
        space: Annotated[str | None, Doc("Only if it is a key of this space.")] = None,
        confirm: Confirm = False,
    ) -> Key:
        """Revoke a key for good, and return it: it opens nothing any more.

        Running servers take notice within seconds. Revoking it again changes nothing.

        Raises:
            NotFound: There is no such key.
        """
        optional_name("space", space)
        if is_id(key):
            async with self._database.owner() as conn:
                if confirm:
                    found = await conn.fetch(Key, _SQL["revoke"], id=key, space=space, at=self._clock.now())
                else:
                    found = await conn.fetch(Key, _SQL["get"], id=key, space=space)
                if found:
                    return found[0]
        raise NotFound(f"There is no key {key!r}.", hint="The list of keys shows them.")

    async def opened_by(self, token: Annotated[str, Doc("The token that the caller sent.")]) -> Key | None:
        """Return the key of a token, or None if it opens nothing: not ours, or revoked."""
        id_ = id_in(token)
        if id_ is None:
            return None
        async with self._database.unscoped() as conn:
            row = await (await conn.execute(_SQL["find"], {"id": id_})).fetchone()
        if row is None:
            return None
        *columns, token_sha256 = row
        key = Key(*columns)
        return key if key.revoked_at is None and opens(token, token_sha256) else None

    async def count(self) -> int:
        """Count the keys that open anything: neither revoked nor forgotten with their space."""
        async with self._database.unscoped() as conn:
            return await conn.value(_SQL["count"])

    async def used(self, keys: Annotated[Sequence[str], Doc("The ids of the keys.")]) -> None:
        """Note that keys were used just now."""
        async with self._database.unscoped() as conn:
            await conn.execute(_SQL["touch"], {"ids": list(keys), "at": self._clock.now()})
