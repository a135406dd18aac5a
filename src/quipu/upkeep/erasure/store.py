"""The queries of erasure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.database import Connection, SpaceTransaction

_SQL = queries.load("quipu.upkeep.erasure")


@dataclass(frozen=True, slots=True)
class End:
    """The end of the chain of all receipts: the key that signs, the number and the digest of the last."""

    signing: bytes
    number: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A receipt on its way into the database. ``hashes`` are of what was erased, by what it was."""

    id: str
    number: int
    space_number: int
    document: Mapping[str, Any]
    signature: bytes
    counts: Mapping[str, int]
    written_at: datetime
    hashes: Mapping[str, str | None]
    name_hashes: Sequence[str] = ()
    of_receipt: str | None = None


async def names_key(tx: SpaceTransaction) -> bytes:
    """Return the key with which erased names are hashed."""
    ((key,),) = await tx.rows(_SQL["names_key"])
    return key


async def public_key(conn: Connection) -> bytes | None:
    """Return the key that verifies receipts; None before the first."""
    row = await (await conn.execute(_SQL["public_key"])).fetchone()
    return row[0] if row else None


async def hold_chain(tx: SpaceTransaction, *, signing: bytes, public: bytes) -> End:
    """Return the end of the chain, locked until commit; the given key is stored if there is none yet."""
    end = await tx.fetch_one(End, _SQL["hold_chain"], signing=signing, public=public)
    assert end is not None
    return end


async def extend_chain(tx: SpaceTransaction, *, number: int, digest: str) -> None:
    """Move the end of the chain on to a receipt."""
    ((moved,),) = await tx.rows(_SQL["extend_chain"], number=number, digest=digest)
    assert moved, "the chain of receipts was held, and moved all the same"


async def last_in_space(tx: SpaceTransaction) -> tuple[int, Mapping[str, Any]] | None:
    """Return number and document of the last receipt of the space."""
    for number, document in await tx.rows(_SQL["last_in_space"]):
        return number, document
    return None


async def write_receipt(tx: SpaceTransaction, row: Row) -> None:
    """Keep a receipt."""
    await tx.execute(
        _SQL["write_receipt"],
        id=row.id,
        counts=Jsonb(dict(row.counts)),
        erased_at=row.written_at,
        number=row.number,
        space_number=row.space_number,
        document=Jsonb(dict(row.document)),
        signature=row.signature,
        name_hashes=list(row.name_hashes),
        of_receipt=row.of_receipt,
        **{f"{name}_hash": row.hashes.get(name) for name in ("session", "user", "message", "space")},
    )


async def receipts_of_space(tx: SpaceTransaction, id: str | None) -> list[tuple[Mapping[str, Any], bytes]]:
    """Return documents and signatures of a space, oldest first; of one erasure if ``id`` names it."""
    return [(document, signature) for document, signature in await tx.rows(_SQL["receipts_of_space"], id=id)]


async def receipts_of_all(conn: Connection, id: str | None) -> list[tuple[Mapping[str, Any], bytes]]:
    """Return documents and signatures of the whole database, oldest first, as its owner sees them."""
    return await (await conn.execute(_SQL["receipts_of_all"], {"id": id})).fetchall()


async def columns(tx: SpaceTransaction) -> list[tuple[str, str, str]]:
    """Return table, column and type (empty for text) of each column that can hold a name."""
    rows = await tx.rows(_SQL["columns"])
    return [(f"{schema}.{table}", column, type_) for schema, table, column, type_ in rows]


async def carried(tx: SpaceTransaction, user: str) -> list[str]:
    """Return names that the messages of a person carry, and no message of anybody else."""
    return [name for (name,) in await tx.rows(_SQL["carried"], user=user)]


async def touched(tx: SpaceTransaction) -> list[tuple[str, str]]:
    """Return schema and table of all rows that the transaction took or changed."""
    return [(schema, table) for schema, table in await tx.rows(_SQL["touched"])]


async def held_back(conn: Connection) -> int:
    """Count the other transactions that may still see what was there before."""
    row = await (await conn.execute(_SQL["held_back"])).fetchone()
    return row[0] if row else 0


async def log_position(conn: Connection) -> tuple[str, str]:
    """Return the position of the write-ahead log, and its segment."""
    row = await (await conn.execute(_SQL["log_position"])).fetchone()
    assert row is not None
    return row[0], row[1]


async def log_segments(conn: Connection) -> list[str]:
    """Return the segments of the write-ahead log, as the server lists them."""
    return [name for (name,) in await (await conn.execute(_SQL["log_segments"])).fetchall()]


@dataclass(frozen=True, slots=True)
class Table:
    """A table that can be written anew; ``file`` is the number of the file that keeps it now."""

    oid: int
    schema: str
    table: str
    bytes: int
    file: int

    @property
    def name(self) -> str:
        """Schema and table."""
        return f"{self.schema}.{self.table}"


async def rewritable(conn: Connection, schemas: Sequence[str]) -> list[Table]:
    """Return our tables, those of agents' schemas, and the statistics of all, the largest last."""
    rows = await conn.execute(_SQL["rewritable"], {"schemas": list(schemas)})
    return [Table(*row) for row in await rows.fetchall()]


async def file_of(conn: Connection, oid: int) -> int | None:
    """Return the number of the file that keeps a table."""
    row = await (await conn.execute(_SQL["file_of"], {"oid": oid})).fetchone()
    return row[0] if row else None


async def looking_back(conn: Connection) -> int:
    """Count the clients that may still see what was there before."""
    row = await (await conn.execute(_SQL["looking_back"])).fetchone()
    return row[0] if row else 0


async def is_archived(conn: Connection, segment: str) -> bool:
    """Return True if a segment of the log is archived, or no log is."""
    row = await (await conn.execute(_SQL["is_archived"], {"segment": segment})).fetchone()
    return row is not None and row[0]


async def close_segment(conn: Connection) -> None:
    """Close the segment of the log that is written to."""
    await conn.execute(_SQL["close_segment"])


async def enter(conn: Connection, space_id: int) -> None:
    """Let a transaction see what is kept of a space, by its number, even if the space is gone."""
    await conn.execute(_SQL["enter_number"], {"id": space_id})


async def gone_space(conn: Connection, name: str, receipt: str) -> int | None:
    """Return the number of the space of that name that a receipt says was forgotten whole."""
    key = await (await conn.execute(_SQL["names_key"])).fetchone()
    assert key is not None
    values = {"hash": keyed(key[0], name, ""), "receipt": receipt}
    row = await (await conn.execute(_SQL["gone_space"], values)).fetchone()
    return row[0] if row else None


def keyed(secret: bytes, space: str, name: str) -> str:
    """Return the hash of a name in a space, as snapshots compare it when they are restored."""
    inner = hashlib.sha256(f"{space}\0{name}".encode()).digest()
    return hashlib.sha256(secret + inner).hexdigest()


async def entries_with(tx: SpaceTransaction, pattern: str) -> int:
    """Count the entries of the index whose text matches."""
    ((count,),) = await tx.rows(_SQL["entries_with"], pattern=pattern)
    return count


async def count_erasure(tx: SpaceTransaction) -> None:
    """Count the erasure, so that whoever read the space before can tell that it changed."""
    await tx.execute(_SQL["count_erasure"])


async def remove_space(tx: SpaceTransaction) -> None:
    """Remove the row of the space, which is empty by now."""
    await tx.execute(_SQL["remove_space"])
