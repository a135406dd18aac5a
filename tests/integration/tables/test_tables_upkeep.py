"""What an agent does with its own tables stops neither their upkeep nor that of others."""

from __future__ import annotations

import pytest
from tables_house import House

from quipu.errors import BadInput

ALTER = "do $x$ begin {}; end $x$"
HOSTILE = {
    "policies that hold for their owner": "alter table {s}.boats enable row level security;"
    " alter table {s}.boats force row level security;"
    " create policy none on {s}.boats using (id < 0)",
    "no right of one's own": "revoke all on {s}.boats from {w};"
    " revoke all on sequence {s}.boats_id_seq from {w}",
}
BOATS = "create table boats (id serial primary key, name text)"


def fill(house: House, space: str) -> tuple[str, str]:
    """Make a table of two rows; returns the names of its schema and of its writer."""
    tables = house.memory.tables
    tables.create_table("boats", BOATS, description="Boats.", embed_fields=["name"], space=space)
    tables.insert("boats", [{"name": "Alba"}, {"name": "Bora"}], space=space)
    schema = house.schema(space)
    return schema.schema_name, schema.writer


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("by", ["statement", "trigger"])
def test_snapshots_hold_all_rows_whatever_their_owner_did(house: House, hostile: str, by: str) -> None:
    space = f"{by} {hostile}"
    schema, writer = fill(house, space)
    tables, snapshots = house.memory.tables, house.memory.snapshots
    said = HOSTILE[hostile].format(s=schema, w=writer)
    if by == "statement":
        tables.execute(ALTER.format(said), space=space, confirm=True)
    else:
        tables.execute(f"create table {schema}.lever (id int primary key)", space=space, confirm=True)
        body = f"begin {said}; return new; end"
        tables.execute(
            f"create function {schema}.pull() returns trigger language plpgsql as $f${body}$f$",
            space=space,
            confirm=True,
        )
        tables.execute(
            f"create trigger pull after insert on {schema}.lever for each row"
            f" execute function {schema}.pull()",
            space=space,
            confirm=True,
        )
        tables.insert("lever", {"id": 1}, space=space)
    taken = snapshots.create(space=space)
    tables.delete("boats", where={"name": "Alba"}, space=space, confirm=True)
    assert snapshots.restore(taken.name, space=space, confirm=True).done
    assert house.rows(f"select name from {schema}.boats order by id") == [("Alba",), ("Bora",)]
    assert house.memory.recall("Alba", space=space)


@pytest.mark.parametrize(
    "computed",
    [
        "create index slow on {s}.boats ({s}.ends(id))",
        "create index few on {s}.boats (id) where {s}.ends(id) > 0",
        "create statistics {s}.both on name, ({s}.ends(id)) from {s}.boats",
    ],
)
def test_autovacuum_computes_nothing_of_an_agent_and_a_snapshot_comes_back(
    house: House, computed: str
) -> None:
    space = computed.split(".", maxsplit=1)[0]
    schema, _ = fill(house, space)
    tables, snapshots = house.memory.tables, house.memory.snapshots
    ends = f"create function {schema}.ends(int) returns int language sql immutable return $1 + 1"
    tables.execute(ends, space=space, confirm=True)
    options = "select coalesce(reloptions, '{}') from pg_class where oid = %s::regclass"
    assert house.rows(options, f"{schema}.boats") == [([],)]
    tables.execute(computed.format(s=schema), space=space, confirm=True)
    ((held,),) = house.rows(options, f"{schema}.boats")
    assert "autovacuum_analyze_threshold=2147483647" in held
    reset = ALTER.format(f"alter table {schema}.boats reset (autovacuum_analyze_threshold)")
    tables.execute(reset, space=space, confirm=True)
    ((held,),) = house.rows(options, f"{schema}.boats")
    assert "autovacuum_analyze_threshold=2147483647" in held
    assert snapshots.restore(snapshots.create(space=space).name, space=space, confirm=True).done


def test_a_column_that_is_computed_when_read_is_not_embedded(house: House) -> None:
    if house.rows("select current_setting('server_version_num')::int < 180000")[0][0]:
        pytest.skip("PostgreSQL before 18 has no such columns")
    tables, space = house.memory.tables, "virtual"
    made = (
        "create table boats (id int primary key, name text,"
        " loud text generated always as (upper(name)) virtual)"
    )
    with pytest.raises(BadInput, match="loud is computed when it is read") as refused:
        tables.create_table("boats", made, description="Boats.", embed_fields=["loud"], space=space)
    assert "STORED" in (refused.value.hint or "")
    tables.create_table("boats", made, description="Boats.", embed_fields=["name"], space=space)
    tables.insert("boats", {"id": 1, "name": "Alba"}, space=space)
    with pytest.raises(BadInput, match="loud is computed when it is read"):
        tables.update(
            "schema_registry",
            {"embeddable_fields": ["name", "loud"]},
            where={"table_name": "boats"},
            space=space,
            confirm=True,
        )
    with pytest.raises(BadInput, match="loud is computed when it is read"):
        tables.recreate("boats", made, embed_fields=["loud"], space=space, confirm=True)
    stored = made.replace("virtual", "stored")
    tables.recreate("boats", stored, embed_fields=["loud"], space=space, confirm=True)
    with pytest.raises(BadInput, match="loud is computed when it is read"):
        tables.recreate("boats", made, space=space, confirm=True)
    tables.insert("boats", {"id": 2, "name": "Bora"}, space=space)
    assert house.memory.recall("BORA", space=space)
