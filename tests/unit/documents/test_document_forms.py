"""Forms of texts: headings, names and lines of the passages that a document is cut into."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.kinds.documents.model import Passage
from quipu.kinds.documents.passages import passages

HTML = """<!doctype html>
<html><head><title>Guide</title><style>p { color: red }</style>
<script>var x = "<p>no</p>";</script></head>
<body><!-- nor this -->
<h1>Boats <b>and</b>
ships</h1>
<p>She is moored
in &amp; around Horta.</p><p>Second<br>line</p>
<h2>Sails</h2>
<ul><li>Main</li>
<li>Jib</li></ul><table><tr><td>a</td><td>b</td></tr></table>
<h1>Rest</h1>text
</body></html>"""
PYTHON = '''#!/usr/bin/env python
"""Doc."""
import os

X = 1

@decorator
# about it
def first(a):
    """One."""
    return 1

class Second(Base):
    def inner(self): ...
'''
WORDS = st.sampled_from(
    [
        "# A",
        "## B b",
        "```",
        "def f():",
        "    x = 1",
        "",
        "A sentence. Another one.",
        "x" * 700,
        "<h1>",
        "</h1>",
        "<p>",
    ]
)


def cut(body: str, key: str) -> tuple[Passage, ...]:
    return passages(None, body, key=key, index=["$"], secrets=False)


def said(body: str, key: str) -> list[tuple[str | None, int | None, str]]:
    return [(one.heading, one.line, one.text) for one in cut(body, key)]


def test_html_is_read_as_a_reader_sees_it() -> None:
    assert said(HTML, "page.HTML") == [
        (None, 2, "Guide"),
        ("Boats and ships", 5, "Boats and\nships\nShe is moored\nin & around Horta.\nSecond\nline"),
        ("Boats and ships > Sails", 9, "Sails\nMain\nJib\na  b"),
        ("Rest", 12, "Rest\ntext"),
    ]


def test_source_code_is_cut_at_its_definitions() -> None:
    assert [(heading, line) for heading, line, _ in said(PYTHON, "tool.py")] == [
        (None, 1),
        ("first", 7),
        ("Second", 13),
    ]


@pytest.mark.parametrize(
    ("key", "line", "name"),
    [
        ("a.py", "async def go(x):", "go"),
        ("a.go", "func (r *Ship) Sail(at int) error {", "Sail"),
        ("a.c", "static const char *name_of(int ship)", "name_of"),
        ("a.ts", "export const go = async () => {", "go"),
        ("a.ts", "export default function hi() {}", "hi"),
        ("a.ts", "export interface Ship {", "Ship"),
        ("a.rs", "pub(crate) unsafe fn go() {", "go"),
        ("a.java", "public final class Ship {", "Ship"),
        ("a.sql", "create or replace function sail.go(at int)", "sail.go"),
        ("a.rb", "module Sails", "Sails"),
        ("a.py", 'print("def x")', None),
        ("a.py", "if go(x):", None),
        ("a.c", "go(x);", None),
    ],
)
def test_a_definition_has_its_name(key: str, line: str, name: str | None) -> None:
    ((heading, first, _),) = said(f"\n{line}\n    body\n", key)
    assert (heading, first) == (name, 2)


def test_long_code_is_cut_at_blank_lines() -> None:
    block = "\n".join(f"    line_{number} = {number}" for number in range(12))
    body = "def go():\n" + "\n\n".join(block for _ in range(12))
    found = cut(body, "a.py")
    assert len(found) > 1
    assert all(one.heading == "go" and len(one.text) <= 1_000 for one in found)
    assert all(one.text.startswith("line_0 =") for one in found[1:])


def test_pages_of_a_pdf_have_their_numbers() -> None:
    assert said("one\ntwo\n\fthree\n\f\n", "log.pdf") == [("Page 1", 1, "one\ntwo"), ("Page 2", 3, "three")]


def test_headings_of_markdown_end_where_the_line_does() -> None:
    assert said("# A #\r\n\r\ntext\r\n", "a.md")[0][0] == "A"


@given(lines=st.lists(WORDS, max_size=40), key=st.sampled_from(["a.md", "a.py", "a.txt", "a.pdf", "a"]))
def test_a_passage_begins_at_its_line(lines: list[str], key: str) -> None:
    for one in cut("\n".join(lines), key):
        assert one.line is not None
        assert one.text.split("\n")[0] in lines[one.line - 1]


@given(lines=st.lists(WORDS, max_size=40))
def test_no_line_of_a_text_is_lost(lines: list[str]) -> None:
    for key in ("a.md", "a.py", "a.txt"):
        found = "\n".join(one.text for one in cut("\n".join(lines), key))
        assert all(line.strip() in found for line in lines)


@given(text=st.text(alphabet="<>/h1p!-&;x \n\"'=", max_size=200))
def test_any_html_is_read(text: str) -> None:
    assert all(one.line is not None and one.line <= text.count("\n") + 1 for one in cut(text, "a.html"))
