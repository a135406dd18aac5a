"""The measurement of what needs most memory, in a small form: every step is done under the limit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from patience import PATIENCE_SECONDS

STEPS = ("record", "fill", "vacuum and analyze", "vacuum full", "reembed", "recall", "ivfflat", "hnsw")


@pytest.mark.long(only=True)
def test_a_small_form_does_every_step(repository: Path) -> None:
    done = subprocess.run(
        [sys.executable, repository / "bench" / "within_memory.py", "--rows", "1000"],
        env=os.environ | {"PYTHONPATH": str(repository / "src")},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for step in STEPS:
        assert step in done.stdout
