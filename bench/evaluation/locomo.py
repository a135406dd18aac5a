"""LoCoMo as a check from outside: do the turns that its observations cite yield a memory more often?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from quipu.kernel.config import Settings
from quipu.kernel.embedding.choose import choose
from quipu.kinds.longterm.evaluation.rules import RulesEvaluator
from quipu.kinds.longterm.sati import SatiEvaluationInput, SatiTurn


@dataclass(frozen=True, slots=True)
class Kept:
    """How many turns that are cited, and how many that are not, yielded a memory."""

    cited: int
    cited_kept: int
    uncited: int
    uncited_kept: int


async def kept(text: str) -> Kept:
    """Of LoCoMo's document, every turn once as the user's; what the other said is the assistant's."""
    embedder = choose(Settings())
    evaluator = RulesEvaluator(embedder)
    counts = {(cited, yielded): 0 for cited in (True, False) for yielded in (True, False)}
    try:
        for turns, cited in _sessions(json.loads(text)):
            for speaker in {turn["speaker"] for turn in turns}:
                got = await evaluator.evaluate(_heard(turns, speaker))
                yielding = {said.message for one in got.inclusions for said in one.sources}
                for turn in turns:
                    if turn["speaker"] == speaker:
                        counts[turn["dia_id"] in cited, turn["dia_id"] in yielding] += 1
    finally:
        await embedder.aclose()
    return Kept(
        counts[True, True] + counts[True, False],
        counts[True, True],
        counts[False, True] + counts[False, False],
        counts[False, True],
    )


def _heard(turns: list[Mapping[str, Any]], speaker: str) -> SatiEvaluationInput:
    return SatiEvaluationInput(
        recent_conversation=tuple(
            SatiTurn(
                role="user" if turn["speaker"] == speaker else "assistant",
                content=turn["text"],
                id=turn["dia_id"],
            )
            for turn in turns
        )
    )


def _sessions(data: list[Mapping[str, Any]]) -> Iterator[tuple[list[Mapping[str, Any]], set[str]]]:
    for one in data:
        for name, observed in one["observation"].items():
            turns = one["conversation"].get(name.removesuffix("_observation"))
            if turns:
                yield turns, set(_cited(observed))


def _cited(observed: Mapping[str, Any]) -> Iterator[str]:
    for facts in observed.values():
        for _, where in facts:
            yield from [where] if isinstance(where, str) else where
