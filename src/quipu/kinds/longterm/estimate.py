"""Cost of having a language model evaluate what it has not evaluated yet, before anything is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final

from quipu.kernel.db import queries
from quipu.kernel.db.database import Database
from quipu.kernel.language.prompt import question
from quipu.kinds.longterm.evaluation.remote import (
    BATCH_CHARACTERS,
    LONGEST_OF_THE_ASSISTANT,
    LONGEST_TURN,
    EvaluatedConversation,
    instructions,
)
from quipu.kinds.longterm.evaluation.sessions import STRETCH

_SQL = queries.load("quipu.kinds.longterm")
_CHARACTERS_PER_TOKEN: Final = 4  # prose; other scripts have fewer
_NEAR_TOKENS: Final = 400  # memories that may be concerned, and turns that are shown as context
_ANSWER_TOKENS: Final = 30  # of an answer that keeps nothing
_EXCHANGE_TOKENS: Final = 40  # more for each exchange, of which most keep nothing
_PRICED: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Unevaluated:
    """Turns of one session that an evaluator did not read; ``characters`` as far as they would be shown."""

    turns: int
    exchanges: int
    characters: int

    @property
    def requests(self) -> int:
        """Requests in which they are read."""
        return max(-(-self.turns // STRETCH), -(-self.characters // BATCH_CHARACTERS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Exchanges not evaluated yet, and about how many tokens they take. A model that thinks writes more."""

    sessions: int
    exchanges: int
    requests: int
    input_tokens: int
    output_tokens: int

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens

    def cost(self, *, input_price: float, output_price: float) -> float:
        """Return the price of the tokens, whose prices are for a million."""
        return (self.input_tokens * input_price + self.output_tokens * output_price) / _PRICED


def estimated(waiting: Iterable[Unevaluated]) -> Estimate:
    """Estimate what it takes to evaluate these turns."""
    of_all = list(waiting)
    requests = sum(one.requests for one in of_all)
    exchanges = sum(one.exchanges for one in of_all)
    read = sum(one.characters for one in of_all) // _CHARACTERS_PER_TOKEN
    return Estimate(
        sessions=len(of_all),
        exchanges=exchanges,
        requests=requests,
        input_tokens=requests * (_prompt_tokens() + _NEAR_TOKENS) + read,
        output_tokens=requests * _ANSWER_TOKENS + exchanges * _EXCHANGE_TOKENS,
    )


async def unevaluated(database: Database, space: str, *, evaluator: str) -> list[Unevaluated]:
    """Return the sessions of a space that have something that an evaluator did not read."""
    async with database.snapshot_read(space) as tx:
        if tx is None:
            return []
        return await tx.fetch(
            Unevaluated,
            _SQL["unevaluated"],
            evaluator=evaluator,
            of_user=LONGEST_TURN,
            of_assistant=LONGEST_OF_THE_ASSISTANT,
        )


@cache
def _prompt_tokens() -> int:
    turns = question(instructions=instructions(), text="-", shape=EvaluatedConversation)
    return sum(len(turn.content) for turn in turns) // _CHARACTERS_PER_TOKEN
