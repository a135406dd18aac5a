"""The measurement of start-up, in its short form: it runs, and every line has a figure and its limit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from bench_run import short_form
from patience import PATIENCE_SECONDS

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
    lines, printed = short_form("startup.py", repository, tmp_path)
    assert {line["what"]: line["limit"] for line in lines} == LIMITS
    for line in lines:
        assert [value > 0 for value in line["values"]] == [True], line
        assert line["what"] in printed


def test_no_rounds_at_all_are_refused(repository: Path) -> None:
    command = [sys.executable, str(repository / "bench" / "startup.py"), "--rounds", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert done.returncode == 2
    assert "at least 1" in done.stderr
