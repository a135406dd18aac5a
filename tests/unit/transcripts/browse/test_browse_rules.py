"""Scores, snippets, windows and markers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.transcripts.browse import rank
from quipu.kinds.transcripts.browse.compaction import LEAST_BYTES, marker
from quipu.kinds.transcripts.browse.excerpts import CLOSE, OPEN, Window, merged, snippet
from quipu.kinds.transcripts.browse.model import PARTS, TranscriptHit, TranscriptTurn
from quipu.kinds.transcripts.browse.query import parse

COUNT = st.integers(1, 1000)
SHARE = st.floats(0, 1)


@given(count=COUNT, length=COUNT, part=st.sampled_from(PARTS))
@settings(max_examples=50)
def test_more_occurrences_count_more_and_longer_texts_less(count: int, length: int, part: str) -> None:
    def worth(count: int, length: int) -> float:
        return rank.lexical((count,), words=length, part=part)  # type: ignore[arg-type]

    assert worth(count + 1, length) > worth(count, length) > worth(count, length + 1) > 0
    assert worth(count, length) < rank.lexical((10**9,), words=length, part="said")


@given(found=COUNT, more=COUNT, of=st.integers(2000, 10**6))
@settings(max_examples=50)
def test_a_rarer_alternative_counts_more(found: int, more: int, of: int) -> None:
    assert rank.rarity(found, of=of) > rank.rarity(found + more, of=of) > 0


@given(words=SHARE, meaning=SHARE)
@settings(max_examples=50)
def test_a_score_is_the_sum_of_its_parts_and_at_most_one(words: float, meaning: float) -> None:
    parts = rank.score(words, meaning)
    assert 0 <= sum(parts.values()) <= 1
    assert all(amount > 0 for amount in parts.values())


def shown(text: str, query: str, characters: int = 60) -> str:
    return snippet(
        text, [term for group in parse(query).groups for term in group.required], characters=characters
    )


def test_a_snippet_marks_what_was_found_where_most_of_it_stands() -> None:
    text = "login " + "x " * 100 + "the LOGIN\nof a session " + "y " * 100
    assert shown(text, "login session").count(OPEN) == 2
    assert ">>>LOGIN<<< of a >>>session<<<" in shown(text, "login session")
    assert shown("a short text", "short") == "a >>>short<<< text"
    assert shown("", "short") == ""


def test_where_nothing_is_found_the_snippet_is_the_beginning() -> None:
    assert shown("one two three", "four") == "one two three"
    assert shown("one " * 100, "four").endswith("…")


@given(
    text=st.text(alphabet="ab cé.船", max_size=300),
    query=st.text(alphabet="abc", min_size=1, max_size=6),
    characters=st.integers(20, 100),
)
@settings(max_examples=50)
def test_a_snippet_is_one_line_no_longer_than_asked_for(text: str, query: str, characters: int) -> None:
    line = shown(text, query, characters)
    bare = line.replace(OPEN, "").replace(CLOSE, "").strip("…")
    assert "\n" not in line
    assert len(bare) <= characters
    assert bare in " ".join(text.split())


NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def turn(number: int) -> TranscriptTurn:
    return TranscriptTurn(f"m{number}", "user", f"text {number}", NOON + timedelta(minutes=number))


def window(number: int, score: float, *, reach: int = 1, session: str = "s") -> Window:
    hit = TranscriptHit(
        session=session, project_path="", title=None, uuid=f"m{number}", part="said", role="user", tool=None,
        call_id=None, is_error=False, timestamp=turn(number).timestamp, snippet="", score=score, parts={},
    )  # fmt: skip
    return Window(hit, tuple(turn(n) for n in range(number - reach, number + reach + 1)))


def test_windows_that_share_a_turn_are_one_and_the_best_is_the_match() -> None:
    (one,) = merged([window(3, 0.5), window(5, 0.9)], most=5)
    assert one.match.uuid == "m5"
    assert [each.uuid for each in one.before] == ["m2", "m3", "m4"]
    assert [each.uuid for each in one.before if each.match] == ["m3"]
    assert [each.uuid for each in one.after] == ["m6"]


def test_a_window_between_two_others_joins_them() -> None:
    (one,) = merged([window(3, 0.9), window(7, 0.8), window(5, 0.7)], most=5)
    assert len((*one.before, one.match, *one.after)) == 7


def test_windows_apart_or_of_other_sessions_stay_apart() -> None:
    found = merged([window(3, 0.9), window(9, 0.8), window(3, 0.7, session="t")], most=5)
    assert [one.relevance for one in found] == [0.9, 0.8, 0.7]
    assert len(merged([window(3, 0.9), window(9, 0.8)], most=1)) == 1


@pytest.mark.parametrize("tool", LEAST_BYTES)
def test_a_marker_says_how_long_the_output_was_and_is_shorter(tool: str) -> None:
    made = marker(tool, size_bytes=12_345, path="/src/app.py", beginning="begin" * 100)
    assert made is not None
    assert "12,345 bytes" in made
    assert len(made) < 400
    assert marker(tool, size_bytes=LEAST_BYTES[tool], path=None, beginning="x") is None


def test_the_beginning_of_a_commands_output_stays() -> None:
    made = marker("Bash", size_bytes=5_000, path=None, beginning="error: " + "x" * 500)
    assert made is not None
    assert made.startswith("error: xxx")


def test_other_tools_and_what_is_no_longer_than_its_marker_stay() -> None:
    assert marker("Task", size_bytes=10**6, path=None, beginning="x") is None
    assert marker("Bash", size_bytes=210, path=None, beginning="x" * 200) is None
