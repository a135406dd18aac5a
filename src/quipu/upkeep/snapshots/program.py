"""The pg_dump of the embedded server, or one that fits the server of the settings, and its run."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from psycopg import conninfo

from quipu.errors import DatabaseError, DatabaseUnsuitable
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.embedded import binaries
from quipu.kernel.db.embedded.binaries import system_candidates
from quipu.kernel.db.embedded.process import Account, bare_environment, name_of, run, serving_account, user_id
from quipu.kernel.db.schema_names import SchemaNames

_VERSION: Final = re.compile(r"PostgreSQL\) (\d+)")
_LONGEST_SECONDS: Final = 3600
_WAIT: Final = "--lock-wait-timeout=30s"
_OPTIONS: Final = (
    "--role=quipu_owner",
    "--no-owner",
    "--no-privileges",
    "--no-tablespaces",
    "--no-security-labels",
    "--no-password",
    "--encoding=UTF8",
    _WAIT,
)


async def pg_dump(settings: Settings, *, major: int) -> tuple[Path, Mapping[str, str]]:
    """Return the program for a server of that major version, and its environment.

    Raises:
        DatabaseUnsuitable: there is none here that is not older than the server.
    """
    if settings.database_url is None:
        programs = await embedded.programs(settings)
        return programs.tool("pg_dump"), programs.environment(settings.home)
    older: list[str] = []
    for path in _candidates(settings):
        environment = {**bare_environment(bin_dir=path.parent, home=Path.home()), **os.environ}
        version = _VERSION.search(run([path, "--version"], account=_us(), env=environment).text)
        if version is not None and int(version[1]) >= major:
            return path, environment
        older.append(f"{path} is of {version[1] if version else 'no version'}")
    raise DatabaseUnsuitable(
        f"The server is PostgreSQL {major}, and no pg_dump of that version or a newer one is here"
        f" ({'; '.join(older) or 'none was found'}).",
        hint=f"Install postgresql-client-{major}, or set QUIPU_PG_BIN to the directory of its programs.",
    )


def write(
    program: Path,
    environment: Mapping[str, str],
    url: str,
    schema: SchemaNames,
    *,
    to: Path,
    moment: str,
    without: Sequence[str],
    bare: Sequence[str] = (),
) -> None:
    """Write a dump of the schema as of an exported moment; ``without`` these relations.

    ``bare``: relations of which no row is written, and no state. The file is ours alone.

    Raises:
        DatabaseError: pg_dump failed; says how.
    """
    parts = conninfo.conninfo_to_dict(url)
    password = parts.pop("password", None)
    address = conninfo.make_conninfo("", **parts)  # others can see the arguments of a program
    secret = {} if password is None else {"PGPASSWORD": str(password)}
    outcome = run(
        [
            program,
            *_OPTIONS,
            f"--schema={schema.internal}",
            f"--snapshot={moment}",
            *(f"--exclude-table={schema.internal}.{name}" for name in without),
            *(f"--exclude-table-data={schema.internal}.{_quoted(name)}" for name in bare),
            f"--file={to}",
            f"--dbname={address}",
        ],
        account=_us(),
        env={**environment, **secret},
        timeout_seconds=_LONGEST_SECONDS,
    )
    if outcome.code != 0:
        why = schema.in_message(outcome.text[-500:])
        raise DatabaseError(f"pg_dump failed: {why}", hint="Nothing was kept.")


def _quoted(name: str) -> str:
    """Return a name quoted so that no sign means anything to pg_dump."""
    return '"' + name.replace('"', '""') + '"'


def _candidates(settings: Settings) -> Iterator[Path]:
    if settings.pg_bin is not None:
        yield settings.pg_bin / "pg_dump"
        return
    if path := shutil.which("pg_dump"):
        yield Path(path)
    for directory, _ in system_candidates():
        if (directory / "pg_dump").exists():
            yield directory / "pg_dump"
    packaged = binaries.unpacked(serving_account(settings.pg_user, data_owner_uid=None))
    if not isinstance(packaged, str):
        yield packaged / "pg_dump"


def _us() -> Account:
    return Account(name=name_of(user_id()) or str(user_id()), uid=user_id(), gid=0)
