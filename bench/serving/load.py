"""Load on a server that is not ours: in a space of its own, which is forgotten at the end."""

from __future__ import annotations

import asyncio
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Final
from uuid import uuid4

from rich.console import Console
from rich.table import Table

from pace.facts import Query, facts, queries
from pace.figures import percentile
from serving.client import Client

_BATCH: Final = 50
_TRIES: Final = 5  # at forgetting: a worker may add something between the preview and the word


@dataclass(frozen=True, slots=True)
class Plan:
    """The load: so many memories, then for so many seconds by each number of clients."""

    url: str
    key: str
    memories: int
    clients: Sequence[int]
    seconds: float
    writes: float
    space: str = field(default_factory=lambda: f"load-test-{uuid4().hex[:12]}")

    def __str__(self) -> str:
        many = ", ".join(map(str, self.clients))
        return (
            f"{self.url}: make the space {self.space}, store {self.memories:,} memories there, ask and write"
            f" for {self.seconds:g} s by each of {many} clients ({self.writes:.0%} writes), forget the space."
        )


@dataclass(slots=True)
class Row:
    """What one number of clients saw of one operation. ``errors``: how often each status came, 0 for none."""

    operation: str
    clients: int
    ms: list[float] = field(default_factory=list)
    seconds: float = 0.0
    errors: Counter[int] = field(default_factory=Counter)


class Refused(Exception):
    """The server does not do what the load needs."""


def load(plan: Plan) -> int:
    """Put the load on, show the table, and forget the space; the exit code is 1 if there were errors."""
    rows: list[Row] = []
    try:
        asyncio.run(_run(plan, rows))
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    finally:
        _show(rows, plan)
    return 1 if any(row.errors for row in rows) else 0


async def _run(plan: Plan, rows: list[Row]) -> None:
    async with Client(plan.url, plan.key) as client:
        path = f"/v1/recall?space={plan.space}"
        status, answer = await client.post(path, {"question": "Is anybody here?"})
        if status != 200 or answer["hits"]:
            raise Refused(
                f"A new space cannot be asked: {_said(status, answer)}. The key has to be for all spaces."
            )
        status, answer = await client.post(f"/v1/forget?space={plan.space}", {"everything": True})
        if status != 200:
            raise Refused(
                f"What is stored could not be forgotten: {_said(status, answer)}. It takes an admin key."
            )
    try:
        await _measure(plan, rows)
    finally:
        async with Client(plan.url, plan.key) as client:
            await _forget(client, plan)


async def _measure(plan: Plan, rows: list[Row]) -> None:
    made = facts(plan.memories, 1)
    asked = queries(made)
    stored = Row(f"observe, {_BATCH} at a time", 1)
    rows.append(stored)
    begun = perf_counter()
    async with Client(plan.url, plan.key) as client:
        for start in range(0, len(made), _BATCH):
            texts = [one.text for one in made[start : start + _BATCH]]
            await _timed(client, plan, "observe", {"messages": [_message(text) for text in texts]}, stored)
    stored.seconds = perf_counter() - begun
    for clients in plan.clients:
        both = {"recall": Row("recall", clients), "observe": Row("observe", clients)}
        rows += [row for row in both.values() if row.operation == "recall" or plan.writes]
        begun = perf_counter()
        until = begun + plan.seconds
        await asyncio.gather(*(_one(plan, asked, both, who, until) for who in range(clients)))
        for row in both.values():
            row.seconds = perf_counter() - begun


async def _one(plan: Plan, asked: Sequence[Query], rows: Mapping[str, Row], who: int, until: float) -> None:
    rng = random.Random(who)
    try:
        async with Client(plan.url, plan.key) as client:
            while perf_counter() < until:
                query = rng.choice(asked)
                if rng.random() < plan.writes:
                    said = {"messages": [_message(f"{query.text} {rng.random()}")]}
                    await _timed(client, plan, "observe", said, rows["observe"])
                else:
                    await _timed(client, plan, "recall", {"question": query.text}, rows["recall"])
    except (OSError, EOFError, ValueError):
        rows["recall"].errors[0] += 1


async def _timed(client: Client, plan: Plan, operation: str, body: Mapping[str, object], row: Row) -> None:
    start = perf_counter()
    status, _ = await client.post(f"/v1/{operation}?space={plan.space}", body)
    if status in (200, 201):
        row.ms.append((perf_counter() - start) * 1000)
    else:
        row.errors[status] += 1
        await asyncio.sleep(0.1)  # whoever is asked too often is not asked more often


async def _forget(client: Client, plan: Plan) -> None:
    path = f"/v1/forget?space={plan.space}"
    answer: Any = None
    for _ in range(_TRIES):
        status, answer = await client.post(path, {"everything": True})
        if status == 200:
            status, answer = await client.post(path, {"everything": True, "confirm": answer["confirm"]})
            if status == 200:
                return
        await asyncio.sleep(0.2)
    raise Refused(f"The space is still there: quipu forget --space {plan.space} --all. {_said(0, answer)}")


def _message(text: str) -> Mapping[str, str]:
    return {"role": "user", "content": text, "session": f"s{hash(text) % 50}"}


def _said(status: int, answer: Any) -> str:
    return f"{status} {answer.get('detail', '')}" if isinstance(answer, dict) else str(status)


def _show(rows: Sequence[Row], plan: Plan) -> None:
    table = Table("", "clients", "a second", "p50 ms", "p95 ms", "p99 ms", "errors", title=plan.url)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        times = [f"{percentile(row.ms, share):.1f}" for share in (0.5, 0.95, 0.99)] if row.ms else ["-"] * 3
        errors = (
            ", ".join(f"{count} × {status or 'no answer'}" for status, count in row.errors.items()) or "0"
        )
        rate = f"{len(row.ms) / row.seconds:.1f}" if row.seconds else "-"
        table.add_row(row.operation, str(row.clients), rate, *times, errors)
    Console(width=110).print(table)
    if any(429 in row.errors for row in rows):
        print("429: the key has a rate. Make one with --requests-per-minute 1000000.", file=sys.stderr)
