"""What is searched for before an answer, what counts of what is found, and how it is shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from frames import MARKS
from quipu.kinds.longterm import recovery
from quipu.kinds.longterm.model import LongtermMemory
from quipu.kinds.longterm.recovery import block
from quipu.longterm import SatiRetrievalInput
from quipu.recall.model import Found
from quipu.recall.render import estimate_tokens

AT = datetime(2026, 3, 14, tzinfo=UTC)
MEMORY = LongtermMemory(
    id="0",
    category="pets",
    importance="low",
    summary="Has a dog",
    details=None,
    hash="0" * 64,
    source=None,
    created_at=AT,
    updated_at=AT,
    last_accessed_at=None,
    access_count=0,
    version=1,
    valid_from=AT,
    archived=False,
    space="s",
    user=None,
    session=None,
    happened_at=AT,
)


def texts(message: str, *recent: str) -> list[str]:
    return recovery.queries_of(SatiRetrievalInput(current_message=message, recent_messages=recent), MARKS)


def test_the_message_is_searched_for_alone_and_behind_the_last_three_turns() -> None:
    assert texts("And then?") == ["And then?"]
    assert texts("And then?", "a", "b", "c", "d") == ["And then?", "b\nc\nd\nAnd then?"]


def test_where_nothing_is_said_nothing_is_searched_for() -> None:
    assert texts(" \n") == []
    assert texts("", "a") == ["a"]


def test_memory_in_a_prompt_is_not_searched_for_again() -> None:
    assert texts(MARKS.mark("Has a dog") + "Hello", MARKS.mark("Has a cat")) == ["Hello"]


def test_long_texts_are_cut() -> None:
    (alone, whole) = texts("word " * 10_000, "turn " * 10_000)
    assert len(alone) <= recovery.LONGEST_MESSAGE
    assert len(whole) <= recovery.LONGEST_MESSAGE + recovery.LONGEST_TURN + 1


def test_what_two_answers_have_counts_by_its_best_score_and_what_scores_little_is_left_out() -> None:
    one = [Found(1, 5, 0.5, {"words": 0.5}), Found(2, 5, 0.3, {})]
    other = [Found(2, 5, 0.6, {"meaning": 0.6}), Found(3, 5, 0.27, {})]
    best = recovery.best([one, other], limit=10, least=0.28)
    assert [(hit.id, hit.score) for hit in best] == [(2, 0.6), (1, 0.5)]
    assert best[0].parts == {"meaning": 0.6}
    assert [hit.id for hit in recovery.best([one, other], limit=1, least=0.28)] == [2]


@settings(max_examples=40)
@given(st.lists(st.text(min_size=1, max_size=80), max_size=8), st.integers(1, 200))
def test_a_block_keeps_its_budget_and_is_all_memory(summaries: list[str], budget: int) -> None:
    memories = [replace(MEMORY, summary=summary) for summary in summaries]
    shown = block(memories, budget_tokens=budget, marks=MARKS)
    assert shown.tokens == estimate_tokens(shown.text) <= budget
    assert MARKS.hear(shown.text).text == ""
    assert list(shown.places) == sorted(set(shown.places))
    assert bool(shown.text) == bool(shown.places)


def test_where_a_memory_does_not_fit_a_shorter_one_may() -> None:
    memories = [replace(MEMORY, summary=text) for text in ("short", "long " * 200, "also short")]
    shown = block(memories, budget_tokens=100, marks=MARKS)
    assert shown.places == (0, 2)
    assert "- [pets] also short" in shown.text
