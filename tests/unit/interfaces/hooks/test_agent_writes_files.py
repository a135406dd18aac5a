"""An agent that writes: its command and its server, put beside what others have, and taken away exactly."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from quipu.errors import BadInput
from quipu.interfaces.hooks import agent_writes, entries
from quipu.interfaces.hooks.agent_writes import Places
from quipu.recall.render import estimate_tokens

NOW, LATER = datetime(2026, 5, 4, tzinfo=UTC), datetime(2026, 5, 5, tzinfo=UTC)
WRITES = {"agent-writes": "yes"}
OTHER = {"type": "http", "url": "https://example.test"}


def places(root: Path, *, within: str | None = None) -> Places:
    return Places(root / "commands" / "remember.md", root / "servers.json", within)


def install(root: Path, options: dict[str, str] = WRITES, **more: Any) -> list[entries.SettingsChange]:
    where = more.pop("writing", places(root))
    now = more.pop("now", NOW)
    return entries.install(root / "settings.json", options, now=now, writing=where, **more)


def tree(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file() and path.suffix != ".quipu-backup")
    return {str(path.relative_to(root)): path.read_text("utf-8") for path in files}


def test_the_instruction_is_short_and_names_the_session() -> None:
    told = agent_writes.instruction("s-1")
    assert estimate_tokens(told) < 250
    assert "s-1" in told
    assert "session, for" not in agent_writes.instruction(None)


@pytest.mark.parametrize("within", [None, "/srv/boat"])
def test_installing_twice_is_installing_once_and_removing_brings_back_what_was(
    tmp_path: Path, within: str | None
) -> None:
    before = {"mcpServers": {"other": OTHER}, "projects": {"/srv/shed": {"allowed": []}}}
    (tmp_path / "servers.json").write_text(json.dumps(before, indent=2) + "\n")
    (tmp_path / "settings.json").write_text('{\n  "model": "opus"\n}\n')
    was, where = tree(tmp_path), places(tmp_path, within=within)
    first = install(tmp_path, {**WRITES, "space": "boat", "home": "/h"}, writing=where)
    assert [one.changed for one in first] == [True, True, True]
    made = json.loads((tmp_path / "servers.json").read_text())
    holder = made if within is None else made["projects"][within]
    assert holder["mcpServers"]["quipu"]["args"] == ["-m", "quipu", "mcp", "--project", "--space", "boat"]
    assert holder["mcpServers"]["quipu"]["env"] == {"QUIPU_HOME": "/h"}
    assert made["mcpServers"]["other"] == OTHER
    now = tree(tmp_path)
    again = install(tmp_path, {**WRITES, "space": "boat", "home": "/h"}, writing=where)
    assert [one.changed for one in again] == [False, False, False]
    assert tree(tmp_path) == now
    entries.remove(tmp_path / "settings.json", now=LATER, writing=where)
    assert tree(tmp_path) == was
    assert not (tmp_path / "commands").exists()


def test_where_there_was_nothing_nothing_is_left_but_empty_settings(tmp_path: Path) -> None:
    install(tmp_path)
    assert sorted(tree(tmp_path)) == ["commands/remember.md", "servers.json", "settings.json"]
    entries.remove(tmp_path / "settings.json", now=LATER, writing=places(tmp_path))
    assert tree(tmp_path) == {"settings.json": "{}\n"}


def test_a_preview_shows_all_files_and_changes_nothing(tmp_path: Path) -> None:
    shown = install(tmp_path, preview=True)
    assert [one.path.name for one in shown] == ["remember.md", "servers.json", "settings.json"]
    assert "mcp__quipu__remember" in shown[0].text
    assert tree(tmp_path) == {}


def test_installing_without_it_takes_it_away_again(tmp_path: Path) -> None:
    install(tmp_path)
    install(tmp_path, {}, now=LATER)
    assert [*tree(tmp_path)] == ["settings.json"]
    assert not entries.writes(json.loads((tmp_path / "settings.json").read_text()))


def test_what_a_person_changed_stays_and_is_told(tmp_path: Path) -> None:
    install(tmp_path)
    command, servers = tmp_path / "commands" / "remember.md", tmp_path / "servers.json"
    command.write_text(command.read_text().replace("once", "twice"))
    document = json.loads(servers.read_text())
    document["mcpServers"]["quipu"]["args"] += ["--read-only"]
    servers.write_text(json.dumps(document))
    was = tree(tmp_path)
    removed = entries.remove(tmp_path / "settings.json", now=LATER, writing=places(tmp_path))
    assert [one.note for one in removed] == [
        "it was changed by hand, and stays as it is",
        "its entry quipu was changed by hand, and stays as it is",
        "",
    ]
    left = tree(tmp_path)
    assert {name: text for name, text in left.items() if name != "settings.json"} == {
        name: text for name, text in was.items() if name != "settings.json"
    }


def test_files_of_others_with_our_names_stay_and_are_told(tmp_path: Path) -> None:
    (tmp_path / "commands").mkdir()
    (tmp_path / "commands" / "remember.md").write_text("My own command.\n")
    own = {"mcpServers": {"quipu": {"command": "quipu", "args": ["mcp"]}}}
    (tmp_path / "servers.json").write_text(json.dumps(own))
    done = install(tmp_path)
    assert [(one.changed, bool(one.note)) for one in done] == [(False, True), (False, True), (True, False)]
    entries.remove(tmp_path / "settings.json", now=LATER, writing=places(tmp_path))
    assert (tmp_path / "commands" / "remember.md").read_text() == "My own command.\n"
    assert json.loads((tmp_path / "servers.json").read_text()) == own


def test_an_older_command_of_ours_and_the_python_of_an_older_place_are_replaced(tmp_path: Path) -> None:
    install(tmp_path)
    servers = tmp_path / "servers.json"
    servers.write_text(servers.read_text().replace(json.dumps(entries.sys.executable), '"/old/python"'))
    changed = install(tmp_path, now=LATER)
    assert [one.changed for one in changed] == [False, True, False]
    assert "/old/python" not in servers.read_text()


@pytest.mark.parametrize(
    "document", ["[]", "{", '{"mcpServers": []}', '{"mcpServers": {}, "mcpServers": {}}'], ids=range(4)
)
def test_a_list_of_servers_that_cannot_be_read_keeps_everything_as_it_is(
    tmp_path: Path, document: str
) -> None:
    (tmp_path / "servers.json").write_text(document)
    with pytest.raises(BadInput):
        install(tmp_path)
    assert tree(tmp_path) == {"servers.json": document}


def test_the_places_follow_the_scope(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    user = entries.places(tmp_path, project=False, local=False)
    assert (user.servers.name, user.command.parent.parent) == (".claude.json", tmp_path / "claude")
    project = entries.places(tmp_path, project=True, local=False)
    assert (project.servers, project.within) == (tmp_path.resolve() / ".mcp.json", None)
    local = entries.places(tmp_path, project=False, local=True)
    assert (local.servers, local.within) == (user.servers, str(tmp_path.resolve()))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    assert entries.places(tmp_path, project=False, local=False).servers == Path.home() / ".claude.json"
