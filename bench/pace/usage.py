"""CPU time and memory of processes, from /proc. Where there is no /proc, nothing is known (None)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_PROC = Path("/proc")
_TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_MB = 1024 * 1024


def tree(pid: int) -> list[int]:
    """The process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for entry in _PROC.glob("[0-9]*"):
        fields = _stat(int(entry.name))
        if fields:
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [pid]
    for parent in found:
        found.extend(children.get(parent, ()))
    return found


def cpu_seconds(pids: Iterable[int]) -> float | None:
    """User and system time of whole process trees, including children that have ended and been waited for."""
    if not _PROC.exists():
        return None
    stats = [_stat(member) for pid in pids for member in tree(pid)]
    return sum(sum(int(field) for field in stat[11:15]) for stat in stats if stat) / _TICK


def resident_mb(pid: int) -> float | None:
    """Resident memory of one process."""
    return _status_mb(_PROC / str(pid) / "status", "VmRSS:")


def shared_out_mb(pid: int) -> float | None:
    """Memory of a process tree in which pages that several share are counted once (PSS)."""
    sizes = [_status_mb(_PROC / str(member) / "smaps_rollup", "Pss:") for member in tree(pid)]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def load() -> str:
    """How busy the machine is, in words: figures from a busy one are no figures."""
    if not hasattr(os, "getloadavg"):
        return f"{os.cpu_count()} cores"
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def disk_bytes(folder: Path) -> int:
    """What the files of a folder occupy."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat after the name: state, parent, …"""
    try:
        text = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    return text.rpartition(")")[2].split()


def _status_mb(path: Path, label: str) -> float | None:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return None
    found = next((line for line in lines if line.startswith(label)), None)
    return int(found.split()[1]) * 1024 / _MB if found else None
