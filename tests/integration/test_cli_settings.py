"""``quipu settings`` as people and programs call it."""

from __future__ import annotations

from pathlib import Path

from cli_process import CommandLine


def test_a_setting_is_seen_set_and_taken_back(module_url: str, tmp_path: Path) -> None:
    given = {"QUIPU_DATABASE_URL": module_url, "QUIPU_EMBEDDING_MODEL": "hashing"}
    quipu = CommandLine(tmp_path, given)
    listed = quipu.text("settings", "list", "--kind", "episodes")
    assert "episode_decay_per_hour" in listed
    assert "0.05 per hour" in listed
    assert "session_days" not in listed
    shown = quipu.text("settings", "get", "QUIPU_SESSION_DAYS")
    assert "90 days (the default)" in shown
    assert "0 to 36,500" in shown

    made = quipu.json("settings", "set", "session_days", "5")
    assert (made["value"], made["source"], made["stored"]) == (5, "database", 5)
    here = quipu.text("settings", "set", "session_days", "6", "--space", "ana")
    assert here == "session_days is 6 days: set for this space.\n"
    everywhere = {one["name"]: one for one in quipu.json("settings", "list", "--space", "ana")["items"]}
    assert (everywhere["session_days"]["value"], everywhere["session_days"]["stored"]) == (6, 5)

    over = CommandLine(tmp_path, {**given, "QUIPU_SESSION_DAYS": "3"})
    said = over.text("settings", "set", "session_days", "7")
    assert "session_days is 3 days: the environment." in said
    assert "QUIPU_SESSION_DAYS comes before it" in said
    assert "set for all  7 days" in quipu.text("settings", "get", "session_days")

    refused = quipu.run("settings", "set", "session_day", "7")
    assert (refused.returncode != 0, "Did you mean session_days?" in refused.stderr) == (True, True)
    refused = quipu.run("settings", "set", "session_days", "-1")
    assert (refused.returncode, "0 to 36500" in refused.stderr) == (2, True)

    assert quipu.json("settings", "reset", "session_days", "--space", "ana")["value"] == 7
    assert quipu.json("settings", "reset", "session_days")["source"] == "default"
