"""What "Memory System V2" has an agent told, and what it finds before it has made anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from demands import columns
from secret_names import internal_name

from quipu import Memory
from quipu.errors import QuipuError
from quipu.kernel.config import Settings

SEED = (Path(__file__).resolve().parent.parent / "fixtures" / "seeds" / "tables.md").read_text("utf-8")
SPACE = "told of tables"
GUIDELINES = (
    "You have access to a PostgreSQL schema called `memory` where you can create\nand manage tables.",
    "### Schema Change Guidelines",
    "**ALTER TABLE is not supported.**",
    "**Always confirm with the user before starting a schema migration.**",
    "Central storage for semantic search vectors. Automatically populated by insert/update.\n"
    "Columns: id, source_table, source_id, field_name, chunk_index, content, content_hash, embedding",
    "Tracks table metadata. Automatically populated by memory:schema:create-table.",
    "CREATE INDEX idx_name_trgm ON memory.table USING GIN (name gin_trgm_ops);\n"
    """WHERE name % 'Gandolf'  -- Finds "Gandalf\"""",
)
TYPES = {
    "UUID": "uuid",
    "TEXT": "text",
    "TEXT[]": "text[]",
    "INTEGER": "integer",
    "TIMESTAMP": "timestamp with time zone",
    "VECTOR(1536)": "halfvec",
    "VARCHAR(64)": "character varying(64)",
}
COLUMNS = """
select attname::text, format_type(atttypid, atttypmod) from pg_attribute
where attrelid = format('%%I.%%I', %s::text, %s::text)::regclass and attnum > 0 and not attisdropped
"""
ROWS_ARE_KNOWN_BY = ["space_id", "schema_id", "relation_id", "source_id", "field_name", "chunk_index"]
KEY = """
select array(select attname::text from unnest(conkey) with ordinality as k (n, place)
    join pg_attribute on attrelid = conrelid and attnum = n order by place)
from pg_constraint where conrelid = 'tables.embeddings'::regclass and contype = 'p'
"""


@pytest.fixture
def tables(accepting: Settings, address: str) -> Iterator[Memory]:
    assert address
    with Memory(settings=accepting) as memory:
        if not memory.tables.schemas(space=SPACE):
            memory.tables.create_schema("memory", space=SPACE)
        yield memory


def test_the_system_prompt_tells_the_guidelines_of_the_text(tables: Memory) -> None:
    told = tables.tables.prompt(space=SPACE).text
    for said in GUIDELINES:
        assert said in SEED
        assert said.replace("memory.", "") in told  # a table is named alone, in every space
    assert "creates the new table, migrates the rows, keeps embeddings" in told


@pytest.mark.parametrize(
    "sql",
    ["DROP TABLE memory.boats", "INSERT INTO boats VALUES (1)", "CREATE TABLE boats (id int); SELECT 1", ""],
)
def test_only_create_table_makes_a_table(tables: Memory, sql: str) -> None:
    with pytest.raises(QuipuError):
        tables.tables.create_table("boats", sql, description="Boats", embed_fields=[], space=SPACE)
    assert [one for one in tables.tables.list(space=SPACE).tables if not one.protected] == []


@pytest.mark.parametrize("name", ["embeddings", "schema_registry"])
def test_what_is_pre_created_has_the_columns_of_the_text(tables: Memory, address: str, name: str) -> None:
    (schema,) = tables.tables.schemas(space=SPACE)
    with psycopg.connect(address) as conn:
        ours = dict(conn.execute(COLUMNS.encode(), [internal_name(address, schema), name]).fetchall())
        (key,) = conn.execute(KEY.encode()).fetchall()
    wanted = {column: TYPES[rest.split()[0]] for column, rest in columns(SEED, name).items()}
    if name == "embeddings":
        wanted["source_id"] = "text"  # keys need not be UUIDs
        assert key == (ROWS_ARE_KNOWN_BY,)
    assert {column: ours.get(column) for column in wanted} == wanted


def test_one_question_is_answered_from_several_tables(tables: Memory) -> None:
    here = {"space": "several tables"}
    for name, text in (("boats", "The green boat leaks."), ("crews", "The crew of the green boat is ill.")):
        made = f"CREATE TABLE {name} (id serial PRIMARY KEY, body text)"
        tables.tables.create_table(name, made, description=name, embed_fields=["body"], **here)
        tables.tables.insert(name, [{"body": text}, {"body": "Nothing of the kind."}], **here)
    nearest = "SELECT source_table, content FROM embeddings ORDER BY embedding <=> :search_embedding LIMIT 2"
    found = tables.tables.query(nearest, search_text="What about the green boat?", **here).results
    assert {row["source_table"] for row in found} == {"boats", "crews"}
    hits = tables.recall("What about the green boat?", kinds=("tables",), **here)
    assert {hit.text for hit in hits[:2]} == {"The green boat leaks.", "The crew of the green boat is ill."}
