"""A text in SQL is cut into the same words whether it comes at once or line by line."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.kernel.db.tokens import Cutter, Token, meaningful, tokens

PIECES = (
    *("'", "''", '"', '""', "$$", "$a$", "$1", "/*", "*/", "--", "\n", ";", " ", "\\", "e'", "U&'", 'u&"'),
    *("select", "a$b", "é", ":name", "::", ":=", "1.5", "(", "\r\n", "\\'"),
)


def by_line(text: str) -> list[Token]:
    cutter = Cutter()
    found = [token for line in text.splitlines(keepends=True) for token in cutter.cut(line)]
    return [token for token in [*found, *cutter.rest()] if token.sort not in {"space", "comment"}]


@given(st.lists(st.sampled_from(PIECES)))
def test_lines_are_cut_as_the_whole_is(pieces: Sequence[str]) -> None:
    text = "".join(pieces)
    assert by_line(text) == meaningful(text)
    assert "".join(token.text for token in tokens(text)) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("'a;\nb''\n' ;", ["'a;\nb''\n'", ";"]),
        ("E'a\\'\n;' ;", ["E'a\\'\n;'", ";"]),
        ("/* a ;\n/* b */ ;\n*/ ;", [";"]),
        ("$x$ a $$ ;\n$y$ $x$;", ["$x$ a $$ ;\n$y$ $x$", ";"]),
        ('"a\n""b" .', ['"a\n""b"', "."]),
        ("e'a\\", ["e'a\\"]),
    ],
)
def test_what_lasts_over_lines_is_one_word(text: str, words: list[str]) -> None:
    assert [token.text for token in by_line(text)] == words
