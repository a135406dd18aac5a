"""One run: load every store, then measure them in turns, so that a busy minute hits all alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import anyio
import numpy as np

from pace import environments, usage
from pace.adapter import PEERS
from pace.facts import facts, queries
from pace.figures import Round, Row
from pace.process import Process, StoreFailed
from pace.server import Relation, Server
from pace.worker import Job
from quipu.kernel.embedding.hashing import HashEmbedder

_STARTS = 3
_CLIENTS = 8


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured; the seconds bound each step of each store."""

    count: int
    spaces: int
    rounds: int
    adds: int
    bulk_seconds: float
    search_seconds: float
    clients_seconds: float

    @property
    def extra(self) -> int:
        """Facts that are added one by one, over all rounds."""
        return self.adds * self.rounds


@dataclass(slots=True)
class Store:
    """One store in the run."""

    row: Row
    job: Job
    process: Process | None = None
    sizes: list[Relation] = field(default_factory=list)


class Run:
    """Measures stores on one server, in one directory."""

    def __init__(self, plan: Plan, server: Server, folder: Path, progress: Callable[[str], None]) -> None:
        self._plan, self._server, self._folder, self._progress = plan, server, folder, progress
        self._vectors = folder / "vectors.npy"
        self.stores: list[Store] = []

    def measure(self, peers: Sequence[str]) -> list[Store]:
        """The stores with all their figures. What fails is noted in the row, and the others go on."""
        self._make_vectors()
        self.stores = [Store(Row(peer), self._job(peer)) for peer in peers]
        with ExitStack() as stack:
            for store in self.stores:
                self._attempt(store, "installing and opening", lambda s: self._open(s, stack))
            for store in self.stores:
                self._attempt(store, "loading", self._load)
            for number in range(self._plan.rounds):
                for store in self.stores:
                    self._attempt(store, f"round {number + 1}", lambda s, n=number: self._round(s, n))
            for store in self.stores:
                self._attempt(store, f"{_CLIENTS} clients", self._many_clients)
        for store in self.stores:
            self._attempt(store, "restarting", self._start_anew)
        return self.stores

    def _attempt(self, store: Store, what: str, step: Callable[[Store], None]) -> None:
        if store.row.error is not None:
            return
        self._progress(f"{store.row.peer}: {what}")
        try:
            step(store)
        except (StoreFailed, environments.CannotInstall) as error:
            store.row.error = f"{what}: {error}"

    def _make_vectors(self) -> None:
        self._progress("making facts and vectors")
        made = facts(self._plan.count + self._plan.extra, self._plan.spaces)
        texts = [fact.text for fact in made] + [query.text for query in queries(made[: self._plan.count])]
        np.save(self._vectors, anyio.run(HashEmbedder().embed, texts))

    def _job(self, peer: str) -> Job:
        return Job(
            peer=peer,
            directory=str(self._folder / peer.replace(":", "_")),
            conninfo=self._server.database(peer) if PEERS[peer].needs_database else "",
            vectors=str(self._vectors),
            count=self._plan.count,
            extra=self._plan.extra,
            spaces=self._plan.spaces,
            known={},
        )

    def _start(self, job: Job) -> Process:
        return Process(job, log=self._folder / f"{job.peer.replace(':', '_')}.log")

    def _open(self, store: Store, stack: ExitStack) -> None:
        environment = PEERS[store.row.peer].environment
        if environment is not None:
            environments.make(environment)
        store.process = stack.enter_context(self._start(store.job))
        store.process.wait_until_open()
        store.process.ask("warm")

    def _load(self, store: Store) -> None:
        answer = _process(store).ask("bulk", seconds=self._plan.bulk_seconds)
        store.row.loaded, store.row.bulk_seconds = answer["count"], answer["seconds"]
        if store.job.conninfo:
            self._server.settle(store.job.conninfo)
            store.sizes = self._server.relations(store.job.conninfo)
        total = sum(r.size_bytes for r in store.sizes) + usage.disk_bytes(Path(store.job.directory))
        store.row.bytes_per_memory = total / max(1, store.row.loaded)

    def _round(self, store: Store, number: int) -> None:
        row, process = store.row, _process(store)
        start = self._plan.count + number * self._plan.adds
        answer, cpu = self._with_cpu(store, lambda: process.ask("add", start=start, count=self._plan.adds))
        row.adds.append(Round(tuple(answer["ms"]), _each(cpu, len(answer["ms"]))))
        answer, cpu = self._with_cpu(
            store, lambda: process.ask("search", loaded=row.loaded, seconds=self._plan.search_seconds)
        )
        row.searches.append(Round(tuple(answer["ms"]), _each(cpu, len(answer["ms"]))))
        row.asked += answer["asked"]
        row.hits += answer["hits"]
        row.short += answer["short"]

    def _with_cpu(
        self, store: Store, step: Callable[[], dict[str, Any]]
    ) -> tuple[dict[str, Any], float | None]:
        pids = [_process(store).pid, *([self._server.pid] if store.job.conninfo else [])]
        before = usage.cpu_seconds(pids)
        answer = step()
        after = usage.cpu_seconds(pids)
        return answer, None if before is None or after is None else 1000 * (after - before)

    def _many_clients(self, store: Store) -> None:
        answer = _process(store).ask(
            "clients", threads=_CLIENTS, seconds=self._plan.clients_seconds, loaded=store.row.loaded
        )
        store.row.clients_qps = answer["qps"]

    def _start_anew(self, store: Store) -> None:
        """A new process on the store as it is: the time to its first answer, and its memory then."""
        made = facts(store.row.loaded, self._plan.spaces)
        query = queries(made, count=1)[0]
        known = {query.text: anyio.run(HashEmbedder().embed, [query.text])[0].tolist()}
        job = replace(store.job, known=known)
        seconds: list[float] = []
        for _ in range(_STARTS):
            begin = perf_counter()
            with self._start(job) as process:
                process.wait_until_open()
                process.ask("one", user=query.user, question=query.text)
                seconds.append(perf_counter() - begin)
                store.row.resident_mb = usage.resident_mb(process.pid)
                if store.job.conninfo:
                    store.row.server_mb = usage.shared_out_mb(self._server.pid)
                process.ask("close")
        store.row.first_answer_seconds = sorted(seconds)[_STARTS // 2]


def _process(store: Store) -> Process:
    if store.process is None:
        raise StoreFailed("it is not open")
    return store.process


def _each(total_ms: float | None, count: int) -> float | None:
    return None if total_ms is None or not count else total_ms / count
