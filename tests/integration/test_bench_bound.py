"""The measurement of recall for one person, in its short form: it is asked for everybody it compares."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_run import short_form


@pytest.mark.long(only=True)
def test_the_short_form_asks_unbound_and_bound_to_each(tmp_path: Path, repository: Path) -> None:
    lines, shown = short_form("bound.py", repository, tmp_path)
    assert [(line["recall"], len(line["ms"])) for line in lines] == [
        ("unbound", 12), ("bound, has 90 %", 12), ("bound, has 1 %", 12), ("bound, has nothing", 12)
    ]  # fmt: skip
    assert "times unbound" in shown
