"""A space with something of every kind in it, each text marked with the word of the space."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from quipu import AsyncMemory
from quipu.kinds.ledger.evidence.model import Reference

_FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"
if str(_FIXTURES) not in sys.path:
    sys.path.append(str(_FIXTURES))

from transcripts import World  # noqa: E402

SESSION, USER, PLACE, TABLE, KEY = "shared", "una", "oslo", "boats", "tone"
Known = dict[str, Sequence[Any]]


async def seeded(memory: AsyncMemory, space: str, mark: str, root: Path) -> Known:
    """What is known of the space by name, as requests would name it: the names are the same in each."""
    await _said(memory, space, mark)
    recorded = await _recorded(memory, space, mark, root)
    numbers = await _ledger(memory, space, mark)
    ids = [*await _longterm(memory, space, mark), *await _condensed(memory, space)]
    ids.append((await memory.memories.add(f"The {mark} tests need Docker.", space=space)).id)
    prompt = await memory.conversations.prompt(f"Is the {mark} blue?", space=space, session=SESSION, user=USER)
    await _tables(memory, space, mark)
    return {
        "id": [*map(str, ids), prompt.id],
        "ids": [[str(one)] for one in ids],
        "number": numbers,
        "session": [SESSION, recorded],
        "user": [USER],
        "message": ["m1"],
        "place": [PLACE],
        "key": [KEY, "home"],
        "table": [TABLE],
        "question": [f"What of the {TABLE}?"],
    }


async def _said(memory: AsyncMemory, space: str, mark: str) -> None:
    words = [
        f"I live in Lisbon, near the {mark} harbour.",
        f"I will send you the {mark} report tomorrow.",
        f"Please remember that I have a {mark} as a pet.",
        "No, I live in Faro.",
    ]
    talk: list[dict[str, object]] = []
    for number, content in enumerate(words):
        talk.append({"id": f"m{number}", "role": "user", "speaker": f"Una {mark}", "content": content})
        talk.append({"id": f"a{number}", "role": "assistant", "content": f"Understood, {mark}."})
    await memory.observe(talk[:-1], space=space, session=SESSION, user=USER)


async def _recorded(memory: AsyncMemory, space: str, mark: str, root: Path) -> str:
    world = World(root / space)
    session = world.session(f"/home/{mark}/boats")
    session.prompt(f"Why does the {mark} test fail?")
    session.says(f"The {mark} loop swallows the timeout.")
    session.tool("Read", {"file_path": f"/home/{mark}/boats/tide.py"}, f"def {mark}(): ...\n")
    session.write()
    await memory.transcripts.sync([world.root], space=space)
    return next(iter(world.sessions))


async def _ledger(memory: AsyncMemory, space: str, mark: str) -> list[int]:
    where: dict[str, Any] = {"space": space, "session": SESSION}
    await memory.ledger.open_session(user=USER, **where)
    await memory.ledger.assume(KEY, "long", reason=mark, user=USER, **where)
    change = await memory.ledger.correct(KEY, "short", reason=mark, user=USER, **where)
    assert change.event is not None
    kept = await memory.ledger.recommend(
        f"Feed the {mark}.",
        location=PLACE,
        time_window="Friday",
        confidence="low",
        source="reviews",
        evidence=[Reference(place_id=PLACE, published_at=datetime(2026, 1, 1, tzinfo=UTC), excerpt=mark)],
        **where,
    )
    await memory.trace.competitor_check(f"The {mark} bar.", status="not_found", **where)
    await memory.trace.tool_call("weather", latency_ms=5, args={"of": mark}, **where)
    return [change.event.id, kept.id]


async def _longterm(memory: AsyncMemory, space: str, mark: str) -> list[str]:
    kept = await memory.longterm.add(f"Has a {mark}.", space=space, user=USER, session=SESSION)
    await memory.longterm.edit(kept.id, space=space, details=f"The {mark} is blue.")
    gone = await memory.longterm.add(f"Had another {mark}.", space=space, user=USER)
    await memory.longterm.archive(gone.id, space=space)
    await memory.longterm.recover(f"What does the {mark} eat?", space=space, user=USER, session=SESSION)
    return [kept.id, gone.id]


async def _condensed(memory: AsyncMemory, space: str) -> list[object]:
    await memory.work()
    await memory.episodes.condense(space=space)
    episodes = await memory.episodes.listing(space=space)
    loops = await memory.loops.listing(space=space, state="all")
    beliefs = await memory.beliefs.listing(space=space, state="all")
    conflicts = await memory.beliefs.conflicts(space=space, settled=True)
    lessons = await memory.memories.listing(space=space)
    assert episodes
    assert loops
    assert beliefs
    return [one[0].id for one in (episodes, loops, beliefs, conflicts, lessons) if one]


async def _tables(memory: AsyncMemory, space: str, mark: str) -> None:
    await memory.tables.create_table(
        TABLE,
        f"create table {TABLE} (id int generated always as identity primary key, name text)",
        description=f"Boats of the {mark}.",
        embed_fields=["name"],
        space=space,
    )
    await memory.tables.insert(TABLE, {"name": f"The {mark}"}, space=space)
