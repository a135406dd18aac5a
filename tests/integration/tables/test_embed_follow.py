"""Vectors of agents' tables follow their rows, whatever changes these."""

from __future__ import annotations

import pytest
from tables_followed import agent, heroes, shown
from tables_house import House

from quipu.errors import BadInput, DatabaseUnsuitable, QuipuError


@pytest.fixture
def space(house: House) -> str:
    return heroes(house)


def filed(house: House, space: str) -> int:
    """How many entries of tables the index has of a space."""
    rows = house.rows(
        "select count(*) from core.recall_entries e join core.spaces s on s.id = e.space_id"
        " where s.name = %s and e.kind = 6",
        space,
    )
    return rows[0][0]


def test_a_row_is_found_when_the_call_returns_with_its_table_its_key_and_its_field(
    house: House, space: str
) -> None:
    done = house.memory.tables.insert(
        "heroes", {"id": 7, "name": "Thorin", "story": "A dwarf king in exile."}, space=space
    )
    assert done.embedded == 2
    hit = house.memory.recall("Which dwarf is a king in exile?", space=space)[0]
    assert (hit.kind, hit.text) == ("tables", "A dwarf king in exile.")
    assert (hit.source.message, hit.source.role) == ("7", "memory.heroes.story")
    assert not house.memory.recall("Which dwarf is a king in exile?", space="another")


def test_only_fields_that_changed_are_embedded_again(house: House, space: str) -> None:
    tables = house.memory.tables
    tables.insert("heroes", {"id": 1, "name": "Ada", "story": "She counts.", "level": 1}, space=space)
    assert tables.update("heroes", {"level": 2}, where={"id": 1}, space=space, confirm=True).embedded == 0
    assert (
        tables.update("heroes", {"story": "She counts."}, where={"id": 1}, space=space, confirm=True).embedded
        == 0
    )
    assert (
        tables.update("heroes", {"name": "Ada L."}, where={"id": 1}, space=space, confirm=True).embedded == 2
    )
    assert shown(house, space) == {
        ("heroes", "1", "name", 0): "Ada L.",
        ("heroes", "1", "story", 0): "She counts.",
    }


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_field_without_a_text_has_no_vector(house: House, space: str, nothing: str | None) -> None:
    tables = house.memory.tables
    tables.insert("heroes", {"id": 1, "name": "Ada", "story": "She counts."}, space=space)
    tables.update("heroes", {"story": nothing}, where={"id": 1}, space=space, confirm=True)
    assert shown(house, space) == {("heroes", "1", "name", 0): "Ada"}
    assert filed(house, space) == 1


def test_a_row_that_its_table_changes_on_the_way_in_is_found_as_it_is(house: House, space: str) -> None:
    with agent(house, space) as conn:
        conn.execute(
            "create function louder() returns trigger language plpgsql as"
            " 'begin new.story = upper(new.story); return new; end';"
            "create trigger louder before insert on heroes for each row execute function louder()"
        )
    for number in (1, 2):
        done = house.memory.tables.insert(
            "heroes", {"id": number, "name": "Ada", "story": "aloud"}, space=space
        )
        assert done.embedded == 2
    assert shown(house, space)["heroes", "2", "story", 0] == "ALOUD"
    with pytest.raises(BadInput, match="already exists"):
        house.memory.tables.insert("heroes", {"id": 2, "name": "Bob", "story": "twice"}, space=space)
    assert filed(house, space) == 4


def test_rows_that_come_by_other_ways_are_embedded_too(house: House, space: str) -> None:
    with agent(house, space) as conn:
        conn.execute("insert into heroes select n, 'hero ' || n, null from generate_series(1, 3) n")
        with conn.cursor() as cursor, cursor.copy("copy heroes (id, story) from stdin") as copy:
            copy.write_row((4, "A copied story"))
        conn.execute(
            "merge into heroes h using (values (4), (5)) v (id) on h.id = v.id"
            " when matched then update set name = 'merged'"
            " when not matched then insert (id, name) values (v.id, 'new')"
        )
        conn.execute("insert into heroes values (1, 'x') on conflict (id) do update set name = 'again'")
        conn.execute(
            "insert into deeds values (1, '2026-01-01', 'slew a dragon'), (2, '2026-01-02', 'slept')"
        )
        conn.execute("update heroes set id = 10 where id = 1")  # deeds follow by their reference
        conn.execute("delete from heroes where id = 2")
    house.memory.recall("anything", space=space)
    assert shown(house, space) == {
        ("deeds", '["10", "2026-01-01"]', "deed", 0): "slew a dragon",
        ("heroes", "10", "name", 0): "again",
        ("heroes", "3", "name", 0): "hero 3",
        ("heroes", "4", "name", 0): "merged",
        ("heroes", "4", "story", 0): "A copied story",
        ("heroes", "5", "name", 0): "new",
    }
    assert filed(house, space) == 6
    with agent(house, space) as conn:
        conn.execute("truncate heroes, deeds")
    assert not shown(house, space)  # at once
    house.memory.recall("anything", space=space)
    assert filed(house, space) == 0


def test_what_changed_is_hidden_until_the_index_has_followed(house: House, space: str) -> None:
    house.memory.tables.insert("heroes", {"id": 1, "name": "Ada", "story": "old words"}, space=space)
    with agent(house, space) as conn:
        conn.execute("update heroes set story = 'new words' where id = 1")
    assert not shown(house, space)
    assert house.memory.recall("words", space=space)[0].text == "new words"


@pytest.mark.parametrize(
    "trick",
    [
        "begin alter table heroes disable trigger user; {change};"
        " alter table heroes enable trigger user; end",
        "begin alter table heroes alter story type text using 'changed'; end",
        "declare t text; begin for t in select unnest('{{names}}'::text[])"
        " loop execute format('drop trigger %I on heroes', t); end loop; {change}; end",
    ],
)
def test_who_gets_around_the_triggers_does_not_get_around_the_index(
    house: House, space: str, trick: str
) -> None:
    tables = house.memory.tables
    tables.insert("heroes", {"id": 1, "name": "Ada", "story": "She counts."}, space=space)
    (names,) = house.rows(
        "select string_agg(t.tgname, ',') from pg_trigger t join tables.relations r on r.relation = t.tgrelid"
        " join core.spaces s on s.id = r.space_id and s.name = %s"
        " where r.table_name = 'heroes' and t.tgname like 'quipu%%'",
        space,
    )[0]
    body = trick.replace("{change}", "update heroes set story = 'changed'").replace("{names}", names)
    with agent(house, space) as conn:
        conn.execute(f"do $x$ {body} $x$".encode())
    assert "changed" in {hit.text for hit in house.memory.recall("What changed?", space=space)}
    assert shown(house, space)["heroes", "1", "story", 0] == "changed"
    tables.update("heroes", {"story": "She rests."}, where={"id": 1}, space=space, confirm=True)
    assert shown(house, space)["heroes", "1", "story", 0] == "She rests."


def test_names_of_tables_and_columns_may_change_and_what_goes_takes_its_vectors_along(
    house: House, space: str
) -> None:
    tables = house.memory.tables
    tables.insert("heroes", {"id": 1, "name": "Ada", "story": "She counts."}, space=space)
    with agent(house, space) as conn:
        conn.execute("alter table heroes rename to people; alter table people rename story to life")
        conn.execute("select tables.settle()")
    house.memory.recall("anything", space=space)
    assert set(shown(house, space)) == {("people", "1", "life", 0), ("people", "1", "name", 0)}
    tables.execute(
        "update schema_registry set embeddable_fields = '{name}' where table_name = 'people'",
        space=space,
        confirm=True,
    )
    assert set(shown(house, space)) == {("people", "1", "name", 0)}
    assert tables.execute("drop table people cascade", space=space, confirm=True).embedded == 1
    assert filed(house, space) == 0
    assert not house.rows(
        "select * from tables.embeddings m join core.spaces s on s.id = m.space_id and s.name = %s", space
    )


def test_the_pattern_of_the_seed_moves_a_table_and_makes_no_vector_twice(house: House, space: str) -> None:
    tables = house.memory.tables
    rows = [{"id": n, "name": f"Hero {n}", "story": f"Story {n}"} for n in range(10)]
    tables.insert("heroes", rows, space=space)
    new = "create table heroes_v2 (id uuid primary key default gen_random_uuid(), story text)"
    tables.create_table("heroes_v2", new, description="Heroes", embed_fields=["story"], space=space)
    tables.execute("insert into heroes_v2 (story) select story from heroes", space=space, confirm=True)
    tables.execute(
        "update embeddings set source_table = 'heroes_v2'"
        " where source_table = 'heroes' and field_name = 'story'",
        space=space,
        confirm=True,
    )
    tables.execute("drop table heroes cascade", space=space, confirm=True)
    found = shown(house, space)
    assert sorted(found.values()) == sorted(f"Story {n}" for n in range(10))
    assert {table for table, *_ in found} == {"heroes_v2"}


def test_a_long_field_is_found_by_each_of_its_parts(house: House, space: str) -> None:
    chapters = ["The dwarf digs for gold. " * 60, "The elf sings to the sea. " * 60]
    house.memory.tables.insert("heroes", {"id": 1, "story": "\n\n".join(chapters)}, space=space)
    numbers = [chunk for _, _, _, chunk in shown(house, space)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert "elf" in house.memory.recall("Who sings to the sea?", space=space)[0].text


def test_embeddings_can_be_written_as_documented_and_say_what_the_rows_say(house: House, space: str) -> None:
    tables = house.memory.tables
    tables.insert("heroes", {"id": 1, "name": "Ada", "story": "She counts."}, space=space)
    before = shown(house, space)
    tables.execute("update embeddings set content = 'lies', content_hash = 'x'", space=space, confirm=True)
    tables.execute(
        "insert into embeddings (source_table, source_id, field_name, content)"
        " values ('heroes', '1', 'story', 'lies'), ('heroes', '99', 'story', 'of nobody')",
        space=space,
        confirm=True,
    )
    assert shown(house, space) == before
    with pytest.raises(QuipuError, match="is not embedded"):
        tables.execute(
            "insert into embeddings (source_table, source_id, field_name) values ('heroes', '1', 'level')",
            space=space,
            confirm=True,
        )
    for refused in ("delete from embeddings", "truncate embeddings", "drop view embeddings"):
        with pytest.raises((BadInput, DatabaseUnsuitable)):
            tables.execute(refused, space=space, confirm=True)


def test_partitions_are_followed_as_their_table(house: House, space: str) -> None:
    tables = house.memory.tables
    tables.create_table(
        "log",
        "create table log (day date primary key, line text) partition by range (day)",
        description="A log",
        embed_fields=["line"],
        space=space,
    )
    tables.execute(
        "create table log_2026 partition of log for values from ('2026-01-01') to ('2027-01-01')",
        space=space,
        confirm=True,
    )
    tables.insert("log", {"day": "2026-05-01", "line": "through the parent"}, space=space)
    with agent(house, space) as conn:
        conn.execute("insert into log_2026 values ('2026-05-02', 'directly')")
    house.memory.recall("anything", space=space)
    assert set(shown(house, space)) == {("log", "2026-05-01", "line", 0), ("log", "2026-05-02", "line", 0)}
    tables.execute("drop table log_2026", space=space, confirm=True)
    assert not shown(house, space)


def test_a_cast_of_the_agents_own_does_not_run_with_the_rights_of_the_engine(
    house: House, space: str
) -> None:
    with agent(house, space) as conn:
        conn.execute("create table ran_as (who text)")
        conn.execute("create type mood as enum ('glad', 'sad')")
        conn.execute(
            "create function tell(mood) returns text language plpgsql as"
            " 'begin insert into ran_as values (current_user); return ''x''; end'"
        )
        conn.execute("create cast (mood as text) with function tell(mood)")
        conn.execute(
            "create function tell_json(mood) returns json language plpgsql as"
            " 'begin insert into ran_as values (current_user); return ''1''; end'"
        )
        conn.execute("create cast (mood as json) with function tell_json(mood)")
    tables = house.memory.tables
    tables.create_table(
        "moods",
        "create table moods (id mood, n int, felt mood, primary key (id, n))",
        description="Moods",
        embed_fields=["felt"],
        space=space,
    )
    tables.insert("moods", {"id": "glad", "n": 1, "felt": "sad"}, space=space)
    tables.update("moods", {"felt": "glad"}, where={"n": 1}, space=space, confirm=True)
    assert shown(house, space) == {("moods", '["glad", "1"]', "felt", 0): "glad"}
    with agent(house, space) as conn:
        assert conn.execute("select * from ran_as").fetchall() == []


def test_a_table_that_refuses_to_be_read_is_hidden_and_disturbs_nobody(house: House, space: str) -> None:
    tables = house.memory.tables
    tables.insert("heroes", {"id": 1, "name": "Ada", "story": "She counts."}, space=space)
    with agent(house, space) as conn:
        conn.execute(
            "create function no() returns boolean language plpgsql as 'begin raise exception ''no''; end';"
            "alter table heroes enable row level security, force row level security;"
            "create policy p on heroes using (true);"
            "create policy q on heroes as restrictive for select using (no());"
        )
        conn.execute("insert into heroes values (2, 'Bob', 'He hides.')")
        conn.execute("insert into deeds values (1, '2026-01-01', 'hides a ring')")
    assert [hit.text for hit in house.memory.recall("Who hides?", space=space)] == ["hides a ring"]
    assert ("heroes", "2", "story", 0) not in shown(house, space)
    with agent(house, space) as conn:
        conn.execute("alter table heroes disable row level security, no force row level security")
    house.memory.recall("anything", space=space)
    assert shown(house, space)["heroes", "2", "story", 0] == "He hides."


def test_an_agent_sees_the_embeddings_of_its_own_schema_whatever_it_sets(house: House, space: str) -> None:
    house.memory.tables.insert("heroes", {"id": 1, "name": "Ada", "story": "She counts."}, space=space)
    house.memory.tables.create_table(
        "own", "create table own (id int primary key)", description="x", embed_fields=[], space="stranger"
    )
    number = house.rows("select id from core.spaces where name = %s", space)[0][0]
    with agent(house, "stranger") as conn:
        conn.execute(
            "select set_config('quipu.space', %s, false), set_config('quipu.space_id', %s, false)",
            (space, str(number)),
        )
        assert conn.execute("select * from embeddings").fetchall() == []
        conn.execute(
            "create function peek(text) returns boolean language plpgsql cost 0.0001 as"
            " 'begin raise notice ''%'', $1; return true; end'"
        )
        heard: list[str] = []
        conn.add_notice_handler(lambda notice: heard.append(str(notice.message_primary)))
        assert conn.execute("select * from embeddings where peek(content)").fetchall() == []
        assert heard == []


def test_dropping_a_schema_and_forgetting_a_space_take_the_entries_along(house: House, space: str) -> None:
    tables = house.memory.tables
    tables.insert("heroes", {"id": 1, "name": "Ada", "story": "She counts."}, space=space)
    house.memory.observe([{"content": "Ada stays here."}], space=space)
    assert tables.drop_schema("memory", space=space, confirm=True)
    assert filed(house, space) == 0
    assert [hit.kind for hit in house.memory.recall("Ada", space=space)] == ["message"]
    tables.create_table(
        "t", "create table t (id int primary key, x text)", description="x", embed_fields=["x"], space=space
    )
    tables.insert("t", {"id": 1, "x": "something"}, space=space)
    house.memory.forget(space=space, confirm=True)
    assert filed(house, space) == 0
    assert not house.rows("select 1 from core.spaces where name = %s", space)


@pytest.mark.parametrize(
    ("type_", "key"),
    [
        ("inet", "10.0.0.1"),
        ("boolean", True),
        ("char(5)", "ab"),
        ("numeric(10, 2)", 1.5),
        ("timestamptz", "2026-05-04T10:00:00Z"),
        ("uuid", "0198c5a2-7f3e-7cc1-9d55-3a1f0c9b2e4d"),
        ("bytea", "\\x6162"),
    ],
)
def test_a_row_is_joined_with_its_vector_whatever_type_its_key_has(
    house: House, space: str, type_: str, key: object
) -> None:
    tables = house.memory.tables
    tables.create_table(
        "keyed",
        f"create table keyed (id {type_} primary key, story text)",
        description="Keys of one type",
        embed_fields=["story"],
        space=space,
    )
    tables.insert("keyed", {"id": key, "story": "A dwarf king in exile."}, space=space)
    found = tables.query(
        "select k.story from keyed k join embeddings e"
        " on e.source_table = 'keyed' and e.source_id = format('%s', k.id)",
        space=space,
    )
    assert [row["story"] for row in found.results] == ["A dwarf king in exile."]
