"""The interfaces of the seed: its documents are taken as they are, and written as they were."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from quipu.longterm import (
    Evaluation,
    Inclusion,
    SatiEvaluationInput,
    SatiMemoryResult,
    SatiRetrievalInput,
)

STORED = {
    "should_store": True,
    "category": "pets",
    "importance": "low",
    "summary": "Has a dog",
    "reason": "said so",
}


def test_the_inputs_of_the_seed_are_taken() -> None:
    asked = SatiRetrievalInput.model_validate(
        {"current_message": "hello", "recent_messages": ["a", "b"], "memory_limit": 3}
    )
    assert (asked.recent_messages, asked.memory_limit) == (("a", "b"), 3)
    told = SatiEvaluationInput.model_validate(
        {
            "recent_conversation": [{"role": "user", "content": "I have a dog"}],
            "existing_memory_summaries": ["Has a cat"],
        }
    )
    assert (told.recent_conversation[0].content, told.existing_memory_summaries) == (
        "I have a dog",
        ("Has a cat",),
    )


@pytest.mark.parametrize(
    "document",
    [
        STORED,
        {"should_store": False},
        {"should_store": False, "reason": "small talk"},
        {"relevant_memories": [{"summary": "Has a dog", "category": "pets", "importance": "low"}]},
        {"relevant_memories": []},
    ],
)
def test_a_result_of_the_seed_comes_back_as_it_was(document: dict[str, object]) -> None:
    assert SatiMemoryResult.model_validate(document).document() == document


@pytest.mark.parametrize(
    "document",
    [
        {**STORED, "category": "food"},
        {**STORED, "importance": "huge"},
        {**STORED, "summary": " "},
        {"should_store": True},
        {"category": "pets"},
        {**STORED, "relevant_memories": [{"summary": "a", "category": "pets", "importance": "low"}]},
        {**STORED, "surplus": 1},
        {**STORED, "should_store": "true"},
    ],
)
def test_what_is_no_result_is_refused(document: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SatiMemoryResult.model_validate(document)


@pytest.mark.parametrize("limit", [0, -1, 101, "3", True, 3.5, None])
def test_the_limit_is_a_number_and_has_bounds(limit: object) -> None:
    with pytest.raises(ValidationError):
        SatiRetrievalInput.model_validate({"current_message": "x", "memory_limit": limit})


def test_the_single_shape_and_an_evaluation_are_made_of_each_other() -> None:
    result = SatiMemoryResult.model_validate(STORED)
    evaluation = result.evaluation(evaluator="llm:m")
    assert evaluation.inclusions == (
        Inclusion(category="pets", importance="low", summary="Has a dog", reason="said so"),
    )
    assert SatiMemoryResult.of(evaluation) == result
    nothing = SatiMemoryResult.of(Evaluation())
    assert (nothing.should_store, nothing.evaluation().empty) == (False, True)


def test_of_several_inclusions_the_single_shape_has_the_most_important() -> None:
    kept = [Inclusion(category="pets", importance=one, summary=one) for one in ("low", "high", "medium")]  # type: ignore[arg-type]
    assert SatiMemoryResult.of(Evaluation(inclusions=kept)).summary == "high"
