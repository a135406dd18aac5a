"""Threads of LangGraph's checkpoints: the messages of the newest checkpoint of each, in their order.

SQLite: ``checkpoints(thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint,
metadata)`` and ``writes(thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type,
value)``. PostgreSQL: ``checkpoints`` with the checkpoint in jsonb, ``checkpoint_blobs(channel, version, type,
blob)`` for what of its channels is no plain value, and ``checkpoint_writes``. A checkpoint is ``{v, ts, id,
channel_values, channel_versions}``, as MessagePack (`msgpacked`) or JSON. Pickles and encrypted ones are
refused.

A delta channel (LangGraph 1.2) stands in the checkpoint only now and then: it is the value at the nearest
parent that has one, and what was written since. The metadata of the checkpoint names these channels under
``counters_since_delta_snapshot``, and whoever the thread is of, where the program said it, as ``user_id``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol, cast
from uuid import UUID

from quipu.app.imports.fields import Account, Unreadable, as_object, moment, parsed
from quipu.app.imports.found import JSON, Said
from quipu.app.imports.sources.langchain_messages import Message, Thread, merged, messages_in
from quipu.app.imports.sources.msgpacked import Made, as_json, unpacked
from quipu.app.imports.sources.postgres import Postgres
from quipu.kernel.base.text import excerpt
from quipu.kernel.db import queries

_READ: Final = queries.load("quipu.app.imports", folder="rows")
_TIMES: Final = (
    "Messages of LangGraph have no times: theirs is that of the checkpoint on which they were written."
)
_LEFT: Final = {"earlier": "an earlier state of a thread", "inner_ones": "a state of an inner graph"}
_STRUCTURE: Final = ("v", "id", "channel_values", "channel_versions")
_OURS: Final = ("__", "branch:", "start:")  # channels of LangGraph itself
_OVERWRITE: Final = "__overwrite__"
_GREGORIAN: Final = datetime(1582, 10, 15, tzinfo=UTC)  # from which ids of checkpoints count

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Checkpoint:
    """A checkpoint, read."""

    parent: str | None
    whole: Mapping[str, object]
    values: Mapping[str, object]
    about: Mapping[str, JSON]


class Saver(Protocol):
    """Rows of checkpoints, in either database."""

    def heads(self) -> Iterator[Row]:
        """Yield the newest checkpoint of each thread."""
        ...

    def one(self, thread: str, id_: str) -> Row | None:
        """Return a checkpoint of a thread."""
        ...

    def values(self, row: Row, checkpoint: Mapping[str, object]) -> Mapping[str, object]:
        """Return the values of the channels of a checkpoint."""
        ...

    def writes(self, thread: str, id_: str | None) -> Iterator[Row]:
        """Yield what was written on the checkpoints of a thread, or on one of them."""
        ...

    def left(self) -> Row:
        """Count the checkpoints that are not the newest of a thread, and those of inner graphs."""
        ...


class SqliteSaver:
    """Checkpoints in SQLite."""

    def __init__(self, connection: sqlite3.Connection, *, has_writes: bool) -> None:
        self._connection = connection
        self._has_writes = has_writes

    def heads(self) -> Iterator[Row]:
        """Yield the newest checkpoint of each thread."""
        return map(dict, self._connection.execute(_READ["langgraph_heads"]))

    def one(self, thread: str, id_: str) -> Row | None:
        """Return a checkpoint of a thread."""
        row = self._connection.execute(
            _READ["langgraph_checkpoint"], {"thread": thread, "id": id_}
        ).fetchone()
        return None if row is None else dict(row)

    def values(self, row: Row, checkpoint: Mapping[str, object]) -> Mapping[str, object]:  # noqa: ARG002
        """Return the values of the channels of a checkpoint."""
        return _object(checkpoint.get("channel_values"), "channel_values")

    def writes(self, thread: str, id_: str | None) -> Iterator[Row]:
        """Yield what was written on the checkpoints of a thread, or on one of them."""
        if not self._has_writes:
            return iter(())
        return map(dict, self._connection.execute(_READ["langgraph_writes"], {"thread": thread, "id": id_}))

    def left(self) -> Row:
        """Count the checkpoints that are not the newest of a thread, and those of inner graphs."""
        return dict(self._connection.execute(_READ["langgraph_left"]).fetchone())


class PostgresSaver:
    """Checkpoints in PostgreSQL."""

    def __init__(self, database: Postgres, *, has_writes: bool) -> None:
        self._database = database
        self._has_writes = has_writes

    def heads(self) -> Iterator[Row]:
        """Yield the newest checkpoint of each thread."""
        return self._database.rows("postgres_heads")

    def one(self, thread: str, id_: str) -> Row | None:
        """Return a checkpoint of a thread."""
        return next(self._database.rows("postgres_checkpoint", {"thread": thread, "id": id_}), None)

    def values(self, row: Row, checkpoint: Mapping[str, object]) -> Mapping[str, object]:
        """Return the values of the channels of a checkpoint."""
        place = {"thread": row["thread_id"], "id": row["checkpoint_id"]}
        blobs = self._database.rows("postgres_blobs", place)
        inline = _object(checkpoint.get("channel_values"), "channel_values")
        found = {blob["channel"]: blob for blob in blobs if blob["type"] != "empty"}
        return {**inline, **{name: _loaded(blob["type"], blob["blob"]) for name, blob in found.items()}}

    def writes(self, thread: str, id_: str | None) -> Iterator[Row]:
        """Yield what was written on the checkpoints of a thread, or on one of them."""
        if not self._has_writes:
            return iter(())
        return self._database.rows("postgres_writes", {"thread": thread, "id": id_})

    def left(self) -> Row:
        """Count the checkpoints that are not the newest of a thread, and those of inner graphs."""
        return next(self._database.rows("postgres_left"))


def threads(saver: Saver, account: Account) -> Iterator[Said]:
    """Yield the messages of every thread."""
    account.assume(_TIMES)
    left = saver.left()
    for name, why in _LEFT.items():
        if left[name]:
            account.leave_out(why, left[name])
    for row in saver.heads():
        with account.reading(f"thread {row['thread_id']}"):
            yield from _thread(saver, row, account)


def _thread(saver: Saver, row: Row, account: Account) -> Iterator[Said]:
    session, head = str(row["thread_id"]), _read(saver, row)
    with (
        account.fields(head.whole, "checkpoint") as checkpoint,
        account.fields(head.about, "metadata") as about,
    ):
        for known in _STRUCTURE:
            checkpoint.get(known)
        last, user = _time(checkpoint.get("ts")), about.get("user_id")
        about.get("counters_since_delta_snapshot")
    thread = Thread(session, user if isinstance(user, str) else None, account)
    written: dict[str, datetime] | None = None
    seen: set[JSON] = set()
    for channel, messages in _channels(saver, row, head, account):
        if written is None:
            written = _written(saver, row)
        new = [one for one in messages if not isinstance(id_ := one.get("id"), str) or id_ not in seen]
        seen |= {id_ for one in new if isinstance(id_ := one.get("id"), str)}
        for message, time in zip(new, _times(new, written, last), strict=True):
            with account.reading(f"thread {session}, {channel}"):
                yield thread.said(message, time)


def _times(
    messages: list[Message], written: Mapping[str, datetime], last: datetime | None
) -> list[datetime | None]:
    """Return the times of messages, none later than that of the message behind it."""
    times: list[datetime | None] = []
    for message in reversed(messages):
        id_ = message.get("id")
        at = written.get(id_, last) if isinstance(id_, str) else last
        last = at if last is None or at is None else min(at, last)
        times.append(last)
    return times[::-1]


def _channels(
    saver: Saver, row: Row, head: _Checkpoint, account: Account
) -> Iterator[tuple[str, list[Message]]]:
    """Yield the channels that have messages, with these; the others are told."""
    counters = as_object(head.about.get("counters_since_delta_snapshot")) or {}
    deltas = set(counters) - set(head.values)
    for channel in sorted({*head.values, *deltas}):
        value = head.values.get(channel)
        messages = _replayed(saver, row, head, channel) if channel in deltas else messages_in(value)
        if messages:
            yield channel, messages
        elif value not in (None, "", [], {}) and not channel.startswith(_OURS):
            account.drop(f"state.{excerpt(channel, 60)}")


def _replayed(saver: Saver, row: Row, head: _Checkpoint, channel: str) -> list[Message]:
    """Return the messages of a delta channel: those of the nearest parent with them, and what came then."""
    thread, parent = row["thread_id"], head.parent
    walked: dict[str, None] = {}
    messages: list[Message] = []
    while parent is not None and parent not in walked:
        before = saver.one(thread, parent)
        if before is None:
            break
        walked[parent] = None
        read = _read(saver, before)
        if channel in read.values:
            messages = messages_in(read.values[channel])
            break
        parent = read.parent
    for id_ in reversed(walked):
        for write in sorted(saver.writes(thread, id_), key=_in_order):
            if write["channel"] == channel:
                value = _loaded(write["type"], write["value"] if "value" in write else write["blob"])
                is_whole, value = _overwriting(value)
                messages = messages_in(value) if is_whole else merged(messages, messages_in(value))
    return messages


def _in_order(write: Row) -> tuple[str, str, int]:
    index = write["idx"]
    return str(write.get("task_path") or ""), str(write["task_id"]), index if isinstance(index, int) else 0


def _overwriting(value: object) -> tuple[bool, object]:
    """Return True for a write that takes the place of all before it, and the value that is written."""
    inner = value.value if isinstance(value, Made) and value.name == "Overwrite" else value
    if not isinstance(inner, Mapping):
        return False, value
    given = cast("Mapping[str, object]", inner)
    if len(given) == 1 and _OVERWRITE in given:
        return True, given[_OVERWRITE]
    is_whole = isinstance(value, Made) or given.get("type") == _OVERWRITE
    return (True, given["value"]) if is_whole and "value" in given else (False, value)


def _written(saver: Saver, row: Row) -> dict[str, datetime]:
    """Return when each message of a thread was first written, by its id."""
    found: dict[str, datetime] = {}
    for write in saver.writes(row["thread_id"], None):
        at = _time_of_id(write["checkpoint_id"])
        if at is None or str(write["channel"]).startswith(_OURS):
            continue
        try:
            value = _loaded(write["type"], write["value"] if "value" in write else write["blob"])
        except Unreadable:
            continue  # the checkpoint has the message; only its time is not known
        for message in messages_in(_overwriting(value)[1]):
            if isinstance(id_ := message.get("id"), str):
                found.setdefault(id_, at)
    return found


def _read(saver: Saver, row: Row) -> _Checkpoint:
    stored, parent = row["checkpoint"], row.get("parent_checkpoint_id")
    whole = parsed(stored, "checkpoint") if isinstance(stored, str) else _loaded(row.get("type"), stored)
    checkpoint = _object(whole, "checkpoint")
    about = row.get("metadata")
    told = parsed(about if isinstance(about, str | bytes) and about else "{}", "metadata")
    return _Checkpoint(
        parent=parent if isinstance(parent, str) else None,
        whole=checkpoint,
        values=saver.values(row, checkpoint),
        about=_object(told, "metadata"),
    )


def _loaded(kind: object, data: object) -> object:
    """Return the value that was stored as a kind of LangGraph's serializer.

    Raises:
        Unreadable: it is of a kind that is not read: a pickle, or encrypted.
    """
    if kind == "null" or data is None:
        return None
    if kind in ("bytes", "bytearray"):
        return None
    if kind == "json" and isinstance(data, str | bytes):
        return parsed(data, "checkpoint")
    if kind == "msgpack" and isinstance(data, bytes):
        return unpacked(data)
    raise Unreadable("type", f"what is stored as {str(kind)[:40]!r} is not read")


def _object(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise Unreadable(name, "it is no object")
    return cast("Mapping[str, Any]", value)


def _time(ts: object) -> datetime | None:
    try:
        return None if ts is None else moment(as_json(ts))
    except (ValueError, OverflowError, OSError):
        return None


def _time_of_id(id_: object) -> datetime | None:
    """Return the time in the id of a checkpoint, a UUID of version 6."""
    try:
        number = UUID(str(id_)).int
    except ValueError:
        return None
    if number >> 76 & 0xF != 6:
        return None
    ticks = number >> 80 << 12 | number >> 64 & 0xFFF
    return _GREGORIAN + timedelta(microseconds=ticks // 10)
