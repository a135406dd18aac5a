"""Acceptance of "Memory System V2: JSONB to Dynamic Tables": its commands, its SQL, its testing strategy.

The pages of its settings are tried in tests/integration/web and tests/browser; PostGIS where
QUIPU_TEST_POSTGIS_URL leads to a server that has it (``.ci/run`` starts one).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
import pytest

from quipu import Memory
from quipu.errors import BadInput
from quipu.kernel.config import Settings

POSTGIS = os.environ.get("QUIPU_TEST_POSTGIS_URL")  # before the fixtures take QUIPU_* away
CREATE = """CREATE TABLE memory.characters (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    name TEXT NOT NULL,
    backstory TEXT,
    relationships TEXT,
    created_at TIMESTAMP DEFAULT NOW()
)"""
DESCRIPTIONS = {
    "name": "Full name including titles",
    "backstory": "Character history, motivations, secrets. Be detailed.",
    "relationships": "Describe bidirectionally: how A feels about B AND B about A",
}
NEAREST = """SELECT c.name, e.content, e.embedding <=> :search_embedding AS distance
FROM memory.embeddings e JOIN memory.characters c ON c.id::text = e.source_id::text
WHERE e.source_table = 'characters' ORDER BY distance LIMIT 5"""
TOOLS = (
    "memory:schema:create-table",
    "memory:schema:execute",
    "memory:schema:list-tables",
    "memory:query",
    "memory:insert",
    "memory:update",
    "memory:delete",
)
SECTIONS = """# Memory System
## Schema Operations
### Schema Change Guidelines
### memory:schema:create-table
### memory:schema:execute
### memory:schema:list-tables
## Data Operations
### memory:query
### memory:insert
### memory:update
### memory:delete
## Pre-existing Tables (DO NOT DROP)
### embeddings
### schema_registry
## Current User Tables
## Extensions Available
### PostGIS (Spatial)
### pg_trgm (Fuzzy Text)"""


class Agent:
    """Calls tools by their names, as an agent does."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def call(self, tool: str, **arguments: Any) -> Any:
        answer = self.memory.tables.call(tool, arguments, space="default", agent="narrator")
        assert not answer["is_error"], answer["output"]
        return answer["output"]

    def refused(self, tool: str, **arguments: Any) -> str:
        answer = self.memory.tables.call(tool, arguments, space="default", agent="narrator")
        assert answer["is_error"], answer["output"]
        return answer["output"]

    def rows(self, sql: str) -> list[dict[str, Any]]:
        return self.call("memory:query", sql=sql)["results"]


@pytest.fixture(scope="module")
def house(accepting: Settings, address: str) -> Iterator[Memory]:
    """The memory of the agents."""
    with Memory(settings=replace(accepting, database_url=address)) as memory:
        yield memory


@pytest.fixture
def agent(house: Memory) -> Agent:
    """An agent with the table of the text in an otherwise empty schema."""
    if house.tables.schemas(space="default"):
        house.tables.drop_schema("memory", space="default", confirm=True)
    one = Agent(house)
    one.call(
        "memory:schema:create-table",
        name="characters",
        description="Player and NPC characters",
        embed_fields="backstory",
        column_descriptions=json.dumps(DESCRIPTIONS),
        sql=CREATE,
    )
    return one


def test_create_insert_query_update_delete(agent: Agent) -> None:
    data = '{"name":"Thorin","backstory":"He lost the mountain."}'
    inserted = agent.call("memory:insert", table="characters", data=data)
    (key,) = inserted["keys"]
    assert agent.rows("SELECT id, name FROM memory.characters") == [{**key, "name": "Thorin"}]
    agent.call("memory:update", table="characters", data={"name": "Thorin II"}, where=f"id = '{key['id']}'")
    assert agent.rows("SELECT name FROM memory.characters") == [{"name": "Thorin II"}]
    assert agent.call("memory:delete", table="characters", where={"id": key["id"]})["rows"] == 1
    assert agent.rows("SELECT * FROM memory.characters") == []


def test_create_insert_query_semantic_search(agent: Agent) -> None:
    told = {"Thorin": "He lost the mountain to a dragon.", "Ada": "She writes programs for an engine."}
    rows = [{"name": name, "backstory": story} for name, story in told.items()]
    inserted = agent.call("memory:insert", table="characters", data=rows)
    assert (inserted["rows"], inserted["embedded"]) == (2, 2)
    for asked, name in (("Who lost a mountain to a dragon?", "Thorin"), ("programs for an engine", "Ada")):
        found = agent.call("memory:query", sql=NEAREST, search_text=asked)["results"]
        assert found[0]["name"] == name
        assert found[0]["content"] == told[name]
        assert found[0]["distance"] < found[1]["distance"]
    assert "search_text" in agent.refused("memory:query", sql=NEAREST)


def test_embeddings_are_hashed_and_only_what_changed_is_embedded_again(agent: Agent) -> None:
    story = "He lost the mountain."
    (key,) = agent.call("memory:insert", table="characters", data={"name": "Thorin", "backstory": story})[
        "keys"
    ]
    shown = (
        "SELECT source_table, source_id, field_name, chunk_index, content, content_hash, id FROM embeddings"
    )
    (before,) = agent.rows(shown)
    assert before["content_hash"] == sha256(story.encode()).hexdigest()
    assert before["source_id"] == key["id"]
    assert agent.call("memory:update", table="characters", data={"name": "T."}, where=key)["embedded"] == 0
    assert agent.rows(shown) == [before]
    agent.call("memory:update", table="characters", data={"backstory": "He won it back."}, where=key)
    (after,) = agent.rows(shown)
    assert after["content"] == "He won it back."
    assert after["content_hash"] != before["content_hash"]
    agent.call("memory:update", table="characters", data={"backstory": None}, where=key)
    assert agent.rows(shown) == []


def test_a_field_is_no_longer_embedded_once_the_registry_says_so(agent: Agent) -> None:
    agent.call("memory:insert", table="characters", data={"name": "Thorin", "backstory": "Long ago."})
    sql = "DELETE FROM memory.embeddings WHERE source_table = 'characters' AND field_name = 'backstory'"
    assert "the engine's" in agent.refused("memory:schema:execute", sql=sql)  # nor is it needed
    sql = "UPDATE memory.schema_registry SET embeddable_fields = '{}' WHERE table_name = 'characters'"
    assert agent.call("memory:schema:execute", sql=sql)["embedded"] == 1
    assert agent.rows("SELECT * FROM memory.embeddings") == []


def test_embed_fields_must_be_given_and_may_be_empty(agent: Agent) -> None:
    given = {"name": "items", "description": "Items", "sql": "CREATE TABLE memory.items (id int primary key)"}
    assert "embed_fields" in agent.refused("memory:schema:create-table", **given)
    agent.call("memory:schema:create-table", embed_fields="", **given)


def test_descriptions_are_comments_and_the_registry_has_a_row(agent: Agent, address: str) -> None:
    asked = "SELECT table_name, description, embeddable_fields FROM memory.schema_registry"
    assert agent.rows(asked) == [
        {
            "table_name": "characters",
            "description": "Player and NPC characters",
            "embeddable_fields": ["backstory"],
        }
    ]
    (table,) = agent.call("memory:schema:list-tables", table="characters")["tables"]
    told = {column["name"]: column["description"] for column in table["columns"] if column["description"]}
    assert told == DESCRIPTIONS
    with psycopg.connect(address) as conn:
        row = conn.execute("select col_description('memory.characters'::regclass, 2)").fetchone()
    assert row == (DESCRIPTIONS["name"],)


def test_names_of_tables_are_validated(agent: Agent) -> None:
    for name in ("Characters", "public.users", "a;b", "../a", "memory.a.b", 'a"b', "", "1a"):
        said = agent.refused(
            "memory:schema:create-table",
            name=name,
            description="x",
            embed_fields="",
            sql="CREATE TABLE a (id int)",
        )
        assert "no name of a table" in said, name


PROTECTED = (
    "DROP TABLE memory.schema_registry",
    "TRUNCATE memory.schema_registry",
    "DELETE FROM memory.schema_registry",
    "ALTER TABLE memory.schema_registry DROP COLUMN description",
    "DROP VIEW memory.embeddings",
    "DROP TABLE memory.embeddings",
    "TRUNCATE memory.embeddings",
    "DELETE FROM memory.embeddings",
    "ALTER VIEW memory.embeddings RENAME TO mine",
    "DROP SCHEMA memory CASCADE",
    "CREATE TABLE public.users (id int)",
    "SELECT * FROM core.messages",
)


def test_protected_tables_and_other_schemas_are_refused(agent: Agent) -> None:
    for sql in PROTECTED:
        agent.refused("memory:schema:execute", sql=sql)
        assert len(agent.rows("SELECT * FROM memory.schema_registry")) == 1, sql


def test_queries_are_read_only(agent: Agent) -> None:
    for sql in (
        "DELETE FROM memory.characters",
        "DROP TABLE memory.characters",
        "INSERT INTO characters VALUES (1)",
    ):
        agent.refused("memory:query", sql=sql)


def test_the_recreate_pattern_by_hand(agent: Agent) -> None:
    agent.call("memory:insert", table="characters", data={"name": "Thorin", "backstory": "Long ago."})
    agent.call(
        "memory:schema:create-table",
        name="characters_v2",
        description="Characters",
        embed_fields="backstory",
        sql=CREATE.replace("characters", "characters_v2").replace("name TEXT", "title TEXT, name TEXT"),
    )
    columns = "id, name, backstory"
    moved = f"INSERT INTO memory.characters_v2 ({columns}) SELECT {columns} FROM memory.characters"
    assert agent.call("memory:schema:execute", sql=moved)["rows"] == 1
    moved = "UPDATE memory.embeddings SET source_table = 'characters_v2' WHERE source_table = 'characters'"
    assert agent.call("memory:schema:execute", sql=moved)["rows"] == 1
    agent.call("memory:schema:execute", sql="DROP TABLE memory.characters")
    shown = "SELECT source_table, field_name, content FROM memory.embeddings WHERE embedding IS NOT NULL"
    assert agent.rows(shown) == [
        {"source_table": "characters_v2", "field_name": "backstory", "content": "Long ago."}
    ]
    assert agent.rows("SELECT name, title FROM memory.characters_v2") == [{"name": "Thorin", "title": None}]
    assert agent.rows("SELECT table_name FROM memory.schema_registry") == [{"table_name": "characters_v2"}]


def test_alter_table_is_answered_with_the_recreate_pattern_as_one_call(agent: Agent) -> None:
    agent.call("memory:insert", table="characters", data={"name": "Thorin", "backstory": "Long ago."})
    said = agent.refused("memory:schema:execute", sql="ALTER TABLE memory.characters ADD COLUMN title TEXT")
    assert "memory:schema:recreate" in said
    new = CREATE.replace("name TEXT", "title TEXT, name TEXT")
    plan = agent.call("memory:schema:recreate", table="characters", sql=new, dry_run=True)
    assert plan["diff"] == ["+ title text"]
    assert agent.call("memory:schema:recreate", table="characters", sql=new)["rows"] == 1
    assert agent.rows("SELECT name, title FROM memory.characters") == [{"name": "Thorin", "title": None}]
    (table,) = agent.call("memory:schema:list-tables", table="characters")["tables"]
    assert table["embed_fields"] == ["backstory"]


def test_fuzzy_search(agent: Agent) -> None:
    agent.call("memory:insert", table="characters", data=[{"name": "Gandalf"}, {"name": "Bilbo"}])
    index = "CREATE INDEX idx_npcs_name_trgm ON memory.characters USING GIN (name gin_trgm_ops)"
    agent.call("memory:schema:execute", sql=index)
    assert agent.rows("SELECT name FROM memory.characters WHERE name % 'Gandolf'") == [{"name": "Gandalf"}]
    assert agent.rows("SELECT name FROM memory.characters WHERE name ILIKE '%alf%'") == [{"name": "Gandalf"}]


def test_the_system_prompt_has_the_structure_of_the_text(agent: Agent) -> None:
    told = agent.memory.tables.prompt(space="default", agent="narrator")
    lines = [line for line in told.text.splitlines() if line.startswith("#")]
    own = ["### characters", "### memory:schema:recreate"]
    assert [line for line in lines if line not in own] == SECTIONS.splitlines()
    assert "Full name including titles" in told.text
    assert all(tool in told.text for tool in TOOLS)
    assert told.tokens < 2_000


def test_agents_have_no_tool_to_restore_import_export_or_grant(agent: Agent) -> None:
    for verb in ("restore", "import", "export", "snapshot", "grant", "create-schema", "drop-schema"):
        assert "no such tool" in agent.refused(f"memory:{verb}")


def test_a_snapshot_is_restored_after_one_of_what_is_there_and_the_restore_undone(agent: Agent) -> None:
    snapshots, names = agent.memory.snapshots, "SELECT name FROM memory.characters ORDER BY name"
    agent.call("memory:insert", table="characters", data={"name": "Thorin", "backstory": "Long ago."})
    taken = snapshots.create(space="default")
    assert re.fullmatch(r"memory_\d{8}_\d{6}\.sql", taken.name)
    agent.call("memory:delete", table="characters", where={"name": "Thorin"})
    agent.call("memory:insert", table="characters", data={"name": "Ada", "backstory": "An engine."})
    assert not snapshots.restore(taken.name, space="default").done
    assert agent.rows(names) == [{"name": "Ada"}]
    restored = snapshots.restore(taken.name, space="default", confirm=True)
    assert agent.rows(names) == [{"name": "Thorin"}]
    content = "SELECT content FROM memory.embeddings WHERE embedding IS NOT NULL"
    assert agent.rows(content) == [{"content": "Long ago."}]
    assert restored.undo is not None
    snapshots.restore(restored.undo, space="default", confirm=True)
    assert agent.rows(names) == [{"name": "Ada"}]


def test_retention_is_a_setting_and_older_snapshots_are_pruned(agent: Agent) -> None:
    settings = agent.memory.settings
    assert settings.get("memory_snapshot_retention_days").value == 30
    settings.set("memory_snapshot_retention_days", 7)
    try:
        assert settings.get("memory_snapshot_retention_days").value == 7
        for days in (0, 366):
            with pytest.raises(BadInput, match="memory_snapshot_retention_days"):
                settings.set("memory_snapshot_retention_days", days)
        taken = agent.memory.snapshots.create(space="default")
        assert agent.memory.snapshots.prune(space="default").deleted == ()
        agent.memory.snapshots.erase(taken.name, space="default", confirm=True)
        assert taken.name not in [one.name for one in agent.memory.snapshots.list(space="default")]
    finally:
        settings.reset("memory_snapshot_retention_days")


@pytest.mark.parametrize("structure", [False, True])
def test_export_and_import_full_and_structure_only(agent: Agent, tmp_path: Path, structure: bool) -> None:
    agent.call("memory:insert", table="characters", data={"name": "Thorin", "backstory": "Long ago."})
    file = tmp_path / "tables.sql"
    agent.memory.snapshots.export(file, structure=structure, space="default")
    agent.call("memory:schema:execute", sql="DROP TABLE memory.characters")
    agent.memory.snapshots.import_dump(file, space="default", confirm=True)
    kept = [] if structure else [{"name": "Thorin"}]
    assert agent.rows("SELECT name FROM memory.characters") == kept
    (table,) = agent.call("memory:schema:list-tables", table="characters")["tables"]
    assert table["embed_fields"] == ["backstory"]


@pytest.mark.skipif(POSTGIS is None, reason="QUIPU_TEST_POSTGIS_URL names no server with PostGIS")
def test_spatial_queries_on_a_server_that_has_postgis() -> None:
    assert POSTGIS is not None
    with (
        Memory(settings=Settings(database_url=POSTGIS, embedding_model="hashing")) as memory,
        psycopg.connect(POSTGIS, autocommit=True) as superuser,
    ):
        superuser.execute("select core.harden()")  # docs/howto/server.md asks for it
        if memory.tables.schemas(space="default"):
            memory.tables.drop_schema("memory", space="default", confirm=True)
        one = Agent(memory)
        assert memory.tables.list(space="default", agent="narrator").extensions.postgis
        assert "ST_DWithin" in memory.tables.prompt(space="default", agent="narrator").text
        one.call(
            "memory:schema:create-table",
            name="places",
            description="Places",
            embed_fields=[],
            sql="CREATE TABLE memory.places"
            " (id serial PRIMARY KEY, name text, coordinates GEOGRAPHY(Point, 4326))",
        )
        rows = [
            {"name": "San Francisco", "coordinates": "POINT(-122.42 37.77)"},
            {"name": "Lisbon", "coordinates": "POINT(-9.14 38.72)"},
        ]
        one.call("memory:insert", table="places", data=rows)
        one.call("memory:schema:execute", sql="CREATE INDEX ON memory.places USING GIST (coordinates)")
        near = "ST_DWithin(coordinates, ST_MakePoint(-122.4, 37.8)::geography, 50000)"
        assert one.rows(f"SELECT name FROM memory.places WHERE {near}") == [{"name": "San Francisco"}]
        kilometres = "round(coordinates <-> ST_MakePoint(-9.1, 38.7)::geography)::int / 1000"
        projected = "ST_SRID(ST_Transform(coordinates::geometry, 3857))"
        assert one.rows(
            f"SELECT name, {kilometres} AS km, {projected} AS srid FROM memory.places ORDER BY km LIMIT 1"
        ) == [{"name": "Lisbon", "km": 4, "srid": 3857}]
        with pytest.raises(BadInput, match=r"data\.coordinates"):
            memory.tables.insert("places", {"coordinates": "nowhere"}, space="default")
        memory.tables.drop_schema("memory", space="default", confirm=True)
