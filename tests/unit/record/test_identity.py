"""Ids for messages that come without one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile import texts
from quipu.record.model import Derived, Incoming, fresh

MESSAGE = Incoming("The boat is green.", session="s", speaker="Ana", time=datetime(2026, 1, 1, tzinfo=UTC))


def derive(*messages: Incoming) -> list[str | None]:
    derived = Derived()
    return [derived.give(message).id for message in messages]


@given(st.lists(texts, max_size=10))
def test_the_same_import_gets_the_same_ids_each_of_its_own(said: list[str]) -> None:
    messages = [Incoming(text) for text in said]
    ids = derive(*messages)
    assert derive(*messages) == ids
    assert len(set(ids)) == len(ids)
    assert all(id is not None and 1 <= len(id) <= 512 for id in ids)


@pytest.mark.parametrize(
    "other",
    [
        replace(MESSAGE, content="The boat is blue."),
        replace(MESSAGE, session="t"),
        replace(MESSAGE, session=None),
        replace(MESSAGE, role="assistant"),
        replace(MESSAGE, speaker="Boris"),
        replace(MESSAGE, time=datetime(2026, 1, 2, tzinfo=UTC)),
        replace(MESSAGE, time=None),
        replace(MESSAGE, session="s\0user", speaker=None),
    ],
)
def test_whatever_differs_makes_another_id(other: Incoming) -> None:
    one, two = derive(MESSAGE, other)
    assert one != two
    assert derive(other) == [two]


def test_the_same_said_twice_is_two_messages() -> None:
    assert derive(MESSAGE, MESSAGE, MESSAGE)[1:] == [f"{derive(MESSAGE)[0]}-2", f"{derive(MESSAGE)[0]}-3"]


def test_where_it_stands_does_not_matter() -> None:
    assert derive(replace(MESSAGE, line=1)) == derive(replace(MESSAGE, line=99))


def test_an_id_that_was_given_is_kept() -> None:
    given_one = replace(MESSAGE, id="mine")
    assert fresh(given_one).id == "mine"
    assert derive(given_one, given_one) == ["mine", "mine"]


def test_what_is_said_now_is_never_the_same_as_before() -> None:
    assert len({fresh(MESSAGE).id for _ in range(100)}) == 100
