"""Each try at a job is a trace of its own, which tells how it ended and never why in words."""

from __future__ import annotations

from typing import Any

import pytest
from otlp_collector import collecting

from quipu.kernel.telemetry import spans


async def test_each_try_is_a_trace_that_tells_how_it_ended(
    works: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await works.put("fail", {"times": 1, "secret": "hunter2-is-not-enough-4f9a"}, key="breakfastchat")
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        async with spans.sending(True):
            await works.burst(job_retry_seconds=0)
            await works.burst()  # a burst may end in the moment between the two tries
    tries = [one for one in collector.spans if one.name == "job fail"]
    assert [
        (one.attributes["quipu.attempt"], one.attributes["quipu.outcome"], one.failed) for one in tries
    ] == [
        (1, "failed", True),
        (2, "done", False),
    ]
    assert len({one.trace for one in tries}) == 2
    settled = [one for one in collector.spans if one.name == "sql kernel.queue.settle"]
    assert [one.parent for one in settled] == [tries[1].id]
    assert b"hunter2" not in collector.payload
    assert b"breakfastchat" not in collector.payload
