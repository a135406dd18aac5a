"""Names are found as whole words, however they are written, and nothing else is."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quipu.errors import BadInput
from quipu.upkeep.erasure.names import checked, chosen, pattern, whole

FOUND = [
    ("marisol", "Call MARISOL."),
    ("Marisol Venn", "for marisol\n venn, today"),
    ("Zoë", "Zoe\u0308 said"),
    ("ana+1@example.org", "to ana+1@example.org."),
    ("0049-30-77", "at 0049-30-77!"),
    ("marisol", '{"a": "line\\nmarisol"}'),
    ("Ольга", "ОЛЬГА пишет"),
]
NOT_FOUND = [
    ("marisol", "marisolette"),
    ("ana", "banana ananas"),
    ("a.b", "axb"),
    ("0049", "100495"),
]


@pytest.mark.parametrize(("name", "text"), FOUND)
def test_a_name_is_found(name: str, text: str) -> None:
    assert re.search(pattern([name]), text)


@pytest.mark.parametrize(("name", "text"), NOT_FOUND)
def test_a_part_of_a_word_is_none(name: str, text: str) -> None:
    assert not re.search(pattern([name]), text)


@example("0\uf900")  # in neither normal form
@given(st.text(min_size=2, max_size=30).filter(lambda name: len(name.strip()) >= 2 and "\0" not in name))
def test_every_name_is_a_pattern_that_finds_it(name: str) -> None:
    assert re.search(whole([name]), name)
    assert re.search(pattern([name]), name.strip())


def test_common_and_short_words_are_looked_for_only_when_given() -> None:
    assert chosen("user", ["Al", "may", "1234", "Marisol", "marisol-77"], []) == ["Marisol", "marisol-77"]
    assert chosen(None, [], checked([" may ", "Al"])) == ["may", "Al"]


@pytest.mark.parametrize("names", [[""], ["x"], ["x" * 600], ["a\0b"], ["name"] * 101, "name"])
def test_what_is_no_name_is_refused(names: list[str]) -> None:
    with pytest.raises(BadInput, match="names"):
        checked(names)
