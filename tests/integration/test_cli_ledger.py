"""``quipu ledger`` as a process of its own, over a real database."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_process import CommandLine


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


def test_an_assumption_is_listed_corrected_and_explained(quipu: CommandLine) -> None:
    here = ("--session", "s-1")
    assert quipu.json("ledger", "open", "--new", "--user", "dana", *here)["session"] == "s-1"
    assumed = quipu.json("ledger", "assume", "baseline.scope", "value=all", "--cap", "low", *here)
    assert assumed["event"]["event_type"] == "assumption_set"
    (open_one,) = quipu.json("ledger", "open", *here)["assumptions"]
    assert (open_one["key"], open_one["confidence_cap"]) == ("baseline.scope", "low")
    said = ("value=single", "locationLabel=Lisbon", "--reason", "she said so", "--actor", "agent")
    assert "assumption_corrected" in quipu.text("ledger", "correct", "baseline.scope", *said, *here)
    state = quipu.json("ledger", "state", *here)["state"]
    assert state["baseline.scope"]["value"] == {"value": "single", "locationLabel": "Lisbon"}
    assert quipu.json("ledger", "open")["assumptions"] == []
    shown = quipu.text("ledger", "history", "baseline.scope", *here)
    assert "she said so" in shown
    assert "agent" in shown
    assert quipu.json("ledger", "diff", "2020-01-01", *here)["differences"][0]["before"] is None
    event = assumed["event"]["id"]
    refused = quipu.run("ledger", "undo", str(event))
    assert (refused.returncode, "came after it" in refused.stderr) == (2, True)
    assert quipu.json("ledger", "undo", str(event), "--force")["value"] is None


def test_a_preference_is_set_listed_expired_and_forgotten(quipu: CommandLine) -> None:
    dana = ("--user", "dana")
    quipu.text("ledger", "set", "boat", "the", "green", "one", *dana)
    quipu.text("ledger", "set", "team", "4", *dana)
    listed = quipu.json("ledger", "list")["values"]
    assert [(one["key"], one["value"]) for one in listed] == [("boat", "the green one"), ("team", 4)]
    assert "stronger" in quipu.text("ledger", "assume", "team", "5", *dana)
    assert "stands already" in quipu.text("ledger", "set", "team", "4", *dana)
    assert quipu.json("ledger", "expire", "team", *dana)["event"]["event_type"] == "fact_expired"
    assert quipu.json("ledger", "forget", "boat", *dana)["event"]["event_type"] == "fact_deleted"
    assert "Nothing stands" in quipu.text("ledger", "list")
    rebuilt = quipu.json("ledger", "rebuild")
    assert (rebuilt["events"], rebuilt["changed"]) == (5, 0)


def test_what_cannot_be_taken_names_the_field(quipu: CommandLine) -> None:
    done = quipu.run("ledger", "set", "ui.response_depth", "value=loud", "--user", "dana", "--json")
    assert done.returncode == 2
    assert "value.value" in done.stderr
    assert quipu.run("ledger", "set", "boat", "green").returncode == 2
    assert quipu.json("ledger", "list")["values"] == []
