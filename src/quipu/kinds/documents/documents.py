"""Documents as callers use them: what stands at a path under a key, and is updated in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from annotated_types import Interval
from psycopg.errors import UniqueViolation
from typing_extensions import Doc

from quipu.errors import BadInput, Conflict, NotFound
from quipu.kernel.base import scope
from quipu.kernel.base.parameters import LAST_VERSION, Confirm, Example, Space
from quipu.kernel.base.scope import check_name, everybody_only, optional_name
from quipu.kinds.documents import rules, store, versions
from quipu.kinds.documents.batch import DocumentBatch
from quipu.kinds.documents.drafts import drafted, version_of
from quipu.kinds.documents.eraser import DocumentsEraser
from quipu.kinds.documents.indexing import index_all
from quipu.kinds.documents.lookup import AsyncDocumentLookup, Key, Path
from quipu.kinds.documents.model import (
    JSON,
    BatchAnswer,
    Document,
    DocumentDraft,
    DocumentVersion,
)
from quipu.kinds.documents.store import SQL
from quipu.kinds.documents.work import Result, Work, done
from quipu.upkeep.erasure import service as erasure
from quipu.upkeep.erasure.model import Erasure, What

Metadata = Annotated[
    Mapping[str, Any] | None,
    Doc("What else is known of it; filters ask for it."),
    Example({"topic": "travel"}),
]
Index = Annotated[
    Sequence[str] | bool,
    Doc("What is found by meaning: all of it, nothing, or paths into the value."),
    Example(["title", "notes[*].text"]),
]
TtlSeconds = Annotated[float | None, Doc("Have it expire after so many seconds."), Example(86_400)]
Actor = Annotated[str | None, Doc("Who writes this; kept in the history."), Example("planner")]
Verbatim = Annotated[bool, Doc("Keep secrets in it as they are; they are cut from what recall finds.")]
Vectors = Annotated[
    Sequence[Sequence[float]] | None,
    Doc("Vectors of your own model, by which `search` ranks where it is given one; as before, if not given."),
]
Expected = Annotated[
    int | None,
    Doc("Write only over this version; 0: only if nothing is there."),
    Interval(ge=0, le=LAST_VERSION),
    Example(3),
]
ExpectedDigest = Annotated[str | None, Doc("Write only over what has this SHA-256.")]
Which = Annotated[int, Doc("The version."), Interval(ge=1, le=LAST_VERSION), Example(1)]
TheDocument = Annotated[str | None, Doc("The id of the document, where several stood at the place.")]


class AsyncDocuments(AsyncDocumentLookup):
    """Documents: JSON values and texts at a path under a key, with versions, metadata and expiry.

    Nothing in a document becomes a belief, a loop, a lesson or a long-term memory; recall finds its passages.
    """

    async def put(
        self,
        path: Path,
        key: Key,
        value: Annotated[Any, Doc("Any JSON."), Example({"title": "Invoices", "done": False})] = None,
        *,
        space: Space,
        body: Annotated[str | None, Doc("A text, such as a note or a file.")] = None,
        metadata: Metadata = None,
        user: Annotated[str | None, Doc("Whose it is; without one, everybody's."), Example("ana")] = None,
        index: Index = True,
        ttl_seconds: TtlSeconds = None,
        actor: Actor = None,
        verbatim: Verbatim = False,
        vectors: Vectors = None,
        expected_version: Expected = None,
        expected_sha256: ExpectedDigest = None,
    ) -> Document:
        """Write a document, or a new version of it, and return it as it stands.

        Writing what stands there already makes no version. It takes at most 16 MB. Secrets are cut out and
        counted (`redacted`), unless it is `verbatim`.

        Raises:
            BadInput: An argument is invalid; the error names it.
            TooLarge: Value and body have more than 16 MB together.
            Outdated: It is of another version, or says something else.
            NotFound: A version was expected, and there is no document.
        """
        written = await self._written(
            path,
            key,
            value,
            body=body,
            metadata=metadata,
            user=user,
            index=index,
            ttl_seconds=ttl_seconds,
            actor=actor,
            verbatim=verbatim,
            vectors=vectors,
            expected_version=expected_version,
            expected_sha256=expected_sha256,
        )
        return await self._put(written, check_name("space", space))

    async def delete(
        self, path: Path, key: Key, *, space: Space, expected_version: Expected = None
    ) -> Document:
        """Take a document away, and return it as it stood; `revert` brings it back.

        It is gone from every read and from recall at once. Its versions stay until they are past the days of
        the setting documents_history_days. To take it out for good, use `erase`.

        Raises:
            NotFound: There is no such document.
            Outdated: It is of another version.
        """
        at = rules.address(path, key)
        work = Work(gets=[at], removed=[at])
        if expected_version is None:
            standing = (await self._do(work, space=space)).gets
        else:
            now = self._clock.now()
            async with self._database.write(check_name("space", space)) as tx:
                await store.lock(tx, at, version=version_of(expected_version), sha256=None, now=now)
                standing = (await done(tx, work, now=now)).gets
        if at not in standing:
            raise NotFound("There is no such document.", hint="The list of documents shows them.")
        return standing[at]

    async def touch(self, path: Path, key: Key, *, space: Space) -> Document:
        """Have a document expire as long from now as it was to when it was written, and return it.

        Raises:
            NotFound: There is no such document.
        """
        at = rules.address(path, key)
        standing = (await self._do(Work(gets=[at], refreshed=[at]), space=space)).gets
        if at not in standing:
            raise NotFound("There is no such document.", hint="The list of documents shows them.")
        return standing[at]

    async def rename(
        self,
        path: Path,
        key: Annotated[str | None, Doc("The key; without one, everything at or below the path.")] = None,
        *,
        to: Annotated[Sequence[str] | str, Doc("The path from now on."), Example("archive/work")],
        to_key: Annotated[str | None, Doc("The key from now on; as before, if not given.")] = None,
        space: Space,
    ) -> int:
        """Give a document, or all below a path, another place; count them. Their history goes along.

        Raises:
            NotFound: Nothing is there.
            Conflict: A document stands at the new place already.
            BadInput: An argument is invalid; the error names it.
        """
        first, behind = rules.below("path", path)
        name = None if key is None else scope.check_known_name("key", key)
        new_name = None if to_key is None else rules.key_name("to_key", to_key)
        if new_name is not None and name is None:
            raise BadInput("it needs the key of one document.", field="key")
        target = rules.place("to", to)
        values = {"first": first, "behind": behind, "key": name, "to": target, "to_key": new_name}
        now = self._clock.now()
        async with self._database.write(check_name("space", space)) as tx:
            await store.expire(tx, now=now)
            (longest,) = await tx.column(SQL["longest_below"], **values)
            if longest > rules.LONGEST_ADDRESS_BYTES:
                most = rules.LONGEST_ADDRESS_BYTES
                raise BadInput(f"a path and key would have more than {most:,} bytes.", field="to")
            try:
                moved = await tx.column(SQL["move"], **values, now=now)
            except UniqueViolation as error:
                raise Conflict("a document stands there already.", field="to") from error
        if not moved:
            raise NotFound("There is no such document.", hint="The list of documents shows them.")
        return len(moved)

    async def revert(
        self,
        path: Path,
        key: Key,
        *,
        to: Annotated[int, Doc("The version to go back to."), Interval(ge=1, le=LAST_VERSION), Example(1)],
        document: TheDocument = None,
        space: Space,
        actor: Actor = None,
    ) -> Document:
        """Write again what an earlier version said, and return it; one that was removed comes back.

        It is the document that stands there, or else the one that stood there last. This makes a new
        version, which can be reverted too. `history` shows the versions.

        Raises:
            NotFound: There is no such document, or no such version of it.
            BadInput: The content of the version was taken out.
            Conflict: Another document stands at its place by now, or it stands at another one.
        """
        at, version = rules.address(path, key), scope.whole("to", to, most=LAST_VERSION)
        writer, now = optional_name("actor", actor), self._clock.now()
        async with self._database.write(check_name("space", space)) as tx:
            await versions.revert(tx, at, version, document=document, writer=writer, now=now)
            (standing,) = await store.documents(await store.ask_get(tx.conn, [at], now=now))
            await store.ask_passages(tx.conn, [await self._rewritten(standing)])
        return standing

    async def redact(
        self,
        path: Path,
        key: Key,
        version: Which,
        *,
        document: TheDocument = None,
        space: Space,
        confirm: Confirm = False,
    ) -> DocumentVersion:
        """Take the content of an earlier version out for good; its SHA-256 stays.

        Without `confirm` nothing is changed, and the answer is the version as it stands.

        Raises:
            NotFound: There is no such version.
            BadInput: It is the version that stands: write another one first. Or several documents that stood
                there have such a version, and none is named.
        """
        at, number = rules.address(path, key), scope.whole("version", version, most=LAST_VERSION)
        async with self._database.write(check_name("space", space)) as tx:
            return await versions.redact(
                tx, at, number, document=document, now=self._clock.now(), confirm=confirm
            )

    async def erase(
        self,
        path: Path,
        key: Annotated[str | None, Doc("The key; without one, everything at or below the path.")] = None,
        *,
        space: Space,
        confirm: Confirm = False,
    ) -> Erasure:
        """Erase a document, or all below a path, for good: with every version, and with a receipt."""
        first, behind = rules.below("path", path)
        name = None if key is None else scope.check_known_name("key", key)
        erasers = (DocumentsEraser(first, behind, name),)
        what = What(message=f"document {first}{name or ''}")
        check_name("space", space)
        if not confirm:
            return await erasure.preview(self._database, erasers, what, space=space)
        return await erasure.erase(self._database, erasers, what, space=space, now=self._clock.now())

    async def index(
        self,
        *,
        space: Space,
        seconds: Annotated[float | None, Doc("Stop after so many seconds.")] = None,
    ) -> int:
        """Index the passages that wait, and count those that wait still.

        Each recall does so for a second, and a worker to the end.
        """
        everybody_only("Indexing concerns")
        await index_all(self._database, self._models, check_name("space", space), seconds=seconds)
        async with self._database.snapshot_read(space) as tx:
            return 0 if tx is None else (await tx.column(SQL["waiting"]))[0]

    async def batch(
        self,
        operations: Annotated[
            Sequence[Mapping[str, Any]],
            Doc("Objects with `do` (put, get, touch, delete, list, search, list_paths) and its parameters."),
            Example(
                [{"do": "put", "path": "notes", "key": "a", "value": 1}, {"do": "list", "path": "notes"}]
            ),
        ],
        *,
        space: Space,
    ) -> Sequence[BatchAnswer]:
        """Do many operations at once, and answer each in its place.

        Reads come first and see what stood before; searches with a question before all others. Then all
        writes are done in one transaction, or none. Of several writes to one document the last counts. A put
        may expect a version, as `put` does.

        Raises:
            BadInput: An operation is invalid; the error says which. Nothing was done.
            Outdated: A document is of another version than was expected. Nothing was written.
        """
        name = check_name("space", space)
        batch = DocumentBatch(operations, draft=self._written, search=partial(self.search, space=name))
        return await batch.answer(partial(self._write, space=name))

    async def _put(self, one: DocumentDraft, space: str) -> Document:
        """Write a document in one transaction."""
        return (await self._write(Work(written=[one]), space=space)).written[one.place, one.key]

    async def _write(self, work: Work, *, space: str) -> Result:
        """Do work in one transaction; what is written over a certain version is held and looked at first."""
        conditional = [one for one in work.written if one.is_conditional]
        if not conditional:
            return await self._do(work, space=space)
        now = self._clock.now()
        async with self._database.write(space) as tx:
            for one in sorted(conditional, key=lambda one: (one.place, one.key)):
                at, version = (one.place, one.key), one.expected_version
                await store.lock(tx, at, version=version, sha256=one.expected_sha256, now=now)
            return await done(tx, work, now=now)

    async def _written(self, path: object, key: object, value: JSON, **more: Any) -> DocumentDraft:
        return await drafted(path, key, value, secrets=self._settings.redact, **more)

    async def _rewritten(self, standing: Document) -> DocumentDraft:
        return await self._written(
            standing.path,
            standing.key,
            standing.value,
            body=standing.body,
            index=standing.index,
            verbatim=True,
        )
