"""The hand-written minimum on the same PostgreSQL: one table, two indexes, one statement."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from datetime import datetime

import psycopg
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from pace.adapter import Place, batches
from pace.facts import Fact
from pace.statements import load

_BATCH = 500
_STOP = frozenset(["what", "do", "you", "remember", "about"])
_SESSION = "-c jit=off -c max_parallel_workers_per_gather=0"


class Reference:
    """A limit, not a memory: no sessions, no neighbours, no provenance, no isolation but a WHERE."""

    def __init__(self) -> None:
        self._sql = load("reference")
        self._local = threading.local()

    def open(self, place: Place) -> None:
        self._place = place
        with psycopg.connect(place.conninfo, autocommit=True) as conn:
            for step in ("extension", "make", "index"):
                conn.execute(self._sql[step])

    def bulk(self, facts: Iterable[Fact]) -> None:
        for batch in batches(facts, _BATCH):
            with self._connection.cursor().copy(self._sql["copy"]) as copy:
                copy.set_types(["int4", "int8", "timestamptz", "text", "halfvec"])
                for fact in batch:
                    copy.write_row(tuple(self._row(fact).values()))

    def add(self, fact: Fact) -> None:
        self._connection.execute(self._sql["insert"], self._row(fact))

    def search(self, user: str, question: str, limit: int) -> list[str]:
        words = [word for word in re.findall(r"\w+", question.lower()) if word not in _STOP]
        values = {
            "tenant": _tenant(user),
            "emb": HalfVector(self._place.vectors(question)),
            "words": " | ".join(words),
            "k": limit,
        }
        rows = self._connection.execute(self._sql["search"], values, binary=True).fetchall()
        return [f"f{row[0]:07}" for row in rows]

    def close(self) -> None:
        self._connection.close()

    @property
    def _connection(self) -> psycopg.Connection:
        """One connection for each thread."""
        conn: psycopg.Connection | None = getattr(self._local, "conn", None)
        if conn is None:
            conn = psycopg.connect(
                self._place.conninfo, autocommit=True, prepare_threshold=0, options=_SESSION
            )
            register_vector(conn)
            self._local.conn = conn
        return conn

    def _row(self, fact: Fact) -> dict[str, object]:
        return {
            "tenant": _tenant(fact.user),
            "id": int(fact.id[1:]),
            "ts": datetime.fromisoformat(fact.time),
            "txt": fact.text,
            "emb": HalfVector(self._place.vectors(fact.text)),
        }


def _tenant(user: str) -> int:
    return int(user.rpartition("-")[2])
