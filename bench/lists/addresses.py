"""Every address that is asked: each GET route of the pages and of REST, told what to show.

The routes come from the route tables; a new one whose path names something that ``NAMED`` does not know ends
the run, so that nobody forgets it. ``QUERIES`` are other looks at the same list: sorted, filtered, far down.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from fastapi.routing import APIRoute

from lists.filling import TABLE
from quipu.interfaces.rest.routes import ROUTERS
from quipu.interfaces.web.pages import PAGES


@dataclass(frozen=True, slots=True)
class Address:
    """What is asked for; ``path`` with its query, without the space."""

    path: str
    is_page: bool


def made(kind: str, number: int | str) -> str:
    """The id of a row that the server filled in."""
    return str(UUID(hashlib.md5(f"{kind}{number}".encode(), usedforsecurity=False).hexdigest()))


_ROW: Final = 77
_NUMBER: Final = str(1000 + _ROW)

NAMED: Final = {
    "/ledger/recommendations/{number}": _NUMBER,
    "/transcripts/lessons/{number}": made("lesson", _ROW),
    "/episodes/{number}": made("episode", _ROW),
    "/episodes/beliefs/{number}": made("belief", _ROW),
    "/longterm/{number}": made("longterm", _ROW),
    "/tables/{name}": TABLE,
    "/config/memory/tables/{name}": TABLE,
    "/config/settings/{name}": "session_days",
    "/v1/evidence/recommendations/{id}": _NUMBER,
    "/v1/lessons/{id}": made("lesson", _ROW),
    "/v1/episodes/{id}": made("episode", _ROW),
    "/v1/conversations/prompts/{id}": made("prompt", _NUMBER),
    "/v1/loops/{id}": made("loop", _ROW),
    "/v1/beliefs/{id}": made("belief", _ROW),
    "/v1/longterm/{id}": made("longterm", _ROW),
}
"""What the placeholder of a path, and of all paths that go on behind it, stands for."""

NEITHER: Final = (
    "/static",  # files
    *("/recall/why", "/recall/wrong", "/recall/relations"),  # they ask a question again: see bench/serve.py
    "/config/memory/export",
    "/config/memory/import",
    "/jobs",
    "/keys/",
    "/episodes/{number}/erase",
    "/v1/snapshots/{name}",  # one file, and what goes to another machine
    "/v1/queue/jobs",
    "/v1/engine/settings/{name}",  # one setting
    "/v1/receipts/{id}",
    "/v1/receipts/key",
    "/v1/rules/{id}",  # one row; the list is asked
    "/v1/databases",  # a row for each database of a directory; there is none here
    "/v1/imports",  # a row for each import, of which there are few
    *("/documents/cited/{number}", "/v1/documents/cited"),  # they send on, or answer, by the id of a hit
    "/v1/relations",  # of one message: they are read by its number
    "/config/memory/snapshots",  # it sends the browser on
)
"""Beginnings of paths that show no list and no row of one."""

QUERIES: Final[dict[str, tuple[str, ...]]] = {
    "/ledger": ("", "user=person-0", "user=person-0&step=50", "session=session-6000"),
    "/ledger/history": ("key=key-77&user=person-0",),
    "/ledger/undo": ("event=77&key=key-77&user=person-0",),
    "/transcripts": ("", "project=project-7"),
    "/transcripts/search": ("",),
    "/recall/timeline": ("", "q=the+plan", "since=2026-01-01&until=2026-01-08"),
    "/transcripts/session": ("name=long", "name=session-77"),
    "/transcripts/lessons": ("", "category=workflow", "project=/home/person/project-7", "state=archived"),
    "/episodes/beliefs": ("", "user=person-7", "state=superseded"),
    "/episodes/loops": ("", "user=person-7", "state=closed"),
    "/episodes": (
        "",
        "user=person-7",
        "topic=topic-7",
        "state=deleted",
        "order=salience",
        "order=freshness",
        "order=activation",
    ),
    "/longterm": ("", "user=person-7", "category=project", "importance=low", "state=archived", "text=memory"),
    "/longterm/archive": ("user=person-7",),
    "/documents": ("", "path=shelf-7", "path=shelf-17/box-77", "user=person-7", "q=the+plan"),
    "/documents/one": ("path=shelf-17/box-77&key=document-77",),
    "/documents/edit": ("path=shelf-17/box-77&key=document-77",),
    "/documents/difference": ("path=shelf-17/box-77&key=document-77",),
    "/documents/redact": ("path=shelf-17/box-77&key=document-77&version=1",),
    "/documents/erase": ("path=shelf-17/box-77&key=document-77", "path=shelf-7"),
    "/v1/documents/passages": ("path=shelf-17/box-77&key=document-77",),
    f"/tables/{TABLE}": ("", "sort=name", "sort=level&down=true", "column=body&contains=9999"),
    f"/tables/{TABLE}/row": ("key=77",),
    "/v1/messages": ("session=long", "session=session-77"),
    "/v1/messages/one": ("message=m-1077-0",),
    "/v1/documents/values": ("field=value.number&path=shelf-7",),
    "/v1/documents": ("", "path=shelf-7", 'filter={"number":{"gte":99990}}', "order=key"),
    "/v1/documents/one": ("path=shelf-17/box-77&key=document-77",),
    "/v1/documents/history": ("path=shelf-17/box-77&key=document-77",),
    "/v1/reminders": ("", "session=session-77"),
    "/v1/ledger/state": ("user=person-0", "session=session-6000", "user=person-0&as_of=2026-01-01T00:00:00Z"),
    "/v1/ledger/history": ("key=key-77&user=person-0",),
    "/v1/ledger/diff": ("user=person-0&since=2026-01-01T00:00:00Z",),
    "/v1/transcripts/one": ("session=long", "session=session-77"),
    "/v1/conversations/one": ("session=session-77",),
    "/v1/episodes": ("", "user=person-7", "order=salience", "order=freshness", "order=activation"),
    "/v1/trace/competitor-checks": ("session=session-77",),
    "/v1/tables/references": (f"table={TABLE}",),
}


def addresses() -> Iterator[Address]:
    """All of them, the pages first.

    Raises:
        LookupError: nobody said what the placeholder of a path stands for.
    """
    for routers in (PAGES, ROUTERS):
        for router in routers:
            for route in router.routes:
                if not isinstance(route, APIRoute) or "GET" not in (route.methods or ()):
                    continue
                if not route.path.startswith(NEITHER):
                    yield from _looks(_named(route.path), is_page=routers is PAGES)


def _looks(path: str, *, is_page: bool) -> Iterator[Address]:
    for query in QUERIES.get(path, ("",)):
        yield Address(f"{path}?{query}" if query else path, is_page)


def _named(path: str) -> str:
    if "{" not in path:
        return path
    known = max((one for one in NAMED if path.startswith(one)), key=len, default=None)
    if known is None:
        raise LookupError(
            f"{path}: say in bench/lists/addresses.py what it is to show, or that it is no list"
        )
    return re.sub(r"\{\w+\}", NAMED[known], path, count=1)
