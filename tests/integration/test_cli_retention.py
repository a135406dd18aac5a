"""``quipu ledger retention``, as a process of its own would run it."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from cli_process import CommandLine


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    """With a session that nobody wrote to for a long time, as far as the database knows."""
    line = CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})
    line.text("observe", "The boat is green.", "--session", "old")
    line.text("observe", "The boat is red.", "--session", "new")
    with psycopg.connect(url) as conn:
        conn.execute(
            "update core.messages set recorded_at = now() - interval '91 days' where content ~ 'green'"
        )
    return line


def test_it_says_what_would_go_and_how_to_do_it(quipu: CommandLine) -> None:
    for _ in range(2):
        shown = quipu.text("ledger", "retention")
        assert "1 session, idle since" in shown
        assert "Nothing was changed. To do it, add --yes." in quipu.run("ledger", "retention").stderr
    assert [s["name"] for s in quipu.json("sessions")["items"]] == ["new", "old"]


def test_confirmed_it_does_it(quipu: CommandLine) -> None:
    asked = quipu.home / "last-recall.json"
    quipu.text("recall", "Which boat is green?")
    assert asked.exists()
    done = quipu.json("ledger", "retention", "--yes")["shown"]
    assert not asked.exists()  # the question may name what went
    assert (done["done"], done["sessions"], done["counts"]) == (True, 1, {"jobs": 2, "messages": 1})
    assert len(done["receipts"]) == 1
    assert [s["name"] for s in quipu.json("sessions")["items"]] == ["new"]
    assert "is past its time" in quipu.text("ledger", "retention", "--yes")


def test_days_are_settings_and_options(quipu: CommandLine) -> None:
    assert quipu.json("ledger", "retention", "--session-days", "92")["shown"]["sessions"] == 0
    patient = CommandLine(quipu.home, {**quipu.settings, "QUIPU_SESSION_DAYS": "0"})
    assert patient.json("ledger", "retention")["shown"]["limits"]["sessions"] is None
    assert patient.json("ledger", "retention", "--session-days", "90")["shown"]["sessions"] == 1
    wrong = quipu.run("ledger", "retention", "--yes", "--evidence-days", "-1")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "--evidence-days" in wrong.stderr
