"""What happens to a message on its way into the record."""

from __future__ import annotations

import pytest
from hypothesis import given
from long_form import sized

from frames import MARKS
from hostile import read_through, texts
from quipu.record.model import Incoming, PreparedMessage, prepare

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def ready(content: str, *, secrets: bool = True) -> PreparedMessage:
    return prepare(Incoming(content), language="auto", secrets=secrets, marks=MARKS)


def test_secrets_are_cut_out_counted_and_never_filed() -> None:
    found = ready(f"The token is {SECRET} for the boat.")
    assert SECRET not in found.message.content
    assert sum(found.secrets.values()) == 1
    plain = ready("The token is for the boat.")
    assert set(plain.bag.hashes.tolist()) <= set(found.bag.hashes.tolist())
    kept = ready(f"The token is {SECRET} for the boat.", secrets=False)
    assert SECRET in kept.message.content
    assert kept.secrets == {}


def test_our_own_blocks_are_taken_out_and_their_words_are_not_filed() -> None:
    block = MARKS.mark("xylophone xylophone")
    found = ready(f"Before. {block}\nAfter.")
    assert found.heard.blocks == 1
    assert "xylophone" not in found.message.content
    assert ready(block).message.content.strip() == ""


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Where is it?", True),
        ("Where is it? ", True),
        ('He said: "where?"', True),
        ("在哪里？", True),
        ("أين؟", True),
        ("Where is it? Here.", False),
        ("?!", False),
        ("", False),
        ("(really?)", True),
        ("yes", False),
    ],
)
def test_a_message_asks_when_it_ends_in_a_question_mark(text: str, asks: bool) -> None:
    assert ready(text).asks is asks


def test_it_is_told_whether_a_message_tells_a_time() -> None:
    assert ready("We met in May 2024.").has_time
    assert not ready("We met.").has_time


@given(texts)
def test_preparing_twice_is_preparing_once(text: str) -> None:
    once = ready(text)
    twice = ready(once.message.content)
    assert twice.message.content == once.message.content
    assert twice.heard.cut == 0
    assert (twice.asks, twice.has_time, twice.bag.tokens) == (once.asks, once.has_time, once.bag.tokens)


def test_any_message_is_prepared() -> None:
    read_through(ready)


@pytest.mark.long
def test_megabytes_are_prepared() -> None:
    for piece in ("x", "word ", "中", "a_b "):
        found = ready(piece * (sized(2_000_000, long=10_000_000) // len(piece.encode())))
        assert found.bag.tokens > 0 or piece == "x"  # a word of millions of letters is none
