"""A new file that ccrecall can read."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, Final, cast

from quipu.errors import Conflict
from quipu.kernel.db import queries
from quipu.kinds.transcripts.sqlite import rules
from quipu.kinds.transcripts.sqlite.file import READ, told_plainly

_ORIGIN: Final = queries.load("quipu.kinds.transcripts.sqlite", folder="origin")
_SEED: Final = queries.load("quipu.kinds.transcripts.sqlite", folder="seed")
_TABLES: Final = {"teams": "put_team", "team_members": "put_member", "team_tasks": "put_task"}

Row = Mapping[str, Any]


class Writer:
    """Writes a new file beside its place, and puts it there when it is whole."""

    def __init__(self, path: Path) -> None:
        if path.exists():
            raise Conflict(
                f"{path} is there already.",
                hint="Name another file; migrate-sqlite writes memories into this one.",
            )
        self._path = path
        self._made = path.with_name(f".{path.name}.{os.getpid()}")
        self.written: Counter[str] = Counter()
        self.repeated = 0
        with told_plainly(path):
            self._connection = sqlite3.connect(self._made, isolation_level=None, check_same_thread=False)
            self._connection.execute("begin")
            order = sorted(_SEED, key=lambda name: (name.startswith("idx_"), name == "memory_sources"))
            for statement in (*_ORIGIN.values(), *(_SEED[name] for name in order)):
                self._connection.execute(statement)

    def session(
        self, row: Row, messages: Sequence[Row], calls: Sequence[Row], results: Sequence[Row]
    ) -> None:
        """Write a session with all that belongs to it."""
        self._put("sessions", "put_session", row)
        calls_of, results_of = _by_line(calls), _by_line(results)
        for one in messages:
            mine, brought = calls_of[one["line_id"]], results_of[one["line_id"]]
            content = _content(one, mine, brought)
            told = {**one, "session_id": row["id"], "content_json": content}
            if not self._put("messages", "put_message", told):
                self.repeated += 1
                continue
            place = {"message_uuid": one["uuid"], "session_id": row["id"]}
            for call in mine:
                given = json.dumps(call["tool_input"], ensure_ascii=False)
                self._put("tool_calls", "put_call", _timed(call) | place | {"tool_input": given})
            for result in brought:
                self._put("tool_results", "put_result", _timed(result) | place)
        if row["extraction_attempted_at"] is not None and row["memories_extracted"]:
            attempted = {"id": row["id"], "attempted_at": row["extraction_attempted_at"]}
            self._put("extracted", "mark_extracted", attempted)

    def rest(self, tables: Mapping[str, Sequence[Row]]) -> None:
        """Write teams and memories."""
        for table, query in _TABLES.items():
            for row in tables[table]:
                self._put(table, query, row)
        for row in tables["memories"]:
            self._put("memories", "put_memory", row)
        for row in tables["memory_sources"]:
            self._put("memory_sources", "put_source", row)

    def finish(self) -> Path:
        """Write it to the end; where it is until it gets its name."""
        with told_plainly(self._path):
            self._connection.execute("commit")
            self._connection.close()
        return self._made

    def place(self) -> None:
        """Put the finished file in its place."""
        with told_plainly(self._path):
            self._made.replace(self._path)

    def abandon(self) -> None:
        """Leave nothing behind of a file that was not finished."""
        with closing(self._connection):
            self._made.unlink(missing_ok=True)

    def _put(self, table: str, query: str, row: Row) -> bool:
        with told_plainly(self._path):
            new = self._connection.execute(READ[query], stored(row)).rowcount > 0
        self.written[table] += new
        return new


def _by_line(rows: Sequence[Row]) -> Mapping[int, list[Row]]:
    by_line: defaultdict[int, list[Row]] = defaultdict(list)
    for row in rows:
        by_line[row["line_id"]].append(row)
    return by_line


def _content(message: Row, calls: Sequence[Row], results: Sequence[Row]) -> str | None:
    """Return the content of a message as JSON; of another line, what was kept of it."""
    kept = message["content_json"]
    if message["type"] not in ("user", "assistant"):
        return None if kept is None else json.dumps(kept, ensure_ascii=False)
    rest = cast("list[object]", kept) if isinstance(kept, list) else []
    return rules.content_of(message["content_text"], message["thinking"], calls, results, rest)


def _timed(row: Row) -> dict[str, Any]:
    return {**row, "timestamp": row["happened_at"]}


def stored(row: Row) -> Row:
    """Return a row as SQLite keeps it: times in milliseconds."""
    return {name: rules.milliseconds(v) if isinstance(v, datetime) else v for name, v in row.items()}
