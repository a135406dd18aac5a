"""Front matter is texts, lists and objects, and whatever could be more is refused."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.app.imports.front_matter import NoFrontMatter, parsed, split

LAUGHS = "a: &a [x, x]\n" + "".join(
    f"{new}: &{new} [*{old}, *{old}]\n" for old, new in zip("abcd", "bcde", strict=True)
)


@pytest.mark.parametrize(
    ("text", "front", "body"),
    [
        ("---\ntitle: A\n---\nBody\n", "title: A\n", "Body\n"),
        ("\ufeff---\r\ntitle: A\r\n---\r\nBody", "title: A\r\n", "Body"),
        ("---\n---\nBody", "", "Body"),
        ("---\ntitle: A\n...\nBody", "title: A\n", "Body"),
        ("Body\n---\n", None, "Body\n---\n"),
        ("---\ntitle: A\n", None, "---\ntitle: A\n"),
        ("--- \nA: b\n--- \n", "A: b\n", ""),
        ("----\nA: b\n---\n", None, "----\nA: b\n---\n"),
    ],
)
def test_a_text_is_split_behind_its_front_matter(text: str, front: str | None, body: str) -> None:
    assert split(text) == (front, body)


def test_values_stay_what_they_are_written_as() -> None:
    front = (
        "no: no\ncreated: 2026-05-01\nat: 12:30\nn: 010\ntags: [a, 2]\nm:\n  type: user\nnone: null\nempty:\n"
    )
    assert parsed(front) == {
        "no": "no", "created": "2026-05-01", "at": "12:30", "n": "010", "tags": ["a", "2"],
        "m": {"type": "user"},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("front", "why"),
    [
        (LAUGHS, "anchor or an alias"),
        ("a: *a\n", "anchor or an alias|no YAML"),
        ("a: !!python/object/apply:os.system [ls]\n", "tag"),
        ("a: !secret b\n", "tag"),
        ("a: ! b\n", "tag"),
        ("[" * 100_000, "32,768"),
        ("[" * 5_000, "deep"),
        ("a:\n" + "".join(" " * n + "- \n" for n in range(1, 50)), "deep|no YAML"),
        ("- a\n- b\n", "no list of fields"),
        ("a: b: c\n", "no YAML"),
        ("a: \x00\n", "no YAML"),
        ("a: \ud800\n", "no YAML"),
        ("? [a]\n: b\n", "no YAML"),
        ("a: b\n--- \nc: d\n", "several documents|no YAML"),
        ("%TAG ! tag:x,2000:\n---\na: !y b\n", "tag"),
    ],
)
def test_what_could_be_more_than_it_is_is_refused(front: str, why: str) -> None:
    with pytest.raises(NoFrontMatter, match=why):
        parsed(front)


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#%,? \n\t~.<", max_size=60))
def test_any_text_is_fields_or_refused(front: str) -> None:
    try:
        fields = parsed(front)
    except NoFrontMatter:
        return
    assert all(isinstance(name, str) for name in fields)


@pytest.mark.parametrize("piece", ["a: b\n", "- ", "? ", "[a, ", "'", "\n", "a" * 100, "{a: ", "&", "|\n "])
def test_many_pieces_are_read_or_refused_in_one_pass(piece: str) -> None:
    with suppress(NoFrontMatter):
        parsed((piece * 40_000)[:32_000])
