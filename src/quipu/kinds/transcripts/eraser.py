"""Forgetting recorded sessions and the memories that rest on them alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.queue.outbox import put
from quipu.kinds.transcripts import store
from quipu.kinds.transcripts.outbox import LEARN
from quipu.kinds.transcripts.wordings import Wordings, unsupported
from quipu.record import store as record
from quipu.upkeep.erasure import tombstones
from quipu.upkeep.erasure.model import Named, What


@dataclass(frozen=True, slots=True)
class _Doomed:
    sessions: Mapping[int, str]
    messages: Sequence[int]
    memories: Sequence[tuple[UUID, int | None]]
    wordings: Wordings


class TranscriptsEraser:
    """Takes lines with their calls and results, and memories that no other session tells.

    Forgetting one message takes its line and the memories that rest on it alone; what else the session
    holds stays. A memory that other messages tell too stays where its words are theirs; otherwise it goes,
    and the sessions of these messages are read again.
    """

    async def count(self, tx: SpaceTransaction, what: What) -> Mapping[str, int]:
        """Count the rows that would go, by table; tables without any are left out."""
        doomed = await _doomed(tx, what)
        counts = {
            "transcript_lines": await store.lines(tx, list(doomed.sessions)),
            "transcript_memories": len(doomed.memories),
        }
        return {table: count for table, count in counts.items() if count}

    async def erase(self, tx: SpaceTransaction, what: What) -> Sequence[int]:
        """Take them; returns the entries of the memories."""
        doomed = await _doomed(tx, what)
        names = list(doomed.sessions.values())
        given = {"sessions": names, "everything": what.everything}
        await store.run(tx, "erase_memories", {"memories": [one for one, _ in doomed.memories]})
        await store.run(tx, "erase_edits", {"edits": Int8s(doomed.wordings.edits)})
        await store.run(tx, "erase_sources", {"sessions": names, "messages": Int8s(doomed.messages)})
        await store.run(tx, "erase_repetitions", {"messages": Int8s(doomed.messages)})
        await store.run(tx, "erase_prompts", given)
        await store.run(tx, "erase_teams", given)
        numbers = {"numbers": Int8s(list(doomed.sessions))}
        await store.run(tx, "erase_summaries", {**numbers, "everything": what.everything})
        await store.run(tx, "erase_files", {"everything": what.everything})
        await store.run(tx, "erase_sessions", numbers)
        if doomed.wordings.sessions:
            await store.run(tx, "unread", {"sessions": list(doomed.wordings.sessions)})
            await put(tx, LEARN, {}, key="all")
        return [entry for _, entry in doomed.memories if entry is not None]


async def noted(tx: SpaceTransaction, what: What, now: datetime) -> None:
    """Note the lines and prompts that an erasure takes."""
    sessions = await record.whole_sessions(tx, what)
    messages = Int8s(await record.matching(tx, what))
    lines = await store.identities(
        tx, "lines_to_go", {"numbers": Int8s(list(sessions)), "messages": messages}
    )
    await tombstones.note(tx, "line", lines, until="infinity")
    values = {"messages": messages, "everything": what.everything}
    prompts = await store.identities(tx, "prompts_to_go", values)
    await tombstones.note(tx, "prompt", prompts, until=now)
    if what.everything:
        prompting = await store.identities(tx, "prompting_sessions", {})
        await tombstones.note(tx, "session", prompting, until=now)


async def _doomed(tx: SpaceTransaction, what: What) -> _Doomed:
    sessions = await record.whole_sessions(tx, what)
    messages = await record.matching(tx, what)
    resting = {
        "sessions": list(sessions.values()),
        "messages": Int8s(messages),
        "everything": what.everything,
    }
    memories = await store.memories(tx, resting)
    if what.everything:
        return _Doomed(sessions, messages, memories, Wordings())
    names, ids = list(sessions.values()), [memory for memory, _ in memories]
    wordings = await unsupported(tx, sessions=names, messages=messages, doomed=ids)
    return _Doomed(sessions, messages, [*memories, *wordings.memories], wordings)


async def _file(tx: SpaceTransaction, _: str) -> Sequence[int]:
    """Tell recalls that messages wait to be filed."""
    await store.run(tx, "tell_unfiled", {})
    return ()


NAMED = Named(
    gone={"transcripts.memories": ("fact",), "transcripts.memory_edits": ("fact",)},
    indexed=("transcripts.memories",),
    words={
        "transcripts.lines": ("content_text", "thinking", "blocks"),
        "transcripts.memory_sources": ("excerpt",),
        "transcripts.prompts": ("content",),
        "transcripts.session_details": (
            *(
                "custom_title",
                "ai_title",
                "summary",
                "first_prompt",
                "last_prompt",
                "agent_description",
                "raw",
            ),
        ),
        "transcripts.summaries": ("summary",),
        "transcripts.team_tasks": ("subject", "description"),
        "transcripts.tool_calls": ("tool_input",),
        "transcripts.tool_results": ("content",),
    },
    make_again=_file,
)
