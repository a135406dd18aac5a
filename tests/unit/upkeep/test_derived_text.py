"""A derived text stays unless it has a word that only erased messages said."""

from __future__ import annotations

import pytest

from quipu.upkeep.erasure.derived_text import repeats, words


@pytest.mark.parametrize(
    ("text", "erased", "remaining", "expected"),
    [
        ("The user prefers tabs.", "I prefer tabs.", "I prefer tabs!", False),
        ("The user lives in Zanderfeld.", "I live in zanderfeld", "I live here", True),
        ("The user knows zanderfelds.", "I know zanderfeld", "I know them", True),
        ("The user lives in Zanderfeld.", "I live in zanderfeld", "ZANDERFELD is what I live in", False),
        ("The user lives in Zanderfeld.", "I live in zanderfeld", "ZANDERFELD is my home", True),  # "in"
        ("Call 0049-30-7791234.", "my number is 0049 30 7791234", "call me at 0049", True),
        ("", "something", "", False),
        ("The user is content.", "", "", False),
    ],
)
def test_words_that_only_erased_messages_said_are_seen(
    text: str, erased: str, remaining: str, expected: bool
) -> None:
    assert repeats(text, erased=words([erased]), remaining=words([remaining])) is expected
