"""Only regular files are read: whatever else has their name is told of, and waits for nobody."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from quipu.kinds.transcripts.formats import side
from quipu.kinds.transcripts.formats.chunks import chunks
from quipu.kinds.transcripts.formats.places import agent_of, find, project

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")


def test_what_is_no_regular_file_is_told_of_and_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    project = tmp_path / "projects" / "-home-ana"
    (project / "folder.jsonl").mkdir(parents=True)
    (project / "folder.jsonl" / "inner.jsonl").write_text("{}\n")
    (project / "good.jsonl").write_text("{}\n")
    os.mkfifo(project / "pipe.jsonl")
    (project / "broken.jsonl").symlink_to("nowhere")
    (project / "circle.jsonl").symlink_to("circle.jsonl")
    (project / "device.jsonl").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("projects/-home-ana/door.jsonl")
        found = find([tmp_path, project / "pipe.jsonl"])
    assert sorted(one.path.name for one in found.transcripts) == ["good.jsonl", "inner.jsonl"]
    reasons = {Path(path).name: reason for path, reason in found.troubles}
    assert reasons.keys() == {
        f"{name}.jsonl" for name in ("broken", "circle", "device", "door", "folder", "pipe")
    }
    assert reasons["pipe.jsonl"] == "it is no regular file."
    assert reasons["folder.jsonl"] == "it is a directory."


def test_a_pipe_beside_the_file_of_a_subagent_tells_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "agent-a1.meta.json")
    assert agent_of(tmp_path / "agent-a1.jsonl") == ("a1", {})


def test_a_pipe_that_takes_the_place_of_a_file_that_was_found_waits_for_nobody(tmp_path: Path) -> None:
    pipe = tmp_path / "came-later"
    os.mkfifo(pipe)
    for reading in (
        lambda: list(chunks(pipe)),
        lambda: project(pipe),
        lambda: list(side.lines(pipe)),
        lambda: side.index(pipe),
    ):
        with pytest.raises(OSError, match="no regular file"):
            reading()
