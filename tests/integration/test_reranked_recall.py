"""A re-ranker over a real memory and a real server: the order it makes, and what is told if it makes none."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from cli_process import CommandLine
from fastapi import FastAPI
from mcp.client.client import Client
from mcp_types import CallToolResult, TextContent
from page_client import Browser
from rerank_server import KEY, RerankServer, Shape
from tiny_cross_encoder import write_cross_encoder

from quipu import AsyncMemory
from quipu.errors import ConfigError
from quipu.interfaces.mcp.model import Caller
from quipu.interfaces.mcp.server import build
from quipu.interfaces.server import create_app
from quipu.kernel.base.setting import Secret
from quipu.kernel.config import Settings
from quipu.kernel.rerank.installation import add_reranker
from quipu.recall.render import Reason

pytestmark = pytest.mark.anyio

QUESTION = "Where does Ana keep the spare key of the boat?"
RIGHT = "It hangs behind the blue door."
LINES = [
    "Ana keeps the boat in the harbour.",
    "Does Ana keep a boat?",
    "The key of the boat is lost.",
    "Where is the spare wheel?",
    RIGHT,
]
LATE = "The re-ranker did not answer within 0.2 s; this is the order without it."


def knows(question: str, text: str) -> float:
    return 0.98 if text == RIGHT else 0.01


def reached(settings: Settings, server: RerankServer, **others: Any) -> Settings:
    given = {"rerank": "endpoint:words", "rerank_url": server.url, "rerank_key": Secret(KEY)}
    return replace(settings, **(given | {"rerank_seconds": 60.0} | others))


@asynccontextmanager
async def told(settings: Settings) -> AsyncIterator[AsyncMemory]:
    """A memory with these settings that was told the lines."""
    async with AsyncMemory(settings=settings) as memory:
        lines = [{"id": f"m{place}", "content": line} for place, line in enumerate(LINES)]
        await memory.observe(lines, space="ana")
        yield memory


@pytest.mark.parametrize("shape", ["cohere", "tei"])
async def test_the_first_hits_get_a_new_order_and_say_what_it_added(settings: Settings, shape: Shape) -> None:
    with RerankServer(shape, score=knows) as server:
        async with told(reached(settings, server)) as memory:
            (first,) = await memory.recall(QUESTION, space="ana", limit=1)
            hits = await memory.recall(QUESTION, space="ana")
            why = await memory.why(hits[0])
    assert first == hits[0]
    assert first.text == RIGHT
    assert first.notice == ""
    assert {hit.text for hit in hits} == set(LINES)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        assert "rerank" in hit.parts
        assert hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-4)
        assert 0 <= hit.score <= 1
    assert why.reasons[0].signal == "rerank"
    assert "re-ranker" in why.reasons[0].sentence


async def test_without_one_nothing_is_asked_and_nothing_changes(settings: Settings) -> None:
    with RerankServer(score=knows) as server:
        async with told(replace(settings, rerank_url=server.url)) as memory:
            own = await memory.recall(QUESTION, space="ana")
        async with AsyncMemory(settings=reached(settings, server)) as memory:
            reranked = await memory.recall(QUESTION, space="ana")
    assert len(server.requests) == 1
    assert own[0].text != RIGHT
    assert not any("rerank" in hit.parts or hit.notice for hit in own)
    own_parts = {hit.id: hit.parts for hit in own}
    for hit in reranked:
        halved = {name: amount / 2 for name, amount in own_parts[hit.id].items()}
        assert {name: hit.parts[name] for name in halved} == pytest.approx(halved, abs=1e-5)


async def test_only_texts_that_the_asker_may_read_leave(settings: Settings) -> None:
    with RerankServer() as server:
        async with told(reached(settings, server)) as memory:
            await memory.observe([{"content": "Bo keeps the key of the boat."}], space="bo")
            for user in ("u1", "u2"):
                await memory.observe([{"content": f"The key of the boat of {user}."}], space="ana", user=user)
            await memory.recall(QUESTION, space="ana", user="u1")
    (request,) = server.requests
    assert request["documents"] == ["The key of the boat of u1."]


async def test_as_many_hits_as_the_setting_says_are_asked_about(settings: Settings) -> None:
    with RerankServer() as server:
        async with AsyncMemory(settings=reached(settings, server, rerank_candidates=12)) as memory:
            lines = [{"content": f"Boat {number} lies in the harbour."} for number in range(40)]
            await memory.import_messages(lines, space="ana")
            few = await memory.recall("Which boat lies in the harbour?", space="ana", limit=3)
            many = await memory.recall("Which boat lies in the harbour?", space="ana", limit=30)
    assert [len(request["documents"]) for request in server.requests] == [12, 12]
    assert [len(few), len(many)] == [3, 30]
    assert ["rerank" in hit.parts for hit in many] == [True] * 12 + [False] * 18
    assert [hit.score for hit in many] == sorted((hit.score for hit in many), reverse=True)
    assert many[:3] == few


async def test_an_added_onnx_file_reranks(settings: Settings, tmp_path: Path) -> None:
    source = write_cross_encoder(tmp_path / "tiny")
    home = tmp_path / "home"
    add_reranker(source, home=home)
    asked = "Where does Ana live?"
    async with AsyncMemory(settings=replace(settings, home=home, rerank="tiny", rerank_seconds=60)) as memory:
        await memory.observe([{"content": "Does she live?"}, {"content": "Ana does live there."}], space="a")
        hits = await memory.recall(asked, space="a")
    assert hits[0].text == "Ana does live there."
    assert hits[0].parts["rerank"] > hits[1].parts["rerank"] > 0


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 500},
        {"raw": b"<html>"},
        {"lie": lambda results: results[1:]},
        {"lie": lambda results: [{**one, "relevance_score": float("nan")} for one in results]},
    ],
    ids=["refused", "a page", "too few", "no number"],
)
async def test_a_failure_is_never_one_of_recall(settings: Settings, fault: dict[str, Any]) -> None:
    async with told(settings) as memory:
        own = await memory.recall(QUESTION, space="ana")
    with RerankServer(**fault) as server:
        async with AsyncMemory(settings=reached(settings, server)) as memory:
            found = await memory.recall(QUESTION, space="ana")
            block = await memory.recall_block(QUESTION, space="ana", budget_tokens=200)
            both = await memory.recall_many([QUESTION, QUESTION], space="ana")
    assert [replace(hit, notice="") for hit in found] == own
    assert all("this is the order without it" in hit.notice for hit in (*found, *block.hits, *both[1]))


async def test_a_setting_that_names_none_is_refused_when_the_memory_opens(settings: Settings) -> None:
    with pytest.raises(ConfigError, match="QUIPU_RERANK_URL"):
        async with AsyncMemory(settings=replace(settings, rerank="endpoint:x")):
            pass


async def test_one_that_hangs_costs_its_time_and_every_door_says_so(settings: Settings) -> None:
    with RerankServer(hangs=True) as server:
        async with told(reached(settings, server, rerank_seconds=0.2)) as memory:
            begun = time.monotonic()
            hits = await memory.recall(QUESTION, space="ana")
            assert time.monotonic() - begun < 60
            assert {hit.notice for hit in hits} == {LATE}
            assert (await memory.why(hits[0])).reasons[-1] == Reason("rerank", 0.0, LATE)
            app = create_app(memory=memory)
            await rest_says_so(memory, app, hits[0].id)
            await page_says_so(app, hits[0].id)
            await mcp_says_so(memory, hits[0].id)


async def rest_says_so(memory: AsyncMemory, app: FastAPI, id: str) -> None:
    token = (await memory.keys.create("rest", space="ana", level="write")).token
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=app),
        base_url="http://localhost",
        headers={"authorization": f"Bearer {token}"},
    ) as client:
        found = (await client.post("/v1/recall", json={"question": QUESTION})).json()
        assert {hit["notice"] for hit in found["hits"]} == {LATE}
        body = {"question": QUESTION, "kind": "message", "id": id}
        assert (await client.post("/v1/why", json=body)).json()["reasons"][-1]["sentence"] == LATE
        body = {"question": QUESTION, "budget_tokens": 200}
        assert (await client.post("/v1/recall/block", json=body)).json()["hits"][0]["notice"] == LATE


async def page_says_so(app: FastAPI, id: str) -> None:
    async with app.router.lifespan_context(app), Browser(app) as client:
        await client.sign_in()
        asked = {"q": QUESTION, "space": "ana"}
        assert LATE in (await client.get("/recall", params=asked)).text
        assert LATE in (await client.get("/recall/why", params={**asked, "hit": f"message:{id}"})).text


async def mcp_says_so(memory: AsyncMemory, id: str) -> None:
    async def opened() -> AsyncMemory:
        return memory

    async def call(name: str, **arguments: str) -> CallToolResult:
        result = await client.call_tool(name, arguments)
        assert isinstance(result, CallToolResult)
        return result

    async with Client(build(opened, lambda _: Caller(space="ana"))) as client:
        found = await call("recall", question=QUESTION)
        why = await call("why", question=QUESTION, kind="message", id=id)
        assert found.structured_content is not None
        assert found.structured_content["notice"] == LATE
        for result in (found, why):
            (content,) = result.content
            assert isinstance(content, TextContent)
            assert LATE in content.text


def test_the_commands_say_so_and_doctor_asks_it(url: str, tmp_path: Path) -> None:
    quipu = CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})
    lines = "".join(json.dumps({"id": f"m{n}", "content": line}) + "\n" for n, line in enumerate(LINES))
    assert quipu.json("import", "jsonl", "-", "--space", "ana", given=lines)["imported"] == len(LINES)
    assert doctor(quipu)["detail"] == "none is set; recall has its own order"
    settings = {"QUIPU_RERANK": "endpoint:words", "QUIPU_RERANK_KEY": KEY, "QUIPU_RERANK_SECONDS": "60"}
    with RerankServer() as server:
        quipu.settings.update(settings | {"QUIPU_RERANK_URL": server.url})
        assert "endpoint:words, 30 texts in" in doctor(quipu)["detail"]
        assert "notice" in quipu.json("recall", QUESTION, "--space", "ana")["hits"][0]
        server.score = lambda question, text: 0.5
        assert "not the right one first" in doctor(quipu)["detail"]
        server.status = 401
        found = doctor(quipu)
        assert (found["state"], found["detail"]) == ("warn", "endpoint:words answered with status 401")
        assert "QUIPU_RERANK_KEY" in found["hint"]
        said = "The re-ranker answered with status 401"
        asked = quipu.run("recall", QUESTION, "--space", "ana")
        assert asked.returncode == 0
        assert said in asked.stderr
        assert said in quipu.run("why", "1").stdout
        assert said in quipu.run("recall", QUESTION, "--space", "ana", "--block", "200").stderr


def doctor(quipu: CommandLine) -> dict[str, str]:
    done = quipu.run("doctor", "--json")
    assert done.returncode == 0, done.stdout
    (found,) = [one for one in json.loads(done.stdout)["findings"] if one["name"] == "rerank"]
    return found


def test_a_reranker_is_added_listed_chosen_and_its_files_are_looked_at(url: str, tmp_path: Path) -> None:
    quipu = CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})
    source = write_cross_encoder(tmp_path / "source")
    added = quipu.json("model", "add", str(source), "--reranker", "--name", "tiny")
    assert (added["name"], added["max_tokens"]) == ("tiny", 512)
    quipu.settings.update({"QUIPU_RERANK": "tiny", "QUIPU_RERANK_SECONDS": "60"})
    listed = quipu.json("model", "list")
    assert (listed["reranker"], [one["name"] for one in listed["rerankers"]]) == ("tiny", ["tiny"])
    assert "re-ranker" in quipu.run("model", "list").stdout
    assert doctor(quipu)["detail"].startswith("tiny, 30 texts in")
    (Path(added["directory"]) / "model.onnx").write_bytes(b"damaged")
    done = quipu.run("doctor", "--json")
    assert done.returncode == 6
    (found,) = [one for one in json.loads(done.stdout)["findings"] if one["name"] == "rerank"]
    assert "damaged" in found["detail"]
