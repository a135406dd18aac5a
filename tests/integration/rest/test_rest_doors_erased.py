"""24 words of one person go in by every door there is, and none is left when they are forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from anyio import to_thread
from cli_process import CommandLine
from coding_sessions import World
from everywhere import found
from mcp.client.client import Client
from one_person import STRINGS

from quipu import AsyncMemory
from quipu.interfaces.hooks.client import run_directory, write_down
from quipu.interfaces.hooks.daemon.pending import sync_all
from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.mcp.server import build
from quipu.kernel.queue.outbox import put

pytestmark = pytest.mark.anyio
SPACE: Final = "thirteen"
PERSON: Final = "marisolq"
HER: Final = {"session": "hers", "user": PERSON}


async def by_python(memory: AsyncMemory, w: Iterator[str]) -> None:
    """Observe, import, the ledger, long-term memory, the trace, tables, lessons and a job that waits."""
    await memory.observe([{"content": f"My doctor is in {next(w)}."}], space=SPACE, **HER)
    await memory.observe([{"content": f"I promise to call {next(w)} on Friday."}], space=SPACE, **HER)
    await memory.import_messages([{"content": f"I was born in {next(w)}.", **HER}], space=SPACE)
    await memory.ledger.set("home_town", next(w), space=SPACE, user=PERSON, scope="cross_session")
    await memory.ledger.set("car", next(w), space=SPACE, **HER)
    await memory.evidence.recommend(
        f"Go to {next(w)}",
        space=SPACE,
        session="hers",
        location=next(w),
        time_window="today",
        confidence="low",
        source="system",
    )
    await memory.longterm.add(f"Her sister lives in {next(w)}.", space=SPACE, user=PERSON)
    await memory.trace.tool_call(
        "look", space=SPACE, session="hers", latency_ms=3, args={"q": next(w)}, result={"found": next(w)}
    )
    await memory.tables.create_schema("memory", space=SPACE)
    await memory.tables.create_table(
        "visitors",
        "create table visitors (id serial primary key, name text, town text)",
        description="Who came by.",
        embed_fields=["name", "town"],
        space=SPACE,
    )
    await memory.tables.insert("visitors", [{"name": PERSON, "town": next(w)}], space=SPACE)
    await memory.lessons.add(f"{PERSON} wants her letters sent to {next(w)}.", space=SPACE)
    async with memory._ready.database.write(SPACE) as tx:
        await put(tx, "prompt_queue", {"prompt": next(w)}, session="hers", user=PERSON)


async def by_http(client: Any, w: Iterator[str]) -> None:
    """Observe, import, a prompt, a memory, and a request that may be repeated."""
    sent = [
        client.post("/v1/observe", json={"messages": [{"content": f"I sail to {next(w)}.", **HER}]}),
        client.post("/v1/import", content=json.dumps({"content": f"I row to {next(w)}.", **HER})),
        client.post("/v1/conversations/prompts", json={"text": f"What is in {next(w)}?", **HER}),
        client.post(
            "/v1/longterm",
            json={"summary": f"Keeps a boat in {next(w)}.", "user": PERSON},
            headers={"idempotency-key": "once"},
        ),
    ]
    for one in sent:
        answer = await one
        assert answer.status_code < 300, answer.text


async def by_tools(memory: AsyncMemory, w: Iterator[str]) -> None:
    """What an agent calls by MCP."""

    async def opened() -> AsyncMemory:
        return memory

    async with Client(build(opened, lambda _: Caller(space=SPACE, user=PERSON))) as client:
        for name, arguments in (
            ("remember", {"text": f"I climb in {next(w)}."}),
            ("set_fact", {"key": "city", "value": next(w)}),
        ):
            assert not (await client.call_tool(name, arguments)).is_error


def by_commands(quipu: CommandLine, w: Iterator[str]) -> None:
    """Lines from standard input, a text, and the last question, which stays in the home."""
    quipu.text("import", "jsonl", "-", given=json.dumps({"content": f"I swim in {next(w)}.", **HER}))
    quipu.text("observe", f"I walk to {next(w)}.", "--session", "hers", "--user", PERSON)
    quipu.text("recall", next(w))


async def by_recordings(memory: AsyncMemory, home: str, place: Path, w: Iterator[str]) -> list[str]:
    """A sync, and what a hook wrote down for the service of the home; the sessions."""
    world = World(place)
    synced, hooked = world.session(str(place)), world.session(str(place))
    for session in (synced, hooked):
        session.prompt(f"I am {PERSON}. Always use the port of {next(w)} for the tests.")
    await memory.transcripts.sync([synced.write()], space=SPACE)
    write_down(home, str(hooked.write()), SPACE)
    done = await sync_all(memory, home, Path(run_directory(home)) / "pending")
    assert done["synced"] == 1
    return [synced.name, hooked.name]


async def test_no_word_is_left_that_went_in_by_any_door(
    memory: AsyncMemory, clients: Any, module_url: str, tmp_path: Path
) -> None:
    settings = {"QUIPU_DATABASE_URL": module_url, "QUIPU_EMBEDDING_MODEL": "hashing", "QUIPU_SPACE": SPACE}
    quipu = CommandLine(tmp_path / "home", settings)
    quipu.home.mkdir()
    w = iter(STRINGS)
    await by_python(memory, w)
    await by_http(await clients("admin", space=SPACE), w)
    await by_tools(memory, w)
    await to_thread.run_sync(by_commands, quipu, w)
    recorded = await by_recordings(memory, str(quipu.home), tmp_path / "claude", w)
    assert next(w, None) is None
    assert {word for _, word in found(module_url, STRINGS)} >= set(STRINGS) - {STRINGS[21]}
    assert any(STRINGS[21] in text for text in files_of(quipu.home))

    await to_thread.run_sync(quipu.text, "forget", "--user", PERSON, "--everywhere", "--yes")
    for session in recorded:  # they belong to no user
        await memory.forget(space=SPACE, session=session, confirm=True)
    assert found(module_url, [*STRINGS, PERSON]) == set()
    await memory.work()
    await memory.recall("boat", space=SPACE)
    assert found(module_url, [*STRINGS, PERSON]) == set()
    assert not any(word in text for text in files_of(quipu.home) for word in STRINGS)


def files_of(home: Path) -> list[str]:
    """What the files of a home say."""
    return [path.read_text("utf-8", "replace") for path in home.rglob("*") if path.is_file()]
