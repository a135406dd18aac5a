"""Differences tell of every change, in order, and know when there is too much of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quipu.interfaces.web.differences import ChangedLine, difference

LINES = st.lists(st.sampled_from("abcde"), max_size=30).map("\n".join)


def shown(old: str, new: str) -> list[tuple[str, str]]:
    return [(line.change, line.text) for line in difference(old, new).lines]


def test_a_changed_line_stands_with_three_lines_around_it() -> None:
    old = "\n".join(f"line {number}" for number in range(20))
    new = old.replace("line 9", "line nine").replace("line 19", "end")
    assert shown(old, new) == [
        *(("same", f"line {number}") for number in (6, 7, 8)),
        ("out", "line 9"),
        ("in", "line nine"),
        *(("same", f"line {number}") for number in (10, 11, 12)),
        ("apart", ""),
        *(("same", f"line {number}") for number in (16, 17, 18)),
        ("out", "line 19"),
        ("in", "end"),
    ]


@given(LINES, LINES)
def test_what_went_and_what_came_are_the_lines_that_differ(old: str, new: str) -> None:
    lines = difference(old, new).lines
    went = [line.text for line in lines if line.change == "out"]
    came = [line.text for line in lines if line.change == "in"]
    assert len(old.splitlines()) - len(went) == len(new.splitlines()) - len(came)
    assert bool(went or came) == (old.splitlines() != new.splitlines())


def test_what_is_added_or_removed_as_a_whole_is_shown() -> None:
    assert shown("", "a\nb") == [("in", "a"), ("in", "b")]
    assert shown("a", "") == [("out", "a")]
    assert shown("a", "a") == []


def test_too_much_is_cut_or_not_compared() -> None:
    many = "\n".join(f"{number}" for number in range(1_900))
    cut = difference("", many)
    assert cut.is_cut
    assert 100 < len(cut.lines) < 1_900
    assert difference("a\n" * 100_000, "b\n" * 100_000).lines == ()
    assert difference("x\n" * 100_000 + "a", "x\n" * 100_000 + "b").lines[-1] == ChangedLine("in", "b")
    assert len(difference("", "&" * 1_000).lines[0].text) < 300
