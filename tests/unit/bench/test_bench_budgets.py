from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from quality.budgets import buy, fill, is_covered, share_of_words, word_weights
from quality.model import Conversation, Filled, Message, Question
from quipu.recall.render import estimate_tokens

MESSAGES = (
    Message("a", "The boat is called Anna.", time="2024-05-01T10:00:00Z"),
    Message("b", "The boat lies in the harbour.", time="2024-05-02T10:00:00Z"),
    Message("c", "The cat is called Tom.", time="2024-05-03T10:00:00Z"),
)


@dataclass
class InOrder:
    name: str = "in order"

    def rank(
        self, conversation: Conversation, questions: Sequence[Question], *, depth: int
    ) -> list[list[str]]:
        return [[message.id for message in conversation.messages][:depth] for _ in questions]

    def blocks(
        self, conversation: Conversation, questions: Sequence[Question], *, budget: int
    ) -> list[Filled]:
        return [fill(conversation.messages, budget=budget) for _ in questions]


def conversation(*questions: Question) -> Conversation:
    return Conversation("small", MESSAGES, questions)


def test_a_block_is_filled_in_order_until_the_next_line_does_not_fit():
    one = estimate_tokens(fill(MESSAGES[:1], budget=1_000).text)
    assert fill(MESSAGES, budget=one).ids == {"a"}
    assert fill(MESSAGES, budget=one - 1).ids == frozenset()
    assert fill(MESSAGES, budget=1_000).ids == {"a", "b", "c"}
    assert estimate_tokens(fill(MESSAGES, budget=70).text) <= 70


def test_the_rarer_words_of_an_answer_weigh_more():
    weights = word_weights(conversation())
    assert weights["anna"] > weights["boat"]
    held = share_of_words("the boat Anna", "a boat", weights, "english")
    assert held == pytest.approx(weights["boat"] / (weights["boat"] + weights["anna"]))
    assert share_of_words("the boat Anna", "Anna, our boat", weights, "english") == 1.0


def test_a_word_that_nobody_said_weighs_as_much_as_the_rarest():
    weights = word_weights(conversation())
    rarest = max(weights.values())
    held = share_of_words("Anna zzz", "Anna", weights, "english")
    assert held == pytest.approx(weights["anna"] / (weights["anna"] + rarest))


def test_an_answer_of_stop_words_has_no_share():
    assert share_of_words("the", "the", word_weights(conversation()), "english") is None


def test_evidence_and_answer_are_judged_for_each_budget_and_questions_without_evidence_are_left_out():
    asked = Question("Where?", ("a", "b"), frozenset(), "fact", "tune", answer="harbour")
    unknown = Question("Who?", (), frozenset(), "unknown", "tune")
    one = estimate_tokens(fill(MESSAGES[:1], budget=1_000).text)
    bought = buy([InOrder()], [conversation(asked, unknown)], budgets=(one, 1_000), progress=lambda _: None)
    assert [(b.budget, b.evidence, b.words) for b in bought] == [(one, 0.5, 0.0), (1_000, 1.0, 1.0)]
    assert all(b.tokens <= b.budget for b in bought)


def test_a_list_is_covered_by_more_than_four_fifths_of_its_evidence():
    asked = Question("Which?", ("a", "b", "c"), frozenset(), "list", "tune")
    two = estimate_tokens(fill(MESSAGES[:2], budget=1_000).text)
    bought = buy([InOrder()], [conversation(asked)], budgets=(two, 1_000), progress=lambda _: None)
    assert [is_covered(one) for one in bought] == [0.0, 1.0]
    short = replace(bought[0], question=replace(asked, evidence=("a", "b")))
    assert is_covered(short) is None
