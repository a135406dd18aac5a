"""An agent's index that cannot be computed stops the upkeep of its own table alone, and is named."""

from __future__ import annotations

import json

import anyio
import pytest
from cli_process import CommandLine
from tables_house import House

from quipu.app.kinds import PACKAGES
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.upkeep.maintenance import Name, maintain

BODIES = {
    "raises": "begin raise exception 'no more of this'; end",
    "loops": "begin loop perform pg_sleep(1); end loop; end",
    "never gives up": "begin loop begin perform pg_sleep(1); exception when query_canceled then null; end;"
    " end loop; end",
    "depends on the search path": "begin return (select max(id) from cars); end",
}
BOATS, CARS = (f"create table {name} (id int primary key, name text)" for name in ("boats", "cars"))


def fill(house: House, space: str, body: str) -> str:
    """Make tables of cars, and of boats with an index that cannot be computed; their schema's name."""
    tables = house.memory.tables
    for name, made in (("boats", BOATS), ("cars", CARS)):
        tables.create_table(name, made, description="Kept.", embed_fields=[], space=space)
        tables.insert(name, [{"id": n, "name": f"Alba {n}"} for n in range(3)], space=space)
    schema = house.schema(space).schema_name
    function = f"create or replace function {schema}.weight(int) returns int language plpgsql immutable as"
    tables.execute(f"{function} $f$ begin return $1; end $f$", space=space, confirm=True)
    tables.execute(f"create index heavy on {schema}.boats ({schema}.weight(id))", space=space, confirm=True)
    tables.execute(f"{function} $f$ {body} $f$", space=space, confirm=True)
    return schema


def maintained(house: House, settings: Settings, tables: list[Name], seconds: float) -> dict[Name, str]:
    async def work() -> dict[Name, str]:
        async with Database.open(house.url, settings, packages=PACKAGES) as database:
            return dict(await maintain(database, tables, "vacuum_full", seconds=seconds))

    return anyio.run(work)


@pytest.mark.parametrize("kind", BODIES)
def test_a_table_that_cannot_be_maintained_is_reported(
    house: House, server_settings: Settings, kind: str
) -> None:
    schema = fill(house, kind, BODIES[kind])
    boats: list[Name] = [(schema, "boats")]
    assert set(maintained(house, server_settings, boats, 0.2)) == set(boats)
    ours = (
        "select count(*) from pg_stat_activity where datname = current_database() and query ~ 'vacuum .full'"
    )
    assert house.rows(f"{ours} and state = 'active' and pid <> pg_backend_pid()") == [(0,)]
    # Whoever looks for such indexes in all of the database would wait for this one.
    house.memory.tables.execute(f"drop index {schema}.heavy", space=kind, confirm=True)


def test_the_others_are_maintained_and_an_erasure_tells_which_were_not(house: House) -> None:
    space = "erased"
    schema = fill(house, space, BODIES["raises"])
    house.memory.observe([{"content": "Hello.", "user": "ann"}], space=space)
    done = house.memory.forget(space=space, user="ann", names=["Alba"], everywhere=True, confirm=True)
    assert done.receipt is not None
    assert done.remains["not_vacuumed"] == ["tables of agents"]
    assert "tables of agents" in done.remains["vacuumed"]
    times = house.rows(
        "select relname, last_analyze is null from pg_stat_user_tables where schemaname = %s and relname in"
        " ('boats', 'cars') order by 1",
        schema,
    )
    assert times == [("boats", True), ("cars", False)]
    written = house.memory.rewrite_freed(done.receipt, space=space, confirm=True)
    assert list(written.refused) == ["memory.boats"]
    assert not written.clean


def test_doctor_names_what_cannot_be_computed_and_its_way_out_works(house: House) -> None:
    quipu = CommandLine(house.home, {"QUIPU_DATABASE_URL": house.url, "QUIPU_EMBEDDING_MODEL": "hashing"})
    schema = fill(house, "doctor", BODIES["raises"])
    house.memory.tables.execute(
        f"create index whole on {schema}.cars ((id + 1)) where id > 0", space="doctor", confirm=True
    )

    def found(*options: str) -> list[tuple[str, str]]:
        answer = json.loads(quipu.run("doctor", "--json", *options).stdout)["findings"]
        return [(one["detail"], one["hint"]) for one in answer if "'doctor'" in one["detail"]]

    ((detail, hint),) = found()
    assert "index heavy (weight(id)) of boats" in detail
    assert "no more of this" in detail
    assert found("--deep") == [(detail, hint)]
    said = hint.split('"')[1]
    house.memory.tables.execute(said, space="doctor", confirm=True)
    assert found() == []
