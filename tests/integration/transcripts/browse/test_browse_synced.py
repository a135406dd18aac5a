"""What a sync took in a moment ago is seen: listed, shown, searched in every part, asked for in SQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from quipu import AsyncMemory
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio
RECORDED = Path(__file__).resolve().parents[3] / "fixtures" / "claude_code"


async def test_every_text_of_a_synced_session_is_found_at_once_and_after_indexing(settings: Settings) -> None:
    async with AsyncMemory(settings=settings) as memory:
        here = {"space": "boats"}
        await memory.transcripts.sync([RECORDED], space="boats")
        sessions = await memory.transcripts.list(**here)
        assert sessions
        shown = await memory.transcripts.get(sessions[0].id, **here)
        assert shown.lines
        texts = [(line.uuid, line.content_text) for line in shown.lines if line.content_text]
        assert texts
        for _ in range(2):
            for uuid, text in texts:
                phrase = " ".join(text.replace('"', " ").split()[:8])
                searched = await memory.transcripts.search(f'"{phrase}"', limit=50, **here)
                assert uuid in {hit.uuid for hit in searched.hits}
            await memory.transcripts.index_texts(**here)
        assert await memory.transcripts.unindexed(**here) == 0
        counted = await memory.transcripts.query("select count(*) from lines", **here)
        stats = await memory.transcripts.stats(**here)
        assert stats is not None
        assert counted.rows == ((stats.totals.lines,),)
