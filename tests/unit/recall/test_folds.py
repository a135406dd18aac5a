"""A derived memory and the message that it rests on are one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quipu.recall.model import Found
from quipu.recall.ranking import Distinct, fold

MESSAGE, DERIVED = 1, 5


def folded(
    scores: Mapping[int, float], sources: Mapping[int, Sequence[int]]
) -> list[tuple[int, list[int], tuple[int, ...]]]:
    """Fold entries with these scores; for each the entries under it, and the messages that it tells of."""
    hits = [
        Distinct(Found(id_, DERIVED if id_ in sources else MESSAGE, score, {}), copies=(id_,))
        for id_, score in sorted(scores.items(), key=lambda pair: -pair[1])
    ]
    return [(one.found.id, [other.id for other in one.folded], one.rests_on) for one in fold(hits, sources)]


def test_a_derived_memory_stands_under_a_better_message() -> None:
    assert folded({1: 0.8, 2: 0.6, -9: 0.7}, {-9: [1]}) == [(1, [-9], ()), (2, [], ())]


def test_a_message_stands_under_a_derived_memory_that_answers_better() -> None:
    assert folded({1: 0.5, 2: 0.6, -9: 0.7}, {-9: [1]}) == [(-9, [1], ()), (2, [], ())]


def test_of_several_messages_one_is_folded_and_the_others_stay() -> None:
    assert folded({1: 0.5, 2: 0.6, -9: 0.7}, {-9: [1, 2]}) == [(-9, [2], ()), (1, [], ())]


def test_what_condenses_many_messages_takes_the_place_of_none() -> None:
    scores = {1: 0.5, 2: 0.4, 3: 0.3, 4: 0.2, -9: 0.7}
    assert folded(scores, {-9: [1, 2, 3, 4]}) == [(1, [-9], ()), (2, [], ()), (3, [], ()), (4, [], ())]


def test_a_derived_memory_without_its_messages_stands_alone_and_names_the_last_of_them() -> None:
    assert folded({6: 0.5, -9: 0.7}, {-9: [1, 2, 3, 4]}) == [(-9, [], (2, 3, 4)), (6, [], ())]


def test_all_that_was_derived_from_a_message_is_one_answer_with_it() -> None:
    assert folded({1: 0.8, -8: 0.6, -9: 0.7}, {-9: [1], -8: [1]}) == [(1, [-9, -8], ())]


def test_memories_that_rest_on_the_same_absent_message_may_say_different_things() -> None:
    assert folded({-8: 0.6, -9: 0.7}, {-9: [1], -8: [1]}) == [(-9, [], (1,)), (-8, [], (1,))]


def test_a_repeat_of_the_message_counts_as_the_message() -> None:
    said = Distinct(Found(1, MESSAGE, 0.8, {}), copies=(1, 7))
    lesson = Distinct(Found(-9, DERIVED, 0.7, {}), copies=(-9,))
    (one,) = fold([said, lesson], {-9: [7]})
    assert (one.found.id, [other.id for other in one.folded]) == (1, [-9])


def test_nothing_derived_changes_nothing() -> None:
    assert folded({1: 0.8, 2: 0.6}, {}) == [(1, [], ()), (2, [], ())]
