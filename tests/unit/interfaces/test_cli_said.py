"""Values as they are said on a command line."""

from __future__ import annotations

import pytest

from quipu.interfaces.cli.values import value_of


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["value=single", "locationLabel=Lisbon"], {"value": "single", "locationLabel": "Lisbon"}),
        (["value=4", "open=true", 'items=["a"]'], {"value": 4, "open": True, "items": ["a"]}),
        (['{"value": 4}'], {"value": 4}),
        (["the", "green", "one"], "the green one"),
        (["4"], 4),
        (["note=a=b"], {"note": "a=b"}),
        (["a=b", "c"], "a=b c"),
        (["1+1=2"], "1+1=2"),
    ],
)
def test_pairs_are_an_object_and_the_rest_is_json_or_text(words: list[str], value: object) -> None:
    assert value_of(words) == value
