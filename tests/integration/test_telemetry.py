"""Traces and metrics reach a collector, connected, and without a word of any memory."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from cli_process import CommandLine
from otlp_collector import Collector, ReceivedSpan, collecting

from language_server import KEY, LanguageServer, said
from quipu import AsyncMemory, Memory
from quipu.errors import ConfigError
from quipu.interfaces.server import create_app
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.language.budget import DailyBudget
from quipu.kernel.language.endpoint import Endpoint
from quipu.kernel.language.remote import RemoteLanguage
from quipu.kernel.telemetry import spans

SPACE, PERSON, SESSION = "harbourspace", "ottilie", "breakfastchat"
SAID = "My submarine is called Gertrude and my sister Valentina paints it"
ASKED = "Which watercraft has Ottilie christened Gertrude?"
HIDDEN = [SPACE, PERSON, SESSION, "submarine", "gertrude", "sister", "valentina", "watercraft", "christened"]
OURS = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    with collecting() as found:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", found.url)
        yield found


@pytest.fixture
def telling(settings: Settings) -> Settings:
    """Settings of this test's database that send telemetry."""
    return replace(settings, telemetry=True)


def path(found: Mapping[str, ReceivedSpan], span: ReceivedSpan) -> list[str]:
    """The names from the root of its trace, as far as it was recorded here, to a span."""
    names = [span.name]
    while span.parent in found:
        span = found[span.parent]
        names.insert(0, span.name)
    return names


def told_nothing(collector: Collector) -> None:
    payload = collector.payload.lower()
    assert payload
    assert [word for word in HIDDEN if word.encode() in payload] == []


async def test_a_request_a_recall_and_a_job_arrive_as_traces_without_their_words(
    telling: Settings, collector: Collector
) -> None:
    message = {"content": SAID, "session": SESSION, "user": PERSON}
    async with AsyncMemory(settings=telling) as memory:
        app = create_app(memory=memory)
        issued = await memory.keys.create("k", space=SPACE, user=None, level="admin")
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app),
            base_url="http://localhost",
            headers={"authorization": f"Bearer {issued.token}", "traceparent": f"00-{OURS}-{PARENT}-01"},
        ) as client:
            assert (await client.post("/v1/observe", json={"messages": [message]})).status_code == 201
            asked = {"question": ASKED, "user": PERSON}
            assert (await client.post("/v1/recall", json=asked)).json()["hits"]
            assert (await client.post("/v1/recall", json={"question": ""})).status_code == 422
        await memory.recall_block(ASKED, budget_tokens=100, space=SPACE)
        assert (await memory.work()).done
    by_id = {one.id: one for one in collector.spans}
    paths = {"/".join(path(by_id, one)) for one in by_id.values()}
    within = {one.trace for one in by_id.values() if path(by_id, one)[0].startswith("POST")}
    assert within == {OURS}
    assert {one.parent for one in by_id.values() if one.name.startswith("POST")} == {PARENT}
    observed, recalled = "POST /v1/observe/observe", "POST /v1/recall/recall"
    assert {
        f"{observed}/embeddings",
        f"{recalled}/recall.embed/embeddings",
        f"{recalled}/recall.search/sql recall.search",
        f"{recalled}/recall.rank",
        "recall.block/recall/recall.search/sql recall.search",
    } <= paths
    jobs = [one for one in by_id.values() if one.name.startswith("job ")]
    assert jobs
    assert {one.attributes["quipu.outcome"] for one in jobs} == {"done"}
    assert all(one.attributes["quipu.space.id"] > 0 for one in jobs)
    assert any(path(by_id, one)[0].startswith("job ") and len(path(by_id, one)) > 1 for one in by_id.values())
    failed = {one.attributes["error.type"] for one in by_id.values() if one.failed}
    assert failed == {"BadInput"}  # of the empty question
    assert {"http.server.request.duration", "db.client.operation.duration", "quipu.job.duration"} <= (
        collector.metrics
    )
    told_nothing(collector)


async def test_a_tool_is_part_of_the_request_that_called_it(telling: Settings, collector: Collector) -> None:
    called = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "recall", "arguments": {"question": ASKED}},
    }
    async with AsyncMemory(settings=telling) as memory:
        await memory.observe([{"content": SAID}], space=SPACE)
        app = create_app(memory=memory)
        issued = await memory.keys.create("k", space=SPACE, user=None, level="write")
        headers = {
            "authorization": f"Bearer {issued.token}",
            "accept": "application/json, text/event-stream",
            "traceparent": f"00-{OURS}-{PARENT}-01",
        }
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app=app), base_url="http://localhost", headers=headers
            ) as client,
        ):
            assert "Gertrude" in (await client.post("/mcp", json=called)).text
    by_id = {one.id: one for one in collector.spans}
    (tool,) = [one for one in by_id.values() if one.name == "tools/call recall"]
    assert (tool.trace, path(by_id, tool)) == (OURS, ["POST /mcp", "tools/call recall"])
    assert "POST /mcp/tools/call recall/recall/recall.rank" in {
        "/".join(path(by_id, one)) for one in by_id.values()
    }
    told_nothing(collector)


async def test_a_language_model_is_told_by_its_name_and_its_tokens(
    database: Database, collector: Collector
) -> None:
    with LanguageServer([said("It was a submarine.", used=123)]) as server:
        budget = DailyBudget(database, clock=SystemClock())
        async with spans.sending(True):
            language = RemoteLanguage(Endpoint("model-1", server.url, KEY), budget=budget)
            await language.say(instructions=ASKED, text=SAID, purpose="test.say")
            await language.aclose()
        assert not any("traceparent" in str(one).lower() for one in server.requests)
    by_id = {one.id: one for one in collector.spans}
    assert {"chat", "chat/sql kernel.language.reserve"} <= {
        "/".join(path(by_id, one)) for one in by_id.values()
    }
    (asked,) = [one for one in by_id.values() if one.name == "chat"]
    assert asked.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "model-1",
        "quipu.purpose": "test.say",
        "quipu.tokens": 123,
    }
    assert {"quipu.tokens", "gen_ai.client.operation.duration"} <= collector.metrics
    told_nothing(collector)


async def test_what_fails_is_told_by_the_class_of_its_error(telling: Settings, collector: Collector) -> None:
    async with AsyncMemory(settings=telling) as memory:
        with pytest.raises(Exception, match="submarine"):
            await memory.observe([{"content": SAID, "time": "submarine"}], space=SPACE, user=PERSON)
    (observed,) = [one for one in collector.spans if one.name == "observe"]
    assert observed.failed
    assert observed.attributes["error.type"] == "BadInput"
    told_nothing(collector)


def test_a_command_and_the_statements_that_it_needs_are_one_trace(
    telling: Settings, collector: Collector, tmp_path: Path
) -> None:
    assert telling.database_url
    line = CommandLine(
        tmp_path,
        {
            "QUIPU_DATABASE_URL": telling.database_url,
            "QUIPU_EMBEDDING_MODEL": "hashing",
            "QUIPU_TELEMETRY": "true",
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        },
    )
    line.text("observe", "--space", SPACE, "--user", PERSON, SAID)
    line.text("recall", "--space", SPACE, ASKED)
    by_id = {one.id: one for one in collector.spans}
    paths = {"/".join(path(by_id, one)) for one in by_id.values()}
    assert "quipu recall/recall/recall.search/sql recall.search" in paths
    assert {path(by_id, one)[0] for one in by_id.values()} == {"quipu observe", "quipu recall"}
    told_nothing(collector)


@pytest.mark.parametrize("answers", ["nobody", "too late"])
def test_a_collector_that_is_away_costs_no_answer_and_tells_nobody(
    settings: Settings, tmp_path: Path, answers: str
) -> None:
    assert settings.database_url
    with socket.create_server(("127.0.0.1", 0)) as held:
        place = held.getsockname()
        if answers == "nobody":
            held.close()
        line = CommandLine(
            tmp_path,
            {
                "QUIPU_DATABASE_URL": settings.database_url,
                "QUIPU_EMBEDDING_MODEL": "hashing",
                "QUIPU_TELEMETRY": "true",
                "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{place[1]}",
            },
        )
        line.text("observe", "--space", SPACE, SAID)
        recalled = line.process("recall", "--quiet", "--space", SPACE, ASKED)
    assert (recalled.returncode, recalled.stderr) == (0, "")
    assert "Gertrude" in recalled.stdout


def test_nothing_is_recorded_unless_it_is_asked_for(settings: Settings, collector: Collector) -> None:
    with Memory(settings=settings) as memory:
        memory.observe([{"content": SAID}], space=SPACE)
        assert memory.recall(ASKED, space=SPACE)
        assert not spans.is_on()
    assert not collector.bodies


async def test_an_exporter_that_is_not_here_is_refused(
    telling: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "zipkin")
    with pytest.raises(ConfigError, match="OTEL_TRACES_EXPORTER"):
        async with AsyncMemory(settings=telling):
            pass
    assert not spans.is_on()
