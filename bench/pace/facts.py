"""Synthetic chat facts and questions about them. Only the standard library, as every peer imports it."""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate
from pathlib import Path
from random import Random

DIMENSIONS = 384
QUESTIONS = 200
_BEGIN = datetime(2023, 1, 1, tzinfo=UTC)
_SECONDS = 2 * 365 * 24 * 3600

_WORDS = Path(__file__).resolve().parent / "words.txt"


@cache
def _bank(name: str) -> list[str]:
    """The words (or for ``templates`` the lines) of one block of ``words.txt``."""
    block = _WORDS.read_text(encoding="utf-8").partition(f"== {name}\n")[2].partition("\n==")[0]
    return block.strip().splitlines() if name == "templates" else block.split()


@dataclass(frozen=True, slots=True)
class Fact:
    """One memory to store; ``subject`` is what a question about it names."""

    id: str
    user: str
    text: str
    time: str
    subject: str


@dataclass(frozen=True, slots=True)
class Query:
    """A question of one user about one stored fact (``fact`` is its position)."""

    user: str
    text: str
    fact: int

    @property
    def fact_id(self) -> str:
        """The id of the fact that should be among the hits."""
        return fact_id(self.fact)


def fact_id(number: int) -> str:
    """The id under which the fact at that position is stored."""
    return f"f{number:07}"


def facts(count: int, spaces: int, *, seed: int = 7) -> list[Fact]:
    """``count`` facts of ``spaces`` users; the user of rank r has a share of 1/r. The same for a seed."""
    rng = Random(seed)
    shares = list(accumulate(1 / rank for rank in range(1, spaces + 1)))
    return [_fact(number, bisect(shares, rng.random() * shares[-1]), rng) for number in range(count)]


def queries(stored: list[Fact], *, count: int = QUESTIONS, seed: int = 11) -> list[Query]:
    """Questions about facts among ``stored``, drawn evenly, so that big users are asked more often."""
    rng = Random(seed)
    numbers = rng.sample(range(len(stored)), k=min(count, len(stored)))
    return [Query(stored[n].user, f"What do you remember about {stored[n].subject}?", n) for n in numbers]


def _fact(number: int, rank: int, rng: Random) -> Fact:
    surname = "".join(rng.choices(_bank("syllables"), k=3)).capitalize()
    name, city, month = f"{_one('first', rng)} {surname}", _one("cities", rng), _one("months", rng)
    slots = {"thing": _one("things", rng), "food": _one("foods", rng), "work": _one("work", rng)}
    text = _one("templates", rng).format(name=name, city=city, month=month, **slots)
    time = (_BEGIN + timedelta(seconds=rng.randrange(_SECONDS))).isoformat()
    return Fact(fact_id(number), f"user-{rank:02}", text, time, f"{name} {city} {month}")


def _one(bank: str, rng: Random) -> str:
    return rng.choice(_bank(bank))
