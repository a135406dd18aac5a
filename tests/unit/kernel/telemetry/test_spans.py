"""Spans without a database: nothing unless it is asked for, the last block sends, another's trace goes on."""

from __future__ import annotations

import socket
import sys
import time

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from otlp_collector import collecting

from quipu.errors import ConfigError, MissingExtra
from quipu.kernel.db import queries
from quipu.kernel.telemetry import spans
from quipu.kernel.telemetry.groups import COMMAND, REQUEST, STATEMENT

LONG_SECONDS = 600.0
OURS, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


@spans.staged("work")
async def work(number: int) -> int:
    spans.note({"quipu.space.id": number})
    with spans.begin(STATEMENT, "some.query", {"db.query.summary": "some.query"}):
        return 2 * number


async def test_without_telemetry_the_work_is_done_and_nothing_is_loaded() -> None:
    assert await work(3) == 6
    assert spans.span(COMMAND, "a", {}) is spans.span(COMMAND, "b", {})
    async with spans.sending(False):
        assert not spans.is_on()


async def test_blocks_record_together_and_the_last_one_sends(monkeypatch: pytest.MonkeyPatch) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        async with spans.sending(True):
            async with spans.sending(True):
                assert await work(3) == 6
            assert spans.is_on()
        assert not spans.is_on()
    outer, inner = sorted(collector.spans, key=lambda one: one.parent)
    assert (outer.name, outer.parent, outer.attributes["quipu.space.id"]) == ("work", "", 3)
    assert (inner.name, inner.parent, inner.trace) == ("some.query", outer.id, outer.trace)


async def test_a_statement_of_nothing_larger_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        async with spans.sending(True):
            with spans.begin(STATEMENT, "polls", {}), spans.span(STATEMENT, "polls", {}):
                pass
    assert not collector.spans


@pytest.mark.parametrize(
    ("header", "continued"),
    [
        (f"00-{OURS}-{PARENT}-01", True),
        (f"00-{'0' * 32}-{PARENT}-01", False),
        ("it is sesame", False),
    ],
)
async def test_the_trace_of_whoever_asks_goes_on_where_it_is_one(
    monkeypatch: pytest.MonkeyPatch, header: str, continued: bool
) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        async with spans.sending(True):
            headers = {"traceparent": header, "baggage": "who=ottilie", "tracestate": "who=ottilie"}
            with spans.span(REQUEST, "GET", {}, headers=headers) as seen:
                seen.note({"http.route": "/v1/spaces"}, name="GET /v1/spaces")
    (span,) = collector.spans
    assert ((span.trace, span.parent) == (OURS, PARENT)) is continued
    assert span.name == "GET /v1/spaces"
    assert b"sesame" not in collector.payload
    assert b"ottilie" not in collector.payload


async def test_the_message_of_an_error_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        async with spans.sending(True):
            with pytest.raises(ValueError, match="sesame"), spans.span(COMMAND, "quipu", {}):
                raise ValueError("the password is sesame")
    (span,) = collector.spans
    assert (span.failed, span.attributes["error.type"]) == (True, "ValueError")
    assert b"sesame" not in collector.payload


async def test_the_arguments_of_the_process_are_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPERIMENTAL_RESOURCE_DETECTORS", "process")
    monkeypatch.setattr(sys, "argv", ["quipu", "observe", "the password is sesame"])
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        async with spans.sending(True):
            await work(3)
    assert b"process.pid" in collector.payload
    assert b"sesame" not in collector.payload


async def test_only_what_is_wanted_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        monkeypatch.setenv("OTEL_TRACES_EXPORTER", "none")
        async with spans.sending(True):
            await work(3)
    assert not collector.spans
    assert "quipu.stage.duration" in collector.metrics


async def test_an_exporter_that_is_not_here_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_METRICS_EXPORTER", "console")
    with pytest.raises(ConfigError, match="OTEL_METRICS_EXPORTER"):
        async with spans.sending(True):
            pass
    assert not spans.is_on()


async def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "quipu.kernel.telemetry.recorder", None)
    with pytest.raises(MissingExtra, match=r"quipu-memory\[telemetry\]"):
        async with spans.sending(True):
            pass


async def test_a_collector_that_is_away_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quipu.kernel.telemetry.recorder._CLOSE_SECONDS", LONG_SECONDS)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
    begun = time.monotonic()
    async with spans.sending(True):
        await work(3)
    assert time.monotonic() - begun < LONG_SECONDS


async def test_what_other_libraries_record_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        async with spans.sending(True):
            with trace.get_tracer("another").start_as_current_span("the password is sesame"):
                await work(3)
    assert b"sesame" not in collector.payload
    assert {one.name for one in collector.spans} == {"work", "some.query"}


async def test_a_program_that_has_a_provider_gets_our_spans_among_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    async with spans.sending(True):
        with provider.get_tracer("program").start_as_current_span("outer"):
            await work(3)
    with provider.get_tracer("program").start_as_current_span("after"):
        pass
    assert [one.name for one in kept.get_finished_spans()] == ["some.query", "work", "outer", "after"]


def test_a_query_is_known_by_its_text_and_other_sql_is_not() -> None:
    loaded = queries.load("quipu.recall")
    assert queries.name_of(loaded["search"]) == "recall.search"
    assert queries.name_of("select secret from diaries") is None
