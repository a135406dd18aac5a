"""Whatever an agent does to its rows and tables, the index says what they say, and never what they said."""

from __future__ import annotations

from itertools import count
from typing import Any

import psycopg
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from psycopg import sql
from tables_house import House

NUMBERS = count()
KEYS = st.integers(1, 4)
TEXTS = st.one_of(st.none(), st.sampled_from(["", "gold", "silver", "a ring", "word " * 250]))
SHOWN = (
    "select source_id, field_name, string_agg(content, '' order by chunk_index) from embeddings group by 1, 2"
)


class Agent(RuleBasedStateMachine):
    """Statements of an agent on its own login, past all tools, each with what the tools do at its end."""

    house: House
    conn: psycopg.Connection[Any]

    @initialize()
    def begin(self) -> None:
        self.space = f"states{next(NUMBERS)}"
        self.name, self.field = "things", "body"
        self.house.memory.tables.create_table(
            "things",
            "create table things (id int primary key, body text, note text)",
            description="Things",
            embed_fields=["body"],
            space=self.space,
        )
        schema = self.house.schema(self.space)
        self.conn = psycopg.connect(self.house.url)
        names = sql.Identifier(schema.writer), sql.Identifier(schema.schema_name)
        self.conn.execute(sql.SQL("set session authorization {}").format(names[0]))
        self.conn.execute(sql.SQL("set search_path = {}, public").format(names[1]))
        self.conn.commit()

    def run(self, statement: str, *values: object) -> None:
        text = statement.replace("TABLE", self.name).replace("FIELD", self.field)
        try:
            self.conn.execute(text.encode(), values or None)
            self.conn.execute("select tables.settle()")
            self.conn.commit()
        except psycopg.errors.UniqueViolation:
            self.conn.rollback()

    @rule(key=KEYS, text=TEXTS)
    def insert(self, key: int, text: str | None) -> None:
        self.run(
            "insert into TABLE (id, FIELD) values (%s, %s)"
            " on conflict (id) do update set FIELD = excluded.FIELD",
            key,
            text,
        )

    @rule(key=KEYS, text=TEXTS)
    def update(self, key: int, text: str | None) -> None:
        self.run("update TABLE set FIELD = %s where id >= %s", text, key)

    @rule(key=KEYS, other=KEYS)
    def change_the_key(self, key: int, other: int) -> None:
        self.run("update TABLE set id = %s where id = %s", other, key)

    @rule()
    def shift_all_keys(self) -> None:
        self.run(
            "update TABLE t set id = v.new from (select id, 5 - id as new from TABLE) v where v.id = t.id"
        )

    @rule(key=KEYS)
    def delete(self, key: int) -> None:
        self.run("delete from TABLE where id = %s", key)

    @rule()
    def truncate(self) -> None:
        self.run("truncate TABLE")

    @rule(text=TEXTS)
    def rewrite_the_column(self, text: str | None) -> None:
        self.run("alter table TABLE alter FIELD type text using coalesce(FIELD, '') || 'x'")
        self.follow()  # as every call does: this alone can only be seen when it is over

    @rule()
    def rename(self) -> None:
        other = {"things": "items", "items": "things"}[self.name]
        self.run(f"alter table TABLE rename to {other}")
        self.name = other

    @rule()
    def embed_the_other_field(self) -> None:
        other = {"body": "note", "note": "body"}[self.field]
        self.run(f"update schema_registry set embeddable_fields = '{{{other}}}'")
        self.field = other

    @rule()
    def follow(self) -> None:
        """A recall has the index follow."""
        self.house.memory.recall("gold", space=self.space)
        assert self.indexed() == self.truth()
        assert self.house.rows(
            "select count(*) from core.recall_entries e join core.spaces s on s.id = e.space_id"
            " where s.name = %s",
            self.space,
        ) == self.house.rows(
            "select count(*) from tables.embeddings e join core.spaces s on s.id = e.space_id"
            " where s.name = %s",
            self.space,
        )

    @invariant()
    def nothing_is_stale(self) -> None:
        """What the view shows is what the table says at that moment."""
        assert self.indexed().items() <= self.truth().items()

    def indexed(self) -> dict[tuple[str, str], str]:
        rows = self.conn.execute(SHOWN).fetchall()
        self.conn.commit()
        return {(key, field): text for key, field, text in rows}

    def truth(self) -> dict[tuple[str, str], str]:
        query = f"select id::text, {self.field} from {self.name} where {self.field} <> ''"
        rows = self.conn.execute(query.encode()).fetchall()
        self.conn.commit()
        return {(key, self.field): text for key, text in rows}

    def teardown(self) -> None:
        if hasattr(self, "conn"):
            self.follow()
            self.conn.close()


def test_the_index_says_what_the_tables_say_after_any_sequence_of_statements(house: House) -> None:
    Agent.house = house
    run_state_machine_as_test(
        Agent,
        settings=settings(
            max_examples=6,
            stateful_step_count=10,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_fields_that_sql_registers_of_a_table_without_a_key_are_said_not_to_be_embedded(
    house: House,
) -> None:
    tables, where = house.memory.tables, {"space": "unkeyed"}
    assert tables.execute("create table notes (id int, said text)", **where, confirm=True).note is None
    statement = "insert into schema_registry values ('notes', 'Notes.', '{said}')"
    assert "notes has no primary key" in (tables.execute(statement, **where, confirm=True).note or "")
    definition = "create table notes (id int primary key, said text)"
    tables.recreate("notes", definition, **where, confirm=True)
    tables.insert("notes", {"id": 1, "said": "a heron"}, **where)
    assert tables.execute("select 1", **where, confirm=True).note is None
    assert tables.query("select content from embeddings", **where).results == ({"content": "a heron"},)
