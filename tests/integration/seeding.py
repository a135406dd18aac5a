"""A space with something of every kind in it, each text marked with the word of the space."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from coding_sessions import World

from quipu import AsyncMemory
from quipu.kinds.ledger.evidence.model import EvidenceReference
from quipu.upkeep.erasure.receipts import plain

SESSION, USER, PLACE, TABLE, KEY = "shared", "una", "oslo", "boats", "tone"
SETTINGS = {"aardvark": 31_337, "bonobo": 2_222}
Known = dict[str, Sequence[Any]]


async def seeded(memory: AsyncMemory, spaces: Mapping[str, str], root: Path) -> dict[str, Known]:
    """What is known of each space (by its mark) as requests would name it: names are the same in all."""
    for space, mark in spaces.items():
        await said(memory, space, mark)
    await memory.work(concurrency=8)
    return {space: await _known(memory, space, mark, root) for space, mark in spaces.items()}


async def _known(memory: AsyncMemory, space: str, mark: str, root: Path) -> Known:
    recorded = await _recorded(memory, space, mark, root)
    numbers = await ledger(memory, space, mark)
    ids = [*await longterm(memory, space, mark), *await _condensed(memory, space)]
    hits_of_documents = await documents(memory, space, mark)
    ids.append((await memory.lessons.add(f"The {mark} tests need Docker.", space=space)).id)
    ids.append(str((await memory.rules.add(f"Never mention the {mark}.", space=space)).id))
    prompt = await memory.conversations.prompt(
        f"Is the {mark} blue?", space=space, session=SESSION, user=USER
    )
    await _tables(memory, space, mark)
    snapshot = f"/v1/snapshots/{(await memory.snapshots.create(space=space)).name}"
    dump = root / f"{space}.sql"
    await memory.snapshots.export(dump, space=space, structure=True)
    await memory.settings.set("session_days", SETTINGS[mark], space=space)
    receipt, signed = await _erased(memory, space)
    await memory.relate("second-0", "shared-0", space=space, reason=f"the {mark} moved")
    question = "Where does Una live?"
    hits = await memory.recall(question, space=space)
    used = {"kind": hits[0].kind, "id": hits[0].id}
    return {
        "POST /v1/why": [{"json": {"question": question, **used}}],
        "POST /v1/ledger/events/{event}/undo": [
            {"json": {"force": True}, "path": f"/v1/ledger/events/{numbers[0]}/undo"}
        ],
        "POST /v1/longterm/remember": [{"json": {"claims": [home_of("second-0")], "user": USER}}],
        **of_documents(hits_of_documents),
        **await _imported(memory, space, mark, root),
        "GET /v1/snapshots/{name}": [{"path": snapshot}],
        "POST /v1/snapshots/{name}/erase": [{"path": f"{snapshot}/erase", "json": {}}],
        "POST /v1/snapshots/{name}/restore": [{"path": f"{snapshot}/restore", "json": {}}],
        "POST /v1/snapshots/import": [{"content": dump.read_bytes().replace(mark.encode(), b"anybody")}],
        "GET /v1/receipts/{id}": [{"path": f"/v1/receipts/{receipt}"}],
        "POST /v1/receipts/{id}/check": [
            {"path": f"/v1/receipts/{receipt}/check", "json": {"strings": ["boat"]}}
        ],
        "POST /v1/engine/receipts/{id}/check": [
            {"path": f"/v1/engine/receipts/{receipt}/check", "json": {"space": space, "strings": ["boat"]}}
        ],
        "POST /v1/receipts/verify": [{"json": {"receipts": signed}}],
        "POST /v1/reinforce": [{"json": {"hits": [used]}}],
        "GET /v1/evidence/recommendations/{id}": [
            {"path": f"/v1/evidence/recommendations/{number}"} for number in numbers[1:]
        ],
        "GET /v1/evidence/recommendations/{id}/sources": [
            {"path": f"/v1/evidence/recommendations/{number}/sources"} for number in numbers[1:]
        ],
        "id": [*map(str, ids), prompt.id],
        "ids": [[str(one)] for one in ids],
        "number": numbers,
        "session": [SESSION, recorded, "second"],
        "user": [USER],
        "message": ["shared-0"],
        "newer": ["second-0"],
        "older": ["shared-0"],
        "place": [PLACE],
        "key": [KEY, "home"],
        "table": [TABLE],
    }


def home_of(message: str) -> dict[str, str]:
    """A claim of an agent on what ``said`` put into the record."""
    words = {"statement": "The user lives in Lisbon.", "category": "identity", "words": "I live in Lisbon"}
    return {**words, "message": message}


async def said(
    memory: AsyncMemory,
    space: str,
    mark: str,
    *,
    user: str = USER,
    sessions: tuple[str, str] = (SESSION, "second"),
) -> None:
    told = {
        sessions[0]: [
            f"I live in Berlin, near the {mark} harbour.",
            f"I will send you the {mark} report tomorrow.",
            f"Please remember that I have a {mark} as a pet.",
        ],
        sessions[1]: [f"I live in Lisbon, near the {mark} harbour."],
    }
    for day, (session, lines) in enumerate(told.items()):
        at = datetime(2026, 3, 1 + day, 9, tzinfo=UTC)
        messages: list[dict[str, object]] = []
        for number, line in enumerate(lines):
            asked = {"role": "user", "speaker": f"Una {mark}", "content": line}
            answered = {"role": "assistant", "content": f"Understood, {mark}."}
            messages += [{"id": f"{session}-{number}", **asked}, {"id": f"{session}-a{number}", **answered}]
        timed = [{**one, "time": at + timedelta(minutes=n)} for n, one in enumerate(messages)]
        await memory.observe(timed, space=space, session=session, user=user)


async def _erased(memory: AsyncMemory, space: str) -> tuple[str, str]:
    """The id of a receipt, and it and its note as JSON."""
    await memory.observe([{"content": "I was never here."}], space=space, session="gone", user="nobody")
    erased = await memory.forget(space=space, user="nobody", confirm=True)
    assert erased.receipt is not None
    return erased.receipt, json.dumps(
        [plain(one) for one in await memory.receipts.get(erased.receipt, space=space)]
    )


async def _recorded(memory: AsyncMemory, space: str, mark: str, root: Path) -> str:
    world = World(root / space)
    session = world.session(f"/home/{mark}/boats")
    session.prompt(f"Why does the {mark} test fail?")
    session.says(f"The {mark} loop swallows the timeout.")
    session.tool("Read", {"file_path": f"/home/{mark}/boats/tide.go"}, f"func {mark}()\n")
    session.write()
    await memory.transcripts.sync([world.root], space=space)
    return next(iter(world.sessions))


async def ledger(
    memory: AsyncMemory, space: str, mark: str, *, user: str = USER, session: str = SESSION
) -> list[int]:
    where: dict[str, Any] = {"space": space, "session": session}
    await memory.ledger.open_session(user=user, **where)
    await memory.ledger.assume(KEY, "long", reason=mark, user=user, **where)
    change = await memory.ledger.correct(KEY, "short", reason=mark, user=user, **where)
    assert change.event is not None
    kept = await memory.evidence.recommend(
        f"Feed the {mark}.",
        location=PLACE,
        time_window="Friday",
        confidence="low",
        source="reviews",
        evidence=[
            EvidenceReference(place_id=PLACE, published_at=datetime(2026, 1, 1, tzinfo=UTC), excerpt=mark)
        ],
        **where,
    )
    await memory.trace.competitor_check(f"The {mark} bar.", status="not_found", **where)
    await memory.trace.tool_call("weather", latency_ms=5, args={"of": mark}, **where)
    return [change.event.id, kept.id]


async def longterm(
    memory: AsyncMemory, space: str, mark: str, *, user: str = USER, session: str = SESSION
) -> list[str]:
    kept = await memory.longterm.add(f"Has a {mark}.", space=space, user=user, session=session)
    await memory.longterm.edit(kept.id, space=space, details=f"The {mark} is blue.")
    gone = await memory.longterm.add(f"Had another {mark}.", space=space, user=user)
    await memory.longterm.archive(gone.id, space=space)
    await memory.longterm.recover(f"What does the {mark} eat?", space=space, user=user, session=session)
    return [kept.id, gone.id]


async def _imported(memory: AsyncMemory, space: str, mark: str, root: Path) -> Known:
    """Import a memory of mem0."""
    (root / f"{space}.json").write_text(json.dumps([{"id": "m-1", "memory": f"The {mark} came along."}]))
    made = (await memory.imports.load(root / f"{space}.json", space=space, source="mem0")).id
    of = f"/v1/imports/{made}"
    more = json.dumps([{"id": "m-2", "memory": "Anybody came along."}]).encode()
    return {
        "POST /v1/imports": [{"content": more, "params": {"name": "more.json", "source": "mem0"}}],
        "GET /v1/imports/{id}": [{"path": of}],
        "GET /v1/imports/{id}/records": [{"path": f"{of}/records"}],
        "POST /v1/imports/{id}/undo": [{"path": f"{of}/undo", "json": {}}],
    }


async def documents(memory: AsyncMemory, space: str, mark: str, *, user: str = USER) -> list[str]:
    """Write documents, each with an earlier version; the ids of hits that cite them."""
    for key in ("kept", "moved", "gone"):
        for color in ("blue", "red"):
            value = {"title": f"The {mark} is {color}."}
            await memory.documents.put(f"notes/{user}", key, value, space=space, user=user)
    hits = await memory.recall(f"The {mark} is red.", space=space, user=user, kinds=["document"])
    return [hit.id for hit in hits]


def of_documents(hits: Sequence[str], user: str = USER) -> dict[str, list[dict[str, Any]]]:
    """Requests for these: what was moved or taken away is not there any more, so each has its own."""
    kept, moved, gone = ({"path": f"notes/{user}", "key": key} for key in ("kept", "moved", "gone"))
    return {
        "POST /v1/documents": [{"json": {**kept, "value": {"title": "new"}}}],
        "GET /v1/documents/one": [{"params": kept}],
        "GET /v1/documents/history": [{"params": kept}],
        "GET /v1/documents/passages": [{"params": kept}],
        "GET /v1/documents/cited": [{"params": {"id": hit}} for hit in hits],
        "POST /v1/documents/delete": [{"json": gone}],
        "POST /v1/documents/touch": [{"json": kept}],
        "POST /v1/documents/rename": [{"json": {**moved, "to": f"notes/{user}/archive"}}],
        "POST /v1/documents/revert": [{"json": {**gone, "to": 1}}],
        "POST /v1/documents/redact": [{"json": {**kept, "version": 1}}],
        "POST /v1/documents/erase": [{"json": gone}],
    }


async def _condensed(memory: AsyncMemory, space: str) -> list[object]:
    await memory.episodes.condense(space=space)
    episodes = await memory.episodes.list(space=space)
    loops = await memory.loops.list(space=space, state="all")
    beliefs = await memory.beliefs.list(space=space, state="all")
    conflicts = await memory.beliefs.conflicts(space=space, settled=True)
    found = (episodes, loops, beliefs, conflicts)
    assert all(found), [len(one) for one in found]
    return [one[0].id for one in found]


async def _tables(memory: AsyncMemory, space: str, mark: str) -> None:
    await memory.tables.create_table(
        TABLE,
        f"create table {TABLE} (id int generated always as identity primary key, name text)",
        description=f"Boats of the {mark}.",
        embed_fields=["name"],
        space=space,
    )
    await memory.tables.insert(TABLE, {"name": f"The {mark}"}, space=space)
