"""Writing an archive: every kind of record as of one moment, one file after the other."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO, Final

from anyio import to_thread
from psycopg.abc import Buffer

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.upkeep.archive import statements
from quipu.upkeep.archive.manifest import (
    CHECKSUMS,
    FORMAT,
    MANIFEST,
    VERSION,
    ArchivedFile,
    ArchivedSchema,
    ArchivedVectors,
    Manifest,
)
from quipu.upkeep.archive.records import CarriedColumn, Layout, layout
from quipu.upkeep.archive.tables import CARRIED, EXCLUDED

SQL: Final = queries.load("quipu.upkeep.archive")
OnRecords = Callable[[int], None]
"""Called with the number of records that were dealt with since the last call."""

_PIECE_BYTES: Final = 1 << 20


async def layouts(tx: SpaceTransaction) -> list[Layout]:
    """Return the carried tables with their columns, in the order in which rows may be written."""
    return [layout(one, await tx.fetch(CarriedColumn, SQL["columns"], table=one.table)) for one in CARRIED]


class Writer:
    """Writes the files of an archive into a directory, and sums them."""

    def __init__(self, folder: Path, *, progress: OnRecords | None = None) -> None:
        self._folder = folder
        self._progress = progress
        self._sums: dict[str, str] = {}
        self.files: list[ArchivedFile] = []

    async def rows_beside(self, tx: SpaceTransaction, of: Layout) -> None:
        """Write the rows of a table of the transaction's person, with what others said beside them."""
        await tx.execute(SQL["as_application"])
        await self.rows(tx, of, person=True, beside=True)
        await tx.execute(SQL["as_person"])

    async def rows(self, tx: SpaceTransaction, of: Layout, *, person: bool, beside: bool = False) -> None:
        """Write the rows of a table, where it has any."""
        name = f"{of.carried.kind}.ndjson"
        path = self._folder / name
        written = _Written(path)
        try:
            query = statements.carry_out(of, tx.space.id, person=person, beside=beside)
            async with tx.conn.cursor() as cursor, cursor.copy(query) as copy:
                async for line in copy:
                    if written.add(line):
                        self._tell(await to_thread.run_sync(written.flush))
            self._tell(await to_thread.run_sync(written.flush))
        finally:
            written.close()
        if not written.records:
            path.unlink()
            return
        self.note(
            ArchivedFile(
                name=name,
                kind=of.carried.kind,
                records=written.records,
                bytes=written.bytes,
                fields=of.fields,
            ),
            written.sha256,
        )

    def note(self, file: ArchivedFile, sha256: str) -> None:
        """Note a file that was written."""
        self.files.append(file)
        self._sums[file.name] = sha256

    def finish(self, manifest: Manifest) -> None:
        """Write the manifest and the sums of all files."""
        data = (manifest.model_dump_json(indent=1) + "\n").encode()
        (self._folder / MANIFEST).write_bytes(data)
        sums = {MANIFEST: hashlib.sha256(data).hexdigest(), **self._sums}
        text = "".join(f"{sha256}  {name}\n" for name, sha256 in sums.items())
        (self._folder / CHECKSUMS).write_text(text, "utf-8")

    def _tell(self, records: int) -> None:
        if self._progress is not None and records:
            self._progress(records)


class _Written:
    """A file that grows by lines; they are kept until there is a piece of them."""

    def __init__(self, path: Path) -> None:
        self.records = 0
        self.bytes = 0
        self._file: BinaryIO = path.open("xb")
        self._sum = hashlib.sha256()
        self._lines: list[bytes] = []
        self._waiting = 0

    def add(self, line: Buffer) -> bool:
        """Keep a line; True if it is time to write them."""
        self._lines.append(bytes(line))
        self._waiting += len(self._lines[-1])
        return self._waiting >= _PIECE_BYTES

    def flush(self) -> int:
        """Write the lines that are kept; how many."""
        count, data = len(self._lines), b"".join(self._lines)
        self._file.write(data)
        self._sum.update(data)
        self.records += count
        self.bytes += len(data)
        self._lines, self._waiting = [], 0
        return count

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def sha256(self) -> str:
        """The SHA-256 of what was written."""
        return self._sum.hexdigest()


@dataclass(frozen=True, slots=True)
class About:
    """Space and person of an archive, for its manifest."""

    space: str
    languages: Sequence[str] = ()
    user: str | None = None
    with_others: bool = False
    with_vectors: bool = False
    schemas: Sequence[ArchivedSchema] = ()
    vectors: ArchivedVectors | None = None

    def manifest(self, files: Sequence[ArchivedFile], *, now: datetime) -> Manifest:
        """Return the manifest of an archive with these files."""
        others = (
            {}
            if self.user is None
            else {one.table: "it cannot be kept apart by person" for one in CARRIED if not one.personal}
        )
        return Manifest(
            format=FORMAT,
            version=VERSION,
            generator=f"quipu {version('quipu-memory')}",
            space=self.space,
            languages=self.languages,
            taken_at=now.astimezone(UTC).isoformat(),
            user=self.user,
            with_others=self.with_others,
            left_out={**EXCLUDED, **others},
            files=files,
            schemas=self.schemas,
            vectors=self.vectors,
        )
