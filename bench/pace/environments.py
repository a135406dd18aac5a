"""The virtual environments of the peers: ``.bench/NAME``, made from ``bench/peers.txt``."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from pace.adapter import Peer

_ROOT = Path(__file__).resolve().parents[2]
_FOLDER = _ROOT / ".bench"
_PEERS = _ROOT / "bench" / "peers.txt"
_INSTALL_SECONDS = 900
_CAN_LOAD = "import sqlite3, venv, ensurepip; sqlite3.Connection.enable_load_extension"


class CannotInstall(Exception):
    """The environment of a peer could not be made; the message says why."""


def wanted() -> dict[str, list[str]]:
    """Environment to requirements, from ``peers.txt``; a comment ``# NAME`` begins an environment."""
    found: dict[str, list[str]] = {}
    requirements: list[str] = []
    for line in _PEERS.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            requirements = found.setdefault(line[2:].strip(), [])
        elif line.strip():
            requirements.append(line.strip())
    return found


def python_of(peer: Peer) -> Path:
    """The interpreter in which the store of a peer runs."""
    return Path(sys.executable) if peer.environment is None else _FOLDER / peer.environment / "bin" / "python"


def make(name: str) -> None:
    """Make an environment, if it is not there as ``peers.txt`` has it; raises CannotInstall."""
    requirements = wanted()[name]
    place = _FOLDER / name
    stamp = place / ("made-" + hashlib.sha256("\n".join(requirements).encode()).hexdigest()[:12])
    if stamp.exists():
        return
    shutil.rmtree(place, ignore_errors=True)
    _run([_base_python(), "-m", "venv", str(place)])
    pip = [str(place / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "install", *requirements])
    stamp.touch()


@cache
def _base_python() -> str:
    """An interpreter whose sqlite3 loads extensions if there is one (LangGraph's SqliteStore needs it)."""
    candidates = [sys.executable, shutil.which("python3", path="/usr/local/bin:/usr/bin:/opt/homebrew/bin")]
    usable = (python for python in candidates if python and _works(python))
    return next(usable, sys.executable)


def _works(python: str) -> bool:
    return subprocess.run([python, "-c", _CAN_LOAD], capture_output=True, check=False).returncode == 0


def _run(command: Iterable[str]) -> None:
    try:
        done = subprocess.run(
            list(command), capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise CannotInstall(f"not installed within {_INSTALL_SECONDS} s") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "ERROR" in line] or done.stderr.splitlines()
        raise CannotInstall(lines[-1] if lines else f"exit code {done.returncode}")
