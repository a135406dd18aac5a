"""The text of the server's configuration files."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from quipu.kernel.db.embedded.cluster import hba_conf, ident_conf, postgresql_conf

NAMES = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=40)


def conf(
    socket_dir: Path | None = Path("/run/x"), major: int = 18, hba_file: Path = Path("/c/pg_hba.conf")
) -> str:
    return postgresql_conf(
        major=major,
        shared_buffers_mb=64,
        socket_dir=socket_dir,
        port=5432,
        hba_file=hba_file,
        ident_file=Path("/c/pg_ident.conf"),
    )


def settings(text: str) -> dict[str, str]:
    """What PostgreSQL reads: ``name = 'value'``, quotes and backslashes doubled inside."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            match = re.fullmatch(r"(\w+) = '((?:[^'\\]|''|\\\\)*)'", line)
            assert match is not None, line
            assert match[1] not in found, f"{match[1]} is set twice"
            found[match[1]] = match[2].replace("''", "'").replace("\\\\", "\\")
    return found


def test_durability_is_written_out() -> None:
    found = settings(conf())
    assert {found[name] for name in ("fsync", "full_page_writes", "synchronous_commit")} == {"on"}


def test_on_a_socket_nothing_listens_on_the_network() -> None:
    found = settings(conf())
    assert found["listen_addresses"] == ""
    assert found["unix_socket_directories"] == '"/run/x"'
    assert found["unix_socket_permissions"] == "0700"


def test_without_a_socket_only_the_loopback_address_listens() -> None:
    found = settings(conf(socket_dir=None))
    assert found["listen_addresses"] == "127.0.0.1"
    assert found["unix_socket_directories"] == ""
    assert "client_connection_check_interval" not in found


def test_settings_that_older_servers_do_not_know_are_left_out() -> None:
    assert "io_method" in settings(conf(major=18))
    assert "io_method" not in settings(conf(major=17))


@given(NAMES)
def test_any_directory_name_comes_through_the_quoting(name: str) -> None:
    found = settings(conf(socket_dir=Path("/x") / name, hba_file=Path("/x") / name))
    assert found["hba_file"] == str(Path("/x") / name)
    inner = found["unix_socket_directories"]
    assert inner[0] == inner[-1] == '"'
    assert inner[1:-1].replace('""', '"') == str(Path("/x") / name)


def test_only_our_own_account_comes_in_over_the_socket() -> None:
    assert hba_conf(loopback=False, major=18).splitlines() == [
        "local all all peer map=quipu",
        "local replication all peer map=quipu",
    ]
    assert ident_conf("ana", major=18) == 'quipu "ana" all\n'
    assert ident_conf('a"b', major=18) == 'quipu "a""b" all\n'


def test_before_16_the_account_is_the_administrator_and_others_show_their_password() -> None:
    assert hba_conf(loopback=False, major=15).splitlines() == [
        "local all quipu_admin peer map=quipu",
        "local replication quipu_admin peer map=quipu",
        "local all all scram-sha-256",
    ]
    assert ident_conf("ana", major=15) == 'quipu "ana" quipu_admin\n'


def test_over_loopback_everyone_needs_the_password() -> None:
    lines = hba_conf(loopback=True, major=18).splitlines()
    assert all(line.endswith("127.0.0.1/32 scram-sha-256") for line in lines)
    assert not [line for line in lines if "trust" in line]
