"""Which earlier statement a new one replaces."""

from __future__ import annotations

import pytest

from quipu.kernel.prose.signs import Sign
from quipu.record.changes import Earlier, Statement, news, replaced
from quipu.record.relations import Link

MOVED = Statement(9, "We moved to Bristol.", Sign("moved", 0.9))
FLAT = Earlier(9, 1, "I live in Leeds.", 0.6, 0)


def test_a_sure_sign_of_the_user_is_news() -> None:
    assert news(9, MOVED.text, role="user", asks=False) == MOVED


@pytest.mark.parametrize(
    ("text", "role", "asks"),
    [
        (MOVED.text, "assistant", False),
        (MOVED.text, "user", True),
        ("I live in Leeds.", "user", False),
        ("It is warm now.", "user", False),
    ],
)
def test_anything_else_is_not(text: str, role: str, *, asks: bool) -> None:
    assert news(9, text, role=role, asks=asks) is None


def test_the_nearest_on_the_same_matter_is_replaced() -> None:
    link = replaced(MOVED, [Earlier(9, 2, "I live in a tent.", 0.5, 0), FLAT])
    assert link == Link(9, 1, "moved", pytest.approx(0.632, abs=0.001))


@pytest.mark.parametrize(
    "earlier",
    [
        Earlier(9, 1, "I live in Leeds.", 0.3, 2),  # too far
        Earlier(9, 1, "The sea is calm.", 0.6, 0),  # another matter
        Earlier(9, 1, "We  moved to bristol.", 1.0, 2),  # said before
        Earlier(8, 1, "I live in Leeds.", 0.6, 0),  # near another statement
    ],
)
def test_what_is_far_or_of_another_matter_or_the_same_words_is_not(earlier: Earlier) -> None:
    assert replaced(MOVED, [earlier]) is None
