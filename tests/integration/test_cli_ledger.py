"""``quipu ledger`` as a process of its own, over a real database."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_process import CommandLine
from pydantic import BaseModel

from quipu import Memory
from quipu.kernel.config import Settings


class Diet(BaseModel):
    avoids: list[str]


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


def test_an_assumption_is_listed_corrected_and_explained(quipu: CommandLine) -> None:
    here = ("--session", "s-1")
    assert (
        quipu.json("ledger", "open-session", "--user", "dana", "--meta", "card=blue", *here)["session"]
        == "s-1"
    )
    assumed = quipu.json("ledger", "assume", "baseline.scope", "value=all", "--cap", "low", *here)
    assert assumed["event"]["event_type"] == "assumption_set"
    (open_one,) = quipu.json("ledger", "assumptions", *here)["items"]
    assert (open_one["key"], open_one["confidence_cap"]) == ("baseline.scope", "low")
    said = ("value=single", "locationLabel=Lisbon", "--reason", "she said so", "--actor", "agent")
    assert "assumption_corrected" in quipu.text("ledger", "correct", "baseline.scope", *said, *here)
    state = quipu.json("ledger", "state", *here)
    assert state["baseline.scope"]["value"] == {"value": "single", "locationLabel": "Lisbon"}
    assert quipu.json("ledger", "assumptions")["items"] == []
    shown = quipu.text("ledger", "history", "baseline.scope", *here)
    assert "she said so" in shown
    assert "agent" in shown
    assert quipu.json("ledger", "diff", "2020-01-01", *here)["items"][0]["before"] is None
    event = assumed["event"]["id"]
    refused = quipu.run("ledger", "undo", str(event))
    assert (refused.returncode, "came after it" in refused.stderr) == (2, True)
    assert quipu.json("ledger", "undo", str(event), "--force")["value"] is None


def test_a_preference_is_set_listed_expired_and_forgotten(quipu: CommandLine) -> None:
    dana = ("--user", "dana")
    quipu.text("ledger", "set", "boat", "the", "green", "one", *dana)
    quipu.text("ledger", "set", "team", "4", *dana)
    listed = quipu.json("ledger", "list")["items"]
    assert [(one["key"], one["value"]) for one in listed] == [("boat", "the green one"), ("team", 4)]
    assert "stronger" in quipu.text("ledger", "assume", "team", "5", *dana)
    assert "stands already" in quipu.text("ledger", "set", "team", "4", *dana)
    assert quipu.json("ledger", "expire", "team", *dana)["event"]["event_type"] == "fact_expired"
    assert quipu.json("ledger", "delete", "boat", *dana)["event"]["event_type"] == "fact_deleted"
    assert "Nothing stands" in quipu.text("ledger", "list")
    rebuilt = quipu.json("ledger", "rebuild")
    assert (rebuilt["events"], rebuilt["changed"]) == (5, 0)


def test_what_cannot_be_taken_names_the_field(quipu: CommandLine) -> None:
    done = quipu.run("ledger", "set", "ui.response_depth", "value=loud", "--user", "dana", "--json")
    assert done.returncode == 2
    assert "value.value" in done.stderr
    assert quipu.run("ledger", "set", "boat", "green").returncode == 2
    assert quipu.json("ledger", "list")["items"] == []


def test_a_key_that_a_program_registered_is_written_shown_and_ended(
    quipu: CommandLine, settings: Settings
) -> None:
    with Memory(settings=settings) as memory:
        memory.ledger.register("diet", Diet, namespace="constraint", scope="cross_session")
        memory.ledger.set("diet", {"avoids": ["nuts"]}, space="default", user="dana")
    dana = ("--user", "dana")
    for act in ("set", "assume", "correct"):
        refused = quipu.run("ledger", act, "diet", 'avoids="nuts"', *dana)
        assert (refused.returncode, "value.avoids" in refused.stderr) == (2, True)
    assert "stands" in quipu.text("ledger", "set", "diet", 'avoids=["fish"]', *dana)
    assert "stronger" in quipu.text("ledger", "assume", "diet", "avoids=[]", *dana)
    quipu.text("ledger", "correct", "diet", 'avoids=["milk"]', *dana)
    ended = quipu.json("ledger", "expire", "diet", *dana)["event"]["id"]
    quipu.text("ledger", "undo", str(ended))
    quipu.text("ledger", "delete", "diet", *dana)
    events = quipu.json("ledger", "history", "diet", *dana)["items"]
    assert [one["event_type"] for one in events][-3:] == ["fact_expired", "fact_set", "fact_deleted"]
    keys = {one["pattern"]: one for one in quipu.json("ledger", "keys")["items"]}
    assert keys["diet"]["shape"]["required"] == ["avoids"]
    shown = quipu.text("ledger", "keys")
    assert "constraint" in shown
    assert "baseline.foh.{locationLabel}.{daypart}" in shown


def test_a_default_is_disclosed_until_somebody_confirms_it(quipu: CommandLine) -> None:
    dana = ("--user", "dana")
    said = quipu.json("ledger", "set", "team", "4", "--source", "default", *dana)["event"]
    assert (said["event_type"], said["assumed"], said["confidence_cap"]) == ("assumption_set", True, "medium")
    (open_one,) = quipu.json("ledger", "assumptions", *dana)["items"]
    assert (open_one["key"], open_one["source"]) == ("team", "default")
    assert "assumption_corrected" in quipu.text("ledger", "set", "team", "4", *dana)
    assert quipu.json("ledger", "assumptions", *dana)["items"] == []


def test_a_session_is_its_one_users_and_of_several_nobodys(quipu: CommandLine, settings: Settings) -> None:
    with Memory(settings=settings) as memory:
        for session, users in {"s-1": ["dana"], "s-2": ["dana", "bob"]}.items():
            for user in users:
                memory.observe([{"content": "Hello."}], space="default", session=session, user=user)
    claimed = quipu.run("ledger", "set", "boat", "red", "--session", "s-1", "--user", "bob")
    assert (claimed.returncode, "somebody else's" in claimed.stderr) == (2, True)
    assert quipu.json("ledger", "set", "boat", "green", "--session", "s-1")["event"]["user"] == "dana"
    shared = quipu.run("ledger", "set", "boats", "2", "--session", "s-2", "--user", "bob")
    assert (shared.returncode, "(bob, dana)" in shared.stderr) == (2, True)
    assert quipu.json("ledger", "set", "boats", "2", "--session", "s-2")["event"]["user"] is None
