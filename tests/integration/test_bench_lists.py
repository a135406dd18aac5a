"""The measurement of pages and lists, in its short form: every address is filled, asked and answered."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.long(only=True)
def test_the_short_form_asks_every_address_and_each_answers(tmp_path: Path, repository: Path) -> None:
    figures = tmp_path / "figures.json"
    done = subprocess.run(
        [sys.executable, repository / "bench" / "pages.py", "--short", "--json", figures],
        env=os.environ | {"PYTHONPATH": str(repository / "src")},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    lines = json.loads(figures.read_text("utf-8"))
    assert {line["path"] for line in lines} >= {"/", "/episodes (page 2)", "/v1/longterm (page 2)"}
    assert [line for line in lines if line["status"] != 200] == []
    lists = {line["path"]: line["rows"] for line in lines if line["rows"] is not None}
    assert min(rows for path, rows in lists.items() if path.endswith("(page 2)")) > 0
