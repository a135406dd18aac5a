"""Statements are cut as PostgreSQL cuts them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kernel.db.tokens import tokens
from quipu.kinds.tables.scan import bind, change_literals, first_words, name_after

QUOTING = ["'", "''", '"', "$$", "$a$", "--", "\n", "/*", "*/", "\\", "e'", "E'", "u&'", "b'1'"]
OTHERS = ["::", ":=", ";", ":search_embedding", "select", " ", "x", "$1", "1.5", "é", "(", ")", "."]
PIECES = st.sampled_from(QUOTING + OTHERS)
STATEMENTS = st.lists(PIECES, max_size=30).map("".join)


@settings(max_examples=50)
@given(STATEMENTS)
def test_the_pieces_together_are_the_statement(statement: str) -> None:
    found = list(tokens(statement))
    assert "".join(token.text for token in found) == statement
    assert all(statement[token.start : token.end] == token.text for token in found)


@settings(max_examples=50)
@given(STATEMENTS)
def test_literals_that_are_not_changed_leave_the_statement_as_it_is(statement: str) -> None:
    assert change_literals(statement, lambda text: text) == statement


@pytest.mark.parametrize(
    ("statement", "bound"),
    [
        ("order by e <=> :search_embedding", "order by e <=> $1"),
        ("e<=>:search_embedding,x<=>:search_embedding", "e<=>$1,x<=>$1"),
        ("select :search_embedding::halfvec", "select $1::halfvec"),
        ("select ':search_embedding'", "select ':search_embedding'"),
        ("select 'it''s :search_embedding'", "select 'it''s :search_embedding'"),
        (r"select E'\':search_embedding'", r"select E'\':search_embedding'"),
        (r"select '\', :search_embedding", r"select '\', $1"),
        ('select ":search_embedding"', 'select ":search_embedding"'),
        ("select $$ :search_embedding $$", "select $$ :search_embedding $$"),
        ("select $a$ $$ :search_embedding $a$, :search_embedding", "select $a$ $$ :search_embedding $a$, $1"),
        ("select 1 -- :search_embedding", "select 1 -- :search_embedding"),
        ("select /* /* */ :search_embedding */ 1", "select /* /* */ :search_embedding */ 1"),
        ("select x::search_embedding", "select x::search_embedding"),
        ("select :search_embeddings", "select :search_embeddings"),
    ],
)
def test_the_parameter_is_bound_where_it_is_one(statement: str, bound: str) -> None:
    assert bind(statement, "search_embedding", 1) == (bound, bound.count("$1"))


def test_a_statement_begins_with_its_first_words_whatever_stands_before_them() -> None:
    assert first_words("/* a */ -- b\n ALTER  table x") == ("alter", "table")
    assert first_words("(select 1)") == ()
    assert first_words("") == ()


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("alter table if exists only memory.a rename", ("memory", "a")),
        ('Alter Table "A b"', (None, "A b")),
        ("alter table /* x */ Notes add", (None, "notes")),
        ('alter table "we""ird"."x"', ('we"ird', "x")),
        ("alter view a", None),
        ("alter table", None),
        ("alter table (", None),
    ],
)
def test_the_name_that_follows_is_found(statement: str, name: tuple[str | None, str] | None) -> None:
    assert name_after(statement, "alter", "table") == name


def test_a_changed_literal_is_a_literal_again() -> None:
    def shout(text: str) -> str:
        return text.replace("it's", "IT'S")

    assert change_literals("select 'it''s', \"it's\", 'x'", shout) == "select 'IT''S', \"it's\", 'x'"
