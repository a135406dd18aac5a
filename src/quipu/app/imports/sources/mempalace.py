"""MemPalace: the drawers of a palace, and its knowledge graph.

A palace is a database of Chroma (`chroma`). A record of ``mempalace_drawers`` is a piece of text with
``wing``, ``room``, ``source_file``, ``chunk_index``, ``filed_at``, ``authored_at`` and how it came there:

- ``ingest_mode`` ``convos``: an exchange of a transcript, the user's words behind ``>``; ``sweep``: a message
  of Claude Code, with ``session_id``, ``role``, ``timestamp``; ``registry``: a mark that a file was read;
- ``extract``, or ``line_start`` or ``source_mtime`` without a mode: a piece of a file, which is a document;
- neither: what an agent filed or wrote into its diary. One that was too long is several records with the same
  ``parent_drawer_id``, which are joined.

``mempalace_closets`` point at drawers and are left out, as are the files of ``mempalace_assets``. Times are
those of the machine and do not say so; of most transcripts they are when MemPalace read the file.

A drawer of which every fact has ended is found by nobody, and the facts are found as of their time.

``knowledge_graph.sqlite3``: ``triples(id, subject, predicate, object, valid_from, valid_to, confidence,
source_drawer_id, extracted_at)`` of ``entities(id, name)``, in UTC. A last day counts whole.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, time
from typing import Any, Final

from quipu.app.imports.fields import Account, Fields, Unreadable, plain_row
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Filed, Found, Said, Stated
from quipu.app.imports.source import Source
from quipu.app.imports.sources import chroma
from quipu.app.imports.sources.ended import Ends
from quipu.errors import BadInput
from quipu.kernel.db import queries

_READ: Final = queries.load("quipu.app.imports", folder="rows")
_TRIPLES: Final = frozenset({"id", "subject", "predicate", "object", "valid_from", "valid_to"})
_ENTITIES: Final = frozenset({"id", "name"})
_UNTOLD: Final = {"type": "unknown", "properties": "{}"}  # of an entity of which nothing is known
_LEFT: Final = {
    "_closets": "a closet, which only points at drawers",
    "_assets": "an image or a recording, of which the palace has the path",
    "__repair_tmp": "a copy that a repair left behind",
}
_PATH: Final = "mempalace"
_PARENTS: Final = ("parent_drawer_id", "parent_entry_id")
_OF_A_FILE: Final = ("line_start", "source_mtime", "entry_index")
_KEPT: Final = (
    "wing", "room", "hall", "topic", "type", "source_file", "chunk_index", "chunk_total", "line_start",
    "line_end", "content_date", "entry_index", "extract_mode",
)  # fmt: skip
_TRANSCRIPT: Final = "transcript"
_LOCAL: Final = (
    "Times of drawers are of this machine's zone; of most transcripts they are when MemPalace read them."
)
_UTC: Final = "Times of the knowledge graph are in UTC."

Drawer = tuple[str, str, Mapping[str, JSON]]
"""The id of a drawer, its text, and its metadata."""


def _recognise(files: SourceFiles) -> bool:
    return any(_kind_of(files, name) for name in files.names)


def _kind_of(files: SourceFiles, name: str) -> str | None:
    tables = files.tables_in(name)
    if set(tables.get("triples", ())) >= _TRIPLES and set(tables.get("entities", ())) >= _ENTITIES:
        return "graph"
    if {"collections", "embeddings_queue"} <= set(tables):
        with files.sqlite(name) as connection:
            return "palace" if connection.execute(_READ["mempalace_in_chroma"]).fetchone()["found"] else None
    return None


def _read(files: SourceFiles, account: Account) -> Iterator[Found]:
    kinds = {name: kind for name in files.names if (kind := _kind_of(files, name))}
    if not kinds:
        raise BadInput(f"{files.path} is no palace of MemPalace.", field="path")
    if others := len(files.names) - len(kinds):
        account.leave_out("a file that holds no words", others)
    graphs = [name for name, kind in kinds.items() if kind == "graph"]
    ends = Ends()
    for name in graphs:
        _note_ends(files, name, ends)
    cited, over = ends.cited(), ends.over()
    sessions: dict[str, str | None] = {}
    for name, kind in kinds.items():
        if kind == "palace":
            account.assume(_LOCAL)
            with files.sqlite(name) as connection:
                for found in _palace(chroma.Chroma(files, connection, name), name, account):
                    if found.id in cited and isinstance(found, Said):
                        sessions[found.id] = found.session
                        yield replace(found, heard=found.heard and found.id not in over)
                    else:
                        yield found
    for name in graphs:  # behind the words that the facts rest on
        account.assume(_UTC)
        with files.sqlite(name) as connection:
            yield from _graph(connection, name, account, sessions)


def _palace(database: chroma.Chroma, name: str, account: Account) -> Iterator[Found]:
    doubles = _Doubles()
    for collection in database.collections():
        why = next((why for end, why in _LEFT.items() if collection.name.endswith(end)), None)
        if why is not None:
            if count := sum(1 for _ in database.records(collection, Account())):
                account.leave_out(why, count)
            continue
        for id_, text, metadata in _joined(database, collection, account):
            with account.reading(f"{name}, {id_}"), account.fields(metadata, "drawer") as drawer:
                found = _drawer(id_, text, metadata, drawer, account)
                if found is not None:
                    doubles.note(found)
                    yield found
    doubles.tell(account)


def _joined(database: chroma.Chroma, collection: chroma.Collection, account: Account) -> Iterator[Drawer]:
    """Yield the drawers of a collection, those of several records once all of them came."""
    parts = Counter(
        parent for _, fields in database.records(collection, Account()) if (parent := _parent(fields))
    )
    waiting: dict[str, list[tuple[float, str, Mapping[str, JSON]]]] = {}
    for id_, fields in database.records(collection, account):
        text, parent = fields.get(chroma.TEXT), _parent(fields)
        said = text if isinstance(text, str) else ""
        metadata = {name: value for name, value in fields.items() if name != chroma.TEXT}
        if parent is None:
            yield id_, said, metadata
            continue
        place = fields.get("chunk_index")
        place = place if isinstance(place, int | float) else 0
        waiting.setdefault(parent, []).append((place, said, metadata))
        if len(waiting[parent]) == parts[parent]:
            whole = sorted(waiting.pop(parent), key=lambda part: part[0])
            yield parent, "".join(said for _, said, _ in whole), whole[0][2]


def _parent(fields: Mapping[str, JSON]) -> str | None:
    return next((value for name in _PARENTS if isinstance(value := fields.get(name), str) and value), None)


def _drawer(
    id_: str, text: str, metadata: Mapping[str, JSON], drawer: Fields, account: Account
) -> Found | None:
    mode, told = drawer.text("ingest_mode"), {name: drawer.get(name) for name in _KEPT}
    about = {name: value for name, value in told.items() if value not in (None, "")}
    is_mark = mode == "registry" or drawer.flag("is_sentinel")
    names = ("timestamp", "authored_at", "content_date", "filed_at")
    times = [drawer.time(name, zone=None) for name in names]
    filed, at = times[-1], next((at for at in times if at is not None), None)
    changed = drawer.time("last_modified", zone=None)
    session = drawer.text("session_id") or drawer.text("source_file")
    role, uuid = drawer.text("role"), drawer.text("message_uuid")
    speaker = drawer.text("agent") or drawer.text("added_by")
    for known in _PARENTS:
        drawer.get(known)
    if is_mark or not text.strip():
        account.leave_out("a mark that a file was read" if is_mark else "a drawer without words")
        drawer.rest()
        return None
    raw = plain_row({**metadata, "id": id_, "text": text}.items())
    wing, room = drawer.text("wing") or "", drawer.text("room") or ""
    if mode == "extract" or (mode is None and any(name in metadata for name in _OF_A_FILE)):
        return Filed(
            id=id_,
            path=(_PATH, *(part for part in (wing, room) if part)),
            key=id_,
            body=text,
            metadata=about,
            created_at=filed or at,
            updated_at=changed or filed or at,
            raw=raw,
        )
    if mode == "sweep" and role is not None:
        text = text.removeprefix(f"{role.upper()}: ")
        about = {**about, "message": uuid}
    is_agents = mode is None and role is None
    return Said(
        id=id_,
        session=session or f"{wing}/{room}",
        content=text,
        role=role or ("assistant" if is_agents else _TRANSCRIPT),
        speaker=speaker if is_agents and speaker != "mcp" else None,
        time=at,
        metadata=about,
        heard=role != "system",
        raw=raw,
    )


class _Doubles:
    """Counts drawers of a session that say word for word the same."""

    def __init__(self) -> None:
        self._seen: set[bytes] = set()
        self._count = 0

    def note(self, found: Found) -> None:
        """Look at a drawer."""
        if isinstance(found, Said):
            said = f"{found.session}\0{found.content}".encode("utf-8", "replace")
            digest = hashlib.blake2b(said, digest_size=12).digest()
            self._count += digest in self._seen
            self._seen.add(digest)

    def tell(self, account: Account) -> None:
        """Tell how many there are."""
        if self._count:
            account.assume(
                f"{self._count:,} drawers say word for word what another of their file says;"
                " as in the palace, they are there more than once."
            )


def _note_ends(files: SourceFiles, name: str, ends: Ends) -> None:
    """Note the drawers that facts of a graph rest on, and when these ended."""
    with files.sqlite(name) as connection:
        for row in map(dict, connection.execute(_READ["mempalace_triples"])):
            triple, drawer, until = Fields(row, "triple", Account()), row.get("source_drawer_id"), None
            with suppress(Unreadable):
                ends.written(triple.time("extracted_at"))
                until = _until(triple)
            if isinstance(drawer, str):
                ends.note([drawer], until)


def _graph(
    connection: Any, name: str, account: Account, sessions: Mapping[str, str | None]
) -> Iterator[Stated]:
    for row in map(dict, connection.execute(_READ["mempalace_entities"])):
        with account.reading(f"{name}, entity {row['id']}"), account.fields(row, "entity") as entity:
            for known in (
                "id",
                "name",
                *(known for known, empty in _UNTOLD.items() if row.get(known) == empty),
            ):
                entity.get(known)
    for row in map(dict, connection.execute(_READ["mempalace_triples"])):
        with account.reading(f"{name}, triple {row['id']}"), account.fields(row, "triple") as triple:
            yield _triple(triple, row, account, sessions)


def _triple(
    triple: Fields, row: Mapping[str, Any], account: Account, sessions: Mapping[str, str | None]
) -> Stated:
    ids = {part: triple.words(part) for part in ("subject", "predicate", "object")}
    subject, object_ = (triple.text(f"{part}_name") or ids[part] for part in ("subject", "object"))
    since, extracted = triple.time("valid_from"), triple.time("extracted_at")
    source = triple.text("source_drawer_id")
    if source is not None and source not in sessions:
        account.drop("triple.source_drawer_id")
    about = {"subject": subject, "predicate": ids["predicate"], "object": object_}
    about |= {name: triple.text(name) for name in ("source_file", "source_closet", "adapter_name")}
    return Stated(
        id=triple.words("id"),
        text=f"{subject} {ids['predicate'].replace('_', ' ')} {object_}",
        category=ids["predicate"],
        confidence=_confidence(triple),
        time=since or extracted,
        valid_from=since,
        valid_until=_until(triple),
        sources=() if source is None or source not in sessions else (f"{sessions[source]}/{source}",),
        metadata={name: value for name, value in about.items() if value is not None},
        raw=plain_row(row.items()),
    )


def _confidence(triple: Fields) -> float | None:
    number = triple.number("confidence")
    if number is not None and not 0 <= number <= 1:
        raise Unreadable("triple.confidence", "it is not between 0 and 1")
    return number


def _until(triple: Fields) -> datetime | None:
    """Return when a fact ended; a day counts whole, as MemPalace compares it."""
    given, until = triple.get("valid_to"), triple.time("valid_to")
    is_day = isinstance(given, str) and len(given.strip()) == len("2026-01-31")
    return until and datetime.combine(until.date(), time(23, 59, 59), UTC) if is_day else until


SOURCE: Final = Source(
    name="mempalace",
    title="MemPalace",
    takes="drawers of transcripts and files, and facts with how long they held",
    recognise=_recognise,
    read=_read,
)
