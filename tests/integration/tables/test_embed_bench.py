"""The measurement of embedded tables, in its short form: it runs, and every line has its figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.long(only=True)
def test_the_short_form_measures_every_line(tmp_path: Path, repository: Path) -> None:
    figures = tmp_path / "figures.json"
    done = subprocess.run(
        [sys.executable, repository / "bench" / "tables.py", "--short", "--json", figures],
        env=os.environ | {"PYTHONPATH": str(repository / "src")},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    lines = json.loads(figures.read_text("utf-8"))
    assert len(lines) == 11
    for line in lines:
        assert 0 < line["median_ms"] <= line["p95_ms"], line
        assert line["what"] in done.stdout
