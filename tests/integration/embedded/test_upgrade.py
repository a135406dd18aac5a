"""Years of memory come along to another version of PostgreSQL: every row, role, right and key."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest
from cli_process import CommandLine
from long_form import LONG, sized
from made_once import MadeOnce
from patience import PATIENCE_SECONDS, until
from psycopg import sql

from quipu import AsyncMemory
from quipu.errors import DiskFull, NotFound, ServerError
from quipu.interfaces.problems import INTERRUPTED
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded import cluster, lifecycle
from quipu.kernel.db.embedded.binaries import Binaries, choose_binaries, inspect, system_candidates
from quipu.kernel.db.embedded.place import find_place, make_place
from quipu.kernel.db.embedded.postmaster import lives
from quipu.kernel.db.embedded.process import serving_account
from quipu.upkeep.backup import upgrade as upgrading
from quipu.upkeep.backup.bases import listing, take
from quipu.upkeep.backup.restore import restore
from quipu.upkeep.backup.upgrade import put_aside, upgrade, write_anew

pytestmark = pytest.mark.anyio

CLOCK = SystemClock()


def _older() -> Path | None:
    """The programs of an older PostgreSQL with pgvector, if this machine has them."""
    account = serving_account(None, data_owner_uid=None)
    newest = choose_binaries(Settings(), account, data_major=None)
    found = [inspect(path, "system", account) for path, _ in system_candidates()]
    return next(
        (one.bin_dir for one in found if isinstance(one, Binaries) and one.major < newest.major), None
    )


OLDER = _older()
two_versions = pytest.mark.skipif(
    OLDER is None, reason="there is no older PostgreSQL with pgvector (.ci/run installs one)"
)


@pytest.fixture(scope="session")
def filled_home(made_once: MadeOnce) -> Path:
    """A home with something of everything, of the older version; its server is stopped."""
    return made_once("upgraded", _filled)


def _filled(directory: Path) -> Path:
    made = Settings(home=directory / "home", pg_bin=OLDER, embedding_model="hashing", shared_buffers_mb=16)
    anyio.run(fill, made)
    if lives(place := find_place(made)):
        lifecycle.stop(place, force=True)
    return made.home


@pytest.fixture
def old(new_settings: Settings, filled_home: Path) -> Settings:
    """Settings of a copy of that home."""
    subprocess.run(["cp", "-a", filled_home, new_settings.home], check=True)
    return replace(new_settings, pg_bin=OLDER, embedding_model="hashing")


async def fill(settings: Settings) -> None:
    """Something of everything: people, sessions, tables and logins of agents, keys, receipts, jobs."""
    async with AsyncMemory(settings=settings) as memory:
        for space in ("ana", "bo"):
            spoken = [{"content": f"{space} lives in Faro.", "session": "s", "user": space, "role": "user"}]
            await memory.observe(spoken, space=space)
            await memory.tables.create_table(
                "notes",
                "create table notes (id serial primary key, text text not null, weight double precision)",
                description="What was noted.",
                embed_fields=["text"],
                space=space,
            )
            row = {"text": f"a note of {space} \u2013 \u00e4\n\t\\", "weight": 0.1}
            await memory.tables.insert("notes", [row], space=space)
            await memory.transcripts.query("select count(*) from sessions", space=space)
            await memory.keys.create(space, space=space, level="write", user=space)
        await memory.observe([{"content": "Forget me.", "user": "cy", "session": "t"}], space="ana")
        await memory.forget(space="ana", user="cy", confirm=True)
        await memory.work()


async def use(settings: Settings) -> None:
    """What was kept is found, by vectors too; agents and readers log in; receipts are whole; keys open."""
    async with AsyncMemory(settings=settings) as memory:
        hits = await memory.recall("Where does ana live?", space="ana")
        assert "ana lives in Faro." in [hit.text for hit in hits]
        assert await memory.recall("Where does ana live?", space="bo") != hits
        found = await memory.tables.query("select text, weight from notes", space="ana")
        assert list(found.results) == [{"text": "a note of ana \u2013 \u00e4\n\t\\", "weight": 0.1}]
        await memory.tables.insert("notes", [{"text": "written afterwards"}], space="ana")
        seen = await memory.transcripts.query("select count(*) from sessions", space="bo")
        assert len(seen.rows) == 1
        assert {key.user for key in await memory.keys.list()} == {"ana", "bo"}
        await memory.forget(space="bo", user="bo", confirm=True)  # which signs a further receipt


def content(settings: Settings) -> dict[str, Any]:
    """All rows of all tables, roles with their passwords, and who may do what."""
    share = lifecycle.join(make_place(settings), settings)
    try:
        with psycopg.connect(share.door.conninfo("quipu"), autocommit=True) as conn:
            tables = conn.execute(
                "select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace"
                " where relkind = 'r' and nspname !~ '^(pg_|information_schema)' order by 1, 2"
            ).fetchall()
            rows = {
                table: conn.execute(
                    sql.SQL("select md5(t::text) from {} t order by 1").format(sql.Identifier(*table))
                ).fetchall()
                for table in tables
            }
            return {"rows": rows} | {name: conn.execute(query).fetchall() for name, query in _ASKED.items()}
    finally:
        lifecycle.leave(share)


_ASKED: dict[str, Any] = {
    "roles": "select rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolbypassrls,"
    " rolconnlimit, rolpassword, rolvaliduntil from pg_authid where rolname !~ '^pg_' order by 1",
    "members": "select r.rolname, m.rolname, admin_option from pg_auth_members a join pg_roles r on"
    " r.oid = roleid"
    " join pg_roles m on m.oid = member where m.rolname !~ '^pg_' order by 1, 2",
    "settings of roles": "select rolname, unnest(setconfig) from pg_db_role_setting join pg_roles r on"
    " r.oid = setrole order by 1, 2",
    "policies": "select schemaname, tablename, policyname, permissive, roles, cmd, qual, with_check"
    " from pg_policies order by 1, 2, 3",
    "forced": "select oid::regclass::text, relrowsecurity, relforcerowsecurity from pg_class"
    " where relkind = 'r' and relrowsecurity order by 1",
    "rights": "select c.oid::regclass::text, c.relkind, pg_get_userbyid(relowner), a.grantee::regrole::text,"
    " a.privilege_type from pg_class c join pg_namespace n on n.oid = relnamespace cross join lateral"
    " aclexplode(relacl) a where nspname !~ '^(pg_|information_schema)' order by 1, 2, 3, 4, 5",
    "functions": "select p.oid::regprocedure::text, prosecdef, a.grantee::regrole::text from pg_proc p join"
    " pg_namespace n on n.oid = pronamespace left join lateral aclexplode(proacl) a on true where nspname"
    " !~ '^(pg_|information_schema|public)' order by 1, 2, 3",
    "indexes": "select indexrelid::regclass::text, indisvalid from pg_index i join pg_class c on c.oid ="
    " i.indexrelid join pg_namespace n on n.oid = relnamespace where nspname !~ '^pg_' order by 1",
    "sequences": "select schemaname, sequencename, last_value from pg_sequences order by 1, 2",
    "triggers": "select tgrelid::regclass::text, tgname, tgenabled from pg_trigger where not tgisinternal"
    " order by 1, 2",
    "open": "select granted from core.open_rights()",
}


def written_anew(settings: Settings) -> None:
    """What an upgrade does, by and for programs of the same version."""
    place = make_place(settings)
    binaries = choose_binaries(settings, place.account, data_major=None)
    with lifecycle.unused(place), lifecycle.scratch(place) as scratch:
        write_anew(place, binaries, scratch, binaries, settings)
        lifecycle.put_aside(place, scratch, at=CLOCK.now())


@pytest.mark.long(only=OLDER is not None)
async def test_all_of_it_comes_along(new_settings: Settings) -> None:
    settings = replace(new_settings, embedding_model="hashing")
    await fill(settings)
    before = content(settings)
    assert before["open"] == []
    assert len(before["roles"]) > 8
    written_anew(settings)
    after = content(settings)
    for what, expected in before.items():
        assert after[what] == expected, what
    await use(settings)
    assert [one.major for one in put_aside(settings)] == [str(cluster.data_major(find_place(settings)))]


@two_versions
async def test_all_of_it_comes_along_to_a_newer_version(old: Settings) -> None:
    before = content(old)
    settings = replace(old, pg_bin=None)
    planned = upgrade(settings, clock=CLOCK)
    assert planned is not None
    assert not planned.done
    assert cluster.data_major(find_place(settings)) == int(planned.from_version.split(".")[0])
    done = upgrade(settings, clock=CLOCK, confirm=True)
    assert done is not None
    assert done.rows == sum(map(len, before["rows"].values()))
    assert cluster.data_major(find_place(settings)) == int(done.to_version.split(".")[0])
    after = content(settings)
    for what, expected in before.items():
        if what != "rights":  # 17 has a right more, which owners have of theirs
            assert after[what] == expected, what
    assert [one for one in after["rights"] if one[-1] != "MAINTAIN"] == before["rights"]
    await use(settings)
    assert upgrade(settings, clock=CLOCK) is None
    assert [one.path for one in put_aside(settings)] == [done.put_aside]
    quipu = CommandLine(settings.home, {})
    assert "To remove them for good: --yes" in quipu.text("db", "clean")
    assert quipu.json("db", "clean", "--yes")["removed"]
    assert put_aside(settings) == []


@two_versions
async def test_data_of_another_version_are_named_with_the_way_out(old: Settings) -> None:
    newest = choose_binaries(replace(old, pg_bin=None), make_place(old).account, data_major=None)
    named = replace(old, pg_bin=newest.bin_dir)
    with pytest.raises(ServerError) as caught:
        async with AsyncMemory(settings=named):
            pass
    assert f"The data is of PostgreSQL {cluster.data_major(find_place(old))}" in str(caught.value)
    assert "quipu db upgrade" in (caught.value.hint or "")
    doctor = CommandLine(old.home, {}).process("doctor")
    assert "quipu db upgrade" in doctor.stdout
    assert upgrade(named, clock=CLOCK, old_programs=OLDER) is not None
    with pytest.raises(ServerError, match="and the data is of PostgreSQL"):
        upgrade(named, clock=CLOCK, old_programs=newest.bin_dir)
    assert upgrade(replace(old, pg_bin=None), clock=CLOCK, confirm=True) is not None
    with pytest.raises(ServerError, match="there is no way back"):
        upgrade(old, clock=CLOCK)


@two_versions
@pytest.mark.long
async def test_an_upgrade_that_is_killed_leaves_all_and_begins_again(old: Settings) -> None:
    before = content(old)
    place = find_place(old)
    environment = os.environ | {"QUIPU_HOME": str(old.home), "QUIPU_SHARED_BUFFERS_MB": "16"}
    steps: list[Callable[[], bool]] = [
        (place.state / cluster.SCRATCH / "data.new").exists,
        (place.state / cluster.SCRATCH / "roles.sql").exists,
        (place.state / cluster.SCRATCH / "contents").exists,
    ]
    for step in steps[-sized(1, long=3) :]:
        with subprocess.Popen(  # noqa: ASYNC220
            [sys.executable, "-m", "quipu", "db", "upgrade", "--yes"], env=environment
        ) as killed:
            until(lambda step=step, killed=killed: step() or killed.poll() is not None)
            killed.send_signal(signal.SIGKILL)
        if put_aside(old):
            break  # it was done before we looked
        assert content(old) == before
    settings = replace(old, pg_bin=None)
    upgrade(settings, clock=CLOCK, confirm=True)
    assert content(settings)["rows"] == before["rows"]
    assert not (place.state / cluster.SCRATCH).exists()


_FROM_THE_SAME = """
import sys
from quipu.interfaces.cli.main import run
from quipu.upkeep.backup import upgrade as upgrading
same = upgrading.choose_binaries
upgrading.old_binaries = lambda settings, account, **_: same(settings, account, data_major=None)
upgrading.cluster.data_major = lambda place: 15
sys.exit(run(["db", "upgrade", "--yes"]))
"""


@pytest.mark.long
async def test_an_upgrade_ends_at_ctrl_c_and_says_how_to_go_on(settings: Settings) -> None:
    """The programs of both sides are the same: what is shown is how the command ends."""
    await fill(replace(settings, embedding_model="hashing"))
    before, place = content(settings), find_place(settings)
    scratch = place.state / cluster.SCRATCH
    environment = CommandLine(settings.home, {"QUIPU_SHARED_BUFFERS_MB": "16"}).environment()
    for step in ("contents", "dump")[: sized(1, long=2)]:  # it is read in, it is written out
        with subprocess.Popen(  # noqa: ASYNC220
            [sys.executable, "-c", _FROM_THE_SAME], env=environment, stderr=subprocess.PIPE, text=True
        ) as process:
            assert until(lambda step=step, p=process: (scratch / step).exists() or p.poll() is not None)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=PATIENCE_SECONDS)
        if process.returncode == 0:
            break  # it was done before we looked
        assert (process.returncode, "The data are as they were" in told) == (INTERRUPTED, True), told
        assert not lives(place)
        assert not scratch.exists()
        assert put_aside(settings) == []
    assert content(settings) == before


async def test_a_cut_between_the_renames_is_finished_by_the_next_start(settings: Settings) -> None:
    place = find_place(settings)
    lifecycle.stop(place, force=True)
    before = place.data.stat().st_ino
    place.data.rename(place.state / cluster.RESTORED)
    (place.state / f"{cluster.ASIDE}20260101T000000Z").mkdir()
    lifecycle.leave(lifecycle.join(place, settings))
    assert place.data.stat().st_ino == before


@two_versions
async def test_what_the_newer_version_cannot_read_in_is_named_and_nothing_is_changed(old: Settings) -> None:
    share = lifecycle.join(make_place(old), old)
    with psycopg.connect(share.door.conninfo("quipu"), autocommit=True) as conn:
        conn.execute("create table core.odd (a int)")
        conn.execute("insert into core.odd values (1)")
        conn.execute(
            "create function core.raises(a int) returns int language plpgsql immutable as"
            " $$ begin return 1 / nullif(current_setting('quipu.never', true), '')::int; end $$"
        )
        conn.execute("create index odd_index on core.odd (core.raises(a))")
        conn.execute(
            "create or replace function core.raises(a int) returns int language plpgsql immutable as"
            " $$ begin raise exception 'no more'; end $$"
        )
    lifecycle.leave(share)
    before = content(old)
    with pytest.raises(ServerError, match=r"no more.*CREATE INDEX odd_index"):
        upgrade(replace(old, pg_bin=None), clock=CLOCK, confirm=True)
    assert content(old) == before
    assert put_aside(old) == []


async def test_an_upgrade_needs_room_and_a_database(
    settings: Settings, open_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotFound, match="There is no database"):
        upgrade(replace(settings, home=open_dir / "none"), clock=CLOCK)
    place = find_place(settings)
    (place.data / "PG_VERSION").write_text("15\n", "utf-8")
    binaries = choose_binaries(settings, place.account, data_major=None)
    monkeypatch.setattr(upgrading, "old_binaries", lambda *_, **__: binaries)
    monkeypatch.setattr(upgrading.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1000}))
    with pytest.raises(DiskFull, match="The upgrade needs"):
        upgrade(settings, clock=CLOCK, confirm=True)


async def test_data_of_a_version_that_is_not_here_are_refused_with_the_way_out(settings: Settings) -> None:
    lifecycle.stop(find_place(settings), force=True)
    (find_place(settings).data / "PG_VERSION").write_text("14\n", "utf-8")
    with pytest.raises(ServerError, match=r"No PostgreSQL programs for data of PostgreSQL 14") as caught:
        lifecycle.join(make_place(settings), settings)
    assert "quipu db upgrade --old-programs DIR" in (caught.value.hint or "")


@two_versions
@pytest.mark.long
async def test_backups_of_before_stay_backups_of_before(old: Settings, open_dir: Path) -> None:
    async with AsyncMemory(settings=replace(old, archive=True)) as memory:
        await memory.observe([{"content": "Cy lives in Vigo."}], space="ana")
    first = take(old, clock=CLOCK).base
    with_first = content(old)
    await anyio.sleep(0.02)
    at = datetime.now(UTC)
    await anyio.sleep(0.02)
    settings = replace(old, pg_bin=None)
    upgrade(settings, clock=CLOCK, confirm=True)
    await use(settings)  # and the log of the new data is kept in a directory of its own
    found = listing(settings)
    assert found.log.kept
    assert found.log.segments > 0
    second = take(settings, clock=CLOCK).base
    assert [one.major for one in listing(settings).bases] == [first.major, second.major]

    before = restore(settings, at=at, clock=CLOCK, into=open_dir / "before", confirm=True)
    assert before.base == first
    assert content(replace(settings, home=open_dir / "before"))["rows"] == with_first["rows"]
    restore(settings, at=None, clock=CLOCK, into=open_dir / "after", confirm=True)
    assert content(replace(settings, home=open_dir / "after"))["rows"] == content(settings)["rows"]
    if LONG:  # what was restored of the older version is brought over like any other
        assert upgrade(replace(settings, home=open_dir / "before"), clock=CLOCK, confirm=True) is not None

    newest = choose_binaries(settings, make_place(settings).account, data_major=None)
    named = replace(settings, pg_bin=newest.bin_dir)
    with pytest.raises(ServerError, match="The data is of PostgreSQL"):
        restore(named, at=at, clock=CLOCK, into=open_dir / "again", confirm=True)
    take(settings, clock=CLOCK, keep=1)
    assert [one.major for one in listing(settings).bases] == [second.major]
