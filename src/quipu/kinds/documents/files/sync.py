"""Sync of a directory: each file that has a text is a document, and stays what the file is."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path as FilePath
from typing import Annotated, Final

from anyio import lowlevel, to_thread
from psycopg.errors import UniqueViolation
from typing_extensions import Doc

from quipu.errors import BadInput, Conflict, NotFound, TooLarge
from quipu.kernel.base.parameters import Example, Space
from quipu.kernel.base.scope import check_name, optional_name, own_user
from quipu.kinds.documents import rules
from quipu.kinds.documents.documents import Actor, AsyncDocuments, Verbatim
from quipu.kinds.documents.files import content
from quipu.kinds.documents.files.content import Content, NoText
from quipu.kinds.documents.files.model import FilesSynced, SkippedFile
from quipu.kinds.documents.files.plan import Address, FileDocument, Found, Plan, plan
from quipu.kinds.documents.files.scan import File, printable, scan
from quipu.kinds.documents.indexing import index_all
from quipu.kinds.documents.model import DocumentDraft
from quipu.kinds.documents.store import SQL
from quipu.kinds.documents.work import Work, do
from quipu.record.model import Progress

_FILES_AT_ONCE: Final = 100
_CHARACTERS_AT_ONCE: Final = 4_000_000
_BATCHES_BETWEEN_INDEXING: Final = 5
_REMOVED_AT_ONCE: Final = 1_000


@dataclass(slots=True, kw_only=True)
class _Sync:
    """Files of a sync by the address of their document, and how they are written."""

    space: str
    user: str | None
    actor: str | None
    verbatim: bool
    files: Mapping[Address, File]
    skipped: list[SkippedFile]
    written: int = 0
    redacted: int = 0
    progress: Progress | None = None

    def skip(self, at: Address, why: str) -> None:
        """Leave a file out."""
        self.skipped.append(SkippedFile(file=self.files[at].name, why=why))

    def advance(self, files: int) -> None:
        """Say that files are done."""
        if self.progress is not None and files:
            self.progress(files)

    def metadata(self, at: Address, of: Content) -> dict[str, object]:
        """Return the metadata of a document of a file."""
        return {
            "file": self.files[at].name,
            "media_type": of.media_type,
            "size": len(of.data),
            "modified": of.modified.isoformat(timespec="seconds"),
            "sha256": of.sha256,
            **({"verbatim": True} if self.verbatim else {}),
        }


class AsyncDocumentFiles(AsyncDocuments):
    """Documents: JSON values, texts and files at a path under a key, with versions, metadata and expiry.

    Nothing in a document becomes a belief, a loop, a lesson or a long-term memory; recall finds its passages.
    """

    async def sync(
        self,
        directory: Annotated[str | PathLike[str], Doc("The directory.")],
        *,
        path: Annotated[
            Sequence[str] | str | None,
            Doc("The path of its documents; without one, the name of the directory."),
            Example("handbook"),
        ] = None,
        space: Space,
        user: Annotated[str | None, Doc("Whose they are; without one, everybody's."), Example("ana")] = None,
        actor: Actor = None,
        verbatim: Verbatim = False,
        preview: Annotated[bool, Doc("Change nothing, and count what would be changed.")] = False,
        progress: Annotated[Progress | None, Doc("Called with how many files more are done.")] = None,
    ) -> FilesSynced:
        """Keep the files of a directory as documents, one for each file, and index their passages.

        It takes whatever is text in UTF-8, and the text of PDFs (the extra ``pdf``). A file that changed gets
        a new version, one that has another name keeps its history, one that is gone is removed, which
        `revert` undoes; one that says what it said costs nothing. Left out are hidden files, those that a
        .gitignore or .quipuignore names, and, with the reason, what has no text, symbolic links, and files of
        more than 16 MB. Documents below the path that were written otherwise stay as they are.

        Raises:
            NotFound: There is no such directory.
            BadInput: It is no directory, or another argument is invalid; the error names it.
            Conflict: No file is left in it: is a disk missing? Or somebody wrote a document meanwhile.
        """
        begun = time.monotonic()
        name, whose = check_name("space", space), own_user(optional_name("user", user))
        root = await to_thread.run_sync(_directory, directory)
        base = rules.names("path", root.name if path is None else path)
        files, skipped = await to_thread.run_sync(_addressed, root, base)
        sync = _Sync(
            space=name,
            user=whose,
            actor=optional_name("actor", actor),
            verbatim=verbatim is True,
            files=files,
            skipped=skipped,
            progress=progress,
        )
        found = await to_thread.run_sync(_digested, sync)
        standing = await self._standing(base, name)
        kept = [at for at in files if at not in found]
        intended = plan(found, standing, kept=kept, user=whose, verbatim=sync.verbatim)
        for at in intended.taken:
            sync.skip(at, "another document stands there")
        if intended.removed and not files:
            raise Conflict(
                f"no file is left in it, and {len(intended.removed):,} documents are of files.",
                field="directory",
                hint="If no disk is missing, take them out with erase.",
            )
        if not preview:
            await self._carry_out(sync, intended)
        renamed = {at for _, at in intended.renamed}
        return FilesSynced(
            path=base,
            written=len(set(intended.written) - renamed) if preview else sync.written,
            unchanged=intended.unchanged,
            renamed=len(renamed),
            removed=len(intended.removed),
            removed_files=sorted(str(standing[at].file) for at in intended.removed),
            skipped=sorted(sync.skipped, key=lambda one: one.file),
            redacted=sync.redacted,
            seconds=round(time.monotonic() - begun, 3),
            preview=preview,
        )

    async def _standing(self, base: Sequence[str], space: str) -> dict[Address, FileDocument]:
        """Return the documents below a path, by address."""
        first, behind = rules.below("path", base)
        async with self._database.list_read(space) as tx:
            if tx is None:
                return {}
            rows = await tx.rows(
                SQL["standing_files"], first=first, behind=behind, now=self._clock.now(), binary=True
            )
        return {
            (place, key): FileDocument(
                file=_own_file(place[len(first or "") :], key, file),
                sha256=sha256,
                user=user,
                redacted=redacted,
                verbatim=verbatim,
            )
            for place, key, file, sha256, user, redacted, verbatim in rows
        }

    async def _carry_out(self, sync: _Sync, intended: Plan) -> None:
        """Rename, write, remove and index, each many files at once."""
        renamed = {at for _, at in intended.renamed}
        sync.advance(intended.unchanged)
        for start in range(0, len(intended.renamed), _FILES_AT_ONCE):
            await self._rename_files(sync, intended.renamed[start : start + _FILES_AT_ONCE])
        for start in range(0, len(intended.written), _FILES_AT_ONCE):
            part = intended.written[start : start + _FILES_AT_ONCE]
            await self._write_files(sync, part, renamed)
            if (start // _FILES_AT_ONCE) % _BATCHES_BETWEEN_INDEXING == _BATCHES_BETWEEN_INDEXING - 1:
                await index_all(self._database, self._models, sync.space)
            sync.advance(len(part))
        for start in range(0, len(intended.removed), _REMOVED_AT_ONCE):
            part = intended.removed[start : start + _REMOVED_AT_ONCE]
            await do(self._database, sync.space, Work(removed=part), now=self._clock.now())
        if intended.written:
            await index_all(self._database, self._models, sync.space)

    async def _write_files(self, sync: _Sync, part: Sequence[Address], renamed: Collection[Address]) -> None:
        """Write documents of files, in one transaction unless they are large."""
        drafts: list[DocumentDraft] = []
        characters = 0
        for at, text, metadata in await to_thread.run_sync(_texts, sync, part):
            await lowlevel.checkpoint()
            place, key = at
            try:
                draft = await self._written(
                    place[:-1].split(rules.SEPARATOR),
                    key,
                    None,
                    body=text,
                    metadata=metadata,
                    user=sync.user,
                    actor=sync.actor,
                    verbatim=sync.verbatim,
                )
            except (BadInput, TooLarge) as error:
                sync.skip(at, str(error))
                continue
            drafts.append(draft)
            characters += len(text)
            sync.written += at not in renamed
            sync.redacted += draft.redacted
            if characters > _CHARACTERS_AT_ONCE:
                await do(self._database, sync.space, Work(written=drafts), now=self._clock.now())
                drafts, characters = [], 0
        if drafts:
            await do(self._database, sync.space, Work(written=drafts), now=self._clock.now())

    async def _rename_files(self, sync: _Sync, part: Sequence[tuple[Address, Address]]) -> None:
        """Give documents the place of their file; what they say stays as it is."""
        async with self._database.write(sync.space) as tx:
            try:
                await tx.execute(
                    SQL["rename_files"],
                    places=[place for (place, _), _ in part],
                    keys=[key for (_, key), _ in part],
                    to_places=[place for _, (place, _) in part],
                    to_keys=[key for _, (_, key) in part],
                    files=[sync.files[to].name for _, to in part],
                    media_types=[content.media_type(to[1]) for _, to in part],
                    now=self._clock.now(),
                )
            except UniqueViolation as error:
                raise Conflict("a document stands there already.", field="directory") from error


def _own_file(below: str, key: str, file: str | None) -> str | None:
    """Return the file of a document; None if it stands elsewhere: it is of no file, or of another sync."""
    return file if file == below.replace(rules.SEPARATOR, "/") + key else None


def _directory(directory: str | PathLike[str]) -> FilePath:
    """Return a directory, with the links on the way to it followed."""
    root = FilePath(directory).expanduser()
    if not root.exists():
        raise NotFound("There is no such directory.")
    if not root.is_dir():
        raise BadInput("it is no directory.", field="directory")
    return root.resolve()


def _addressed(root: FilePath, base: Sequence[str]) -> tuple[dict[Address, File], list[SkippedFile]]:
    """Return the files below a directory by the address of their document, and those that are left out."""
    files, skipped = scan(root)
    addressed: dict[Address, File] = {}
    for file in files:
        *folders, key = file.name.split("/")
        try:
            addressed[rules.address([*base, *folders], key)] = file
        except BadInput as error:
            skipped.append(SkippedFile(file=printable(file.name), why=str(error)))
    return addressed, skipped


def _digested(sync: _Sync) -> dict[Address, Found]:
    """Return the digests of files that have a text, as far as can be told without reading a PDF."""
    found: dict[Address, Found] = {}
    for at, file in sync.files.items():
        try:
            read = content.read(file.path)
            content.check(read)
        except NoText as why:
            sync.skip(at, str(why))
        else:
            found[at] = Found(file=file.name, sha256=read.sha256)
    return found


def _texts(sync: _Sync, part: Sequence[Address]) -> list[tuple[Address, str, dict[str, object]]]:
    """Read the texts of files, and what is known of these."""
    texts: list[tuple[Address, str, dict[str, object]]] = []
    for at in part:
        try:
            read = content.read(sync.files[at].path)
            texts.append((at, content.text_of(read), sync.metadata(at, read)))
        except NoText as why:
            sync.skip(at, str(why))
    return texts
