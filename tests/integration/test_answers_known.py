"""How sure an answer is, at every door that takes a question."""

from __future__ import annotations

import pytest

from quipu import AsyncMemory
from quipu.recall.ranking import NEAREST, NOTHING

SPACE = "harbour"
TOLD = [
    "The ferry to Pico leaves from berth 4 at seven in the morning.",
    "My sister repairs clocks in a shop beside the church.",
    "We painted the kitchen yellow last spring.",
    "The baker closes on Mondays.",
]


@pytest.fixture
async def harbour(memory: AsyncMemory) -> AsyncMemory:
    await memory.observe([{"role": "user", "content": text} for text in TOLD], space=SPACE)
    return memory


async def test_what_was_told_is_known_and_what_was_not_is_not(harbour: AsyncMemory) -> None:
    known, unknown = await harbour.recall_many(
        ["From which berth does the ferry to Pico leave?", "Which wine goes with venison?"], space=SPACE
    )
    assert known.known > 0.8 > 0.2 > unknown.known
    assert (known.notice, known[0].certainty) == ("", "sure")
    assert unknown.notice in (NEAREST, NOTHING)
    assert {hit.certainty for hit in unknown} <= {"maybe"}


async def test_an_empty_space_knows_nothing(memory: AsyncMemory) -> None:
    answer = await memory.recall("Where is the ferry?", space="nowhere")
    assert (list(answer), answer.known, answer.notice) == ([], 0.0, NOTHING)


async def test_a_block_says_that_nothing_is_known(harbour: AsyncMemory) -> None:
    question = "Which of the two harpsichord makers in Vienna taught my cousin to tune by ear?"
    answer = await harbour.recall(question, space=SPACE)
    assert answer.notice == NEAREST
    block = await harbour.recall_block(question, space=SPACE, budget_tokens=400)
    assert NEAREST in block.text
    told = await harbour.recall_block("When does the ferry to Pico leave?", space=SPACE, budget_tokens=400)
    assert NEAREST not in told.text


async def test_a_block_of_what_is_all_far_away_is_empty(harbour: AsyncMemory) -> None:
    block = await harbour.recall_block("Photosynthesis enzymes?", space=SPACE, budget_tokens=400)
    assert (block.text, block.hits) == ("", ())
