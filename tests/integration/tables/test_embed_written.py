"""What a row says once it is in, when a small insert does not read it back; and what is only tried."""

from __future__ import annotations

import pytest
from tables_followed import agent, heroes, shown
from tables_house import House

from quipu.errors import BadInput


@pytest.fixture
def space(house: House) -> str:
    return heroes(house)


AFTERWARDS = (
    "create function later() returns trigger language plpgsql as"
    " 'begin update heroes set story = upper(new.story) where id = new.id; return null; end';"
    "create trigger later after insert on heroes for each row execute function later()",
    "create function later() returns trigger language plpgsql as"
    " 'begin insert into echoes values (new.id, new.name, reverse(new.story)); return null; end';"
    "create trigger later after insert on heroes for each row execute function later()",
    "create function later() returns trigger language plpgsql as"
    " 'begin delete from heroes where id = new.id; return null; end';"
    "create trigger later after insert on heroes for each row execute function later()",
)


def test_what_a_table_makes_of_a_row_once_it_is_in_is_what_is_found(house: House, space: str) -> None:
    tables = house.memory.tables
    tables.create_table(
        "echoes",
        "create table echoes (id int primary key, name text, story text)",
        description="Echoes",
        embed_fields=["story", "name"],
        space=space,
    )
    for number, way in enumerate(AFTERWARDS, start=2):
        with agent(house, space) as conn:
            conn.execute(way)
            tables.insert("heroes", {"id": number, "name": "Ada", "story": "a tale"}, space=space)
            there = conn.execute(
                "select 'heroes', id::text, story from heroes"
                " union all select 'echoes', id::text, story from echoes"
            ).fetchall()
            conn.execute("drop function later cascade")
        found = shown(house, space).items()
        assert sorted((t, key, text) for (t, key, field, _), text in found if field == "story") == sorted(
            there
        )
        assert len(there) == (1 if number == 2 else 3)


def test_a_row_without_a_text_that_gets_one_once_it_is_in_is_found_by_it(house: House, space: str) -> None:
    with agent(house, space) as conn:
        conn.execute(AFTERWARDS[0].replace("upper(new.story)", "''told later''"))
    house.memory.tables.insert("heroes", [{"id": 1, "level": 1}, {"id": 2, "name": "Ada"}], space=space)
    assert {key: text for key, text in shown(house, space).items() if key[2] == "story"} == {
        ("heroes", "1", "story", 0): "told later",
        ("heroes", "2", "story", 0): "told later",
    }


def test_a_rule_that_returns_another_row_than_it_writes_deceives_nobody(house: House, space: str) -> None:
    tables = house.memory.tables
    tables.create_table(
        "tales",
        "create table tales (id int primary key, story text) partition by range (id)",
        description="Tales",
        embed_fields=["story"],
        space=space,
    )
    tables.execute("create table all_tales partition of tales default", space=space, confirm=True)
    tables.execute(
        "create rule lie as on insert to tales do instead"
        " insert into all_tales values (new.id, 'the truth') returning id, 'a lie'::text",
        space=space,
        confirm=True,
    )
    for number in (1, 2):
        tables.insert("tales", {"id": number, "story": "a lie"}, space=space)
    assert set(shown(house, space).values()) == {"the truth"}


def test_what_is_tried_says_exactly_what_it_would_do_and_does_nothing(house: House, space: str) -> None:
    tables = house.memory.tables
    heroes = [{"id": number, "name": f"Hero {number}", "story": "Told."} for number in range(25)]
    tables.insert("heroes", heroes, space=space)
    tables.insert("deeds", {"hero": 24, "day": "2026-01-01", "deed": "He left."}, space=space)
    with agent(house, space) as conn:
        conn.execute(
            "create function stay() returns trigger language plpgsql as"
            " 'begin return case when old.id < 2 then null else old end; end';"
            "create trigger stay before delete on heroes for each row execute function stay()"
        )
    before = shown(house, space)
    tried = tables.delete("heroes", where="true", confirm=False, space=space)
    assert (tried.rows, len(tried.keys), tried.embedded, tried.undone) == (23, 20, 0, True)
    tried = tables.update("heroes", {"story": "Anew."}, where={"id": {"<": 3}}, show_first=True, space=space)
    assert (tried.rows, [key["id"] for key in tried.keys]) == (3, [0, 1, 2])
    with agent(house, space) as conn:
        conn.execute(
            "create table oaths (hero int references heroes deferrable initially deferred);"
            "insert into oaths values (24)"
        )
    with pytest.raises(BadInput, match="oaths"):
        tables.delete("heroes", where={"id": 24}, confirm=False, space=space)
    refused = tables.call("memory:delete", {"table": "heroes", "where": "true", "dry_run": "no"}, space=space)
    assert refused == {"output": "memory:delete: dry_run: true or false.", "is_error": True}
    assert shown(house, space) == before
    assert house.rows("select count(*) from tables.dirty_rows") == [(0,)]
