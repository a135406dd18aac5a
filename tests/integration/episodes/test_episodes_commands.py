"""``quipu episodes`` as a command, over a real database that the tests of this file share."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cli_process import CommandLine
from talk import BUILD, TRIP, told

from quipu import Memory
from quipu.kernel.config import Settings

LATELY = datetime.now(UTC) - timedelta(days=4)


@pytest.fixture(scope="module")
def told_url(server_settings: Settings, module_url: str) -> str:
    with Memory(settings=replace(server_settings, database_url=module_url)) as memory:
        for number, texts in enumerate((TRIP, BUILD)):
            memory.import_messages(told(texts, session=f"s{number}"), space="default")
        memory.import_messages(told(BUILD, session="s", at=LATELY), space="lately")
        assert memory.work(concurrency=1).failed == 0
    return module_url


@pytest.fixture
def quipu(told_url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": told_url, "QUIPU_EMBEDDING_MODEL": "hashing"})


@pytest.fixture
def trip(quipu: CommandLine) -> str:
    """The id of the episode of the trip."""
    (found,) = quipu.json("episodes", "list", "--session", "s0")["items"]
    return found["id"]


def test_episodes_are_listed_by_what_is_asked_for(quipu: CommandLine, trip: str) -> None:
    listed = quipu.text("episodes", "list", "--order", "salience")
    assert trip[:8] in listed
    assert "2025-03-03" in listed
    assert len(quipu.json("episodes", "list")["items"]) == 2
    assert len(quipu.json("episodes", "list", "--limit", "1")["items"]) == 1
    assert quipu.json("episodes", "list", "--until", "2025-01-01")["items"] == []
    assert "quipu worker" in quipu.text("episodes", "list", "--user", "nobody")
    assert quipu.json("episodes", "stats")["episodes"] == 2
    assert "2 episodes" in quipu.text("episodes", "stats")


def test_an_episode_is_shown_with_what_was_said_in_it(quipu: CommandLine, trip: str) -> None:
    shown = quipu.text("episodes", "get", trip[:8])
    assert "planning, decision-making" in shown
    assert "night train from Madrid" in quipu.text("episodes", "messages", trip)
    assert "list of hotels tomorrow" in shown
    assert [one["content"] for one in quipu.json("episodes", "messages", trip)["items"]] == list(TRIP)


def test_its_curve_is_drawn_in_the_terminal(quipu: CommandLine) -> None:
    (build,) = quipu.json("episodes", "list", "--space", "lately")["items"]
    history = quipu.text("episodes", "history", build["id"], "--space", "lately")
    assert "as it was first written" in history
    curve = ("episodes", "curve", build["id"], "--space", "lately", "--ahead-days", "4")
    drawn = quipu.text(*curve)
    rows = [line for line in drawn.splitlines() if "┤" in line]
    assert (len(rows), rows[0][:6], rows[5][:6]) == (10, " 1.0 ┤", " 0.5 ┤")
    filled = [row.count("█") + row.count("░") for row in rows]
    assert filled == sorted(filled)  # it began high, and falls
    assert 0 < filled[1] < filled[-1]
    assert "█" in rows[-1]
    assert "░" in rows[-1]
    assert f"{LATELY:%Y-%m-%d}" in drawn
    assert re.search(r"freshness, now 0\.\d\d .* activation, now 0\.\d\d .* 0 uses", drawn)
    points = quipu.json(*curve)["points"]
    fresh = [one["state"]["freshness"] for one in points]
    assert fresh == sorted(fresh, reverse=True)
    assert points[-1]["forecast"] is True


def test_it_is_recalled_used_archived_and_brought_back(quipu: CommandLine, trip: str) -> None:
    (best, *_) = quipu.json("episodes", "search", "the night train to Lisbon")["items"]
    assert best["episode"]["id"] == trip
    assert trip[:8] in quipu.text("episodes", "search", "the night train to Lisbon")
    assert "1 use noted" in quipu.text("episodes", "reinforce", trip[:8])
    assert "▲" in quipu.text("episodes", "curve", trip)
    assert quipu.json("episodes", "archive", trip)["deleted_at"] is not None
    assert trip[:8] not in quipu.text("episodes", "list")
    assert trip[:8] in quipu.text("episodes", "list", "--state", "archived")
    assert quipu.json("episodes", "unarchive", trip)["uses"] == 1


def test_it_is_written_anew_and_how_it_read_before_is_shown(quipu: CommandLine, trip: str) -> None:
    assert "0 episodes written by rules" in quipu.text("episodes", "rebuild")
    assert quipu.json("episodes", "rebuild", trip, "--again")["episodes"] == [trip]
    assert "by rules:" in quipu.text("episodes", "history", trip)
    assert quipu.json("episodes", "condense")["episodes"] == []


def test_it_is_erased_only_when_that_is_confirmed(quipu: CommandLine) -> None:
    lines = [one | {"session": "gone"} for one in told(BUILD, session="gone")]
    (quipu.home / "chat.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
    quipu.text("import", "jsonl", str(quipu.home / "chat.jsonl"), "--space", "other")
    quipu.text("worker", "--burst", "--topics", "memory_chunker")
    (made,) = quipu.json("episodes", "condense", "--space", "other")["episodes"]
    assert "Would be erased" in quipu.text("episodes", "erase", made, "--space", "other")
    assert quipu.json("episodes", "get", made, "--space", "other")["id"] == made
    assert "Erased. Receipt" in quipu.text("episodes", "erase", made, "--space", "other", "--yes")
    refused = quipu.run("episodes", "get", made, "--space", "other")
    assert refused.returncode != 0
    assert "list of episodes" in refused.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("get", "xyz"), "four digits"),
        (("list", "--order", "best"), "best"),
        (("list", "--limit", "0"), "limit"),
        (("curve", "0000", "--ahead-days", "-1"), "ahead-days"),
        (("search", " "), "question"),
    ],
)
def test_what_cannot_be_meant_is_said_to_be_so(quipu: CommandLine, words: tuple[str, ...], told: str) -> None:
    refused = quipu.run("episodes", *words)
    assert refused.returncode != 0
    assert told in refused.stderr
