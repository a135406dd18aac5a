"""A database of an earlier version with filled tables of agents is migrated, and its rows are found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from unittest.mock import AsyncMock

import psycopg
import pytest

from quipu import Memory
from quipu.errors import MigrationRefused
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded, migrate
from quipu.kinds.tables import ddl, store
from quipu.kinds.tables.anatomy import Anatomy, Part

LATER = {"recall": "0007", "tables": "0006", "transcripts": "0010", "longterm": "0004"}
"""The first migration of a room that the earlier version does not have."""


@pytest.fixture
def empty(server: embedded.EmbeddedServer, server_settings: Settings) -> Iterator[Settings]:
    """Settings for a database without a schema."""
    with psycopg.connect(server.conninfo(), autocommit=True) as conn:
        conn.execute("create database earlier template template0")
        yield replace(server_settings, database_url=server.conninfo("earlier"))
        conn.execute("drop database earlier with (force)")


def _without_later_functions(patch: pytest.MonkeyPatch) -> None:
    """Have nothing called in the database that came with a later migration."""
    patch.setattr(store, "keep_own", AsyncMock())
    patch.setattr(ddl, "own_state", AsyncMock(return_value={}))
    patch.setattr(ddl, "unkeyed", AsyncMock(return_value=[]))
    keyed = Anatomy([Part("constraint", None, "heroes_pkey", "PRIMARY KEY (id)", None)])
    patch.setattr(ddl, "own_anatomy", AsyncMock(return_value=keyed))


BETWEEN = LATER | {"tables": "0008"}
"""The same of a version in which the rows of the view came out of a function."""


def test_a_view_that_would_stop_the_upgrade_is_named_with_the_way_out(
    empty: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = migrate.found_in

    def between(package: str) -> list[migrate.Migration]:
        return [one for one in every(package) if one.version[:4] < BETWEEN.get(one.room, "9999")]

    with monkeypatch.context() as patch:
        patch.setattr(migrate, "found_in", between)
        _without_later_functions(patch)
        with Memory(settings=empty) as memory:
            made = "create table heroes (id int primary key, story text)"
            memory.tables.create_table("heroes", made, description="H", embed_fields=["story"], space="s")
            memory.tables.insert("heroes", {"id": 1, "story": "A boat."}, space="s")
            memory.tables.execute("create view mine as select content from embeddings", space="s")
            schema = memory.tables.create_schema("memory", space="s").schema_name
    opening = Memory(settings=empty)
    with pytest.raises(MigrationRefused, match=rf"{schema}\.mine .*SELECT content") as refused, opening:
        pytest.fail("it opened")
    assert "drop view" in str(refused.value.hint)
    assert empty.database_url is not None
    with psycopg.connect(empty.database_url, autocommit=True) as conn:
        conn.execute(f"drop view {schema}.mine".encode())
    with Memory(settings=empty) as memory:
        memory.tables.execute("create view mine as select content from embeddings", space="s")
        (row,) = memory.tables.query("select content from mine", space="s").results
        assert row == {"content": "A boat."}
        assert memory.recall("boat", space="s")


def test_the_view_embeddings_is_renewed_with_what_an_agent_made_of_it(
    empty: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    every = migrate.found_in

    def earlier(package: str) -> list[migrate.Migration]:
        return [one for one in every(package) if one.version[:4] < LATER.get(one.room, "9999")]

    with monkeypatch.context() as patch:
        patch.setattr(migrate, "found_in", earlier)
        _without_later_functions(patch)
        with Memory(settings=empty) as memory:
            made = "create table heroes (id int primary key, story text)"
            memory.tables.create_table("heroes", made, description="H", embed_fields=["story"], space="s")
            memory.tables.insert("heroes", {"id": 1, "story": "A boat."}, space="s")
            memory.tables.execute("create view mine as select content from embeddings", space="s")
    with Memory(settings=empty) as memory:
        for view in ("embeddings", "mine"):
            (row,) = memory.tables.query(f"select content from {view}", space="s").results
            assert row == {"content": "A boat."}
        assert memory.recall("boat", space="s")
        memory.tables.update("heroes", {"story": "A ship."}, where={"id": 1}, space="s")
        (row,) = memory.tables.query("select content from mine", space="s").results
        assert row == {"content": "A ship."}
