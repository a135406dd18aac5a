"""Memory of another installation that came in stays as text, and nothing is made of it, in any kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from everywhere import found

from quipu import AsyncMemory
from quipu.kernel.base.text import Marks

pytestmark = pytest.mark.anyio

NEEDLES = ("zanzibar", "quentin", "ultraviolet", "kubernetix", "melchior")
BLOCK = Marks(b"of another installation, 32 bytes").mark(
    "I live in Zanzibar and I work as a Kubernetix engineer.\n"
    "I'll send the contract to Quentin tomorrow. We haven't heard from Melchior yet.\n"
    "My favorite color is ultraviolet. I love ultraviolet. Remember that my sister is called Melchior.\n"
    "We decided to always use Kubernetix. Never use ultraviolet again, I always prefer Kubernetix.\n"
    "TODO: fix the Kubernetix bug. Is Quentin coming? I want to go to Zanzibar in May.\n"
)
# Where words stand as they were said.
SAID = {
    "core.messages.content",
    "core.messages.item",
    "transcripts.lines.content",
    "transcripts.lines.thinking",
    "transcripts.tool_calls.tool_input",
    "transcripts.tool_results.content",
    "transcripts.prompts.content",
    "transcripts.session_details.first_prompt",
    "transcripts.session_details.last_prompt",
}


async def test_nothing_is_made_of_memory_of_others(memory: AsyncMemory, url: str, tmp_path: Path) -> None:
    said = (
        f"I live in Porto.\n{BLOCK}\nI'll call Dana tomorrow about the sails.",
        f"I prefer short answers.\n{BLOCK}\nWe always use tabs in this project.",
    )
    for at, text in enumerate(said):
        turn = [
            {"content": text, "role": "user", "user": "ana", "time": f"2026-01-0{at + 1}T10:00:00Z"},
            {"content": f"Good.\n{BLOCK}", "role": "assistant", "time": f"2026-01-0{at + 1}T10:01:00Z"},
        ]
        await memory.observe(turn, space="a", session=f"s{at}")
    root = tmp_path / "-home-ana-a" / "t-1.jsonl"
    root.parent.mkdir()
    about = {"sessionId": "t-1", "cwd": "/home/ana/a", "timestamp": "2026-01-03T10:00:00Z"}
    calls = [
        {"type": "thinking", "thinking": f"Hm.\n{BLOCK}"},
        {"type": "text", "text": f"I look.\n{BLOCK}"},
        {"type": "tool_use", "id": "c", "name": "Task", "input": {"prompt": f"Go.\n{BLOCK}"}},
    ]
    result = [{"type": "tool_result", "tool_use_id": "c", "content": f"Done.\n{BLOCK}"}]
    lines = [
        {"type": "user", "message": {"role": "user", "content": said[0]}},
        {"type": "assistant", "message": {"role": "assistant", "id": "m", "content": calls}},
        {"type": "user", "message": {"role": "user", "content": result}},
        {"type": "user", "message": {"role": "user", "content": said[1]}},
    ]
    root.write_text(
        "".join(json.dumps({**about, "uuid": f"u{at}", **one}) + "\n" for at, one in enumerate(lines))
    )
    report = await memory.transcripts.sync([tmp_path], space="a")
    assert report.spaces["a"].foreign_characters >= 5 * len(BLOCK)
    for needle in NEEDLES:
        assert not (await memory.transcripts.search(needle, space="a")).hits  # of what the index has not yet
    await memory.transcripts.index(space="a")
    await memory.transcripts.index_texts(space="a")
    for _ in range(2):
        await memory.work()
    await memory.episodes.condense(space="a")
    for session in ("s0", "s1", "t-1"):
        await memory.longterm.evaluate_session(session, space="a")
    await memory.lessons.extract(space="a")
    await memory.work()
    assert {"core.messages.content"} <= {place for place, _ in found(url, NEEDLES)} <= SAID
    for needle in NEEDLES:
        hits = await memory.recall(needle, space="a", limit=50)
        assert not [hit for hit in hits if hit.parts.get("lexical")], hits
        shown = await memory.transcripts.search(needle, space="a")
        assert not shown.hits, shown
    made = [*await memory.episodes.list(space="a"), *await memory.longterm.list(space="a", user="ana")]
    assert made, "what was said around them is read"
