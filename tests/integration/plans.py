"""The plans by which PostgreSQL ran our queries, as it tells them itself (auto_explain)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import sql

from quipu.kernel.db import arrays, queries
from quipu.kernel.db.database import Connection

_register = arrays.register
TOLD = {
    "session_preload_libraries": "auto_explain",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_format": "json",
    "auto_explain.log_level": "notice",
}
ROOMS = ("quipu.kernel.db", "quipu.recall", "quipu.record")
NAMES = {
    " ".join(queries.numbered(text).text.split()): name
    for room in ROOMS
    for name, text in queries.load(room).items()
}

IN_FUNCTIONS = "in functions"
"""Under this name is what the functions of the schema run."""


@dataclass(frozen=True, slots=True)
class Scan:
    """A table that was read: how, by which index if any, how many rows were looked at, those that a filter
    then removed included, and how many of them in the table itself although the index holds them."""

    table: str
    how: str
    index: str | None
    rows: int
    heap_fetches: int


@dataclass(slots=True)
class Plans:
    """What was run on a connection since ``listen``: for each query its scans."""

    scans: dict[str, set[Scan]] = field(default_factory=dict)
    connections: list[Connection] = field(default_factory=list)

    async def meet(self, conn: Connection) -> None:
        """Have the connection that a pool of one opens; given to it in place of ``arrays.register``."""
        await _register(conn)
        conn.add_notice_handler(self._take)
        self.connections.append(conn)

    async def listen(self) -> None:
        """Be told from now on. Nothing may be under way."""
        (conn,) = self.connections
        await conn.execute("set auto_explain.log_min_duration = 0")

    def _take(self, notice: psycopg.errors.Diagnostic) -> None:
        _, found, plan = (notice.message_primary or "").partition("plan:\n")
        if not found:
            return
        told = json.loads(plan)
        name = NAMES.get(" ".join(told["Query Text"].split()), IN_FUNCTIONS)
        self.scans.setdefault(name, set()).update(_scans(told["Plan"]))


def allow(url: str) -> None:
    """Let every connection to a database that is opened from now on ask to be told."""
    with psycopg.connect(url, autocommit=True) as conn:
        for name, value in TOLD.items():
            statement = sql.SQL("alter database {} set {} = {}")
            parts = (sql.Identifier(conn.info.dbname), sql.SQL(name), sql.Literal(value))
            conn.execute(statement.format(*parts))
        conn.execute("load 'auto_explain'")
        conn.execute("grant set on parameter auto_explain.log_min_duration to quipu_app, quipu_person")


def _scans(node: Mapping[str, Any]) -> Iterator[Scan]:
    kind = node["Node Type"]
    if "Relation Name" in node and kind not in ("ModifyTable", "LockRows"):
        how, index = kind, node.get("Index Name")
        if kind == "Bitmap Heap Scan":
            index = next(_indexes(node), None)
        removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
        rows = round((node["Actual Rows"] + removed) * node["Actual Loops"])
        yield Scan(node["Relation Name"], how, index, rows, node.get("Heap Fetches", 0))
    for child in node.get("Plans", ()):
        yield from _scans(child)


def _indexes(node: Mapping[str, Any]) -> Iterator[str]:
    for child in node.get("Plans", ()):
        if "Index Name" in child:
            yield child["Index Name"]
        yield from _indexes(child)
