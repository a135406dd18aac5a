"""Lookup of documents: one, lists, searches, paths and histories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from typing_extensions import Doc

from quipu.errors import BadInput, NotFound
from quipu.kernel.base import scope
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import After, Example, Limit, Matching, Offset, OnlyUser, Space, Words
from quipu.kernel.base.scope import check_name, reads_only
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kinds.documents import rules, store
from quipu.kinds.documents.indexing import DOCUMENT, indexed
from quipu.kinds.documents.model import (
    Document,
    DocumentFilter,
    DocumentOrder,
    DocumentPath,
    DocumentVersion,
    FieldValue,
    FoundDocument,
    ListQuery,
    Metric,
    Passage,
)
from quipu.kinds.documents.queries import MOST_ROWS, list_query, offset_of, path_query, wanted
from quipu.kinds.documents.work import Result, Work, do
from quipu.recall.filters import member
from quipu.recall.generations import Models
from quipu.recall.model import Filters
from quipu.recall.search import FLOOR, Search

Path = Annotated[
    Sequence[str] | str,
    Doc("The path: names, or a text with slashes between them."),
    Example("notes/work"),
]
OnlyBelow = Annotated[
    Sequence[str] | str | None,
    Doc("Only at this path or below it: names, or a text with slashes."),
    Example("notes"),
]
Key = Annotated[str, Doc("The key at that path."), Example("todo")]
Edge = Annotated[
    Sequence[str] | str | None,
    Doc("Names, or a text with slashes; * stands for any name."),
    Example("notes/*"),
]


class AsyncDocumentLookup:
    """Look at the documents of one database. Nothing here changes anything."""

    def __init__(
        self, database: Database, models: Models, search: Search, *, clock: Clock, settings: Settings
    ) -> None:
        self._database = database
        self._models = models
        self._search = search
        self._clock = clock
        self._settings = settings

    async def get(self, path: Path, key: Key, *, space: Space) -> Document:
        """Show a document.

        Raises:
            NotFound: There is none at this path under this key, or it has expired.
        """
        at = rules.address(path, key)
        found = (await self._do(Work(gets=[at]), space=space)).gets
        if at not in found:
            raise NotFound("There is no such document.", hint="The list of documents shows them.")
        return found[at]

    async def list(
        self,
        path: OnlyBelow = None,
        *,
        space: Space,
        filter: Matching = None,
        user: OnlyUser = None,
        order: Annotated[DocumentOrder, Doc("The latest change first, or by path and key.")] = "updated",
        limit: Limit = 100,
        offset: Offset = 0,
        after: After = None,
    ) -> Sequence[Document]:
        """List the documents below a path for which conditions hold.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        behind = None if after is None else rules.document_id("after", after)
        query = list_query(path, filter=filter, user=user, order=order, limit=limit, offset=offset)
        query = replace(query, after=behind)
        (found,) = (await self._do(Work(lists=[query]), space=space)).lists
        if behind is not None and not found:
            await self._behind(behind, space=space)
        return [one.document for one in found]

    async def _behind(self, id_: str, *, space: str) -> None:
        """Refuse a row behind which no list can go on."""
        async with self._database.list_read(space) as tx:
            if tx is None or not await store.by_ids(tx, [id_], now=self._clock.now()):
                hint = "Begin at the first page."
                raise BadInput("that is no row of this list, or it is gone.", field="after", hint=hint)

    async def search(
        self,
        question: Annotated[
            str | None,
            Doc("What to look for; if not given, the latest change first."),
            Words(),
            Example("invoices"),
        ] = None,
        *,
        space: Space,
        path: OnlyBelow = None,
        filter: Matching = None,
        user: OnlyUser = None,
        relevant: Annotated[
            bool, Doc("Only what has to do with the question; else the nearest, however far.")
        ] = True,
        vector: Annotated[
            Sequence[float] | None,
            Doc("A vector of your own model; ranks by the vectors that documents were given."),
        ] = None,
        metric: Annotated[Metric, Doc("How these vectors are compared.")] = "cosine",
        limit: Limit = 10,
        offset: Offset = 0,
    ) -> Sequence[FoundDocument]:
        """Find the documents that answer a question, the best first, each once with its best passage.

        Words and meaning both count. Documents that are kept out of the index are found without a question
        only. With a `vector`, those that have vectors of as many dimensions are ranked by the nearest of
        these alone: `score` is then the cosine, the inner product, or the negative distance.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        query = list_query(
            path, filter=filter, user=user, vector=vector, metric=metric, limit=limit, offset=offset
        )
        if question is None or vector is not None:
            return (await self._do(Work(lists=[query]), space=space)).lists[0]
        return await self._answering(question, query, relevant=relevant, space=space)

    async def list_paths(
        self,
        prefix: Edge = None,
        *,
        space: Space,
        suffix: Edge = None,
        depth: Annotated[int | None, Doc("Cut paths to so many names.")] = None,
        limit: Limit = 100,
        offset: Offset = 0,
    ) -> Sequence[DocumentPath]:
        """List the paths at which documents stand, each once, in order.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        query = path_query(prefix, suffix, depth=depth, limit=limit, offset=offset)
        return (await self._do(Work(paths=[query]), space=space)).paths[0]

    @reads_only
    async def count(
        self,
        path: OnlyBelow = None,
        *,
        space: Space,
        filter: Matching = None,
        user: OnlyUser = None,
    ) -> int:
        """Count the documents below a path for which conditions hold.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        conditions = wanted(path, filter=filter, user=user)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return 0
            return (await tx.column(store.SQL["count"], **conditions.values(self._clock.now())))[0]

    @reads_only
    async def values(
        self,
        field: Annotated[
            str,
            Doc(
                "The field, as filters name it: topic, value.state; value.tags[*] is each element of a list."
            ),
            Example("topic"),
        ],
        *,
        space: Space,
        path: OnlyBelow = None,
        filter: Matching = None,
        user: OnlyUser = None,
        limit: Limit = 100,
        offset: Offset = 0,
    ) -> Sequence[FieldValue]:
        """List the values that a field has in documents, each once, what most documents have first.

        Only documents below the path for which conditions hold count; where the field is missing, it has no
        value.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        root, at = member(field)
        conditions = wanted(path, filter=filter, user=user)
        page = {"limit": scope.whole("limit", limit, most=MOST_ROWS), "offset": offset_of(offset)}
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            values = {"root": root, "member": at, **page, **conditions.values(self._clock.now())}
            rows = await tx.run(store.SQL["field_values"], values)
            return [FieldValue(value=value, documents=number) for value, number in await rows.fetchall()]

    @reads_only
    async def passages(
        self, path: Path, key: Key, *, space: Space, limit: Limit = 100, offset: Offset = 0
    ) -> Sequence[Passage]:
        """Show the passages of a document, by which recall finds it, in their order.

        There is none where it is kept out of the index.

        Raises:
            NotFound: There is no such document.
        """
        at, most = rules.address(path, key), scope.whole("limit", limit, most=MOST_ROWS)
        async with self._database.list_read(check_name("space", space)) as tx:
            now, first = self._clock.now(), offset_of(offset)
            found = None if tx is None else await store.passages(tx, at, now=now, limit=most, offset=first)
        if found is None and not first:
            raise NotFound("There is no such document.", hint="The list of documents shows them.")
        return found or []

    @reads_only
    async def cited(
        self, id: Annotated[str, Doc("The id of the hit."), Example("120")], *, space: Space
    ) -> Document:
        """Show the document that a hit of recall is a passage of.

        Raises:
            NotFound: There is no such passage any more.
        """
        async with self._database.list_read(check_name("space", space)) as tx:
            entry = rules.entry("id", id)
            places = {} if tx is None else await store.passages_of(tx, [entry])
            of = [place[0] for place in places.values()]
            found = {} if tx is None else await store.by_ids(tx, of, now=self._clock.now())
        if not found:
            raise NotFound("There is no such passage.", hint="The document was changed, or is gone.")
        return next(iter(found.values()))

    @reads_only
    async def history(
        self, path: Path, key: Key, *, space: Space, limit: Limit = 100, offset: Offset = 0
    ) -> Sequence[DocumentVersion]:
        """Show the versions of a document, the latest first, also of one that was removed.

        Raises:
            NotFound: Nothing is or was there.
        """
        at = rules.address(path, key)
        scope.whole("limit", limit, most=MOST_ROWS)
        async with self._database.list_read(check_name("space", space)) as tx:
            versions = (
                []
                if tx is None
                else await store.versions(
                    tx, at, now=self._clock.now(), limit=limit, offset=offset_of(offset)
                )
            )
        if not versions and not offset:
            raise NotFound("There is no such document, and there was none.")
        return versions

    async def _do(self, work: Work, *, space: str) -> Result:
        return await do(self._database, check_name("space", space), work, now=self._clock.now())

    async def _answering(
        self, question: str, query: ListQuery, *, relevant: bool, space: str
    ) -> Sequence[FoundDocument]:
        """Find the documents that answer a question, after indexing what waits."""
        if not question.strip():
            raise BadInput("ask something, or leave it out.", field="question")
        async with indexed(self._database, self._models, check_name("space", space)) as tx:
            if tx is None:
                return []
            count = query.offset + query.limit
            found = await self._ranked(tx, question, query.wanted, count, relevant=relevant)
        return found[query.offset :]

    async def _ranked(
        self, tx: SpaceTransaction, question: str, wanted: DocumentFilter, count: int, *, relevant: bool
    ) -> list[FoundDocument]:
        """Return the best documents, at most ``count``; of several passages of one the best counts."""
        now = self._clock.now()
        ids = None if wanted == DocumentFilter() else await store.matching(tx, wanted, now=now)
        if ids == ():
            return []
        filters = Filters(kinds=(DOCUMENT,), ids=ids)
        questions = await self._search.understood(tx, [question])
        wide = count + 20
        while True:
            ((_, hits),) = await self._search.rank(
                tx, questions, filters=filters, limit=wide, floor=FLOOR if relevant else -1.0
            )
            places = await store.passages_of(tx, [hit.id for hit in hits])
            best = {places[hit.id][0]: hit for hit in reversed(hits) if hit.id in places}
            if len(best) >= count or len(hits) < wide:
                break
            wide *= 4
        documents = await store.by_ids(tx, list(best), now=now)
        ranked = sorted((hit for hit in best.values()), key=lambda hit: -hit.score)
        found: list[FoundDocument] = []
        for hit in ranked:
            id_, text, field, heading, line = places[hit.id]
            if id_ in documents:
                found.append(
                    FoundDocument(
                        document=documents[id_],
                        score=hit.score,
                        parts=hit.parts,
                        passage=text,
                        field=field or None,
                        heading=heading,
                        line=line,
                    )
                )
        return found[:count]
