"""Archives of a space as a program meets them: ``memory.archives``."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Annotated, Final, Literal, get_args

from anyio import to_thread
from typing_extensions import Doc

from quipu.errors import BadInput, DatabaseError, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Space
from quipu.kernel.base.scope import acting_for, check_name, one_of, optional_name
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.db.space import AsOf
from quipu.kernel.embedding.known import KnownVectors
from quipu.recall import store
from quipu.upkeep.archive.erased import Erasures, Forgotten, forget_again
from quipu.upkeep.archive.export import About, OnRecords, Writer, layouts
from quipu.upkeep.archive.formats.conversion import ArchiveFormat, Converted, convert
from quipu.upkeep.archive.load import Load
from quipu.upkeep.archive.manifest import CHECKSUMS, MANIFEST, ArchivedSchema, Manifest, counted
from quipu.upkeep.archive.packing import is_one_file, is_zip, pack, unpack
from quipu.upkeep.archive.records import Layout
from quipu.upkeep.archive.schemas import AgentSchemas
from quipu.upkeep.archive.vectors import read_vectors, write_vectors
from quipu.upkeep.archive.verify import verify
from quipu.upkeep.erasure.service import Eraser
from quipu.upkeep.exports.exports import note
from quipu.upkeep.reembed.batches import Cite

After = Callable[[SpaceTransaction], Awaitable[None]]
"""Called in the transaction of an import, when all records are there."""

FileSpace = Callable[[str, KnownVectors], Awaitable[None]]
"""Files what the index of a space does not know, without embedding what is known."""

Vectors = Literal["none", "taken", "ignored"]

_PARTS: Final = (".part", ".part-quipu", ".parts")  # the target, the archive behind it, and its files
RecordsDone = Annotated[OnRecords | None, Doc("Called with the number of records, whenever some are done.")]
ArchivePath = Annotated[
    str | PathLike[str],
    Doc("A folder, or a file: .tar, .tar.gz, .tar.zst."),
]
TheFormat = Annotated[
    ArchiveFormat,
    Doc('"quipu" has everything; "markdown", "mem" and "cogx" leave out what they have no place for.'),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveWritten:
    """Result of writing an archive: how many records of each kind it has.

    ``left_out`` are records that its format has no place for, by kind; none with the format ``quipu``.
    ``id`` and ``sha256`` are noted: a check of an erasure recognises the file by them. Of a folder it is the
    sum of its CHECKSUMS.
    """

    path: Path
    format: ArchiveFormat
    records: Mapping[str, int]
    left_out: Mapping[str, int]
    bytes: int
    id: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveLoaded:
    """Result of taking an archive in: of which space and moment it is, and how many records of each kind.

    ``withheld`` are rows that were left out, because what they belong to was forgotten since, by table.
    ``vectors`` of the archive, if there are any, are ``taken`` where the same model serves, else ``ignored``.
    ``done`` is False for a preview, which withholds nothing.
    """

    space: str
    of_space: str
    taken_at: str
    records: Mapping[str, int]
    withheld: Mapping[str, int]
    vectors: Vectors
    done: bool


class AsyncArchives:
    """Writes a whole space, or what is one person's, to open files, and takes such files in."""

    def __init__(
        self,
        database: Database,
        schemas: AgentSchemas,
        erasers: Sequence[Eraser],
        *,
        clock: Clock,
        cites: Mapping[int, Cite],
        file: FileSpace,
        after: Sequence[After] = (),
    ) -> None:
        """Forget again by ``erasers`` what was forgotten since; call ``after`` when all records are there.

        ``cites`` have the texts of entries; ``file`` indexes what came with its vectors.
        """
        self._cites = cites
        self._file = file
        self._database = database
        self._schemas = schemas
        self._erasers = erasers
        self._clock = clock
        self._after = after

    async def export(
        self,
        path: ArchivePath,
        *,
        space: Space,
        user: Annotated[str | None, Doc("Only what is this person's; what others said is left out.")] = None,
        with_others: Annotated[bool, Doc("With what others said in that person's sessions.")] = False,
        format: TheFormat = "quipu",
        vectors: Annotated[
            bool, Doc("With the vectors of the index, so that an import need not embed again.")
        ] = False,
        progress: RecordsDone = None,
    ) -> ArchiveWritten:
        """Write an archive of a space, as of one moment, while others go on writing.

        Formats other than ``quipu`` may also be a .zip, and are made of an archive that lies beside it
        meanwhile.

        Raises:
            BadInput: There is something at that path already; or others are asked for beside nobody; or there
                is no such format, or it cannot be a .zip; or vectors are asked for that are not of a whole
                space in the format ``quipu``.
            NotFound: There is no such space.
            Conflict: Something was forgotten in the space meanwhile.
            DatabaseError: It could not be written.
        """
        name, person = check_name("space", space), optional_name("user", user)
        if with_others and person is None:
            raise BadInput("it takes a person whose sessions they are of.", field="with_others")
        target, wanted = _absolute(path), one_of("format", format, get_args(ArchiveFormat))
        if wanted == "quipu" and is_zip(target):
            raise BadInput("an archive of Quipu is a folder or a tar, and no zip.", field="path")
        if vectors and (wanted != "quipu" or person is not None):
            raise BadInput("they are in an archive of a whole space alone.", field="vectors")
        if await to_thread.run_sync(_is_taken, target):
            raise BadInput(f"{target} is there already.", field="path", hint="Name another one.")
        try:
            whose = About(name, user=person, with_others=with_others, with_vectors=vectors)
            return await self._export(target, whose, wanted, progress)
        except OSError as error:
            raise DatabaseError(f"{target} could not be written: {error.strerror}.") from error

    async def load(
        self,
        path: ArchivePath,
        *,
        space: Space,
        preview: Annotated[bool, Doc("Only verify the archive, and count.")] = False,
        erased_too: Annotated[bool, Doc("Take in what was forgotten since it was made, too.")] = False,
        progress: RecordsDone = None,
    ) -> ArchiveLoaded:
        """Take an archive in, whole or not at all, into a space that is new or empty.

        Every file is verified before anything is written. The index of recall is made afterwards: by a
        worker, or by the recalls that come first; at once where the archive has its vectors, and the same
        model serves here.

        Raises:
            BadInput: It is no archive, damaged, or of a newer version; the file and the line are named.
            Conflict: The space has something in it; or something was forgotten since that cannot be left out.
        """
        name, source = check_name("space", space), _absolute(path)
        async with _opened(source) as (folder, manifest):
            load = Load(folder, manifest, progress=progress)
            async with self._database.list_read(name) as tx:
                if tx is not None:
                    await load.check(tx)
                    await self._schemas.refuse_others(tx)
            since = Erasures(self._database, manifest, name)
            forgotten: Forgotten = {} if erased_too else await since.read()
            known = await to_thread.run_sync(_known, folder, manifest)
            serves = known is not None and known.digest == await self._serving()
            withheld: Mapping[str, int] = {}
            if not preview:
                async with (
                    self._schemas.coming(folder, manifest, name),
                    self._database.write(name, alone=True) as tx,
                ):
                    await load.into(tx)
                    withheld = await forget_again(tx, forgotten, self._erasers)
                    await load.leave_unindexed(tx)
                    await self._schemas.finish(tx, manifest)
                    for follow in self._after:
                        await follow(tx)
                if known is not None and serves:
                    await self._file(name, known)
            return ArchiveLoaded(
                space=name,
                of_space=manifest.space,
                taken_at=manifest.taken_at,
                records=counted(manifest),
                withheld=withheld,
                vectors="none" if known is None else "taken" if serves else "ignored",
                done=not preview,
            )

    async def _serving(self) -> str | None:
        """Return the digest of the model that serves."""
        async with self._database.unscoped() as conn:
            found = await store.serving(conn)
        return found and found.digest

    async def _export(
        self, target: Path, about: About, wanted: ArchiveFormat, progress: RecordsDone
    ) -> ArchiveWritten:
        part, raw, folder = (target.with_name(f"{target.name}{end}") for end in _PARTS)
        if not is_one_file(target):
            folder = part
        archive = folder if wanted == "quipu" else raw
        try:
            await to_thread.run_sync(lambda: archive.mkdir(mode=0o700))
            manifest, as_of = await self._write(archive, about, progress)
            made = _as_it_is(manifest)
            if wanted != "quipu":
                await to_thread.run_sync(lambda: folder.mkdir(mode=0o700))
                made = await to_thread.run_sync(lambda: convert(archive, manifest, folder, into=wanted))
            summed = folder / CHECKSUMS
            if folder != part:
                await to_thread.run_sync(lambda: pack(folder, made.files, part, like=target.name))
                summed = part
            spaces, now = {about.space: as_of}, self._clock.now()
            noted = await note(self._database, summed, kind="archive", spaces=spaces, now=now)
            await to_thread.run_sync(lambda: part.replace(target))
        finally:
            await to_thread.run_sync(_remove, part, raw, folder)
        return ArchiveWritten(
            path=target,
            format=wanted,
            records=made.records,
            left_out=made.left_out,
            bytes=made.bytes if folder == part else noted.bytes,
            id=noted.id,
            sha256=noted.sha256,
        )

    async def _write(self, folder: Path, about: About, progress: RecordsDone) -> tuple[Manifest, AsOf]:
        writer, space = Writer(folder, progress=progress), about.space
        async with self._database.list_read(space) as tx:
            if tx is None:
                raise NotFound(f"There is no space {space!r}.", hint="The list of spaces shows them.")
            known = await layouts(tx)
        with acting_for(about.user):
            async with self._database.list_read(space) as tx:
                if tx is None:
                    raise NotFound(f"The space {space!r} is gone.", hint="It was forgotten meanwhile.")
                await tx.take_time()
                now = self._clock.now()
                schemas = await self._rows(tx, folder, about, writer, known)
                found = await write_vectors(tx, folder, self._cites) if about.with_vectors else None
                for file, sha256 in found.files if found else ():
                    writer.note(file, sha256)
                about = replace(
                    about,
                    languages=tx.space.languages,
                    schemas=schemas,
                    vectors=found and found.about,
                )
                as_of = tx.space.as_of
        manifest = about.manifest(writer.files, now=now)
        await to_thread.run_sync(writer.finish, manifest)
        return manifest, as_of

    async def _rows(
        self, tx: SpaceTransaction, folder: Path, about: About, writer: Writer, known: Sequence[Layout]
    ) -> Sequence[ArchivedSchema]:
        """Write all rows; returns the schemas of agents' tables, which are nobody's alone."""
        for one in known:
            if about.with_others and one.carried.beside:
                await writer.rows_beside(tx, one)
            elif about.user is None or one.carried.personal:
                await writer.rows(tx, one, person=about.user is not None)
        schemas: list[ArchivedSchema] = []
        for dump in await self._schemas.write(tx, folder) if about.user is None else ():
            writer.note(dump.file, dump.sha256)
            schemas.append(dump.schema)
        return schemas


@asynccontextmanager
async def _opened(source: Path) -> AsyncGenerator[tuple[Path, Manifest]]:
    """Unpack an archive where it is one file, and verify it."""
    if await to_thread.run_sync(source.is_dir):
        yield source, await to_thread.run_sync(verify, source)
        return
    if not await to_thread.run_sync(source.is_file):
        raise NotFound(f"There is no archive {source}.")
    scratch = Path(await to_thread.run_sync(lambda: tempfile.mkdtemp(prefix="quipu-archive-")))
    try:
        await to_thread.run_sync(unpack, source, scratch)
        yield scratch, await to_thread.run_sync(verify, scratch)
    finally:
        await to_thread.run_sync(_remove, scratch)


def _known(folder: Path, manifest: Manifest) -> KnownVectors | None:
    return None if manifest.vectors is None else read_vectors(folder, manifest.vectors)


def _as_it_is(manifest: Manifest) -> Converted:
    """Return the contents of an archive that is not converted."""
    return Converted(
        files=[MANIFEST, CHECKSUMS, *(one.name for one in manifest.files)],
        bytes=sum(one.bytes for one in manifest.files),
        records=counted(manifest),
        left_out={},
    )


def _is_taken(target: Path) -> bool:
    return target.exists() and not (target.is_dir() and not any(target.iterdir()))


def _remove(*paths: Path) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _absolute(path: str | PathLike[str]) -> Path:
    return Path(path).expanduser().absolute()
