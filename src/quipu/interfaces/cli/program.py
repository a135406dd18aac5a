"""Name by which the command is called from here."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path


def program() -> str:
    """Return ``quipu`` if the shell finds it, else what was called (``.venv/bin/quipu``, for example)."""
    called = Path(sys.argv[0])
    if called.name.startswith("__main__"):
        return "python -m quipu"
    path = shutil.which("quipu")
    if path is not None and Path(path).resolve() == called.resolve():
        return "quipu"
    try:
        return str(called.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(called)
