"""Speed of a memory on this machine, measured beside limits that nobody can undercut."""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

import numpy as np
from anyio import CancelScope

from quipu import AsyncMemory
from quipu.kernel.config import Settings
from quipu.kernel.embedding.choose import choose
from quipu.kernel.embedding.embedder import Embedder, Vectors

_OBSERVED = 50
_LIMIT = 10
_PEOPLE = (
    "Ana",
    "Bruno",
    "Chiara",
    "Dmitri",
    "Elif",
    "Farid",
    "Greta",
    "Hugo",
    "Ines",
    "Jun",
    "Kofi",
    "Lena",
)
_PLACES = ("Lisbon", "Tartu", "Oaxaca", "Leipzig", "Bergen", "Kyoto", "Ghent", "Quito", "Porto", "Split")
_THINGS = (
    "the parser",
    "the invoice",
    "a canoe",
    "the greenhouse",
    "the scheduler",
    "a violin",
    "the archive",
)
_SAID = (
    "{who} moved {what} to {where} in week {n} because the old place was too small.",
    "In {where} {who} found out that {what} costs {n} euros more than planned.",
    "{who} will not work on {what} before meeting {n} in {where}.",
    "Ticket {n}: {who} says that {what} breaks whenever the office in {where} is offline.",
)
_ASKED = (
    "Where did {who} move {what} in week {n}?",
    "Who found {n} euros more to pay for {what} in {where}?",
    "What will {who} not work on before meeting {n}?",
    "What breaks when {where} is offline, ticket {n}?",
)


@dataclass(frozen=True, slots=True)
class Latency:
    """Half of the calls took at most ``p50_ms``, 95 in 100 at most ``p95_ms``."""

    p50_ms: float
    p95_ms: float
    calls: int


@dataclass(frozen=True, slots=True)
class Measured:
    """Texts a second of the embedding model alone and of an import; latency of one call, one after the other.

    ``scan`` is the least that a search can cost: embed the question, multiply it with a matrix in memory.
    """

    messages: int
    encoded_per_second: float
    imported_per_second: float
    observe: Latency
    recall: Latency
    scan: Latency


async def measure(settings: Settings, *, space: str, messages: int, questions: int) -> Measured:
    """Measure in ``space``, which must not be used for anything else, and forget it again."""
    chance = random.Random(7)
    texts = [_filled(chance, _SAID, number) for number in range(messages)]
    observed = [_filled(chance, _SAID, messages + number) for number in range(_OBSERVED)]
    wordings = [_filled(chance, _ASKED, number) for number in range(2 * questions)]
    encoded, scan = await _limits(settings, texts, wordings[:questions])
    async with AsyncMemory(settings=settings) as memory:
        try:
            report = await memory.import_messages(({"content": text} for text in texts), space=space)
            observe = [await _timed(memory.observe([{"content": text}], space=space)) for text in observed]
            recall = [
                await _timed(memory.recall(one, space=space, limit=_LIMIT)) for one in wordings[questions:]
            ]
        finally:
            with CancelScope(shield=True):
                await memory.forget(space=space, confirm=True)
    return Measured(messages, encoded, messages / report.seconds, latency(observe), latency(recall), scan)


def latency(seconds: Sequence[float]) -> Latency:
    """Return median and 95th percentile of at least one call."""
    p50, p95 = np.percentile(seconds, [50, 95]) * 1_000
    return Latency(float(p50), float(p95), len(seconds))


async def _limits(settings: Settings, texts: Sequence[str], wordings: Sequence[str]) -> tuple[float, Latency]:
    """Return the texts a second of the model alone, and the latency of a scan over their vectors."""
    embedder = choose(settings)
    try:
        await embedder.embed(["Loading the model is not part of it."])
        started = time.perf_counter()
        matrix = await embedder.embed(texts)
        encoded = len(texts) / (time.perf_counter() - started)
        scans = [await _timed(_scan(embedder, matrix, question)) for question in wordings]
    finally:
        await embedder.aclose()
    return encoded, latency(scans)


async def _scan(embedder: Embedder, matrix: Vectors, question: str) -> list[int]:
    cosines = matrix @ (await embedder.embed([question], role="query"))[0]
    return np.argsort(-cosines)[:_LIMIT].tolist()


async def _timed(call: Awaitable[object]) -> float:
    started = time.perf_counter()
    await call
    return time.perf_counter() - started


def _filled(chance: random.Random, templates: Sequence[str], number: int) -> str:
    """Return a sentence like no other, because of its number."""
    who, what, where = (chance.choice(words) for words in (_PEOPLE, _THINGS, _PLACES))
    return chance.choice(templates).format(who=who, what=what, where=where, n=number)
