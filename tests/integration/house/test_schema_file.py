"""docs/schema.sql is what the migrations make."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from patience import PATIENCE_SECONDS


def test_the_schema_in_the_docs_is_fresh(repository: Path) -> None:
    tool = [sys.executable, str(repository / "tools" / "dump_schema.py"), "--check"]
    environment = os.environ | {"PYTHONPATH": str(repository / "src")}
    done = subprocess.run(tool, capture_output=True, text=True, env=environment, timeout=PATIENCE_SECONDS)
    assert done.returncode == 0, done.stderr
