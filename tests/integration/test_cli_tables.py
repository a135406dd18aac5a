"""``quipu tables`` as commands, over a real database."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner, Result

from quipu.errors import BadInput
from quipu.interfaces.cli.call import Call
from quipu.interfaces.cli.commands.tables import command

CREATE = "CREATE TABLE memory.boats (id serial PRIMARY KEY, name text NOT NULL)"


class Tables:
    """Calls the commands in this process."""

    def __init__(self, url: str) -> None:
        self._url = url

    def run(self, *words: str, as_json: bool = False, piped: str | None = None) -> Result:
        call = Call(url=self._url, json=as_json)
        return CliRunner().invoke(command, list(words), obj=call, catch_exceptions=False, input=piped)

    def text(self, *words: str) -> str:
        done = self.run(*words)
        assert done.exit_code == 0, done.output
        return done.stdout

    def json(self, *words: str) -> Any:
        return json.loads(self.run(*words, as_json=True).stdout)


@pytest.fixture
def tables(url: str, monkeypatch: pytest.MonkeyPatch) -> Tables:
    monkeypatch.setenv("QUIPU_EMBEDDING_MODEL", "hashing")
    return Tables(url)


def test_a_table_is_made_filled_asked_changed_and_dropped(tables: Tables) -> None:
    made = ["--name", "boats", "--description", "Boats.", "--embed-fields", "", "--sql", CREATE]
    assert "boats is registered" in tables.text("create-table", *made)
    assert "1 row inserted in boats" in tables.text(
        "insert", "--table", "boats", "--data", '{"name": "Alba"}'
    )
    assert "Alba" in tables.text("query", "select name from memory.boats")
    assert tables.json("query", "select name from boats")["results"] == [{"name": "Alba"}]
    tables.text("update", "--table", "boats", "--data", '{"name": "Bela"}', "--where", '{"id": 1}')
    assert "boats, about" in tables.text("list")
    new = CREATE.replace("name text", "colour text, name text")
    assert "+ colour text" in tables.text("recreate", "boats", "--sql", new)
    assert "colour" not in tables.text("list", "--table", "boats")
    tables.text("recreate", "boats", "--sql", new, "--yes")
    assert tables.json("query", "select * from boats")["results"] == [
        {"id": 1, "colour": None, "name": "Bela"}
    ]
    some = ("--table", "boats", "--where", "name = 'Bela'")
    assert "1 row would be deleted in boats.\n1\n" in tables.text("delete", *some)
    assert tables.json("update", *some, "--data", '{"name": "Cela"}', "--show-first")["undone"]
    assert "1 row deleted" in tables.text("delete", *some, "--yes")
    assert "### boats" in tables.text("prompt")
    assert "boats goes (0 rows)" in tables.text("execute", "drop table boats")
    assert "DROP TABLE" in tables.text("execute", "drop table boats", "--yes")
    assert "embeddings, about 0 rows" in tables.text("drop-schema", "memory")
    assert tables.json("schemas")["items"] != []
    assert tables.json("drop-schema", "memory", "--yes")["done"]
    assert "No schemas yet" in tables.text("schemas")


def test_what_a_write_takes_away_elsewhere_is_shown_until_yes_is_said(tables: Tables) -> None:
    for sql in (
        "create table boats (id int primary key)",
        "create table parts (id int)",
        "insert into parts values (1), (2)",
        "create function wipe() returns int language sql as 'delete from parts returning 1'",
        "create rule wiping as on insert to boats do also delete from parts",
        "insert into boats values (1)",
    ):
        tables.text("execute", sql, "--yes")
    tables.text("execute", "insert into parts values (1), (2)")
    left = ("query", "select count(*) from parts")
    for words in (
        ("insert", "--table", "boats", "--data", '{"id": 2}'),
        ("update", "--table", "boats", "--data", '{"id": 3}', "--where", "id = 1 and wipe() > 0"),
    ):
        shown = tables.text(*words)
        assert "parts: 2 rows deleted" in shown
        assert "--yes" in tables.run(*words).stderr
        assert tables.json(*left)["results"] == [{"count": 2}]
        assert not tables.json(*words, "--yes")["undone"]
        assert tables.json(*left)["results"] == [{"count": 0}]
        tables.text("execute", "insert into parts values (1), (2)")


def test_people_grant_and_agents_are_held_to_it(tables: Tables) -> None:
    assert "work  For work." in tables.text("create-schema", "work", "--description", "For work.")
    assert "read" in tables.text("grant", "ana", "read", "--schema", "work")
    assert tables.json("query", "select 1 as one", "--schema", "work", "--agent", "ana")["results"] == [
        {"one": 1}
    ]
    with pytest.raises(BadInput, match="may read"):
        tables.run("execute", "create table a (id int)", "--schema", "work", "--agent", "ana")
    assert tables.json("grants")["items"][0]["agent"] == "ana"
    assert "No agent was granted anything" in tables.text("revoke", "ana", "--schema", "work")


def test_a_statement_is_needed(tables: Tables) -> None:
    done = tables.run("query")
    assert done.exit_code == 2
    assert "Give a statement" in done.output


def test_rows_come_by_a_pipe_too(tables: Tables) -> None:
    given = ("--name", "boats", "--description", "Boats", "--embed-fields", "", "--sql", CREATE)
    tables.text("create-table", *given)
    rows = json.dumps([{"name": f"Boat {number}"} for number in range(300)])
    done = tables.run("insert", "--table", "boats", "--data", "-", piped=rows)
    assert "300 rows inserted" in done.stdout
    assert tables.json("query", "SELECT count(*) AS many FROM memory.boats")["results"] == [{"many": 300}]


def test_a_row_is_given_as_pairs_too(tables: Tables) -> None:
    given = ("--name", "boats", "--description", "Boats", "--embed-fields", "", "--sql", CREATE)
    tables.text("create-table", *given)
    assert "1 row inserted" in tables.text("insert", "--table", "boats", "--data", "name=Alba")
    assert "1 row updated" in tables.text(
        "update", "--table", "boats", "--data", "name=Mia", "--where", "true"
    )
    assert tables.json("query", "SELECT name FROM memory.boats")["results"] == [{"name": "Mia"}]
