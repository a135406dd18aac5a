"""Values that are too large, too deep or of no form in JSON: who asks is told so, and it costs little."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from long_form import LONG

from quipu import AsyncMemory
from quipu.interfaces.server import create_app
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio

DEEP = "(repeat('{0}', {2}) || '1' || repeat('{1}', {2}))"
CROSS_JOIN = "select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b"
REFUSED = {
    "a text of a gigabyte": "select repeat('x', 1000000000)",
    "a text": "select repeat('x', 30000000)",
    "texts in many columns": "select " + ", ".join(["repeat('x', 1000000)"] * 30),
    "an array": "select array_fill(1, array[3, 3500000])",
    "numbers": "select array_agg(10::numeric ^ 100000) from generate_series(1, 200)",
    "bytes": "select decode(repeat('00', 11000000), 'hex')",
    "a cross join": CROSS_JOIN,
    **{
        f"{kind} in {depth} {what}": f"select {DEEP.format(opening, closing, depth)}::{kind}"
        for what, opening, closing in (("lists", "[", "]"), ("objects", '{"a":', "}"))
        for kind in ("json", "jsonb")
        for depth in ((101, 900, 3000, 100_000) if LONG else (101, 100_000))
    },
    "a number of JSON": "select ('1' || repeat('0', 5000))::json",
    "a list of such": "select array[('1' || repeat('0', 5000))::jsonb]",
    "a time": "select 'infinity'::timestamptz",
    "a day before Christ": "select '4000-01-01 BC'::date",
    "midnight": "select '24:00'::time",
}
SHOWN = {
    "select 10::numeric ^ 100000 as x": None,
    "select 'NaN'::float8 as x": "NaN",
    "select '-Infinity'::float4 as x": "-Infinity",
    "select 'Infinity'::numeric as x": "Infinity",
    "select array['NaN'::float8, 1] as x": ["NaN", 1.0],
    "select '1e400'::json as x": "Infinity",
    f"select {DEEP.format('[', ']', 90)}::json as x": None,
    "select " + ", ".join(["1 as x"] * 1600): 1,
}


@pytest.fixture
def home_to_copy(migrated_home: Path) -> Path:
    return migrated_home


@pytest.fixture
async def memory(settings: Settings) -> AsyncIterator[AsyncMemory]:
    own = replace(settings, embedding_model="hashing", statement_seconds=30.0, backend_memory_mb=1500)
    async with AsyncMemory(settings=own) as opened:
        await opened.tables.create_schema("memory", space="ana")
        yield opened


@pytest.fixture
async def client(memory: AsyncMemory) -> AsyncIterator[httpx.AsyncClient]:
    key = (await memory.keys.create("ana", space="ana", level="read")).token
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(app=create_app(memory=memory)),
        base_url="http://localhost",
        headers={"authorization": f"Bearer {key}"},
        timeout=None,
    ) as opened:
        yield opened


class Peak:
    """How much memory this process has had at most since ``begin``, in megabytes; 0 where nothing tells."""

    def begin(self) -> None:
        if sys.platform == "linux":
            Path("/proc/self/clear_refs").write_text("5")
        self._before = self._most()

    def more(self) -> float:
        return self._most() - self._before

    def _most(self) -> float:
        if sys.platform != "linux":
            return 0
        (line,) = (one for one in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in one)
        return int(line.split()[1]) / 1000


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/v1/transcripts/query", marks=pytest.mark.long),
        pytest.param("/v1/tables/query", marks=pytest.mark.long(only=True)),
    ],
)
async def test_what_cannot_be_answered_is_refused_with_the_way_out_and_fills_no_memory_of_ours(
    client: httpx.AsyncClient, path: str
) -> None:
    peak = Peak()
    is_bounded = "transcripts" in path  # by what is asked for; of tables, by the settings
    assert (await client.post(path, json={"sql": "select 1"})).status_code == 200
    peak.begin()
    for what, statement in REFUSED.items():
        short = {"seconds": 0.5} if is_bounded and statement == CROSS_JOIN else {}
        answer = await client.post(path, json={"sql": statement, **short})
        assert answer.status_code == 422, (what, answer.text[:500])
        told = answer.json()
        assert "::text" in told["detail"] or told["hint"], (what, told)
        assert peak.more() < 100, what
    after_one_that_fits = "select repeat('x', 30000000 * n) from generate_series(0, 1) n"
    answer = await client.post(path, json={"sql": after_one_that_fits})
    assert answer.status_code in {200, 422}, answer.text  # 422 where the server was not done in its time
    assert len(answer.content) < 1000
    for statement, value in SHOWN.items():
        answer = await client.post(path, json={"sql": statement})
        assert answer.status_code == 200, (statement[:100], answer.text[:500])
        (row,) = answer.json()["rows" if is_bounded else "results"]
        shown = next(iter(row.values())) if isinstance(row, dict) else row[0]
        assert value is None or shown == value, statement
    assert (
        peak.more() < 150
    )  # the 30 MB that fit are there up to three times: as they came, read, and as JSON
