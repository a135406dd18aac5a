"""The archive of one person has what is theirs in every kind, and no word of others."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import seeding
from archive_space import SPACE
from seeding import USER

from quipu import AsyncMemory
from quipu.errors import BadInput
from quipu.upkeep.archive.tables import CARRIED

pytestmark = pytest.mark.anyio

MINE, THEIRS = "aardvark", "bonobo"
OF_SPACE = {one.kind for one in CARRIED if not one.personal}


@pytest.fixture
def fill() -> Callable[[AsyncMemory, str], Awaitable[None]]:
    return two_people


async def two_people(memory: AsyncMemory, _: str) -> None:
    """A space of two people: each says, keeps and writes things marked with a word of theirs."""
    for mark, user in ((MINE, USER), (THEIRS, "bo")):
        sessions = (f"{mark} one", f"{mark} two")
        await seeding.said(memory, SPACE, mark, user=user, sessions=sessions)
        await seeding.ledger(memory, SPACE, mark, user=user, session=sessions[0])
        await seeding.longterm(memory, SPACE, mark, user=user, session=sessions[0])
        await seeding.documents(memory, SPACE, mark, user=user)
        await memory.ledger.set("boat", mark, space=SPACE, user=user)
    both = [
        {"content": f"I have a {MINE}.", "user": USER, "speaker": "Una"},
        {"content": f"And I have a {THEIRS}.", "user": "bo", "speaker": "Bo"},
        {"content": "Both are noted.", "role": "assistant"},
    ]
    await memory.observe(both, space=SPACE, session="both")
    await memory.lessons.add("The tests need Docker.", space=SPACE)
    await memory.settings.set("session_days", 30, space=SPACE)
    await memory.work(concurrency=2)
    await memory.episodes.condense(space=SPACE)


def texts(folder: Path) -> dict[str, str]:
    return {path.name.removesuffix(".ndjson"): path.read_text() for path in folder.glob("*.ndjson")}


async def test_a_person_gets_what_is_theirs_and_no_word_of_others(full: AsyncMemory, tmp_path: Path) -> None:
    done = await full.archives.export(tmp_path / "una", space=SPACE, user=USER)
    found = texts(tmp_path / "una")
    assert found.keys() == done.records.keys()
    kinds = {
        "sessions",
        "messages",
        "ledger.events",
        "ledger.person_facts",
        "longterm",
        "documents",
        "episodes",
    }
    assert kinds <= found.keys()
    assert {"loops", "beliefs", "documents.versions", "longterm.history"} <= found.keys()
    assert not found.keys() & OF_SPACE
    for kind, text in found.items():
        assert THEIRS not in text, kind
        assert '"bo"' not in text, kind
    assert sum(MINE in text for text in found.values()) > 8


async def test_what_they_said_among_others_is_theirs(full: AsyncMemory, tmp_path: Path) -> None:
    await full.archives.export(tmp_path / "una", space=SPACE, user=USER)
    found = texts(tmp_path / "una")
    sessions = {one["name"]: one for one in map(json.loads, found["sessions"].splitlines())}
    (mine,) = [
        one
        for one in map(json.loads, found["messages"].splitlines())
        if one["session_id"] == sessions["both"]["id"]
    ]
    assert mine["content"] == f"I have a {MINE}."
    assert sessions["both"]["messages"] == 1
    assert sessions["both"]["started_at"] == mine["happened_at"]


async def test_the_manifest_says_whose_it_is_and_what_is_not_in_it(full: AsyncMemory, tmp_path: Path) -> None:
    await full.archives.export(tmp_path / "una", space=SPACE, user=USER)
    manifest = json.loads((tmp_path / "una" / "manifest.json").read_bytes())
    assert manifest["user"] == USER
    assert "cannot be kept apart" in manifest["left_out"]["transcripts.memories"]
    assert manifest["schemas"] == []


async def test_it_is_taken_in_elsewhere(full: AsyncMemory, other: AsyncMemory, tmp_path: Path) -> None:
    await full.archives.export(tmp_path / "una.tar", space=SPACE, user=USER)
    await other.archives.load(tmp_path / "una.tar", space="hers")
    await full.archives.export(tmp_path / "una", space=SPACE, user=USER)
    await other.archives.export(tmp_path / "hers", space="hers", user=USER)
    assert texts(tmp_path / "hers") == texts(tmp_path / "una")
    found = await other.recall(f"Where is the {MINE} harbour?", space="hers", user=USER)
    assert MINE in found[0].text


async def test_nobody_has_an_empty_archive(full: AsyncMemory, tmp_path: Path) -> None:
    done = await full.archives.export(tmp_path / "nobody", space=SPACE, user="nobody")
    assert done.records == {}


async def test_what_others_said_beside_them_is_there_where_it_is_asked_for(
    full: AsyncMemory, other: AsyncMemory, tmp_path: Path
) -> None:
    await full.archives.export(tmp_path / "una", space=SPACE, user=USER, with_others=True)
    found = texts(tmp_path / "una")
    sessions = {one["name"]: one for one in map(json.loads, found["sessions"].splitlines())}
    said = list(map(json.loads, found["messages"].splitlines()))
    both = [one["content"] for one in said if one["session_id"] == sessions["both"]["id"]]
    assert both == [f"I have a {MINE}.", f"And I have a {THEIRS}.", "Both are noted."]
    assert sessions["both"]["messages"] == 3
    assert f"{THEIRS} one" not in sessions
    assert sum(THEIRS in text for text in found.values()) == 1
    await other.archives.load(tmp_path / "una", space="hers")
    with pytest.raises(BadInput, match="takes a person"):
        await full.archives.export(tmp_path / "all", space=SPACE, with_others=True)
