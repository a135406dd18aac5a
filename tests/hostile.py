"""Texts that break what is written carelessly."""

from __future__ import annotations

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


def read_through(function: Callable[[str], object], *, characters: int = 80_000) -> None:
    """Have a function read each piece, repeated: what backtracks without end would never come to an end.

    How its time grows with the text is measured by ``bench/linear.py``.
    """
    for piece in PIECES:
        function((piece * characters)[:characters])
