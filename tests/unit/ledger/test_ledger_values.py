"""Values that may be kept, and how they read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.errors import BadInput
from quipu.kinds.ledger.indexing import sentence
from quipu.kinds.ledger.values import LIMIT_BYTES, prepare

STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | STORABLE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STORABLE, inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_what_json_can_say_is_kept_as_it_is(value: object) -> None:
    prepared = prepare(value, secrets=False)
    assert prepared.value == value
    assert json.loads(prepared.text) == value


@given(JSON)
def test_preparing_again_changes_nothing(value: object) -> None:
    once = prepare(value, secrets=True)
    assert prepare(once.value, secrets=True) == once


@given(JSON)
def test_every_value_reads_as_a_line_about_its_key(value: object) -> None:
    assert sentence("k", value).startswith("k: ")


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"items": [{"label": "a\0b"}]}, "value.items.0.label"),
        ("\ud800", "value"),
        ({"a\0": 1}, "value"),
        ({1: 2}, "value"),
        ({"x": {1, 2}}, "value.x"),
        (b"bytes", "value"),
        (float("nan"), "value"),
        ("a" * LIMIT_BYTES, "value"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_its_path(value: object, field: str) -> None:
    with pytest.raises(BadInput) as refusal:
        prepare(value, secrets=True)
    assert refusal.value.field == field


def test_a_number_too_long_to_print_is_refused() -> None:
    with pytest.raises(BadInput, match="too long"):
        prepare(10**5000, secrets=True)


def test_the_largest_value_is_64_kib_of_json() -> None:
    assert len(prepare("a" * (LIMIT_BYTES - 2), secrets=False).text) == LIMIT_BYTES


def test_a_value_is_at_most_32_deep() -> None:
    deep: object = 1
    for _ in range(32):
        deep = [deep]
    assert prepare(deep, secrets=True).value == deep
    with pytest.raises(BadInput, match="nested"):
        prepare([deep], secrets=True)


def test_secrets_are_cut_out_of_every_text() -> None:
    value = {"note": "the key is AKIAIOSFODNN7EXAMPLQ", "login": {"password": "hunter2hunter2"}, "team": 4}
    kept = prepare(value, secrets=True).text
    assert "AKIAIOSFODNN7EXAMPLQ" not in kept
    assert "hunter2" not in kept
    assert '"team": 4' in kept
    assert prepare(value, secrets=False).value == value


def test_a_secret_is_cut_out_where_it_stands_as_a_name() -> None:
    assert "AKIAIOSFODNN7EXAMPLQ" not in prepare({"AKIAIOSFODNN7EXAMPLQ": 1}, secrets=True).text


def test_a_word_is_a_secret_where_its_key_is_called_a_password() -> None:
    assert "hunter2" not in prepare("hunter2hunter2", key="db.password", secrets=True).text
    assert prepare("hunter2hunter2", key="favourite.boat", secrets=True).value == "hunter2hunter2"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"value": "single", "locationLabel": "Lisbon"}, "k: single (locationLabel Lisbon)"),
        ({"items": ["Lisbon", {"label": "Porto", "open": True}]}, "k: Lisbon; Porto (open yes)"),
        ({"a": 1, "b": None}, "k: a 1"),
        ("the green one", "k: the green one"),
        (4, "k: 4"),
        (None, "k: none"),
    ],
)
def test_a_fact_in_words(value: object, said: str) -> None:
    assert sentence("k", value) == said
