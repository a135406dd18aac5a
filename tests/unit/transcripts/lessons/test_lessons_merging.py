"""What is known already is no new memory; what only looks alike and says otherwise is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np

from quipu.kinds.transcripts.extract.model import Finding
from quipu.kinds.transcripts.extract.sameness import normal_hash
from quipu.kinds.transcripts.lessons.merge import KnownLesson, contradicted, merge, revived, twins

SAID = datetime(2026, 1, 1, tzinfo=UTC)
A, B = UUID(int=1), UUID(int=2)


def finding(fact: str, category: str = "knowledge") -> Finding:
    return Finding(fact=fact, category=category, confidence=0.9, turn_index=0, excerpt=fact)


def known(
    id_: UUID, fact: str, *, before: str | None = None, archived: bool = False, category: str = "knowledge"
) -> KnownLesson:
    forms = {(normal_hash(text), category) for text in (fact, before) if text}
    return KnownLesson(
        id=id_, fact=fact, category=category, forms=frozenset(forms), archived=archived,
        happened_at=SAID, archived_at=SAID,
    )  # fmt: skip


def test_the_same_form_in_the_same_category_is_known() -> None:
    done = merge([finding("the api is slow")], [known(A, "The API is slow.")], near={}, twins={})
    assert (done.known, done.fresh) == ({0: A}, {})
    other = merge([finding("the api is slow", "todo")], [known(A, "The API is slow.")], near={}, twins={})
    assert (other.known, other.fresh) == ({}, {0: 0})


def test_what_a_memory_said_before_it_was_edited_is_known() -> None:
    done = merge([finding("x is y")], [known(A, "X is Z.", before="X is Y.")], near={}, twins={})
    assert done.known == {0: A}


def test_an_active_memory_goes_before_an_archived_one() -> None:
    memories = [known(A, "X is Y."), known(B, "X is Y.", archived=True)]
    assert merge([finding("x is y")], memories, near={}, twins={}).known == {0: A}
    assert merge([finding("x is y")], memories[::-1], near={}, twins={}).known == {0: A}


def test_neighbours_are_one_unless_they_contradict_each_other() -> None:
    memory = known(A, "The API runs on port 8080.")
    alike = merge([finding("The API is running on port 8080.")], [memory], near={0: A}, twins={})
    assert alike.known == {0: A}
    other = merge([finding("The API runs on port 9090.")], [memory], near={0: A}, twins={})
    assert (other.known, other.fresh) == ({}, {0: 0})


def test_findings_that_are_alike_become_one_memory() -> None:
    found = [finding("x is y"), finding("X is Y."), finding("x equals y"), finding("z is w")]
    assert merge(found, [], near={}, twins={2: 1}).fresh == {0: 0, 1: 0, 2: 0, 3: 3}


def test_the_twin_is_the_first_vector_next_to_one() -> None:
    rows = np.array([[1, 0], [0, 1], [1, 0], [0, 0]], np.float32)
    assert twins(rows) == {2: 0}
    assert twins(np.empty((0, 2), np.float32)) == {}


def test_of_two_that_contradict_the_earlier_one_loses() -> None:
    memories = [known(A, "Use npm instead of pnpm."), known(B, "Use uv.", archived=True)]
    assert contradicted("Use pnpm, not npm.", SAID + timedelta(days=1), memories) == ([A], [])
    assert contradicted("Use pnpm, not npm.", SAID - timedelta(days=1), memories) == ([], [A])
    assert contradicted("Never use uv.", SAID, memories) == ([], [])


def test_only_what_was_said_after_it_was_archived_as_it_stands_comes_back() -> None:
    memory = known(A, "X is Y.", before="X is Z.", archived=True)
    later = SAID + timedelta(days=1)
    assert revived(memory, "x is y", later)
    assert not revived(memory, "x is y", SAID)
    assert not revived(memory, "X is Z.", later)
    assert not revived(known(A, "X is Y."), "x is y", later)
