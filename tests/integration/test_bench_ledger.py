"""The measurement of the ledger, in its short form: it runs, and every line has its figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_run import short_form


@pytest.mark.long(only=True)
def test_the_short_form_measures_every_line(tmp_path: Path, repository: Path) -> None:
    lines, printed = short_form("ledger.py", repository, tmp_path)
    assert [line["what"] for line in lines] == [
        "plain INSERT",
        "ledger.set: event and projection",
        "state(as_of), 500 events in 1 session(s)",
        "state(as_of), 500 events in 100 session(s)",
    ]
    for line in lines:
        assert 0 < line["median_ms"] <= line["p95_ms"], line
        assert line["what"] in printed
    assert "fsync on, synchronous_commit on" in printed
