"""The PostgreSQL of a server of Letta: messages, blocks with their history, and archival memory.

Read are ``agents``, ``messages`` in the order of sequence_id, ``block`` (with ``blocks_agents``),
``block_history`` by sequence_number, ``archival_passages`` (before archives were: ``agent_passages``) and
``identities``, each with the columns that it has. What is_deleted says is gone, and states of a block that
were undone, stay behind; earlier states of a block have ended.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, LiteralString

import psycopg
from psycopg import IsolationLevel, sql

from quipu.app.imports.fields import Account, Fields
from quipu.app.imports.found import JSON, Earlier, Found, Stated
from quipu.app.imports.sources import letta_records as records
from quipu.app.imports.sources.letta_records import Agent
from quipu.errors import BadInput, DatabaseUnavailable
from quipu.kernel.db.queries import load

_SQL: Final = load("quipu.app.imports", folder="rows")
_ORDER: Final = ("sequence_id", "sequence_number", "created_at", "id")
_AT_ONCE: Final = 500
_UNREAD: Final = {"files": "file", "source_passages": "passage of a file", "steps": "step", "jobs": "job"}
Row = Mapping[str, Any]


@dataclass(slots=True)
class _Server:
    """A database of Letta that is read, and who its agents are."""

    connection: psycopg.Connection
    account: Account
    columns: dict[str, list[str]]
    agents: dict[str, Agent] = field(default_factory=dict[str, Agent])
    people: dict[str, str] = field(default_factory=dict[str, str])

    def rows(self, table: LiteralString, key: str | None = None) -> Iterator[tuple[str, Row]]:
        """Yield the rows of a table that are not deleted, with their places; none if there is no such table.

        Those that say nothing are passed over: ``key`` must be in them.
        """
        known = self.columns.get(table)
        if known is None:
            return
        order = [name for name in _ORDER if name in known] or known[:1]
        query = _SQL.fill(
            "letta_rows",
            table=sql.Identifier(table),
            columns=sql.SQL(", ").join(map(sql.Identifier, known)),
            order=sql.SQL(", ").join(map(sql.Identifier, order)),
        )
        with self.connection.cursor(name=f"quipu_{table}") as cursor:
            cursor.itersize = _AT_ONCE
            for number, (row,) in enumerate(cursor.execute(query), start=1):
                if row.get("is_deleted"):
                    self.account.leave_out("deleted at the source")
                elif key is None or row.get(key) is not None:
                    yield f"{table}, row {number:,}", row

    def pairs(self, table: LiteralString, first: str, second: str) -> dict[str, list[str]]:
        """Return for each value of a column those of another one."""
        found: dict[str, list[str]] = {}
        for _, row in self.rows(table):
            if row.get(first) and row.get(second):
                found.setdefault(str(row[first]), []).append(str(row[second]))
        return found


def connect(url: str, account: Account) -> Iterator[Found]:
    """Yield what a server of Letta remembers.

    Raises:
        DatabaseUnavailable: nobody answers there, or not to us.
        BadInput: it is no database of Letta.
    """
    with _joined(url) as connection:
        server = _Server(connection, account, dict(connection.execute(_SQL["letta_columns"]).fetchall()))
        if not {"agents", "messages", "block"} <= set(server.columns):
            raise BadInput("It is no database of Letta: it has no agents, messages and blocks.", field="url")
        account.assume("Times without a zone are in UTC, as Letta writes them.")
        _meet(server)
        yield from _messages(server)
        yield from _blocks(server)
        yield from _passages(server)
        for table, called in _UNREAD.items():
            if table in server.columns:
                counted = connection.execute(_SQL.fill("letta_count", table=sql.Identifier(table))).fetchone()
                account.leave_out(called, counted[0] if counted else 0)


@contextmanager
def _joined(url: str) -> Generator[psycopg.Connection]:
    """Join a database to read what stands in it at one moment."""
    try:
        with psycopg.connect(url, application_name="quipu") as connection:
            connection.read_only = True
            connection.isolation_level = IsolationLevel.REPEATABLE_READ
            yield connection
            connection.rollback()
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable(f"The database of Letta does not answer: {error}") from error
    except psycopg.Error as error:
        raise BadInput(f"The database of Letta cannot be read: {error}", field="url") from error


def _meet(server: _Server) -> None:
    """Find out who the agents are, and whose; a person is known where an agent has one alone."""
    for where, row in server.rows("identities"):
        with server.account.reading(where):
            one = Fields(row, "identity", server.account)
            server.people[one.words("id")] = one.words("identifier_key")
    belongs = server.pairs("identities_agents", "agent_id", "identity_id")
    for where, row in server.rows("agents"):
        with server.account.reading(where):
            one = Fields(row, "agent", server.account)
            id_ = one.words("id")
            people = [server.people[key] for key in belongs.get(id_, []) if key in server.people]
            server.agents[id_] = Agent(
                name=one.text("name") or id_,
                session=id_,
                kind=one.text("agent_type"),
                user=people[0] if len(people) == 1 else None,
            )


def _messages(server: _Server) -> Iterator[Found]:
    account = server.account
    for where, row in server.rows("messages"):
        with account.reading(where), account.fields(row, "message") as given:
            agent = server.agents.get(given.text("agent_id") or "")
            if agent is None:
                account.leave_out("message of an agent that is not there")
                continue
            person = server.people.get(given.text("sender_id") or "", agent.user)
            of_it = Agent(
                name=agent.name,
                session=given.text("conversation_id") or agent.session,
                kind=agent.kind,
                user=person,
            )
            for known in ("sequence_id", "is_deleted"):
                given.get(known)
            yield records.message(given, row, id_=given.words("id"), agent=of_it, account=account)


def _blocks(server: _Server) -> Iterator[Found]:
    account, users = server.account, server.pairs("blocks_agents", "block_id", "agent_id")
    history: dict[str, list[Row]] = {}
    for _, row in server.rows("block_history", "block_id"):
        history.setdefault(str(row["block_id"]), []).append(row)
    for where, row in server.rows("block"):
        with account.reading(where), account.fields(row, "block") as given:
            id_, value, changed = given.words("id"), given.text("value"), given.time("updated_at")
            agents = [server.agents[one] for one in users.get(id_, []) if one in server.agents]
            people = {one.user for one in agents}
            earlier = _earlier(history.get(id_, []), given.text("current_history_entry_id"), value, account)
            for known in ("version", "is_deleted"):
                given.get(known)
            found = records.block(
                given,
                row,
                id_=id_,
                agents=sorted({one.name for one in agents}),
                account=account,
                user=people.pop() if len(people) == 1 else None,
                earlier=[Earlier(body=one.text("value"), time=one.time("created_at")) for one, _ in earlier],
            )
            if isinstance(found, Stated):
                for one, until in earlier:
                    yield _ended(found, one, until or changed or found.time)
            if found is not None:
                yield found


def _earlier(
    history: Sequence[Row], current: str | None, value: str | None, account: Account
) -> list[tuple[Fields, datetime | None]]:
    """Return the states that a block had before, the oldest first, each until when; none that was undone."""
    kept: list[Fields] = []
    at = next((number for number, one in enumerate(history) if one.get("id") == current), len(history))
    if undone := len(history[at + 1 :]):
        account.leave_out("undone at the source", undone)
    for one in history[: at + 1]:
        state = Fields(one, "block_history", account)
        says = state.text("value")
        if kept and kept[-1].text("value") == says:
            continue
        kept.append(state)
    ends = [*(one.time("created_at") for one in kept[1:]), None]
    states = list(zip(kept, ends, strict=False))
    return states[:-1] if kept and kept[-1].text("value") == value else states


def _ended(block: Stated, state: Fields, until: datetime | None) -> Stated:
    """Return an earlier state of a block, as a statement that has ended."""
    start, number = state.time("created_at"), state.get("sequence_number")
    return Stated(
        id=f"{block.id}@{number}",
        text=state.words("value"),
        category=block.category,
        user=block.user,
        time=start,
        valid_from=start,
        valid_until=until,
        metadata={**block.metadata, "version": number},
    )


def _passages(server: _Server) -> Iterator[Found]:
    account = server.account
    names = {str(row["id"]): row.get("name") for _, row in server.rows("archives", "id")}
    owners = server.pairs("archives_agents", "archive_id", "agent_id")
    table: LiteralString = "archival_passages" if "archival_passages" in server.columns else "agent_passages"
    for where, row in server.rows(table):
        with account.reading(where), account.fields(row, "passage") as given:
            archive, agent = given.text("archive_id") or "", given.text("agent_id")
            keys = owners.get(archive, []) if agent is None else [agent]
            agents = [server.agents[key] for key in keys if key in server.agents]
            people = {one.user for one in agents}
            about: dict[str, JSON] = {
                "archive": names.get(archive),
                "agents": sorted({one.name for one in agents}),
            }
            for known in ("embedding_config", "is_deleted"):
                given.get(known)
            yield records.passage(given, row, archive=about, user=people.pop() if len(people) == 1 else None)
