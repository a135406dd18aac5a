"""How numbers, times and addresses are told, and what a page says on the next."""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.interfaces.web import formats, page_context
from quipu.interfaces.web.fields import slice_of
from quipu.interfaces.web.links import is_ours, link

NOW = datetime(2026, 5, 4, 13, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("apart", "told"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=5, minutes=50), "5 hours ago"),
        (timedelta(days=-2), "in 2 days"),
        (timedelta(days=100), "2026-01-24"),
    ],
)
def test_times_are_told_by_how_far_they_are(apart: timedelta, told: str) -> None:
    assert formats.ago(NOW - apart, NOW) == told


def test_numbers_are_told_as_people_read_them() -> None:
    assert formats.number(1234567) == "1,234,567"
    assert formats.size(999) == "999 bytes"
    assert formats.size(1_234_567) == "1.2 MB"
    assert formats.counted(1, "memory", "memories") == "1 memory"
    assert formats.counted(1200, "session") == "1,200 sessions"


def test_addresses_leave_out_what_is_not_asked() -> None:
    assert link("/recall", {"space": "a&b", "q": "", "limit": None, "kind": ["x", "y"], "whole": True}) == (
        "/recall?space=a%26b&kind=x&kind=y&whole=yes"
    )


@pytest.mark.parametrize("address", ["//evil.example", "https://evil.example", "/\\evil", "/a\r\nb", "", "x"])
def test_addresses_elsewhere_are_told_apart(address: str) -> None:
    assert not is_ours(address)
    assert is_ours("/recall?q=x")


@given(st.text(max_size=2000), st.sampled_from(["good", "bad"]))
@settings(max_examples=50)
def test_what_was_said_is_read_again_and_fits_a_cookie(text: str, tone: page_context.Tone) -> None:
    text = text.encode("utf-8", "replace").decode("utf-8")
    cookie = page_context.Notice(text, tone).cookie()
    assert len(cookie) < 4000
    read = page_context.read(cookie)
    assert read is not None
    assert read.tone == tone
    assert text.startswith(read.text.removesuffix("…").rstrip())


@given(st.binary(max_size=60))
@settings(max_examples=50)
def test_a_cookie_of_somebody_else_says_nothing(noise: bytes) -> None:
    read = page_context.read(base64.urlsafe_b64encode(noise).decode("ascii"))
    assert read is None or isinstance(read.text, str)
    assert page_context.read("%%%") is None
    assert page_context.read(None) is None


def test_one_row_more_than_is_shown_means_that_there_is_a_next_page() -> None:
    assert slice_of([1, 2, 3], size=2, key=str).after == "2"
    assert list(slice_of([1, 2, 3], size=2, key=str).rows) == [1, 2]
    assert slice_of([1, 2], size=2, key=str).after is None
    assert slice_of([], size=2, key=str).after is None
