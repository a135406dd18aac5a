"""Which recorded sessions there are, and which project each belongs to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quipu.errors import NotFound
from quipu.interfaces.cli.claude import by_project, default_path, project, recordings
from quipu.interfaces.cli.samples import samples


def session(path: Path, *lines: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines), "utf-8"
    )
    return path


@pytest.mark.parametrize(
    ("directory", "name"),
    [
        ("/home/dana/src/ferryboard", "ferryboard"),
        ("/srv/app/", "app"),
        ("C:\\Users\\dana\\label press", "label press"),
    ],
)
def test_a_project_is_called_like_the_directory_it_was_worked_on_in(
    tmp_path: Path, directory: str, name: str
) -> None:
    path = session(
        tmp_path / "-x" / "a.jsonl", {"type": "summary"}, {"cwd": directory}, {"cwd": "/elsewhere"}
    )
    assert project(path) == name


@pytest.mark.parametrize(
    "line", ["not json\n", '{"cwd": 7}\n', '["cwd"]\n', '{"cwd": "/"}\n', '{"cwd": null}\n']
)
def test_a_session_that_does_not_say_belongs_to_its_folder(tmp_path: Path, line: str) -> None:
    assert project(session(tmp_path / "-home-dana-x" / "a.jsonl", line)) == "-home-dana-x"


def test_sessions_of_one_directory_are_one_project() -> None:
    files = recordings(samples() / "claude-code" / "projects")
    assert set(by_project(files)) == {"ferryboard", "labelpress"}
    assert sum(map(len, by_project(files).values())) == len(files)


def test_one_file_may_be_named_itself(tmp_path: Path) -> None:
    path = session(tmp_path / "a.jsonl", {"cwd": "/x"})
    assert recordings(path) == [path]


def test_where_nothing_is_the_error_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="There is no"):
        recordings(tmp_path / "missing")
    with pytest.raises(NotFound, match="No sessions"):
        recordings(tmp_path)


def test_the_place_of_the_sessions_can_be_configured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    assert default_path() == tmp_path / "projects"
    monkeypatch.delenv("CLAUDE_CONFIG_DIR")
    assert default_path() == Path.home() / ".claude" / "projects"
