"""Where the message stands in what an agent is called with, and where memory goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frames import MARKS
from quipu.interfaces.middleware.prompt import message_of, recent_of, text_of, with_memory


@dataclass
class Said:
    content: object


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("hello", "hello"),
        ({"role": "user", "content": "hello"}, "hello"),
        (Said("hello"), "hello"),
        (Said([{"type": "text", "text": "hel"}, {"type": "text", "text": "lo"}]), "hello"),
        (["hel", {"type": "image"}, Said("x"), "lo"], "hello"),
        (None, None),
        (17, None),
        (b"hello", None),
        ({}, None),
        ([], None),
    ],
)
def test_the_text_of_what_agents_say_is_found(value: object, text: str | None) -> None:
    assert text_of(value) == text


def test_of_a_list_the_last_message_of_the_user_is_the_one_to_answer() -> None:
    asked = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "tool", "content": "a result"},
        {"role": "user", "content": "three"},
        {"role": "assistant", "content": "four"},
    ]
    assert message_of(asked) == "three"
    assert recent_of(asked, most=6) == ("one", "two")
    assert recent_of(asked, most=1) == ("two",)
    assert message_of([{"role": "assistant", "content": "x"}]) is None
    assert recent_of("three", most=6) == ()


_MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system"]), "content": st.text(max_size=20)}
)


@given(asked=st.one_of(st.text(max_size=50), st.lists(_MESSAGE, max_size=6)), told=st.text(max_size=20))
@settings(max_examples=25)
def test_memory_is_added_and_nothing_is_taken_away(asked: Any, told: str) -> None:
    block = MARKS.mark(told)
    given_ = with_memory(asked, block)
    if not block:
        assert given_ is asked
    elif isinstance(asked, str):
        assert given_ == f"{block}\n\n{asked}"
    else:
        added = {"role": "system", "content": block}
        assert len(given_) == len(asked) + 1
        place = given_.index(added)
        assert [*given_[:place], *given_[place + 1 :]] == asked


def test_what_is_neither_text_nor_list_is_left_as_it_is() -> None:
    value = {"question": "x"}
    assert with_memory(value, MARKS.mark("known")) is value
