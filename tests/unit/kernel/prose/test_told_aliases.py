"""Other names that people tell."""

from __future__ import annotations

import pytest
from hypothesis import given

from hostile import read_through, texts
from quipu.kernel.prose.signs import told_aliases


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Call me Kate.", [("Kate", None)]),
        ("you can call me Kate, everybody does", [("Kate", None)]),
        ("Everyone calls me Kit", [("Kit", None)]),
        ("I go by Sam at work", [("Sam", None)]),
        ("My son Bogdan started school, everyone calls him Bo.", [("Bo", "Bogdan")]),
        ("I met Ana. everyone calls her Nan", [("Nan", "Ana")]),
        ("We call Benjamin Ben.", [("Ben", "Benjamin")]),
        ("Bo is short for Bogdan", [("Bo", "Bogdan")]),
        ("Emilia, or Emi for short", [("Emi", "Emilia")]),
        ("My wife Cecilia (aka Ceci) is here", [("Ceci", "Cecilia")]),
        ("Emi, that's Emilia", [("Emi", "Emilia")]),
        ("Kate = Emi", [("Kate", "Emi")]),
        ("Alle nennen mich Lotte.", [("Lotte", None)]),
        ("Das ist Wilhelmina, kurz Mina", [("Mina", "Wilhelmina")]),
    ],
)
def test_these_tell_another_name(text: str, expected: list[tuple[str, str | None]]) -> None:
    assert [(one.alias, one.name) for one in told_aliases(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Call me Monday.",
        "Call me back",
        "call me when Ana is there",
        "Call me ASAP",
        "Did they call him Bo?",
        "Nobody calls me Ann",
        "He calls me Darling",
        "Tom said everyone calls him Doc.",  # him may be somebody else
        "Kate, that's great",
        "Kate, that's Boris",  # two people: neither begins as the other does
        "x = Y",
        "They called him Tiny",
        "",
    ],
)
def test_these_tell_none(text: str) -> None:
    assert told_aliases(text) == []


@given(texts)
def test_no_text_is_too_strange(text: str) -> None:
    assert all(one.alias in text for one in told_aliases(text))


def test_any_text_is_read() -> None:
    read_through(told_aliases)
