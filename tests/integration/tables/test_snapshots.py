"""Snapshots are taken and put back whole; what is hostile, broken or forgotten does not come in by them."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from fingerprint import fingerprint
from tables_house import House, take_hourly

from quipu.errors import BadInput, NotFound
from quipu.upkeep.snapshots.model import Snapshot
from quipu.upkeep.snapshots.shelf import digest

EVERYTHING = (
    "create type {s}.mood as enum ('calm', 'wild')",
    "create domain {s}.level as int check (value > 0)",
    "create table {s}.boats (id serial primary key, name text not null, mood {s}.mood default 'calm',"
    " twice int generated always as (id * 2) stored, length {s}.level, tags text[],"
    " at timestamptz default now())",
    "create table {s}.trips (no bigint generated always as identity primary key,"
    " boat int references {s}.boats (id), plan jsonb, unique (boat, plan))",
    "create table {s}.logs (day date, said text) partition by range (day)",
    "create table {s}.logs_2026 partition of {s}.logs for values from ('2026-01-01') to ('2027-01-01')",
    "create index boats_by_name on {s}.boats using gin (name public.gin_trgm_ops)",
    "create view {s}.sailed as select b.name, t.plan from {s}.boats b join {s}.trips t on t.boat = b.id",
    "create materialized view {s}.counted as select count(*) as boats from {s}.boats",
    "create function {s}.longer(int) returns int language sql begin atomic select $1 + 1; end",
    "create trigger unchanged before update on {s}.boats for each row"
    " execute function suppress_redundant_updates_trigger()",
    "create policy everybody on {s}.trips using (true)",
    "create sequence {s}.numbers start 7",
    "create operator {s}.<+> (function = int4pl, leftarg = int, rightarg = int)",
    "comment on column {s}.boats.length is 'In metres; ''about'''",
    "insert into {s}.boats (name, length, tags) values ('Alba', 9, '{{a,b}}'),"
    " (E'B\\te\\nla\\\\.', 12, null)",
    'insert into {s}.trips (boat, plan) values (1, \'{{"to": "Faro"}}\')',
    "insert into {s}.logs values ('2026-03-14', E'calm; \\\\. \\n\\\\.')",
    "refresh materialized view {s}.counted",
)


def fill(house: House, space: str) -> str:
    """A schema with one of everything, its rows registered and embedded; what SQL calls it."""
    schema = house.schema(space).schema_name
    for statement in EVERYTHING:
        done = house.memory.tables.call(
            "memory:schema:execute", {"sql": statement.format(s=schema)}, space=space
        )
        assert not done["is_error"], done
    registered = (
        f"insert into {schema}.schema_registry values ('boats', 'Boats; all ''of them''', '{{name}}')"
    )
    house.memory.tables.execute(registered, space=space, confirm=True)
    return schema


def content(house: House, space: str) -> dict[str, Any]:
    """All that can be asked of the schema that ``fill`` made."""
    asked = {}
    for query in (
        "select * from boats order by id",
        "select * from trips order by no",
        "select * from logs",
        "select * from sailed",
        "select * from counted",
        "select longer(2)",
        "select table_name, description, embeddable_fields from schema_registry order by 1",
    ):
        asked[query] = house.memory.tables.query(query, space=space).results
    listed = house.memory.tables.list(space=space).tables
    return asked | {one.name: (one.columns, one.key, one.embed_fields, one.description) for one in listed}


def structure(house: House, schema: str) -> list[tuple[Any, ...]]:
    """Objects with their definitions, as the superuser sees them, but for numbers that count on."""
    return house.rows(
        """
        select c.relkind::text, c.relname, pg_get_userbyid(c.relowner), c.relrowsecurity,
            (select string_agg(pg_get_constraintdef(o.oid), ';' order by o.conname) from pg_constraint o
                where o.conrelid = c.oid),
            (select string_agg(pg_get_indexdef(i.indexrelid), ';' order by i.indexrelid::regclass::text)
                from pg_index i where i.indrelid = c.oid),
            (select string_agg(regexp_replace(t.tgname, '[0-9]', '', 'g'), ';' order by t.tgname)
                from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal),
            (select string_agg(p.polname, ';') from pg_policy p where p.polrelid = c.oid),
            has_table_privilege((select reader from tables.schemas where schema_name = %s), c.oid, 'select')
        from pg_class c where c.relnamespace = %s::regnamespace and c.relkind <> 'i' order by 1, 2
        """,
        schema,
        schema,
    )


@pytest.fixture(scope="module")
def filled(house: House) -> tuple[str, Snapshot]:
    schema = fill(house, "sea")
    return schema, house.memory.snapshots.create(space="sea")


def test_a_restore_brings_all_of_it_back_and_can_itself_be_undone(
    house: House, filled: tuple[str, Snapshot]
) -> None:
    schema, snapshot = filled
    memory = house.memory
    was, made = content(house, "sea"), structure(house, schema)
    assert memory.recall("Alba", space="sea", kinds=["tables"])[0].text == "Alba"
    tables = memory.tables
    tables.update("boats", {"name": "Zora"}, where={"id": 1}, space="sea", confirm=True)
    tables.execute("drop table logs", space="sea", confirm=True)
    tables.execute("create table later (id int primary key, word text)", space="sea", confirm=True)
    tables.execute(
        "create function further() returns int language sql as 'select 1'", space="sea", confirm=True
    )
    tables.insert("later", {"id": 1, "word": "x"}, space="sea")
    changed = structure(house, schema)

    shown = memory.snapshots.restore(snapshot.name, space="sea")
    assert (shown.done, shown.undo, structure(house, schema)) == (False, None, changed)
    assert (shown.before["later"], "later" in shown.after, shown.after["logs_2026"]) == (1, False, 1)

    read: list[int] = []
    done = memory.snapshots.restore(snapshot.name, space="sea", confirm=True, progress=read.append)
    assert (done.done, dict(done.after)) == (True, {"boats": 2, "logs_2026": 1, "trips": 1})
    assert sum(read) == snapshot.bytes
    assert (content(house, "sea"), structure(house, schema)) == (was, made)
    assert [hit.text for hit in memory.recall("Alba", space="sea", kinds=["tables"])][:1] == ["Alba"]
    assert "Zora" not in {hit.text for hit in memory.recall("Zora", space="sea", kinds=["tables"])}
    added = tables.insert("boats", {"name": "Cleo"}, space="sea")
    assert added.keys == ({"id": 3},), "numbers go on after those that were restored"
    assert house.rows("select count(*) from tables.kept_vectors") == [(0,)]

    assert done.undo is not None
    memory.snapshots.restore(done.undo, space="sea", confirm=True)
    assert structure(house, schema) == changed
    assert tables.query("select name from boats where id = 1", space="sea").results == ({"name": "Zora"},)
    memory.snapshots.restore(snapshot.name, space="sea", confirm=True)
    assert (content(house, "sea"), structure(house, schema)) == (was, made)


def test_rows_that_are_not_what_the_manifest_says_change_nothing(
    house: House, filled: tuple[str, Snapshot]
) -> None:
    schema, _ = filled
    snapshots = house.memory.snapshots
    snapshot = snapshots.create(space="sea")
    path = file_of(house, snapshot)
    manifest = json.loads(path.with_suffix(".json").read_text())
    manifest["sums"]["boats"]["checksum"] = "1"
    path.with_suffix(".json").write_text(json.dumps(manifest))
    was = content(house, "sea"), structure(house, schema)
    with pytest.raises(BadInput, match="boats did not come out as the manifest says"):
        snapshots.restore(snapshot.name, space="sea", confirm=True)
    assert (content(house, "sea"), structure(house, schema)) == was
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(BadInput, match="is not what was written"):
        snapshots.restore(snapshot.name, space="sea", confirm=True)
    assert snapshots.erase(snapshot.name, space="sea", confirm=True).name == snapshot.name
    with pytest.raises(NotFound, match="no snapshot"):
        snapshots.erase(snapshot.name, space="sea", confirm=True)


def file_of(house: House, snapshot: Snapshot) -> Path:
    (found,) = house.home.glob(f"snapshots/*/{snapshot.space_id}/{snapshot.name}")
    return found


def test_snapshots_are_files_that_nobody_else_reads(house: House, filled: tuple[str, Snapshot]) -> None:
    path = file_of(house, filled[1])
    modes = {one.stat().st_mode & 0o777 for one in (path, *map(path.with_suffix, (".json", ".vectors")))}
    assert (modes, path.parent.stat().st_mode & 0o777) == ({0o600}, 0o700)
    assert not [one for one in path.parent.iterdir() if ".part" in one.name]


def test_what_is_equal_is_on_the_disk_once(house: House) -> None:
    memory, where = house.memory, {"space": "twice"}
    schema = house.schema("twice").schema_name
    create = f"create table {schema}.words (id int primary key, word text)"
    memory.tables.create_table("words", create, description="Words.", embed_fields=["word"], **where)
    memory.tables.insert("words", {"id": 1, "word": "one"}, **where)
    first, second = (file_of(house, memory.snapshots.create(**where)) for _ in range(2))
    assert first != second
    assert first.with_suffix(".vectors").samefile(second.with_suffix(".vectors"))
    memory.snapshots.erase(first.name, confirm=True, **where)
    assert memory.snapshots.restore(second.name, confirm=True, **where).done
    assert second.with_suffix(".vectors").is_file()


def test_what_a_crash_left_half_written_is_swept_up_a_day_later(house: House) -> None:
    house.schema("crash")
    kept = file_of(house, house.memory.snapshots.create(space="crash"))
    old = [kept.with_name("memory_20200101_000000.sql"), kept.with_name("memory_20200101_000000.sql.part")]
    young = kept.with_name("memory_20200101_000001.sql.part")
    for path in (*old, young, kept):
        path.touch()
        if path is not young:
            os.utime(path, (0, 0))
    take_hourly(house.memory, space="crash")
    assert [path.exists() for path in (*old, young, kept)] == [False, False, True, True]


def test_another_space_has_no_way_to_a_snapshot(house: House, filled: tuple[str, Snapshot]) -> None:
    snapshots = house.memory.snapshots
    house.schema("lake")
    assert snapshots.list(space="lake") == []
    for call in (snapshots.restore, snapshots.erase):
        with pytest.raises(NotFound, match="no snapshot"):
            call(filled[1].name, space="lake")
    assert snapshots.list(space="never") == []
    assert [one.tier for one in snapshots.list(space="sea")] == ["kept"] * len(snapshots.list(space="sea"))


def test_what_was_forgotten_since_does_not_come_back(house: House) -> None:
    memory, where = house.memory, {"space": "people"}
    schema = house.schema("people").schema_name
    memory.observe([{"content": "I sail.", "user": "ann"}], session="s-ann", **where)
    memory.observe([{"content": "I row.", "user": "bob"}], session="s-bob", **where)
    for statement in (
        "create table {s}.persons (name text primary key, about text)",
        "create table {s}.boats (id int primary key, owner text references {s}.persons (name))",
        "create table {s}.oars (id int primary key, boat int references {s}.boats (id))",
        "create table {s}.said (id int primary key, data jsonb, tags text[])",
        "create table {s}.copies (word text)",
        "create function {s}.copy() returns trigger language plpgsql as"
        " $$begin insert into {s}.copies values (old.name); return old; end$$",
        "create trigger copying before delete on {s}.persons for each row execute function {s}.copy()",
        "create materialized view {s}.names as select name from {s}.persons",
        "insert into {s}.persons values ('ann', 'Sails.'), ('bob', 'Knows ann.')",
        "insert into {s}.boats values (1, 'ann'), (2, 'bob')",
        "insert into {s}.oars values (1, 1), (2, 2)",
        "insert into {s}.said values (1, '{{\"by\": {{\"user\": \"ann\"}}}}', null), (2, '{{}}', '{{bob}}'),"
        ' (3, \'{{"session": "s-ann"}}\', null)',
        "refresh materialized view {s}.names",
    ):
        memory.tables.execute(statement.format(s=schema), **where, confirm=True)
    snapshot = memory.snapshots.create(**where)
    memory.forget(user="ann", confirm=True, **where)
    memory.forget(session="s-ann", confirm=True, **where)
    done = memory.snapshots.restore(snapshot.name, confirm=True, **where)
    assert done.erased == 5
    for table, left in (
        ("persons", [{"name": "bob"}]),
        ("names", [{"name": "bob"}]),
        ("copies", []),
    ):
        column = "name" if table != "copies" else "word as name"
        assert list(memory.tables.query(f"select {column} from {table}", **where).results) == left
    for table in ("boats", "oars", "said"):
        assert memory.tables.query(f"select id from {table}", **where).results == ({"id": 2},)


def test_a_schema_that_was_dropped_is_made_again_and_its_vectors_are_used(house: House) -> None:
    memory, where = house.memory, {"space": "yard", "schema": "work"}
    memory.tables.create_schema("work", space="yard")
    create = "create table words (id int primary key, word text)"
    memory.tables.create_table("words", create, description="Words.", embed_fields=["word"], **where)
    rows = [{"id": n, "word": f"word number {n}"} for n in range(12)]
    memory.tables.insert("words", rows, **where)
    snapshot = memory.snapshots.create(**where)
    assert snapshot.vectors == 12
    assert memory.tables.drop_schema("work", space="yard", confirm=True)
    assert [one.name for one in memory.snapshots.list(space="yard")] == [snapshot.name]
    done = memory.snapshots.restore(snapshot.name, space="yard", confirm=True)
    assert (done.after, done.embedded) == ({"words": 12}, 12)
    assert memory.recall("word number 7", space="yard")[0].text == "word number 7"


def test_vectors_of_a_snapshot_are_taken_and_not_made_again(house: House) -> None:
    memory, where = house.memory, {"space": "vectors"}
    schema = house.schema("vectors").schema_name
    create = f"create table {schema}.words (id int primary key, word text)"
    memory.tables.create_table("words", create, description="Words.", embed_fields=["word"], **where)
    memory.tables.insert("words", [{"id": n, "word": f"word {n}"} for n in range(12)], **where)
    snapshot = memory.snapshots.create(**where)
    path = file_of(house, snapshot).with_suffix(".vectors")
    lines = [line.split() for line in path.read_text().splitlines()]
    mark = lines[0][2]
    path.write_text("".join(f"{hashed} {model} {mark}\n" for hashed, model, _ in lines))
    manifest = json.loads(path.with_suffix(".json").read_text())
    manifest["vectors_sha256"] = digest(path)
    path.with_suffix(".json").write_text(json.dumps(manifest))
    memory.tables.execute("drop table words", **where, confirm=True)
    memory.snapshots.restore(snapshot.name, confirm=True, **where)
    stored = house.rows(
        "select translate(encode(halfvec_send(v.context), 'base64'), E'\\n', ''), count(*)"
        " from tables.embeddings m"
        " join core.recall_vectors v on v.space_id = m.space_id and v.entry_id = m.entry_id"
        " where m.space_id = %s group by 1",
        snapshot.space_id,
    )
    assert stored == [(mark, 12)]


def test_agents_have_no_way_to_snapshots(house: House, filled: tuple[str, Snapshot]) -> None:
    schema, snapshot = filled
    path = file_of(house, snapshot)
    memory, where = house.memory, {"space": "sea", "agent": "narrator"}
    memory.tables.grant("narrator", "admin", space="sea")
    before = fingerprint(house.url, house.schema("sea"))
    for tool in ("memory:snapshot:restore", "memory:snapshots:create", "memory:import", "memory:export"):
        assert memory.tables.call(tool, {"name": snapshot.name}, **where)["is_error"]
    for statement in (
        f"select pg_read_file('{path}')",
        f"select pg_ls_dir('{path.parent}')",
        f"copy {schema}.boats (name) from '{path}'",
        f"copy {schema}.boats to '{path}'",
        "select * from tables.kept_vectors",
        "insert into tables.kept_vectors values (1, 1, 'x', 1, '[1]')",
        "delete from tables.kept_vectors",
        "select lo_import('/etc/passwd')",
        "select pg_export_snapshot()",
    ):
        for tool in ("memory:schema:execute", "memory:query"):
            done = memory.tables.call(tool, {"sql": statement}, **where)
            assert done["is_error"] or "pg_export_snapshot" in statement, (statement, done)
    assert fingerprint(house.url, house.schema("sea")) == before
    assert path.is_file()


def test_a_dump_that_was_handed_out_comes_into_another_space_under_its_name(
    house: House, tmp_path: Path
) -> None:
    memory = house.memory
    schema = house.schema("from").schema_name
    for statement in EVERYTHING:
        if "function" not in statement and "policy" not in statement:
            memory.tables.execute(statement.format(s=schema), space="from", confirm=True)
    out = memory.snapshots.export(tmp_path / "all.sql", space="from")
    assert (out.tables, out.rows) == (3, 4)
    with pytest.raises(BadInput, match="there already"):
        memory.snapshots.export(tmp_path / "all.sql", space="from")
    memory.tables.create_schema("work", space="into")
    where = {"space": "into", "schema": "work"}
    trial = memory.snapshots.import_dump(out.path, **where)
    assert (trial.done, trial.after) == (False, {"boats": 2, "logs_2026": 1, "trips": 1})
    assert len(memory.tables.list(**where).tables) == 2
    done = memory.snapshots.import_dump(out.path, confirm=True, **where)
    assert done.undo is not None
    assert memory.tables.query("select name, plan from sailed", **where).results == (
        {"name": "Alba", "plan": {"to": "Faro"}},
    )
    assert memory.tables.insert("boats", {"name": "Cleo", "length": 3}, **where).keys == ({"id": 3},)
    plain = memory.snapshots.export(tmp_path / "structure.sql", structure=True, space="from")
    assert (plain.rows, b"Alba" in plain.path.read_bytes()) == (0, False)
    shown = memory.snapshots.import_dump(plain.path, space="fresh")
    assert (shown.after, memory.tables.schemas(space="fresh")) == ({}, [])
    memory.snapshots.import_dump(plain.path, space="fresh", confirm=True)
    assert memory.tables.query("select * from boats", space="fresh").results == ()


def test_a_person_whose_space_is_forgotten_leaves_no_snapshot(house: House) -> None:
    memory, where = house.memory, {"space": "gone"}
    schema = house.schema("gone").schema_name
    memory.tables.execute(f"create table {schema}.t (word text)", **where, confirm=True)
    path = file_of(house, memory.snapshots.create(**where))
    assert memory.forget(**where).counts["snapshots"] == 1
    assert path.is_file()
    assert memory.forget(confirm=True, **where).counts["snapshots"] == 1
    assert not path.parent.exists()


def test_a_write_during_a_restore_is_in_the_undo_or_comes_after_it(house: House) -> None:
    memory, where = house.memory, {"space": "busy"}
    schema = house.schema("busy").schema_name
    memory.tables.execute(f"create table {schema}.marks (id int primary key)", **where, confirm=True)
    snapshot = memory.snapshots.create(**where)
    written: list[int] = []
    over = threading.Event()

    def write() -> None:
        for number in range(10_000):
            memory.tables.insert("marks", {"id": number}, **where)
            written.append(number)
            if over.is_set():
                return

    writer = threading.Thread(target=write)
    writer.start()
    done = memory.snapshots.restore(snapshot.name, confirm=True, **where)
    over.set()
    writer.join()
    query = "select id from marks order by id"
    after = [row["id"] for row in memory.tables.query(query, limit=1000, **where).results]
    assert done.undo is not None
    memory.snapshots.restore(done.undo, confirm=True, **where)
    before = [row["id"] for row in memory.tables.query(query, limit=1000, **where).results]
    assert min(len(before), len(after)) > 0
    assert before + after == written
