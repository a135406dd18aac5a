"""What is kept of an item, and what of it is text."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.record import items

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TEXT = st.text(st.characters(exclude_categories=()))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXT, VALUES, max_size=5))
def test_an_item_comes_back_equal_and_in_its_order(item: dict[str, Any]) -> None:
    text = items.encoded(items.plain(item, most_bytes=items.ITEM_LIMIT_BYTES))
    text.encode()
    assert "\0" not in text
    back = json.loads(text)
    pairs = json.loads(json.dumps(item))  # two halves that follow each other are one character
    assert back == pairs
    assert list(back) == list(pairs)


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ({"role": "user", "content": "Hello."}, "Hello."),
        ({"content": [{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "u"}]}, "a"),
        ({"content": [{"type": "output_text", "text": "a"}, "b", {"text": "c"}]}, "a\n\nb\n\nc"),
        ({"type": "function_call_output", "call_id": "1", "output": "42 degrees"}, "42 degrees"),
        ({"type": "function_call_output", "output": [{"type": "input_text", "text": "42"}]}, "42"),
        ({"type": "function_call", "name": "weather", "arguments": '{"city": "Rome"}'}, ""),
        ({"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]}, ""),
        ({"content": None}, ""),
        ({}, ""),
    ],
)
def test_the_text_of_an_item_is_what_was_said_and_never_what_a_function_is_called_with(
    item: dict[str, Any], text: str
) -> None:
    assert items.text_of(item) == text


@pytest.mark.parametrize(
    ("item", "role"),
    [
        ({"role": "assistant", "type": "message"}, "assistant"),
        ({"role": "developer"}, "developer"),
        ({"type": "message"}, "user"),
        ({}, "user"),
        ({"type": "function_call"}, "assistant"),
        ({"type": "reasoning"}, "assistant"),
        ({"type": "function_call_output"}, "tool"),
        ({"type": "computer_call_output"}, "tool"),
    ],
)
def test_an_item_has_the_role_that_it_names_or_that_its_type_has(item: dict[str, Any], role: str) -> None:
    assert items.role_of(item) == role


def itself() -> dict[str, Any]:
    item: dict[str, Any] = {}
    item["again"] = [item, item]
    return item


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"a": math.nan}, "nan has no form in JSON"),
        ({"a": [{"b": -math.inf}]}, "no form in JSON"),
        ({"a": b"x"}, "a bytes has no form in JSON"),
        ({1: "x"}, "names in an object are texts"),
        (itself(), "larger|holds itself"),
        ({"a": "x" * (16 * 1024 * 1024)}, "larger than 16,384 KiB"),
        ({"a": "é" * (8 * 1024 * 1024)}, "larger than 16,384 KiB"),
        (["a"], "an object"),
        ("text", "an object"),
    ],
)
def test_what_has_no_form_in_json_is_refused_with_the_reason(item: object, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        items.encoded(items.plain(item, most_bytes=items.ITEM_LIMIT_BYTES), most_bytes=items.ITEM_LIMIT_BYTES)


def test_an_item_of_nearly_the_limit_is_taken() -> None:
    item = {"a": "x" * (items.ITEM_LIMIT_BYTES - 100)}
    assert items.plain(item, most_bytes=items.ITEM_LIMIT_BYTES) == item


def test_secrets_are_cut_out_wherever_they_stand_in_an_item() -> None:
    item = {"output": f"token {SECRET}", "nested": [{"password": "hUnter2!x9"}], "kept": 5, "type": "x"}
    clean, counts = items.without_secrets(item)
    assert SECRET not in json.dumps(clean)
    assert "hUnter2!x9" not in json.dumps(clean)
    assert sum(counts.values()) == 2
    assert (clean["kept"], clean["type"]) == (5, "x")


@pytest.mark.parametrize("value", [{"a": "x\0"}, {"a": ["\ud800"]}, {"\0": 1}, {"a": "x" * 70_000}, [], "x"])
def test_metadata_that_no_database_can_hold_or_search_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        items.metadata_of(value)


def test_metadata_is_any_object() -> None:
    assert items.metadata_of({"agent_id": "a", "n": [1, {"b": None}]}) == {
        "agent_id": "a",
        "n": [1, {"b": None}],
    }
