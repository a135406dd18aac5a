"""The checkout as data: tracked files, the modules of the package, their syntax trees."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "quipu"


def modules() -> list[Path]:
    """Every Python file of the package."""
    return sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path) -> str:
    """``quipu.kernel.db`` for its ``__init__.py``."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def syntax(path: Path) -> ast.Module:
    """The parsed file; each file is parsed once in a run."""
    return ast.parse(path.read_text("utf-8"), filename=str(path))


def place(path: Path, line: int) -> str:
    """``src/quipu/errors.py:12``: what an editor opens."""
    return f"{path.relative_to(ROOT)}:{line}"


def our_code() -> list[Path]:
    """Every Python file that we maintain: the package, its tests, tools and benchmarks."""
    folders = ("src", "tests", "tools", "bench")
    written = {PACKAGE / "sync.py"}  # by tools/make_sync.py
    return sorted({path for folder in folders for path in (ROOT / folder).rglob("*.py")} - written)


def tracked_files() -> list[Path]:
    """What git knows, and what it would take in: ignored files are left out."""
    git = ["git", "-c", "safe.directory=*", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others"]
    listed = subprocess.run([*git, "--exclude-standard"], capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]
