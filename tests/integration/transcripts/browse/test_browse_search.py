"""Searching recorded sessions: every part, every sign, indexed or not yet."""

from __future__ import annotations

import pytest

from quipu.errors import BadInput
from quipu.kinds.transcripts.browse.browse import AsyncBrowse
from quipu.kinds.transcripts.browse.model import TranscriptHits

pytestmark = pytest.mark.anyio
HERE = {"space": "boats"}


def found(searched: TranscriptHits) -> set[tuple[str, str]]:
    return {(hit.uuid, hit.part) for hit in searched.hits}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("login", {("u1", "said"), ("s-1-t1-result", "result"), ("s-1-t2-call", "input")}),
        ("csrf_token", {("s-1-t2-result", "result")}),
        ("probably", {("a1", "thinking")}),
        ('"it was set"', {("a2", "said")}),
        ('"was it set"', set()),
        ("timet*", {("u3", "said"), ("a3", "said")}),
        ("fix-login OR look", {("u1", "said"), ("a1", "said"), ("u2", "said")}),
        ("fix-login", {("u1", "said")}),
        ("login-fix", set()),
        ("cafe", {("u2", "said")}),
        ("Déjà", {("u2", "said")}),
        ("船票", {("u2", "said")}),
        ("票船", set()),
        ("clear", {("m1", "said")}),
        ("src/app.py", {("u1", "said"), ("s-1-t1-call", "input"), ("s-1-t3-call", "input")}),
    ],
)
async def test_a_query_finds_just_the_texts_that_have_what_it_asks_for(
    browse: AsyncBrowse, query: str, expected: set[tuple[str, str]]
) -> None:
    got = await browse.search(query, limit=50, **HERE)
    assert found(got) == expected


SIGNS = list(r"""./-:()^+'%_\!&|<>*"[]{}?~$#@,;=`""")


async def test_no_sign_changes_what_the_rest_means(browse: AsyncBrowse) -> None:
    plain = found(await browse.search("token fixed OR timetable", limit=50, **HERE))
    assert plain == {("a2", "said"), ("u3", "said"), ("a3", "said")}
    for sign in SIGNS:
        for query in (
            f"token {sign} fixed OR timetable",
            f"token fixed{sign} OR timetable",
            f"token fixed OR {sign} timetable",
        ):
            assert found(await browse.search(query, limit=50, **HERE)) == plain, query


async def test_a_query_without_a_word_is_refused_and_says_what_a_word_is(browse: AsyncBrowse) -> None:
    for query in ("", "%%%", "-login", '"', "OR"):
        if query == "OR":
            continue
        with pytest.raises(BadInput, match="no word"):
            await browse.search(query, **HERE)
