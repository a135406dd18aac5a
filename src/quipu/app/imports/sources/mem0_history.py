"""Changes of memories and last messages, which mem0 keeps in a database beside its store.

``history(id, memory_id, old_memory, new_memory, event ADD, UPDATE or DELETE, created_at, updated_at,
is_deleted, actor_id, role)``, or in the TypeScript edition ``memory_history(memory_id, previous_value,
new_value, action, ...)``; ``messages(id, session_scope, role, content, name, created_at)``, of which it keeps
the last ten of each scope (``agent_id=a&user_id=u``). The texts of deleted memories stay in it for ever: they
are read here to know them, and given to nobody.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, Final, Self
from urllib.parse import unquote

from quipu.app.imports.fields import Account, Fields, moment
from quipu.app.imports.found import JSON, Earlier, Said
from quipu.kernel.db import queries

_READ: Final = queries.load("quipu.app.imports", folder="rows")
_TABLES: Final = {"history": "mem0_history", "memory_history": "mem0_memory_history"}
_DELETED: Final = "DELETE"


class History:
    """Changes in the databases that were added, kept in a file of SQLite's own, gone when it is closed."""

    def __init__(self) -> None:
        self._shelf = sqlite3.connect("", check_same_thread=False)
        self._shelf.row_factory = sqlite3.Row
        for query in ("mem0_events", "mem0_events_by_memory", "mem0_met"):
            self._shelf.execute(_READ[query])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._shelf.close()

    def add(
        self, connection: sqlite3.Connection, tables: Mapping[str, Any], name: str, account: Account
    ) -> None:
        """Add the changes in a database."""
        for query in (query for table, query in _TABLES.items() if table in tables):
            for number, row in enumerate(connection.execute(_READ[query]), start=1):
                with (
                    account.reading(f"{name}, change {number:,}"),
                    account.fields(dict(row), "history") as change,
                ):
                    self._shelf.execute(_READ["mem0_put"], _change(change))

    def close_off(self, account: Account) -> None:
        """Find out which memories were deleted, once all databases were added."""
        for query in ("mem0_gone", "mem0_gone_texts"):
            self._shelf.execute(_READ[query])
        (count,) = self._shelf.execute(_READ["mem0_count_gone"]).fetchone()
        if count:
            account.leave_out("deleted at the source", count)

    def is_gone(self, memory: str) -> bool:
        """Return True if the last that happened to a memory is that it was deleted."""
        return bool(self._shelf.execute(_READ["mem0_is_gone"], _key(memory)).fetchone()["gone"])

    def is_new(self, memory: str) -> bool:
        """Return True if a memory comes for the first time."""
        return self._shelf.execute(_READ["mem0_meet"], _key(memory)).rowcount == 1

    def earlier(self, memory: str, text: str, ids: Mapping[str, JSON]) -> list[Earlier]:
        """Return the versions that a memory had before it said ``text``, each with whose it is."""
        versions: list[Earlier] = []
        for row in self._shelf.execute(_READ["mem0_changes"], _key(memory)):
            if not versions and row["old"] is not None:
                versions.append(Earlier(body=row["old"], metadata={**ids, "created_at": row["created"]}))
            about = {"actor_id": row["actor"], "role": row["role"]}
            about |= {"created_at": row["created"], "updated_at": row["updated"]}
            at = row["updated"] or row["created"]
            versions.append(
                Earlier(
                    body=row["new"],
                    metadata={**ids, **{name: value for name, value in about.items() if value is not None}},
                    time=None if at is None else moment(at),
                )
            )
        return versions[:-1] if versions and versions[-1].body == text else versions

    def messages(
        self, connection: sqlite3.Connection, columns: list[str], name: str, account: Account
    ) -> Iterator[Said]:
        """Yield the messages in a database, but those that repeat what a deleted memory said."""
        if "session_scope" not in columns:
            return
        for number, row in enumerate(connection.execute(_READ["mem0_messages"]), start=1):
            raw = dict(row)
            with account.reading(f"{name}, message {number:,}"), account.fields(raw, "message") as message:
                content = message.words("content")
                repeats = self._shelf.execute(_READ["mem0_repeats"], {"content": content}).fetchone()
                if repeats["repeats"]:
                    account.leave_out("deleted at the source")
                    for known in raw:
                        message.get(known)
                else:
                    yield _message(message, content, raw)


def _change(change: Fields) -> dict[str, JSON]:
    change.get("id")  # of the change, which nobody refers to
    event = change.text("event") or change.text("action")
    return {
        "memory": change.words("memory_id"),
        "gone": change.flag("is_deleted") or event == _DELETED,
        "old": change.text("old_memory") or change.text("previous_value"),
        "new": change.text("new_memory") or change.text("new_value"),
        "created": _time(change, "created_at"),
        "updated": _time(change, "updated_at"),
        "actor": change.text("actor_id"),
        "role": change.text("role"),
    }


def _time(change: Fields, name: str) -> str | None:
    """Return a time as it stands there, if it is one."""
    value, time = change.get(name), change.time(name)
    return None if time is None else value if isinstance(value, str) else time.isoformat()


def _key(memory: str) -> dict[str, str]:
    """Return an id as SQLite takes it: JSON may have half a character in it."""
    return {"memory": memory.encode("utf-8", "replace").decode()}


def _message(message: Fields, content: str, raw: JSON) -> Said:
    scope = message.text("session_scope") or ""
    ids = {
        name: unquote(value)
        for name, is_one, value in (part.partition("=") for part in scope.split("&"))
        if is_one
    }
    role = message.text("role") or "user"
    return Said(
        id=message.words("id"),
        session=ids.get("run_id") or scope or None,
        content=content,
        role=role,
        speaker=message.text("name"),
        user=ids.get("user_id"),
        time=message.time("created_at"),
        heard=role != "system",
        raw=raw,
    )
