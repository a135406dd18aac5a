"""One server for a home: made, started, joined, left."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import anyio
import psycopg
import pytest

from quipu.errors import ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.embedded.place import find_place
from quipu.kernel.db.embedded.postmaster import lives

ROOT = os.geteuid() == 0


def ask(server: embedded.EmbeddedServer, query: str) -> object:
    with psycopg.connect(server.conninfo(), autocommit=True) as connection:
        row = connection.execute(query).fetchone()  # type: ignore[call-overload]
    return row[0] if row else None


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def environment_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


async def test_the_first_start_makes_a_database_that_stores_and_compares_text_as_utf8(
    new_settings: Settings,
) -> None:
    async with await embedded.start(new_settings) as server:
        assert ask(server, "select current_database()") == "quipu"
        assert ask(server, "show server_encoding") == "UTF8"
        assert ask(server, "select lower('ÉÀ') || upper('ß€')") == "éàß€"
        assert ask(server, "select current_user::text") == "quipu_admin"


async def test_what_is_acknowledged_is_on_the_disk_and_pages_are_checked(settings: Settings) -> None:
    async with await embedded.start(settings) as server:
        for name in ("fsync", "full_page_writes", "synchronous_commit", "data_checksums"):
            assert ask(server, f"show {name}") == "on", name


async def test_it_listens_on_no_network_address(settings: Settings) -> None:
    async with await embedded.start(settings) as server:
        assert ask(server, "show listen_addresses") == ""
        assert ask(server, "select count(*) from pg_stat_activity where client_port > 0") == 0


async def test_the_extensions_that_memory_needs_can_be_made(settings: Settings) -> None:
    async with await embedded.start(settings) as server:
        with psycopg.connect(server.conninfo(), autocommit=True) as connection:
            for name in ("vector", "pg_trgm", "pgcrypto"):
                connection.execute(
                    psycopg.sql.SQL("create extension {}").format(psycopg.sql.Identifier(name))
                )
        assert ask(server, "select '[1,2]'::halfvec(2)::text") == "[1,2]"


async def test_a_second_start_joins_the_running_server(settings: Settings) -> None:
    async with await embedded.start(settings) as first, await embedded.start(settings) as second:
        assert first.pid == second.pid
        assert first.conninfo("postgres") == second.conninfo("postgres")


async def test_data_is_there_again_after_the_last_one_left(settings: Settings) -> None:
    async with await embedded.start(settings) as server:
        with psycopg.connect(server.conninfo()) as connection:
            connection.execute("create table kept as select 42 as answer")
    async with await embedded.start(settings) as server:
        assert ask(server, "select answer from kept") == 42


async def test_the_last_one_to_leave_stops_the_server_and_nothing_stays_behind(settings: Settings) -> None:
    first = await embedded.start(settings)
    second = await embedded.start(settings)
    await first.aclose()
    assert ask(second, "select 1") == 1
    await second.aclose()
    place = find_place(settings)
    assert not lives(place)
    assert not list(place.socket_dir.iterdir())
    assert not (place.data / "postmaster.pid").exists()


async def test_leaving_twice_does_no_harm_to_others(settings: Settings) -> None:
    first = await embedded.start(settings)
    async with await embedded.start(settings) as second:
        await first.aclose()
        await first.aclose()
        assert ask(second, "select 1") == 1


async def test_the_process_id_of_a_server_that_has_gone_is_an_error(settings: Settings) -> None:
    server = await embedded.start(settings)
    await server.aclose()
    with pytest.raises(ServerError, match="not running"):
        _ = server.pid


def test_a_program_that_never_closes_leaves_no_server_behind(settings: Settings) -> None:
    program = (
        "import sys, anyio; from pathlib import Path; from quipu.kernel.config import Settings\n"
        "from quipu.kernel.db import embedded\n"
        "server = anyio.run(embedded.start, Settings(home=Path(sys.argv[1]), shared_buffers_mb=16))\n"
        "print(server.pid)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program, str(settings.home)],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    assert int(done.stdout) > 0
    assert embedded.status(settings).state == "stopped"


async def test_a_kept_server_stays_until_it_is_stopped(settings: Settings) -> None:
    await embedded.keep(settings)
    async with await embedded.start(settings):
        pass
    seen = embedded.status(settings)
    assert (seen.state, seen.stays) == ("running", True)
    assert await embedded.stop(settings)
    seen = embedded.status(settings)
    assert (seen.state, seen.stays) == ("stopped", False)


async def test_a_server_in_use_is_stopped_only_by_force(settings: Settings) -> None:
    async with await embedded.start(settings) as server:
        with pytest.raises(ServerError, match="use the server"):
            await embedded.stop(settings)
        assert ask(server, "select 1") == 1
        assert await embedded.stop(settings, force=True)
        assert embedded.status(settings).state == "stopped"


async def test_stopping_what_does_not_run_is_no_error(new_settings: Settings) -> None:
    assert not await embedded.stop(new_settings)
    assert not new_settings.home.exists()
    async with await embedded.start(new_settings):
        pass
    assert not await embedded.stop(new_settings)


async def test_variables_of_other_postgresql_clients_do_not_lead_the_connection_astray(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "PGHOSTADDR": "192.0.2.1",
        "PGPORT": "1",
        "PGUSER": "somebody",
        "PGDATABASE": "elsewhere",
        "PGSSLMODE": "require",
        "PGCHANNELBINDING": "require",
        "PGGSSENCMODE": "require",
        "PGCLIENTENCODING": "LATIN1",
        "PGTARGETSESSIONATTRS": "standby",
        "PGDATA": "/nowhere",
    }.items():
        monkeypatch.setenv(name, value)
    async with await embedded.start(settings) as server:
        assert ask(server, "select '日本'") == "日本"


async def test_a_home_deeper_than_a_socket_path_may_be_long_works(open_dir: Path) -> None:
    settings = Settings(home=open_dir / ("deep" * 20) / ("deeper" * 20), shared_buffers_mb=16)
    async with await embedded.start(settings) as first, await embedded.start(settings) as second:
        assert first.pid == second.pid
        socket_dir = find_place(settings).socket_dir
        assert str(ask(first, "show unix_socket_directories")).strip('"') == str(socket_dir)
        assert mode(socket_dir) == 0o700
    assert not find_place(settings).socket_dir.exists()


@pytest.mark.parametrize("name", ['it\'s a "home", 100% odd', "Überraschung 记忆", "a\\b"])
async def test_a_home_with_an_awkward_name_works(open_dir: Path, name: str) -> None:
    async with await embedded.start(Settings(home=open_dir / name, shared_buffers_mb=16)) as server:
        assert ask(server, "select 1") == 1


async def test_nothing_of_our_environment_stays_in_the_server(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUIPU_TEST_SECRET", "do not pass on")
    async with await embedded.start(settings) as server:
        assert b"do not pass on" not in environment_of(server.pid)


async def test_data_and_socket_are_closed_to_others_and_existing_directories_keep_their_mode(
    new_settings: Settings,
) -> None:
    new_settings.home.mkdir(mode=0o755)
    before = new_settings.home.stat().st_mode
    async with await embedded.start(new_settings):
        place = find_place(new_settings)
        assert mode(place.data) == 0o700
        assert mode(place.socket_dir) == 0o700
        assert new_settings.home.stat().st_mode == before


async def test_the_log_does_not_grow_without_end_nor_tell_what_people_wrote(settings: Settings) -> None:
    async with await embedded.start(settings) as server:
        with pytest.raises(psycopg.errors.UndefinedTable):
            ask(server, "select 'a private word' from no_such_table")
    log = find_place(settings).log_file
    assert "private" not in log.read_text()
    with log.open("a") as file:
        file.writelines(f"line {number} {'x' * 90}\n" for number in range(20_000))
    async with await embedded.start(settings):
        assert log.stat().st_size < 250_000
        assert "line 19999" in log.read_text()
        assert "line 1 " not in log.read_text()


async def test_the_programs_that_fit_the_data_are_at_hand(settings: Settings) -> None:
    async with await embedded.start(settings) as server:
        programs = await embedded.programs(settings)
        argv = [str(programs.tool("psql")), "-XAtc", "select 6 * 7", server.conninfo()]
        done = await anyio.run_process(argv, env=programs.environment(settings.home))
    assert done.stdout == b"42\n"
