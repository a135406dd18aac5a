"""Making, filling, asking and changing tables, through the tools of the seed."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from tables_house import House

from quipu import Memory
from quipu.errors import BadInput, Conflict, DatabaseError, NotFound

CHARACTERS = """
CREATE TABLE memory.characters (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL UNIQUE,
    backstory text,
    level integer DEFAULT 1 CHECK (level > 0),
    tags text[],
    sheet jsonb,
    worth numeric(8, 2),
    seen_at timestamptz,
    updated_at timestamptz
)
"""


@pytest.fixture(scope="module")
def characters(house: House) -> Any:
    """The tables of the default space, with the one of the seed."""
    tables = house.memory.tables
    done = tables.create_table(
        "characters",
        CHARACTERS,
        description="Player and NPC characters",
        embed_fields="backstory",
        column_descriptions={"name": "Full name including titles"},
        space="default",
    )
    assert done.status == "CREATE TABLE"
    return tables


def test_rows_are_inserted_updated_asked_for_and_deleted(characters: Any) -> None:
    row = {
        "name": "Thorin",
        "tags": ["dwarf", "king"],
        "sheet": ["a", {"b": 1}],
        "worth": Decimal("12.50"),
        "seen_at": "2026-05-01T10:00:00Z",
    }
    done = characters.insert("characters", row, space="default")
    assert done.rows == 1
    key = done.keys[0]["id"]
    assert UUID(key)
    found = characters.query(
        "SELECT * FROM memory.characters WHERE name = 'Thorin'", space="default"
    ).results[0]
    assert (found["tags"], found["sheet"], found["worth"], found["level"]) == (
        ["dwarf", "king"],
        ["a", {"b": 1}],
        "12.50",
        1,
    )
    assert found["updated_at"] is None
    assert characters.update("memory.characters", {"level": 4}, where={"id": key}, space="default").rows == 1
    (again,) = characters.query(f"SELECT * FROM characters WHERE id = '{key}'", space="default").results
    assert again["level"] == 4
    assert again["updated_at"] is not None
    assert (
        characters.delete(
            "characters", where={"level": {">": 3}, "name": {"like": "Th%"}}, space="default", confirm=True
        ).rows
        == 1
    )
    assert characters.query("SELECT * FROM characters WHERE name = 'Thorin'", space="default").count == 0


def test_many_rows_go_in_together_or_not_at_all(characters: Any) -> None:
    rows: list[dict[str, Any]] = [{"name": f"Dwarf {n}", "level": n + 1} for n in range(500)]
    assert characters.insert("characters", [*rows, {"name": "No level"}], space="default").rows == 501
    with pytest.raises(Conflict, match=r"data\.name"):
        characters.insert("characters", [{"name": "New", "level": 2}, {"name": "Dwarf 3"}], space="default")
    assert characters.query("select 1 from characters where name = 'New'", space="default").count == 0
    (one,) = characters.query("select level from characters where name = 'No level'", space="default").results
    assert one == {"level": 1}
    assert (
        characters.delete(
            "characters", where={"name": {"in": ["Dwarf 1", "Dwarf 2"]}}, space="default", confirm=True
        ).rows
        == 2
    )


def test_a_limit_holds_whatever_the_query_says(characters: Any, hurried: Memory) -> None:
    where = {"space": "default"}
    found = characters.query("select * from generate_series(1, 5000) limit 4000", **where)
    assert (found.count, found.limit, found.limited) == (50, 50, True)
    assert "more than 50" in found.note
    inner = "select * from (select * from generate_series(1, 5000) limit 4000) x"
    assert characters.query(inner, limit=7, **where).count == 7
    full = characters.query("select repeat('x', 300000) from generate_series(1, 10)", **where)
    assert (full.count, full.limited) == (3, True)
    with pytest.raises(BadInput, match="bytes"):
        characters.query("select repeat('x', 60000000)", **where)
    with pytest.raises(DatabaseError, match="longer than"):
        hurried.tables.query("select pg_sleep(3600)", **where)
    with pytest.raises(BadInput, match="limit"):
        characters.query("select 1", limit=1001, **where)


def test_the_vector_of_a_text_takes_its_place(characters: Any) -> None:
    sql = "select (:search_embedding)::vector <=> :search_embedding as near, ':search_embedding' as said"
    (row,) = characters.query(sql, search_text="a king of dwarves", space="default").results
    assert row == {"near": pytest.approx(0, abs=1e-6), "said": ":search_embedding"}
    with pytest.raises(BadInput, match="search_text"):
        characters.query("select :search_embedding::vector", space="default")
    with pytest.raises(BadInput, match="search_text"):
        characters.query("select 1", search_text="king", space="default")


def test_fuzzy_search_finds_what_is_nearly_so(characters: Any) -> None:
    characters.insert("characters", {"name": "Gandalf"}, space="default")
    characters.execute(
        "CREATE INDEX idx_name_trgm ON memory.characters USING GIN (name gin_trgm_ops)", space="default"
    )
    found = characters.query("SELECT name FROM memory.characters WHERE name % 'Gandolf'", space="default")
    assert found.results == ({"name": "Gandalf"},)


def test_spatial_types_are_refused_with_the_reason_where_postgis_is_not(characters: Any) -> None:
    for sql in ("create table places (at geography(point, 4326))", "create table places (at geometry)"):
        with pytest.raises(BadInput) as caught:
            characters.execute(sql, space="default", confirm=True)
        assert "PostGIS is not on this server" in (caught.value.hint or "")
    with pytest.raises(BadInput) as caught:
        characters.query("select ST_MakePoint(1, 2)", space="default")
    assert "PostGIS is not on this server" in (caught.value.hint or "")
    assert not characters.list(space="default").extensions.postgis
    assert "Not on this server: GEOGRAPHY" in characters.prompt(space="default").text


def test_tables_are_listed_with_what_was_said_of_them(characters: Any) -> None:
    (table,) = characters.list(table="characters", space="default").tables
    assert (table.description, list(table.embed_fields), list(table.key)) == (
        "Player and NPC characters",
        ["backstory"],
        ["id"],
    )
    columns = {column.name: column for column in table.columns}
    assert columns["name"].description == "Full name including titles"
    assert (columns["worth"].type, columns["name"].nullable, columns["backstory"].embedded) == (
        "numeric(8,2)",
        False,
        True,
    )
    short = characters.list(show_columns=False, space="default")
    assert all(not one.columns for one in short.tables)
    with pytest.raises(NotFound, match="charakters") as caught:
        characters.list(table="charakters", space="default")
    assert caught.value.hint == "Did you mean 'characters'?"


def test_a_secret_never_reaches_a_table(characters: Any) -> None:
    secret = "ghp_" + "a1B2" * 9
    characters.insert("characters", {"name": "Leaky", "backstory": f"His token is {secret}"}, space="default")
    characters.execute(
        f"update characters set backstory = 'now {secret}' where name = 'Leaky'",
        space="default",
        confirm=True,
    )
    characters.update("characters", {"sheet": {"key": secret}}, where={"name": "Leaky"}, space="default")
    (row,) = characters.query("select * from characters where name = 'Leaky'", space="default").results
    assert secret not in str(row)
    assert str(row).count("[redacted:") == 2


T = "characters"
WRONG: list[tuple[str, dict[str, Any], str, str]] = [
    ("memory:insert", {"table": T, "data": "{wrong"}, "data:", "no JSON"),
    ("memory:insert", {"table": T, "data": {"nmae": "x"}}, "data.nmae", "Did you mean 'name'?"),
    (
        "memory:insert",
        {"table": T, "data": {"name": "x", "level": "ten"}},
        "data.level",
        "integer",
    ),
    ("memory:insert", {"table": T, "data": {"name": "x", "tags": "a"}}, "data.tags", "text[]"),
    (
        "memory:insert",
        {"table": T, "data": {"name": "x", "seen_at": "soon"}},
        "data.seen_at",
        "timestamp",
    ),
    ("memory:insert", {"table": T, "data": {"level": 3}}, "data.name", "null"),
    (
        "memory:insert",
        {"table": T, "data": {"name": "x", "level": -1}},
        "data",
        "check constraint",
    ),
    (
        "memory:insert",
        {"table": "charcters", "data": {"name": "x"}},
        "charcters",
        "Did you mean 'characters'?",
    ),
    ("memory:insert", {"table": T, "data": {"name": "x" * 10_000_000}}, "data.name", "1,000,000"),
    ("memory:insert", {"table": T, "data": []}, "data", "no rows"),
    (
        "memory:insert",
        {"table": T, "data": [{"name": "x", "level": 1}, {"name": "y", "level": "ten"}, {"name": "z"}]},
        "data[1].level",
        "level is integer",
    ),
    ("memory:insert", {"table": T, "data": [{"name": "x"}, 5]}, "data[1]", "object"),
    ("memory:insert", {"table": T}, "data", "needed"),
    (
        "memory:insert",
        {"table": "characters; drop table characters", "data": {}},
        "table",
        "no name of a table",
    ),
    ("memory:update", {"table": T, "data": {}, "where": {"id": 1}}, "data", "no column"),
    ("memory:update", {"table": T, "data": {"level": 2}, "where": {}}, "where", "which rows"),
    (
        "memory:update",
        {"table": T, "data": {"level": 2}, "where": {"nmae": 1}},
        "where.nmae",
        "'name'",
    ),
    ("memory:update", {"table": T, "data": {"level": 2}, "where": "nmae = 'x'"}, "where", "'name'"),
    (
        "memory:update",
        {"table": T, "data": {"level": 2}, "where": {"level": {"in": [1, "ten"]}}},
        "where.level",
        "level is integer",
    ),
    (
        "memory:update",
        {"table": T, "data": {"level": 2}, "where": {"level": {"above": 1}}},
        "where.level",
        "no operator 'above'",
    ),
    ("memory:delete", {"table": T, "where": {"level": "ten"}}, "where.level", "level is integer"),
    ("memory:schema:execute", {"sql": "delete from embeddings"}, "sql", "embeddable_fields"),
    ("memory:delete", {"table": T, "where": "{wrong"}, "where", "no JSON"),
    ("memory:delete", {"table": T, "where": "id ="}, "where", "syntax error"),
    ("memory:delete", {"table": "schema_registry", "where": "true"}, "where", "engine"),
    ("memory:query", {"sql": ""}, "sql", "statement"),
    ("memory:query", {"sql": "selct 1"}, "sql", "syntax error"),
    ("memory:query", {"sql": "select nmae from characters"}, "sql", "nmae"),
    ("memory:query", {"sql": "select 1", "serach_text": "x"}, "serach_text", "'search_text'"),
    ("memory:schema:execute", {"sql": "drop table nothing"}, "sql", "does not exist"),
    ("memory:schema:execute", {"sql": "copy characters from stdin"}, "sql", "COPY"),
    (
        "memory:schema:create-table",
        {"name": "a", "description": "x", "sql": "create table a (id int)"},
        "embed_fields",
        "needed",
    ),
    (
        "memory:schema:create-table",
        {"name": "a", "description": " ", "embed_fields": [], "sql": "create table a (id int)"},
        "description",
        "what the table is for",
    ),
    (
        "memory:schema:create-table",
        {"name": "a", "description": "x", "embed_fields": ["nope"], "sql": "create table a (id int)"},
        "embed_fields",
        "There are: id.",
    ),
    (
        "memory:schema:create-table",
        {"name": "a", "description": "x", "embed_fields": ["n"], "sql": "create table a (n text unique)"},
        "embed_fields",
        "PRIMARY KEY",
    ),
    (
        "memory:schema:create-table",
        {"name": "a", "description": "x", "embed_fields": [], "sql": "create table b (id int)"},
        "sql",
        "makes b, not a",
    ),
    (
        "memory:schema:create-table",
        {"name": "a", "description": "x", "embed_fields": [], "sql": "create view a as select 1"},
        "sql",
        "no table",
    ),
    (
        "memory:schema:create-table",
        {
            "name": "characters",
            "description": "x",
            "embed_fields": [],
            "sql": "create table characters (id int)",
        },
        "name",
        "already",
    ),
    ("memory:nothing", {}, "tool", "Did you mean"),
]


@pytest.mark.parametrize(("tool", "arguments", "field", "said"), WRONG)
def test_what_is_wrong_is_told_with_tool_and_field_and_nothing_is_half_done(
    house: House, characters: Any, tool: str, arguments: dict[str, Any], field: str, said: str
) -> None:
    counted = "select (select count(*) from memory.characters), (select count(*) from memory.schema_registry)"
    before = house.rows(counted)
    answer = characters.call(tool, arguments, space="default")
    assert answer["is_error"]
    assert answer["output"].startswith(f"{tool}: ")
    assert field in answer["output"]
    assert said in answer["output"]
    assert len(answer["output"]) < 2_000
    assert house.rows(counted) == before
    assert [table.name for table in characters.list(space="default").tables if not table.protected] == [
        "characters"
    ]


def test_a_value_that_fits_no_type_is_told_whatever_way_postgresql_takes_to_no_row(
    house: House, characters: Any
) -> None:
    # Known to be empty, the table is not worth a look: the values were never read, and nothing was wrong.
    with psycopg.connect(house.url, autocommit=True) as conn:
        conn.execute("vacuum analyze memory.characters")
    for place, operator in enumerate(("in", "not in", "=", "<")):
        wrong: Any = [1, "ten"] if place < 2 else "ten"
        for change in (
            lambda where: characters.update("characters", {"level": 2}, where=where, space="default"),
            lambda where: characters.delete("characters", where=where, space="default", confirm=True),
        ):
            with pytest.raises(BadInput, match="level is integer") as refused:
                change({"name": "Thorin", "level": {operator: wrong}})
            assert refused.value.field == "where.level"


def test_a_row_that_others_refer_to_is_refused_where_it_was_named(house: House, characters: Any) -> None:
    characters.create_table(
        "wounds",
        "create table wounds (id serial primary key, of uuid not null references characters)",
        description="What hurt whom",
        embed_fields=[],
        space="default",
    )
    (key,) = characters.insert("characters", {"name": "Balin"}, space="default").keys
    characters.insert("wounds", {"of": key["id"]}, space="default")
    with pytest.raises(BadInput, match="wounds") as refused:
        characters.delete("characters", where=key, space="default", confirm=True)
    assert refused.value.field == "where"
    with pytest.raises(BadInput, match="characters") as refused:
        characters.insert("wounds", {"of": str(uuid4())}, space="default")
    assert refused.value.field == "data.of"
    characters.execute("drop table wounds", space="default", confirm=True)
    characters.delete("characters", where=key, space="default", confirm=True)


def test_tools_answer_in_the_envelope_of_the_seed(characters: Any) -> None:
    answer = characters.call("memory_query", {"sql": "select 1 as one", "limit": 5}, space="default")
    assert answer == {
        "output": {"results": [{"one": 1}], "count": 1, "_meta": {"limit_applied": 5, "note": None}},
        "is_error": False,
    }


def test_the_structure_is_followed_wherever_it_is_changed(characters: Any) -> None:
    where = {"space": "structure"}
    characters.create_schema("memory", space="structure")
    for name in ("old", "gone"):
        characters.create_table(
            name,
            f"create table {name} (id int primary key, said text)",
            description=name,
            embed_fields="said",
            **where,
        )
    versions = [characters.prompt(**where).version]
    characters.execute(
        "do $$ begin alter table old rename to new; alter table new rename said to told; end $$",
        **where,
        confirm=True,
    )
    characters.execute("drop table gone", **where, confirm=True)
    versions.append(characters.prompt(**where).version)
    registry = characters.query(
        "select table_name, description, embeddable_fields from schema_registry", **where
    )
    assert registry.results == ({"table_name": "new", "description": "old", "embeddable_fields": ["told"]},)
    assert "gone" not in characters.prompt(**where).text
    assert versions[1] > versions[0]
    characters.update("schema_registry", {"description": "now so"}, where={"table_name": "new"}, **where)
    assert "now so" in characters.prompt(**where).text
