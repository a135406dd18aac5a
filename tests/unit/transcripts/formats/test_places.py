"""Where recordings are found, and which project they are of."""

from pathlib import Path

import pytest

from quipu.kinds.transcripts.formats.places import default_roots, find, home_of, project


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in (".claude/projects", ".codex/sessions", "other/projects"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def test_the_usual_places_are_taken_where_they_are(home: Path) -> None:
    assert default_roots({}, home) == [home / ".claude", home / ".codex"]
    assert default_roots({"CLAUDE_CONFIG_DIR": str(home / "other")}, home) == [
        home / "other",
        home / ".codex",
    ]
    assert default_roots({"CODEX_HOME": str(home / "none")}, home) == [home / ".claude"]


def test_each_file_is_found_once_and_known_for_what_it_is(home: Path) -> None:
    root = home / ".claude"
    for name in (
        *("history.jsonl", "projects/-a/s-1.jsonl", "projects/-a/s-1/subagents/agent-x.jsonl"),
        *("projects/-a/s-1/subagents/workflows/wf_1/journal.jsonl", "projects/-a/sessions-index.json"),
        *("teams/t/config.json", "tasks/t/1.json", "settings.json", "statsig/cache.jsonl"),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("{}\n")
    (root / "projects" / "again").symlink_to(root / "projects")
    found = find([root, root / "projects", root / "projects" / "-a" / "s-1.jsonl"])
    assert [file.path.name for file in found.transcripts] == ["s-1.jsonl", "agent-x.jsonl"]
    assert [path.name for path in found.histories] == ["history.jsonl"]
    assert [path.name for path in (*found.indexes, *found.teams, *found.tasks)] == [
        *("sessions-index.json", "config.json", "1.json")
    ]
    assert found.troubles == []


def test_a_project_is_named_by_where_its_session_was_started(home: Path) -> None:
    folder = home / ".claude" / "projects" / "-home-ana-my-app"
    session = folder / "s-1.jsonl"
    agent = folder / "s-1" / "subagents" / "agent-x.jsonl"
    agent.parent.mkdir(parents=True)
    session.write_text('{"type": "summary"}\n{"cwd": "/home/ana/my-app"}\n')
    agent.write_text('{"cwd": "/home/ana/elsewhere"}\n')
    assert project(home_of(session)) == project(home_of(agent)) == "my-app"
    session.write_text('{"cwd": "C:\\\\work\\\\boats"}\n')
    assert project(session) == "boats"
    session.write_text("{}\n")
    assert project(session) == "-home-ana-my-app"
