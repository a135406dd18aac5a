"""Making, listing and ending API keys; finding the key that a token opens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.db.database import Database
from quipu.upkeep.keys import store
from quipu.upkeep.keys.model import LEVELS, Issued, Key, Level
from quipu.upkeep.keys.rules import id_in, is_id, new_token, opens

MOST_PER_MINUTE: Final = 1_000_000


class AsyncKeys:
    """The API keys of a database."""

    def __init__(self, database: Database, *, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def create(
        self,
        name: str,
        *,
        space: str | None = None,
        user: str | None = None,
        level: Level = "read",
        requests_per_minute: int = 600,
    ) -> Issued:
        """Make a new key with its token, which cannot be shown again.

        ``name`` is for people: the program that uses it. ``space`` is the one space that it opens, existing
        or not; None opens all of them, which with the level ``admin`` is what the owner of the database may
        do. ``level`` is ``read``, ``write``, or ``admin``, which may also forget, restore and make keys.
        ``user`` binds the key to one person of the space: it sees and writes only what is theirs, and what
        cannot be kept apart by person is closed to it.

        Raises:
            BadInput: a name, the level or the number (1 to 1,000,000) cannot be taken; or a key for one user
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
        issued = Issued(key, token)
        async with self._database.owner() as conn:
            await store.create(conn, issued)
        return issued

    async def list(self, *, space: str | None = None) -> Sequence[Key]:
        """Return every key, newest first, revoked ones too; only those of ``space`` if it is named."""
        async with self._database.owner() as conn:
            return await store.keys(conn, optional_name("space", space))

    async def revoke(self, key: str, *, space: str | None = None) -> Key:
        """End a key by its id; servers take notice within seconds. Ending it again changes nothing.

        Where ``space`` is named it must be a key of that space.

        Raises:
            NotFound: there is no such key.
        """
        optional_name("space", space)
        found = None
        if is_id(key):
            async with self._database.owner() as conn:
                found = await store.revoke(conn, key, space=space, at=self._clock.now())
        if found is None:
            raise NotFound(f"There is no key {key!r}.", hint="The list of keys shows them.")
        return found

    async def opened_by(self, token: str) -> Key | None:
        """Return the key that a token opens now; None if it is not ours, or was revoked."""
        key = id_in(token)
        if key is None:
            return None
        async with self._database.unscoped() as conn:
            lock = await store.find(conn, key)
        if lock is None or lock.key.revoked_at is not None or not opens(token, lock.token_sha256):
            return None
        return lock.key

    async def count(self) -> int:
        """Count the keys that open anything: neither revoked nor forgotten with their space."""
        async with self._database.unscoped() as conn:
            return await store.count(conn)

    async def used(self, keys: Sequence[str]) -> None:
        """Note that keys, by id, were used just now."""
        async with self._database.unscoped() as conn:
            await store.touch(conn, keys, at=self._clock.now())
