"""Outside, nobody sees what PostgreSQL calls a schema: not in answers, errors, help or pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from click.testing import CliRunner
from mcp.client.client import Client
from named_boats import AROUND, BEFORE, BOATS, REFUSED
from page_client import Browser
from tables_house import House

from quipu import AsyncMemory, Memory
from quipu.app.operations import public_names
from quipu.errors import QuipuError
from quipu.interfaces.cli.call import Call
from quipu.interfaces.cli.commands import snapshots as snapshot_commands
from quipu.interfaces.cli.commands import tables as table_commands
from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.mcp.server import build
from quipu.interfaces.server import create_app
from quipu.kernel.config import Settings

SPACE: Final = "ana"
INTERNAL: Final = re.compile(r"memory_s\d")
OPERATED: Final = {one for one in public_names() if one.split(".")[0] in {"tables", "snapshots"}}


@pytest.fixture(scope="module")
def own(house: House) -> str:
    """The name that PostgreSQL has for the schema of the space, with tables in it and in another space."""
    tables = house.memory.tables
    house.schema("first")  # so that the numbers differ from 1
    for space in ("other", SPACE):
        for statement in BEFORE:
            tables.execute(statement, space=space, confirm=True)
        about = {"description": "What floats.", "embed_fields": ["name"], "space": space}
        tables.create_table("boats", BOATS, **about)
        tables.insert("boats", [{"name": "Alba"}, {"name": "Bora", "twin": 1}], space=space)
        for statement in AROUND:
            tables.execute(statement, space=space, confirm=True)
    return house.schema(SPACE).schema_name


@pytest.fixture(scope="module")
def statements(house: House, own: str) -> dict[str, str]:
    other = house.schema("other").schema_name
    return {text.format(own=own, other=other): told for text, told in REFUSED.items()}


class Doors:
    """Calls operations of Python, and keeps the names of those that were called and all that they said."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.called: set[str] = set()
        self.said: list[str] = []

    def __call__(self, operation: str, *values: Any, **named: Any) -> Any:
        group, method = operation.split(".")
        self.called.add(operation)
        done = getattr(getattr(self._memory, group), method)(*values, **named)
        self.said.append(repr(done))
        return done


@pytest.fixture
def doors(house: House, own: str) -> Iterator[Doors]:
    assert INTERNAL.match(own)
    doors = Doors(house.memory)
    yield doors
    assert doors.said
    assert [one for one in doors.said if INTERNAL.search(one)] == []


def test_no_operation_of_python_shows_it(doors: Doors, tmp_path: Path) -> None:
    here = {"space": SPACE}
    doors("tables.create_schema", "work", description="For work.", **here)
    doors("tables.grant", "scout", "write", schema="work", **here)
    doors("tables.grants", **here)
    doors("tables.revoke", "scout", schema="work", **here)
    assert [one.name for one in doors("tables.schemas", **here)] == ["memory", "work"]
    doors("tables.drop_schema", "work", **here)
    made = "create table tides (id serial primary key, at timestamptz)"
    work = {"description": "T", "embed_fields": [], "schema": "work", **here}
    assert doors("tables.create_table", "work.tides", made, **work).note == "tides is registered."
    assert doors("tables.insert", "memory_work.tides", {}, schema="work", **here).table == "tides"
    assert doors("tables.list", schema="work", **here).schema == "work"
    listed = doors("tables.list", **here)
    assert {one.schema for one in listed.tables} == {listed.schema} == {"memory"}
    (boats,) = doors("tables.list", table="memory.boats", **here).tables
    assert [one.type for one in boats.columns] == ["integer", "text", "mood", "integer", "integer"]
    assert [one.default for one in boats.columns][3:] == [None, "nextval('tickets'::regclass)"]
    doors("tables.query", "select * from boats join crews on crews.boat = boats.id", **here)
    shown = doors("tables.update", "boats", {"name": "C"}, where={"id": 2}, **here)
    assert shown.lost == ("table crews: 1 rows deleted",)
    shown = doors("tables.delete", "boats", where={"id": 2}, **here)
    assert (shown.table, shown.undone) == ("boats", True)
    shown = doors("tables.execute", "drop table boats cascade", **here)
    assert {"table boats goes (2 rows)", "view small goes", "index boats_by_mood goes"} <= set(shown.lost)
    doors("tables.execute", "drop owned by current_user", **here)
    shown = doors(
        "tables.recreate", "boats", BOATS.replace("name text", "name varchar(9), more mood"), **here
    )
    assert "+ more mood" in shown.diff
    assert "bring view small along" in shown.steps
    shown = doors("tables.recreate", "boats", "create table boats (id serial primary key)", **here)
    assert "- number integer default nextval('tickets'::regclass)" in shown.diff
    assert "- constraint FOREIGN KEY (twin) REFERENCES boats(id)" in shown.diff
    prompt = doors("tables.prompt", **here).text
    assert "### boats\n" in prompt
    doors("tables.call", "memory:schema:list-tables", {}, **here)
    doors("tables.call", "memory:query", {"sql": "select * from memory.boats"}, **here)
    doors("tables.browse", "boats", match={"id": {">": 0}}, **here)
    doors("tables.row", "boats", "1", **here)
    doors("tables.references", "boats", **here)
    doors("tables.near", "boats", "a dawn", **here)
    doors("tables.embedded", "boats", "1", **here)
    taken = doors("snapshots.create", **here)
    assert taken.name.startswith("memory_2")
    assert doors("snapshots.create", schema="work", **here).name.startswith("memory_work_2")
    doors("snapshots.list", **here)
    doors("snapshots.get", taken.name, **here)
    doors("snapshots.path", taken.name, **here)
    doors("snapshots.restore", taken.name, **here)
    doors("snapshots.restore", taken.name, confirm=True, **here)
    doors("snapshots.export", tmp_path / "all.sql", **here)
    with pytest.raises(QuipuError, match="CREATE FUNCTION touch") as caught:
        doors("snapshots.import_dump", tmp_path / "all.sql", schema="work", **here)
    doors.said.append(str(caught.value))
    doors("snapshots.export", tmp_path / "work.sql", schema="work", **here)
    doors("snapshots.import_dump", tmp_path / "work.sql", confirm=True, schema="work", **here)
    doors("snapshots.prune", **here)
    doors("snapshots.erase", taken.name, **here)
    doors("snapshots.erase_all", [taken])
    doors("tables.drop_schema", "work", confirm=True, **here)
    assert doors.called == OPERATED


def test_no_error_of_python_shows_it_and_each_says_what_to_write(
    doors: Doors, statements: dict[str, str]
) -> None:
    wrong: list[tuple[str, str]] = []
    for statement, told in statements.items():
        message = _refused(doors, statement)
        doors.said.append(message)
        wrong += [(statement, message)] if told not in message else []
    assert wrong == []


def _refused(doors: Doors, statement: str) -> str:
    """Return what is said of a statement that is refused, or what it would take away."""
    try:
        shown = doors("tables.execute", statement, space=SPACE)
    except QuipuError as error:
        return f"{error}\n{error.hint}"
    assert shown.undone, statement
    return "\n".join(shown.lost)


def test_two_spaces_are_told_the_same(house: House, own: str) -> None:
    """So no answer of one space says anything of another, nor of its own number."""
    other = house.schema("other").schema_name
    assert own != other
    for statement in REFUSED:
        told = [
            house.memory.tables.call(
                "memory:schema:execute",
                {"sql": statement.format(own=mine, other=others), "dry_run": True},
                space=space,
            )
            for space, mine, others in ((SPACE, own, other), ("other", other, own))
        ]
        assert told[0] == told[1]


def test_what_only_looks_like_it_is_data_and_stays(house: House, own: str) -> None:
    tables = house.memory.tables
    here = {"space": SPACE}
    made = f"create table {own} ({own} text primary key default '{own}.x')"
    tables.create_table(own, made, description=f"Of {own}.", embed_fields=[], **here)
    tables.insert(own, [{}, {own: f"{own}.boats"}], **here)
    (table,) = tables.list(table=own, **here).tables
    (column,) = table.columns
    assert (table.name, table.description, column.name) == (own, f"Of {own}.", own)
    assert column.default == f"'{own}.x'::text"
    found = tables.query(f"select {own}, '{own}.boats' as said from {own} where {own} ~ 'boats'", **here)
    assert found.results == ({own: f"{own}.boats", "said": f"{own}.boats"},)
    with pytest.raises(QuipuError, match=re.escape(f"({own})=({own}.boats)")):
        tables.insert(own, {own: f"{own}.boats"}, **here)
    with pytest.raises(QuipuError, match=re.escape(f'integer: "{own}.boats"')):
        tables.query(f"select '{own}.boats'::text::int", **here)
    with pytest.raises(QuipuError, match=re.escape(f"{own}.boats is mine")):
        tables.execute(f"do $$ begin raise '{own}.boats is mine'; end $$", **here)
    shown = tables.execute(f"drop table {own}", **here)
    assert f"table {own} goes (2 rows)" in shown.lost
    assert tables.execute(f"drop table {own}", confirm=True, **here).status == "DROP TABLE"


# What PostgreSQL tells of objects in a query is data: names follow the search path, and these two do not.
TOLD: Final = {
    "'boats'::regclass::text": "boats",
    "'wild'::regproc::text": "wild",
    "'mood'::regtype::text": "mood",
    "pg_get_serial_sequence('boats', 'id')": "{own}.boats_id_seq",
    "current_schema()::text": "{own}",
}
CLOSED: Final = (
    "pg_get_viewdef('small'::regclass)",
    "pg_get_functiondef('wild'::regproc)",
    "pg_get_indexdef('boats_by_mood'::regclass)",
    "pg_get_ruledef(1)",
    "pg_get_triggerdef(1)",
    "pg_get_constraintdef(1)",
    "format_type('mood'::regtype, null)",
)


def test_what_postgresql_tells_in_a_query_is_data(house: House, own: str) -> None:
    """See docs/decisions/tables.md."""
    execute = house.memory.tables.execute
    for asked, told in TOLD.items():
        done = execute(f"select {asked} as said", space=SPACE, confirm=True)
        assert done.returned == ({"said": told.format(own=own)},)
    for asked in CLOSED:
        with pytest.raises(QuipuError, match="permission denied for function"):
            execute(f"select {asked}", space=SPACE, confirm=True)
    execute("create view seen as select 'boats'::regclass::text as said, b.name from boats b", space=SPACE)
    (row, _) = house.memory.tables.query("select said from seen", space=SPACE).results
    assert row == {"said": "boats"}
    execute("drop view seen", space=SPACE, confirm=True)


def test_no_command_shows_it(house: House, own: str, statements: dict[str, str], tmp_path: Path) -> None:
    def run(group: Any, *words: str, as_json: bool) -> str:
        call = Call(url=house.url, json=as_json)
        done = CliRunner().invoke(group.command, [*words, "--space", SPACE], obj=call)
        error = done.exception
        return f"{done.output}\n{error}\n{getattr(error, 'hint', '')}"

    for as_json in (False, True):
        said = [
            run(table_commands, *words, as_json=as_json)
            for words in (
                ("schemas",),
                ("create-schema", "work"),
                ("grants",),
                ("list",),
                ("prompt",),
                ("query", "select * from boats"),
                ("query", "select * from memory.boats"),
                ("insert", "--table", "boats", "--data", '{"name": "Alba"}'),
                ("update", "--table", "boats", "--data", '{"name": "C"}', "--where", "true"),
                ("delete", "--table", "boats", "--where", "true"),
                ("execute", "drop table boats cascade"),
                ("recreate", "boats", "--sql", "create table boats (id serial primary key)"),
                ("drop-schema", "memory"),
                *(("execute", statement) for statement in list(statements)[:12]),
            )
        ]
        kept = run(snapshot_commands, "create", as_json=as_json)
        (name,) = set(re.findall(r"memory_2\w+\.sql", kept))
        said += [kept] + [
            run(snapshot_commands, *words, as_json=as_json)
            for words in (("list",), ("show", name), ("restore", name), ("prune",), ("erase", name))
        ]
        assert [one for one in said if INTERNAL.search(one)] == []
        assert sum("boats" in one for one in said) > 10


async def _rest(client: httpx.AsyncClient, statements: dict[str, str]) -> list[str]:
    made = {"name": "tides", "sql": "create table tides (id int primary key)", "description": "T"}
    where = {"table": "boats", "where": "true"}
    posts: list[tuple[str, dict[str, Any]]] = [
        ("tables/create", {**made, "embed_fields": []}),
        ("tables/recreate", {"table": "boats", "sql": "create table boats (id serial primary key)"}),
        ("tables/insert", {"table": "boats", "data": {"name": "Alba"}}),
        ("tables/update", {**where, "data": {"name": "D"}}),
        ("tables/delete", where),
        ("tables/query", {"sql": "select * from memory.boats"}),
        ("tables/browse", {"table": "boats"}),
        ("tables/row", {"table": "boats", "key": "1"}),
        ("tables/embedded", {"table": "boats", "key": "1"}),
        ("tables/near", {"table": "boats", "text": "dawn"}),
        ("tables/schemas", {"name": "work"}),
        ("tables/schemas/drop", {"name": "work"}),
        ("tables/grants", {"agent": "scout", "permission": "read"}),
        ("snapshots", {}),
        ("snapshots/prune", {}),
        *(("tables/execute", {"sql": one}) for one in statements),
    ]
    gets = (
        "tables",
        "tables/schemas",
        "tables/prompt",
        "tables/grants",
        "snapshots",
        "tables/references?table=boats",
    )
    answers = [await client.get(f"/v1/{path}") for path in gets]
    answers += [await client.post(f"/v1/{path}", json=body) for path, body in posts]
    assert sum(one.is_success for one in answers) > 15
    return [one.text for one in answers]


async def _pages(browser: Browser) -> list[str]:
    await browser.sign_in()
    tables = ("tables", "tables/boats", "tables/boats/row")
    pages = (*tables, "config/memory", "config/memory/tables/boats")
    answers = [await browser.get(f"/{path}?space={SPACE}&key=1") for path in pages]
    assert {one.status_code for one in answers} == {200}
    return [one.text for one in answers]


async def _tools(memory: AsyncMemory, statements: dict[str, str]) -> list[str]:
    async def opened() -> AsyncMemory:
        return memory

    calls = [
        ("tables_list", {}),
        ("tables_query", {"sql": "select * from memory.boats"}),
        ("tables_write", {"action": "delete", "table": "boats", "where": "true"}),
        ("tables_create", {"name": "boats", "sql": "create table boats (id serial primary key)"}),
        *(("tables_execute", {"sql": one}) for one in statements),
    ]
    async with Client(build(opened, lambda _: Caller(space=SPACE))) as client:
        listed = (await client.list_tools()).model_dump_json()
        told = [(await client.call_tool(name, given)).model_dump_json() for name, given in calls]
        read = (await client.read_resource("quipu://tables")).model_dump_json()
    return [listed, read, *told]


async def test_no_route_page_or_tool_shows_it(
    house: House, own: str, server_settings: Settings, statements: dict[str, str]
) -> None:
    async with AsyncExitStack() as stack:
        memory = AsyncMemory(settings=replace(server_settings, database_url=house.url))
        await stack.enter_async_context(memory)
        app = create_app(memory=memory)
        issued = await memory.keys.create("all", space=SPACE, level="admin", requests_per_minute=100_000)
        client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app),
            base_url="http://localhost",
            headers={"authorization": f"Bearer {issued.token}"},
        )
        said = await _rest(await stack.enter_async_context(client), statements)
        said += await _pages(await stack.enter_async_context(Browser(app)))
        said += await _tools(memory, statements)
    assert [one for one in said if INTERNAL.search(one)] == []


def test_no_help_or_contract_has_it(repository: Path) -> None:
    for path in (repository / "docs" / "reference").iterdir():
        assert not INTERNAL.search(path.read_text("utf-8")), path


@pytest.mark.parametrize(
    "form", ["verbose", "verbose, format json", "verbose, format yaml", "verbose, format xml"]
)
def test_a_plan_names_tables_as_callers_do(house: House, own: str, form: str) -> None:
    plan = house.memory.tables.query(f"explain ({form}) select b.name from boats b", space=SPACE)
    shown = str(plan.results)
    assert "boats" in shown
    assert own not in shown
