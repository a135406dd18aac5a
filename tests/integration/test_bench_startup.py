"""The measurement of start-up, in its short form: it runs, and every line has a figure and its limit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LIMITS = {
    "python -c pass": None,
    'python -c "import psycopg, numpy, onnxruntime"': None,
    "import quipu": 0.3,
    "quipu --help": 0.3,
    "quipu recall, cold: starts the server": 2.5,
    "an empty server of MCP: its first answer": None,
    "quipu mcp: its first answer": 1.5,
    "quipu recall, warm: the server runs": 1.5,
    "memory of a process, model loaded": 350,
}


@pytest.mark.long(only=True)
def test_the_short_form_measures_every_line_once(tmp_path: Path, repository: Path) -> None:
    figures = tmp_path / "figures.json"
    done = subprocess.run(
        [sys.executable, repository / "bench" / "startup.py", "--short", "--json", figures],
        env=os.environ | {"PYTHONPATH": str(repository / "src")},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    lines = json.loads(figures.read_text("utf-8"))
    assert {line["what"]: line["limit"] for line in lines} == LIMITS
    for line in lines:
        assert [value > 0 for value in line["values"]] == [True], line
        assert line["what"] in done.stdout


def test_no_rounds_at_all_are_refused(repository: Path) -> None:
    command = [sys.executable, str(repository / "bench" / "startup.py"), "--rounds", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "at least 1" in done.stderr
