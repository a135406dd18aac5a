"""The physical limit: vectors in memory, scanned whole, appended to a file that is flushed to disk."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import IO

import numpy as np

from pace.adapter import Place, batches
from pace.facts import DIMENSIONS, Fact

_BATCH = 500
_ROOM = 1024


class _Rows:
    """Vectors of one user in one growing array, and their ids."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._vectors = np.empty((_ROOM, DIMENSIONS), np.float32)

    def append(self, id_: str, vector: np.ndarray) -> None:
        if len(self.ids) == len(self._vectors):
            self._vectors = np.concatenate([self._vectors, np.empty_like(self._vectors)])
        self._vectors[len(self.ids)] = vector
        self.ids.append(id_)

    def nearest(self, vector: np.ndarray, limit: int) -> list[str]:
        scores = self._vectors[: len(self.ids)] @ vector
        top = np.argpartition(-scores, min(limit, len(scores) - 1))[:limit]
        return [self.ids[i] for i in top[np.argsort(-scores[top])]]


class NumpyScan:
    """Exact by vectors alone: no words, no server, one process."""

    def open(self, place: Place) -> None:
        self._vectors = place.vectors
        self._users: dict[str, _Rows] = {}
        place.directory.mkdir(parents=True, exist_ok=True)
        self._log: IO[bytes] = (place.directory / "log").open("a+b")
        self._log.seek(0)
        for line in self._log:
            id_, user, raw = line.rstrip(b"\n").split(b" ")
            vector = np.frombuffer(bytes.fromhex(raw.decode()), np.float16).astype(np.float32)
            self._users.setdefault(user.decode(), _Rows()).append(id_.decode(), vector)

    def bulk(self, facts: Iterable[Fact]) -> None:
        for batch in batches(facts, _BATCH):
            for fact in batch:
                self._append(fact)
            self._flush()

    def add(self, fact: Fact) -> None:
        self._append(fact)
        self._flush()

    def search(self, user: str, question: str, limit: int) -> list[str]:
        return self._users[user].nearest(self._vectors(question), limit)

    def close(self) -> None:
        self._log.close()

    def _append(self, fact: Fact) -> None:
        vector = self._vectors(fact.text)
        self._users.setdefault(fact.user, _Rows()).append(fact.id, vector)
        self._log.write(f"{fact.id} {fact.user} {vector.astype(np.float16).tobytes().hex()}\n".encode())

    def _flush(self) -> None:
        self._log.flush()
        os.fsync(self._log.fileno())
