"""Sessions of the OpenAI Agents SDK: SQLite, with branches or without, and PostgreSQL.

``agent_messages(id, session_id, message_data json, created_at)``, or another table of these columns, of
``SQLiteSession`` and ``SQLAlchemySession``; the times are UTC. ``AdvancedSQLiteSession`` has
``message_structure(message_id, branch_id, ...)`` beside it. An item becomes a message of its session as our
session of the SDK writes it, so that it gives the same items. Those of another branch than ``main`` are a
session of their own. What `EncryptedSession` wrote is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from quipu.app.imports.fields import Account, Fields, Unreadable, as_object, plain_row
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import Found, Said
from quipu.app.imports.source import Source
from quipu.app.imports.sources import postgres
from quipu.errors import BadInput
from quipu.kernel.db import queries
from quipu.record.items import role_of, text_of

_READ: Final = queries.load("quipu.app.imports", folder="rows")
_ITEMS: Final = ("id", "session_id", "message_data")
_SESSIONS: Final = frozenset({"session_id", "created_at", "updated_at"})
_STRUCTURE: Final = frozenset({"message_id", "branch_id"})
_UTC: Final = "Times without a zone are in UTC, as the Agents SDK writes them."
_MAIN: Final = "main"

Row = Mapping[str, Any]


def _recognise(files: SourceFiles) -> bool:
    return any(_tables(files.tables_in(name)) for name in files.names)


def _tables(tables: Mapping[str, list[str]]) -> list[str]:
    """Return the tables that hold items."""
    return [name for name, columns in tables.items() if set(_ITEMS) <= set(columns)]


def _read(files: SourceFiles, account: Account) -> Iterator[Found]:
    account.assume(_UTC)
    others = 0
    for name in files.names:
        tables = files.tables_in(name)
        chosen = _tables(tables)
        others += not chosen
        for table in chosen:
            is_branched = set(tables.get("message_structure", ())) >= _STRUCTURE
            query = _READ["openai_agents_branched" if is_branched else "openai_agents_items"]
            with files.sqlite(name) as connection:
                for row in connection.execute(query.format(table=_quoted(table))):
                    with account.reading(f"{name}, {table} {row['id']}"):
                        yield from _said(dict(row), account)
                for other, columns in tables.items():
                    _tell(other, columns, connection, account)
    if others == len(files.names):
        raise BadInput(f"{files.path} has no sessions of the OpenAI Agents SDK.", field="path")
    if others:
        account.leave_out("a file that is not of the OpenAI Agents SDK", others)


def _tell(table: str, columns: list[str], connection: Any, account: Account) -> None:
    """Tell what stands in other tables: the times of sessions, and how much their turns used."""
    if not (set(columns) >= _SESSIONS or table == "turn_usage"):
        return
    (count,) = connection.execute(_READ["openai_agents_count"].format(table=_quoted(table))).fetchone()
    if count and table == "turn_usage":
        account.leave_out("usage of a turn", count)
    elif count:
        for column in ("created_at", "updated_at"):
            account.drop(f"{table}.{column}", count)


def _connect(url: str, account: Account) -> Iterator[Found]:
    account.assume(_UTC)
    with postgres.reading(url) as (database, _):
        tables = database.tables(*_ITEMS)
        if not tables:
            raise BadInput("The database has no sessions of the OpenAI Agents SDK.", field="path")
        for table in tables:
            for row in database.rows("postgres_agent_items", table=table):
                with account.reading(f"{table} {row['id']}"):
                    yield from _said(row, account)


def _said(row: Row, account: Account) -> Iterator[Said]:
    with account.fields(row, "message") as given:
        item = as_object(given.json("message_data"))
        if item is None:
            raise Unreadable("message.message_data", "it is no object")
        if item.get("__enc__") == 1:
            account.leave_out("encrypted at the source")
            given.rest()
            return
        branch = given.text("branch_id") or _MAIN
        yield _message(given, item, branch, plain_row({**row, "message_data": item}.items()))


def _message(given: Fields, item: dict[str, Any], branch: str, raw: Row) -> Said:
    session, role = given.words("session_id"), role_of(item)
    is_main = branch == _MAIN
    return Said(
        id=given.words("id"),
        session=session if is_main else f"{session}/{branch}",
        # Instructions are found by nobody, for which they need no text; set aside, they were another item.
        content="" if role in ("system", "developer") else text_of(item),
        role=role,
        time=given.time("created_at"),
        item=item,
        metadata={} if is_main else {"branch": True, "branch_id": branch},
        heard=is_main,
        raw=raw,
    )


def _quoted(table: str) -> str:
    return '"' + table.replace('"', '""') + '"'


SOURCE: Final = Source(
    name="openai-agents",
    title="OpenAI Agents SDK",
    takes="the items of sessions",
    recognise=_recognise,
    read=_read,
    schemes=postgres.SCHEMES,
    connect=_connect,
)
