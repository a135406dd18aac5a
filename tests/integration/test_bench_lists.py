"""The measurement of pages and lists, in its short form: every address is filled, asked and answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_run import short_form


@pytest.mark.long(only=True)
def test_the_short_form_asks_every_address_and_each_answers(tmp_path: Path, repository: Path) -> None:
    lines, _ = short_form("pages.py", repository, tmp_path)
    assert {line["path"] for line in lines} >= {"/", "/episodes (page 2)", "/v1/longterm (page 2)"}
    assert [line for line in lines if line["status"] != 200] == []
    lists = {line["path"]: line["rows"] for line in lines if line["rows"] is not None}
    assert min(rows for path, rows in lists.items() if path.endswith("(page 2)")) > 0
