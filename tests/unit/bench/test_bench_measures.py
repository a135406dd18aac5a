from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quality.measures import (
    is_newest_first,
    judge,
    recall_at,
    reciprocal_rank,
    sessions_by_best_turn,
    summarise,
)

IDS = st.lists(st.sampled_from("abcdefgh"), unique=True)


def test_recall_counts_the_share_of_the_evidence_found():
    assert recall_at(["a", "b", "c"], ["c", "z"], 2) == 0.0
    assert recall_at(["a", "b", "c"], ["c", "z"], 3) == 0.5


def test_a_question_without_evidence_counts_as_found_for_sessions_and_not_at_all_for_turns():
    outcome = judge(["a"], [], [], {"a": "s1"})
    assert outcome.turns is None
    assert outcome.reciprocal_rank is None
    assert outcome.sessions == {5: 1.0, 10: 1.0}


def test_an_answer_named_twice_in_the_evidence_counts_once():
    assert recall_at(["a", "b"], ["a", "a", "b"], 1) == 0.5


def test_the_reciprocal_rank_is_that_of_the_first_evidence():
    assert reciprocal_rank(["x", "a", "b"], ["b", "a"]) == 0.5
    assert reciprocal_rank(["x"], ["a"]) == 0.0


def test_sessions_come_in_the_order_of_their_best_turns():
    assert sessions_by_best_turn(["a", "b", "c"], {"a": "two", "b": "one", "c": "two"}) == ["two", "one"]


def test_the_newest_is_first_if_it_comes_before_every_outdated_one():
    assert is_newest_first(["x", "new", "old"], ["new"], ["old"])
    assert is_newest_first(["new"], ["new"], ["old"])
    assert not is_newest_first(["old", "new"], ["new"], ["old"])
    assert not is_newest_first(["older", "new", "old"], ["new"], ["old", "older"])
    assert not is_newest_first(["x"], ["new"], ["old"])


def test_any_session_counts_whole_what_a_share_counts_in_part():
    session_of = {"a": "s1", "b": "s2"}
    outcome = judge(["a"], ["a", "b"], ["s1", "s2"], session_of)
    assert outcome.sessions[5] == 0.5
    assert outcome.any_session[5] == 1.0
    assert judge(["a"], ["b"], ["s2"], session_of).any_session[5] == 0.0


def test_a_summary_is_the_mean_over_questions():
    session_of = {"a": "s1", "b": "s2"}
    outcomes = [judge(["a", "b"], ["b"], ["s2"], session_of), judge(["a"], ["a"], ["s1"], session_of)]
    summary = summarise(outcomes)
    assert summary.turn_count == 2
    assert summary.turns[1] == 0.5
    assert summary.turns[5] == 1.0
    assert summary.mrr == pytest.approx(0.75)


def test_a_summary_of_nothing_is_zero():
    assert summarise([]).turns[10] == 0.0


@given(ranked=IDS, evidence=st.lists(st.sampled_from("abcdefgh"), min_size=1))
def test_recall_never_falls_with_depth_and_stays_a_share(ranked: list[str], evidence: list[str]):
    shares = [recall_at(ranked, evidence, k) for k in range(10)]
    assert shares == sorted(shares)
    assert 0.0 <= shares[0] <= shares[-1] <= 1.0
