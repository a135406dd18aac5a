"""The schemas of agents as snapshots need them, see ``upkeep/snapshots/model.py``.

A dump is put in place on the login of the schema's own writer, like all that an agent sends.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, LiteralString, TypeVar, cast

import numpy as np
import psycopg
from psycopg import errors as pg
from psycopg import sql

from quipu.errors import Conflict, NotFound
from quipu.kernel.base.scope import check_name
from quipu.kernel.db.arrays import Texts, Vectors, halfvecs
from quipu.kernel.db.bounds import bounded
from quipu.kernel.db.database import Connection, Database, SpaceTransaction
from quipu.kinds.tables import names, provision, store
from quipu.kinds.tables.embedding.follow import Follower
from quipu.kinds.tables.engine import Undone, settled
from quipu.kinds.tables.logins import Logins
from quipu.kinds.tables.model import Permission, StoredSchema
from quipu.kinds.tables.refusals import Request, refusal
from quipu.kinds.tables.settings import SNAPSHOT_RETENTION_DAYS
from quipu.kinds.tables.store import SQL
from quipu.kinds.tables.templates import as_written, fill
from quipu.recall.generations import Models
from quipu.upkeep.snapshots.model import Target
from quipu.upkeep.snapshots.rights import Granted, Right, granted

_T = TypeVar("_T")
_PAGE: Final = 1_000  # vectors


class SnapshotSource:
    """The schemas of agents, for snapshots."""

    def __init__(self, database: Database, models: Models, logins: Logins) -> None:
        self._database = database
        self._models = models
        self._logins = logins

    @property
    def protected(self) -> Sequence[str]:
        """Relations of the engine in every schema."""
        return names.PROTECTED

    async def retention_days(self, space: str) -> int:
        """Return the days for which snapshots of a space are kept."""
        return (await self._database.settings(space)).of(SNAPSHOT_RETENTION_DAYS)

    async def space_id(self, space: str) -> int | None:
        """Return the number of a space; None if there is none of that name."""
        async with self._database.transaction(check_name("space", space)) as tx:
            return None if tx is None else tx.space.id

    async def find(self, space: str, schema: str, *, make: bool = False) -> Target:
        """Return the schema of that short name; with ``make``, make a missing one.

        Raises:
            NotFound: there is none.
        """
        check_name("space", space)
        name = names.check_schema(schema)
        target = await self._target(space, name)
        if target is None and make:
            await provision.create(self._database, space, name, None)
            target = await self._target(space, name)
        if target is None:
            raise NotFound(f"There is no schema {schema!r}.", hint="The list of schemas shows them.")
        return target

    async def every(self, space: str) -> Sequence[Target]:
        """Return all schemas of a space."""
        async with self._database.transaction(check_name("space", space)) as tx:
            return [] if tx is None else [_target(tx, one) for one in await store.schemas(tx)]

    async def drop(self, target: Target) -> None:
        """Drop a schema with everything in it."""
        async with self._database.erase(target.space) as tx:
            if tx is not None:
                await store.discard(tx, target.number)

    async def tables(self, conn: Connection, target: Target) -> Sequence[str]:
        """Return the agent's tables that hold rows, by name."""
        rows = await conn.execute(SQL["kept_tables"], _values(target))
        return [name for (name,) in await rows.fetchall()]

    async def tables_now(self, target: Target) -> Sequence[str]:
        """Return the agent's tables that hold rows now, by name."""
        async with self._database.transaction(target.space) as tx:
            return [] if tx is None else await self.tables(tx.conn, target)

    async def drops(self, target: Target) -> Sequence[LiteralString]:
        """Return statements that drop all that the agent made in the schema."""
        async with self._database.transaction(target.space) as tx:
            rows = [] if tx is None else await tx.rows(SQL["drops"], schema=target.number)
        return [statement for (statement,) in rows]

    async def open_up(self, target: Target) -> None:
        """Make all rows of the agent's tables readable, whatever rights their owner took away."""
        schema = await self.schema(target)
        try:
            async with self._logins.lend(target.space, schema, "writer") as conn:
                await conn.execute(SQL["keep_own"])
        except psycopg.Error as error:
            raise refusal(error, Request(schema=schema, field="schema")) from error

    async def grants(self, target: Target) -> Mapping[str, str]:
        """Return the permissions of each agent in the schema."""
        async with self._database.transaction(target.space) as tx:
            granted = [] if tx is None else await store.grants(tx, target.number)
        return {one.agent: one.permission for one in granted}

    async def grant(self, target: Target, grants: Mapping[str, str]) -> None:
        """Let agents do so much in the schema."""
        async with self._database.write(target.space) as tx:
            for agent, permission in grants.items():
                await store.grant(tx, target.number, agent, cast(Permission, permission))

    async def rights(self, conn: Connection, target: Target) -> Sequence[Granted]:
        """Return the rights of everybody on the objects of a writer; ``conn`` is the writer's."""
        rows = await (await conn.execute(SQL["own_rights"])).fetchall()
        return [
            granted((kind, names, map(target.names.in_sql, args), *others))
            for kind, names, args, *others in rows
        ]

    async def roles(self, space: str, named: Collection[tuple[str, int]]) -> set[tuple[str, int]]:
        """Return those of these roles, by name and number, that are still there and not of another space."""
        async with self._database.transaction(space) as tx:
            if tx is None or not named:
                return set()
            names, numbers = zip(*named, strict=True)
            rows = await tx.rows(SQL["roles"], names=Texts(names), numbers=list(numbers))
            return {(name, number) for name, number in rows}

    async def admit(self, target: Target, rights: Iterable[Right]) -> None:
        """Give roles rights on the schema itself, as its owner."""
        async with self._database.owner() as conn, conn.transaction():
            await conn.execute(SQL["as_owner"])
            for one in rights:
                await conn.execute(
                    fill(
                        "admit",
                        right=as_written(one.privilege),
                        schema=sql.Identifier(target.schema_name),
                        role=sql.Identifier(one.role) if one.role else sql.SQL("public"),
                        option=sql.SQL(" with grant option" if one.passed_on else ""),
                    )
                )

    async def look(self, target: Target, work: Callable[[Connection], Awaitable[_T]]) -> _T:
        """Work on a connection of the writer, in autocommit mode."""
        async with self._logins.lend(target.space, await self.schema(target), "writer") as conn:
            return await work(conn)

    async def change(
        self,
        target: Target,
        work: Callable[[Connection], Awaitable[_T]],
        *,
        seconds: float,
        trial: bool = False,
    ) -> _T:
        """Work in one transaction of the writer; the engine follows the structure at its end.

        Raises:
            Conflict: the schema is in use.
            QuipuError: PostgreSQL refused; nothing was changed.
        """
        schema = await self.schema(target)
        try:
            async with self._logins.lend(target.space, schema, "writer") as conn:
                return await bounded(self._database, conn, seconds, lambda: _settled(conn, work, trial=trial))
        except (pg.LockNotAvailable, pg.DeadlockDetected) as error:
            raise Conflict(
                f"The schema {target.schema!r} is in use: somebody works on its tables.",
                field="schema",
                hint="Nothing was changed. Try again in a moment.",
            ) from error
        except psycopg.Error as error:
            raise refusal(error, Request(schema=schema, field="dump", seconds=seconds)) from error

    async def save_vectors(self, conn: Connection, target: Target, write: Callable[[bytes], object]) -> int:
        """Write the vectors of the schema, a line for each: hash of the text, model, vector; how many."""
        count = 0
        async for hashed, model, vector in conn.cursor().stream(SQL["kept_vectors"], _values(target)):
            write(b" ".join((hashed.encode(), model.encode(), b64encode(vector))) + b"\n")
            count += 1
        return count

    async def lend_vectors(self, target: Target, saved: Path) -> None:
        """Reuse saved vectors for rows with the same text, if their model is still in use."""
        with saved.open(encoding="ascii") as file:
            while page := list(islice(file, _PAGE)):
                async with self._database.write(target.space) as tx:
                    for model, lines in _by_model(page):
                        await _lend(tx, target, model, lines)

    async def follow(self, target: Target) -> int:
        """Have the index follow for a while; how many vectors were made or taken out."""
        following = Follower(self._database, self._models, self._logins)
        done = await following.follow(target.space, await self.schema(target))
        await self.tidy(target)
        return done

    async def tidy(self, target: Target) -> None:
        """Drop saved vectors that no row waits for."""
        async with self._database.transaction(target.space) as tx:
            if tx is not None:
                await tx.execute(SQL["drop_kept_vectors"], schema=target.number)

    async def schema(self, target: Target) -> StoredSchema:
        """Return the schema of a target.

        Raises:
            NotFound: it was dropped meanwhile.
        """
        async with self._database.transaction(target.space) as tx:
            row = None if tx is None else await store.schema(tx, target.schema, None)
        if row is None:
            raise NotFound(f"The schema {target.schema!r} is gone.", hint="It was dropped meanwhile.")
        return row

    async def _target(self, space: str, name: str) -> Target | None:
        async with self._database.transaction(space) as tx:
            row = None if tx is None else await store.schema(tx, name, None)
            return None if tx is None or row is None else _target(tx, row)


async def _settled(conn: Connection, work: Callable[[Connection], Awaitable[_T]], *, trial: bool) -> _T:
    done: list[_T] = []
    async with settled(conn):
        done.append(await work(conn))
        if trial:
            raise Undone
    return done[0]


def _by_model(lines: Sequence[str]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield hashes and vectors by the model that made these."""
    by_model: dict[str, list[tuple[str, str]]] = {}
    for line in lines:
        hashed, model, vector = line.split()
        by_model.setdefault(model, []).append((hashed, vector))
    yield from by_model.items()


async def _lend(tx: SpaceTransaction, target: Target, model: str, lines: Sequence[tuple[str, str]]) -> None:
    vectors = np.concatenate([halfvecs(b64decode(vector)) for _, vector in lines])
    await tx.execute(
        SQL["keep_vectors"],
        schema=target.number,
        digest=model,
        hashes=Texts([hashed for hashed, _ in lines]),
        vectors=Vectors(vectors),
    )


def _target(tx: SpaceTransaction, schema: StoredSchema) -> Target:
    return Target(
        space=tx.space.name,
        space_id=tx.space.id,
        schema=schema.name,
        schema_name=schema.schema_name,
        number=schema.id,
        reader=schema.reader,
        protected=names.PROTECTED,
    )


def _values(target: Target) -> dict[str, object]:
    return {"space": target.space_id, "schema": target.number}
