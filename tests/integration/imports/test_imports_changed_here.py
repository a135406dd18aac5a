"""What somebody changed or took out here stands, whatever the source says by now; the rest follows it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from notebook import IN_LISBON, LESSON, MOVED, NOTE, written

from quipu import AsyncMemory
from quipu.kernel.config import Settings
from quipu.testing import FrozenClock

pytestmark = pytest.mark.anyio
CHANGED = "changed here since it came"
TAKEN_OUT = "taken out here since it came"
EVERY = (MOVED, IN_LISBON, LESSON, NOTE)
LATER = (
    MOVED,
    {**IN_LISBON, "text": "Ana lives in Faro."},
    {**LESSON, "text": "Use pnpm, not yarn."},
    {**NOTE, "body": "# Alba\n\nShe is red."},
)


async def test_what_was_edited_here_stands_and_is_told(memory: AsyncMemory, tmp_path: Path) -> None:
    await memory.imports.load(written(tmp_path / "n", *EVERY), space="ana")
    (stated,) = await memory.longterm.list(space="ana")
    (lesson,) = await memory.lessons.list(space="ana")
    await memory.longterm.edit(stated.id, space="ana", summary="Ana lives in Porto.")
    await memory.lessons.edit(lesson.id, space="ana", fact="Use pnpm 9.")
    await memory.documents.put(["notes"], "boat.md", body="She is blue.", space="ana")
    for preview in (True, False):
        done = await memory.imports.load(written(tmp_path / "n", *LATER), space="ana", preview=preview)
        assert (done.changed, done.refused, done.left_out) == (0, [], {CHANGED: 3})
    assert [one.summary for one in await memory.longterm.list(space="ana")] == ["Ana lives in Porto."]
    assert [one.fact for one in await memory.lessons.list(space="ana")] == ["Use pnpm 9."]
    assert (await memory.documents.get(["notes"], "boat.md", space="ana")).body == "She is blue."


async def test_what_was_taken_out_here_stays_out(memory: AsyncMemory, tmp_path: Path) -> None:
    await memory.imports.load(written(tmp_path / "n", *EVERY), space="ana")
    (stated,) = await memory.longterm.list(space="ana")
    (lesson,) = await memory.lessons.list(space="ana")
    await memory.longterm.archive(stated.id, space="ana")
    await memory.lessons.archive(lesson.id, space="ana")
    await memory.documents.delete(["notes"], "boat.md", space="ana")
    done = await memory.imports.load(written(tmp_path / "n", *LATER), space="ana")
    assert (done.changed, done.refused, done.left_out) == (0, [], {TAKEN_OUT: 3})
    assert await memory.longterm.list(space="ana") == []
    assert await memory.lessons.list(space="ana") == []
    assert await memory.documents.list(["notes"], space="ana") == []


async def test_what_nobody_changed_follows_its_source_again_and_again(
    memory: AsyncMemory, tmp_path: Path
) -> None:
    await memory.imports.load(written(tmp_path / "n", *EVERY), space="ana")
    for town, tool in (("Faro", "yarn"), ("Porto", "npx")):
        stated = {**IN_LISBON, "text": f"Ana lives in {town}.", "metadata": {"town": town}}
        lesson = {**LESSON, "text": f"Use pnpm, not {tool}.", "category": "correction"}
        note = {**NOTE, "body": f"{town} and {tool}"}
        done = await memory.imports.load(written(tmp_path / "n", MOVED, stated, lesson, note), space="ana")
        assert (done.changed, done.refused, done.left_out) == (3, [], {})
        (kept,) = await memory.longterm.list(space="ana")
        assert (kept.summary, kept.sources) == (f"Ana lives in {town}.", 1)
        assert kept.metadata["town"] == town
        assert kept.happened_at == datetime(2025, 6, 1, tzinfo=UTC)
        (told,) = await memory.lessons.list(space="ana")
        assert (told.fact, told.category) == (lesson["text"], "correction")


async def test_a_long_statement_may_change_at_its_source(memory: AsyncMemory, tmp_path: Path) -> None:
    words = "Alba was painted again in that year. " * 100
    long = {**IN_LISBON, "text": words.strip(), "details": words * 4}
    await memory.imports.load(written(tmp_path / "n", MOVED, long), space="ana")
    later = {**long, "text": f"{words}She is red."}
    done = await memory.imports.load(written(tmp_path / "n", MOVED, later), space="ana")
    assert (done.changed, done.refused) == (1, [])
    (kept,) = await memory.longterm.list(space="ana")
    assert kept.summary.endswith("She is red.")


async def test_what_expired_here_comes_again_when_the_source_keeps_it(
    settings: Settings, tmp_path: Path
) -> None:
    clock = FrozenClock(datetime(2026, 1, 1, tzinfo=UTC))
    note = {**NOTE, "expires_at": "2026-02-01T00:00:00+00:00"}
    async with AsyncMemory(settings=settings, clock=clock) as memory:
        await memory.imports.load(written(tmp_path / "n", note), space="ana")
        clock.advance(timedelta(days=60))
        await memory.documents.put(["x"], "a", body="Boats.", space="ana")
        await memory.documents.rename(["x"], to=["y"], space="ana")  # takes out what has expired
        note["expires_at"] = "2026-06-01T00:00:00+00:00"
        done = await memory.imports.load(written(tmp_path / "n", note), space="ana")
        assert (done.records, done.withheld) == ({"document": 1}, 0)
        assert (await memory.documents.get(["notes"], "boat.md", space="ana")).body == NOTE["body"]


async def test_secrets_in_metadata_and_earlier_versions_are_cut_where_secrets_are_cut(
    settings: Settings, tmp_path: Path
) -> None:
    key = "sk-ant-api03-abcdefghijklmnopqrstuvwx"
    stated = {**IN_LISBON, "sources": [], "metadata": {"api_key": key}}
    lesson = {**LESSON, "metadata": {"api_key": key}}
    note = {**NOTE, "earlier": [{"body": f"api_key={key}\0", "time": "2025-01-01T00:00:00+00:00"}]}
    for redact in (True, False):
        space = f"redact-{redact}"
        async with AsyncMemory(settings=replace(settings, redact=redact)) as memory:
            done = await memory.imports.load(written(tmp_path / "n", stated, lesson, note), space=space)
            assert done.refused == []
            (kept,) = await memory.longterm.list(space=space)
            (told,) = await memory.lessons.list(space=space)
            history = await memory.documents.history(["notes"], "boat.md", space=space)
        for said in (kept.metadata["api_key"], told.metadata["api_key"], history[-1].body):
            assert (key in str(said)) is not redact
