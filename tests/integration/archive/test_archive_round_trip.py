"""What an archive carries comes back as it was: the archive of a space that was taken in is the same."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from archive_space import SPACE

from quipu import AsyncMemory
from quipu.kernel.config import Settings
from quipu.testing import FrozenClock
from quipu.upkeep.archive.tables import CARRIED

pytestmark = pytest.mark.anyio


def records(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.ndjson"))}


async def test_an_archive_that_was_taken_in_is_written_the_same(
    full: AsyncMemory, other: AsyncMemory, tmp_path: Path
) -> None:
    await full.archives.export(tmp_path / "first", space=SPACE)
    first = records(tmp_path / "first")
    assert {name.removesuffix(".ndjson") for name in first} == {one.kind for one in CARRIED}
    done = await other.archives.load(tmp_path / "first", space="elsewhere")
    lines = {name.removesuffix(".ndjson"): data.count(b"\n") for name, data in first.items()}
    assert done.records == {**lines, "tables": 1}
    assert done.withheld == {}
    await other.archives.export(tmp_path / "second", space="elsewhere")
    assert records(tmp_path / "second") == first


QUESTIONS = tuple(
    f"{asks} {what} {when}?"
    for asks in ("Where does Una live", "What did", "Who has", "Why did", "Which boat")
    for what in ("the aardvark", "Una", "the harbour", "nobody", "the report", "the loop", "Docker", "boats")
    for when in ("", "in March 2026", "yesterday", "near the harbour", "as a pet")
)


async def answers(settings: Settings, space: str) -> list[list[tuple[str, str, float]]]:
    """What each question finds at one moment, once everything is filed."""
    async with AsyncMemory(settings=settings, clock=FrozenClock(datetime(2027, 1, 1, tzinfo=UTC))) as asking:
        for _ in range(3):
            await asking.recall("aardvark", space=space)
        hits = [await asking.recall(question, space=space, limit=10) for question in QUESTIONS]
        return [[(hit.kind, hit.text, hit.score) for hit in found] for found in hits]


async def test_the_same_questions_find_the_same(
    full: AsyncMemory, other: AsyncMemory, settings: Settings, other_url: str, tmp_path: Path
) -> None:
    assert len(QUESTIONS) == 200
    await full.archives.export(tmp_path / "space.tar", space=SPACE)
    await other.archives.load(tmp_path / "space.tar", space=SPACE)
    before = await answers(settings, SPACE)
    after = await answers(replace(settings, database_url=other_url), SPACE)
    assert sum(map(len, before)) > len(QUESTIONS)
    for question, one, two in zip(QUESTIONS, before, after, strict=True):
        assert [hit[:2] for hit in one] == [hit[:2] for hit in two], question
        assert [hit[2] for hit in one] == pytest.approx([hit[2] for hit in two], abs=1.01e-6), question
