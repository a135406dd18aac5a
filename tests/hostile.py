"""Texts that break what is written carelessly, and a stopwatch for what must be linear in their length."""

from __future__ import annotations

import time
from collections.abc import Callable

from hypothesis import strategies as st

PIECES = (
    "x",
    "Aa",
    "A",
    "1",
    "a_",
    "a.",
    "a/b",
    "1.",
    "1-",
    "-",
    "=",
    "a=",
    '"',
    "a'",
    "a@",
    "://",
    "http://",
    "<",
    "<memory>",
    " ",
    "\n",
    "\n ",
    "\t",
    "? ",
    "...",
    "中",
    "ไ",
    "の",
    "😀",
    "e\u0301",
    "\u200d",
    "\u202e",
    "ﷺ",
    "ß",
    "İ",
    "ſ",
    "May 1 ",
    "in may ",
    "3 ago ",
    "2024 ",
    "2024年",
    "9999年12月31日 ",
    "Xyzab Qrstu ",
    "Bearer ",
    "-----BEGIN ",
    "sk-",
)

# Anything that may stand in a text once it is clean, with what the rules look for more often than by chance.
texts = st.lists(
    st.one_of(
        st.sampled_from(PIECES),
        st.sampled_from(
            [
                "Ana",
                "Boris",
                "boris's",
                "Who",
                "when",
                "user_id",
                "parseHTTPHeader",
                "src/app.py",
                "yeſterday",
                "fıve",
                " days ago",
                " 5 ",
                "ſeptember",
                "last month",
                "wann",
                "où",
                "昨天",
                "いつ",
                "31.12.2023",
                "2023-02-30",
                "29 Feb",
                "i",
                "me",
                "you",
            ]
        ),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
    ),
    max_size=20,
).map("".join) | st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join)


def assert_linear(function: Callable[[str], object], *, length: int = 20_000) -> None:
    """Four times the text may cost about four times the time, for every piece repeated: never sixteen."""
    for piece in PIECES:
        text = (piece * length)[: 4 * length]
        short, long = _seconds(function, text[:length]), _seconds(function, text)
        if long > 9 * short + 0.05:  # perhaps the machine was busy
            short, long = (min(_seconds(function, t) for _ in range(3)) for t in (text[:length], text))
        assert long <= 9 * short + 0.05, f"{piece!r}: {short:.3f} s, then {long:.3f} s"


def _seconds(function: Callable[[str], object], text: str) -> float:
    started = time.perf_counter()
    function(text)
    return time.perf_counter() - started
