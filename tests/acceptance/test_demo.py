"""`make demo` after the installation: one command from nothing to answers that say why."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from patience import PATIENCE_SECONDS

SOURCE = Path(__file__).resolve().parent.parent.parent / "src"


def demo(home: Path, *arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("QUIPU_")}
    environment |= {"HOME": str(home), "PYTHONPATH": str(SOURCE), "QUIPU_HOME": str(home / "memory")}
    command = [sys.executable, "-m", "quipu", "demo", *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", env=environment, timeout=PATIENCE_SECONDS
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_demo_answers_its_questions_and_says_why_and_where_from(home: Path, repository: Path) -> None:
    shown = demo(home)
    questions = json.loads((repository / "samples" / "questions.json").read_text("utf-8"))
    for one in questions:
        assert one["question"] in shown
    assert "334 messages taken in" in shown
    assert shown.count("meaning ") >= 2 * len(questions)
    assert "message demo / petrel-" in shown
    assert "quipu recall --space demo" in shown

    again = json.loads(demo(home, "--json"))
    assert [report["imported"] for report in again["imported"]] == [0, 0, 0]
    assert all(report["duplicates"] > 0 for report in again["imported"])
    answers = again["answers"]
    assert [one["question"] for one in answers] == [one["question"] for one in questions]
    assert [one["rank"] for one in answers] == [1] * len(answers)
    assert "before: I live in Hamburg" in shown
    assert f"All {len(answers)} questions were answered by the first memory." in shown


def test_the_demo_works_on_ones_own_sessions(home: Path, repository: Path) -> None:
    shutil.copytree(repository / "samples" / "claude-code" / "projects", home / "projects")
    told = json.loads(demo(home, "--from", str(home / "projects"), "--json"))
    assert told["space"] == "demo-own"
    assert told["imported"][0]["imported"] > 20
    assert all(one["hits"] for one in told["answers"])


@pytest.mark.parametrize("place", ["missing", "empty"])
def test_a_directory_without_sessions_is_said_before_anything_is_made(home: Path, place: str) -> None:
    (home / "empty").mkdir()
    environment = os.environ | {"PYTHONPATH": str(SOURCE), "QUIPU_HOME": str(home / "memory")}
    command = [sys.executable, "-m", "quipu", "demo", "--from", str(home / place)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=PATIENCE_SECONDS)
    assert done.returncode == 3
    assert place in done.stderr
    assert not (home / "memory").exists()
