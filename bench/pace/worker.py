"""The process of one store: reads commands as JSON lines, answers each with one JSON line.

    python -m pace.worker '{"peer": …}'

It runs in the environment of the store, so it imports nothing but the standard library, numpy and the
store. What the store prints goes to stderr.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pace.adapter import PEERS, Adapter, Place
from pace.facts import Fact, Query, facts, queries
from pace.vectors import Vectors

_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Job:
    """What the process was started for; ``known`` are vectors that it gets by word of mouth."""

    peer: str
    directory: str
    conninfo: str
    vectors: str
    count: int
    extra: int
    spaces: int
    known: dict[str, list[float]]


class Worker:
    """Carries out commands on one store."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._adapter: Adapter = PEERS[job.peer].adapter()
        texts = _Texts(job)
        self._texts = texts
        vectors = Vectors(Path(job.vectors), _Lazy(texts), job.known)
        self._adapter.open(Place(Path(job.directory), job.conninfo, vectors))

    def ready(self) -> dict[str, Any]:
        """Nothing to do: the store is open."""
        return {}

    def warm(self) -> dict[str, Any]:
        """Make facts, questions and vectors, so that no measurement waits for them."""
        return {"facts": len(self._texts.facts), "queries": len(self._texts.queries)}

    def bulk(self, seconds: float) -> dict[str, Any]:
        """Take in facts until all are in or the time is over; says how many."""
        begin = time.perf_counter()
        taken = 0

        def until_late() -> Iterator[Fact]:
            nonlocal taken
            for fact in self._texts.facts[: self._job.count]:
                if time.perf_counter() - begin > seconds:
                    return
                taken += 1
                yield fact

        self._adapter.bulk(until_late())
        return {"count": taken, "seconds": time.perf_counter() - begin}

    def add(self, start: int, count: int) -> dict[str, Any]:
        """Add single facts from a position; the milliseconds of each."""
        return {"ms": [_timed(self._adapter.add, fact) for fact in self._texts.facts[start : start + count]]}

    def search(self, loaded: int, seconds: float) -> dict[str, Any]:
        """Ask every question about the facts that are in, until the time is over."""
        deadline = time.perf_counter() + seconds
        result: dict[str, Any] = {"ms": [], "hits": 0, "short": 0, "asked": 0}
        sizes = _sizes(self._texts.facts[:loaded])
        for query in self._answerable(loaded):
            begin = time.perf_counter()
            found = self._adapter.search(query.user, query.text, _DEPTH)
            result["ms"].append(1000 * (time.perf_counter() - begin))
            result["asked"] += 1
            result["hits"] += query.fact_id in found
            result["short"] += len(found) < min(_DEPTH, sizes[query.user])
            if time.perf_counter() > deadline:
                break
        return result

    def clients(self, threads: int, seconds: float, loaded: int) -> dict[str, Any]:
        """How many searches a second several threads of this process get together."""
        asked = self._answerable(loaded)
        deadline = time.perf_counter() + seconds

        def client(number: int) -> int:
            done = 0
            while time.perf_counter() < deadline:
                query = asked[(number * 25 + done) % len(asked)]
                self._adapter.search(query.user, query.text, _DEPTH)
                done += 1
            return done

        begin = time.perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            total = sum(pool.map(client, range(threads)))
        return {"qps": total / (time.perf_counter() - begin)}

    def one(self, user: str, question: str) -> dict[str, Any]:
        """A single answer: the ids of the hits."""
        return {"found": self._adapter.search(user, question, _DEPTH)}

    def close(self) -> dict[str, Any]:
        """Close the store."""
        self._adapter.close()
        return {}

    def _answerable(self, loaded: int) -> list[Query]:
        return [query for query in self._texts.queries if query.fact < loaded]


class _Texts:
    """Facts and questions, made when they are needed."""

    def __init__(self, job: Job) -> None:
        self._job = job

    @cached_property
    def facts(self) -> list[Fact]:
        return facts(self._job.count + self._job.extra, self._job.spaces)

    @cached_property
    def queries(self) -> list[Query]:
        return queries(self.facts[: self._job.count])


class _Lazy:
    """The texts in the order of the rows of the vector file."""

    def __init__(self, texts: _Texts) -> None:
        self._texts = texts

    def __iter__(self) -> Iterator[str]:
        yield from (fact.text for fact in self._texts.facts)
        yield from (query.text for query in self._texts.queries)


def _sizes(stored: list[Fact]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for fact in stored:
        sizes[fact.user] = sizes.get(fact.user, 0) + 1
    return sizes


def _timed(call: Any, value: Fact) -> float:
    begin = time.perf_counter()
    call(value)
    return 1000 * (time.perf_counter() - begin)


def main() -> int:
    """Serve commands until stdin ends; an error of the store is answered and ends the process."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        worker = Worker(Job(**json.loads(sys.argv[1])))
        say(worker.ready())
        for line in sys.stdin:
            command = json.loads(line)
            say(getattr(worker, command.pop("do"))(**command))
    except Exception as error:  # noqa: BLE001 - whatever a store raises belongs into its row of the table
        say({"error": f"{type(error).__name__}: {error}"})
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
