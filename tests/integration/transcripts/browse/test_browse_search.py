"""Searching recorded sessions: every part, every sign, indexed or not yet."""

from __future__ import annotations

import psycopg
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


async def test_a_filter_counts_what_is_known_of_a_line_and_of_its_message(
    mine: AsyncBrowse, url: str
) -> None:
    login = await mine.search("login", **HERE)
    with psycopg.connect(url) as conn:
        conn.execute(
            "update transcripts.lines set model = 'haiku', git_branch = 'main' where uuid like 's-1-t1%'"
        )
        conn.execute(
            "update core.messages set metadata = '{\"agent_id\": \"planner\"}' where external_id = 'u1'"
        )

    async def by(**filter: object) -> set[tuple[str, str]]:
        return found(await mine.search("login", filter=filter, **HERE))

    assert await by(agent_id="planner") == {("u1", "said")}
    assert await by(model="haiku") == {("s-1-t1-result", "result")}
    assert await by(branch={"starts": "ma"}, agent_id={"exists": False}) == {("s-1-t1-result", "result")}
    assert await by(**{"not": {"model": "haiku"}}) == found(login) - {("s-1-t1-result", "result")}
    assert await by(agent_id="somebody else") == set()
    with pytest.raises(BadInput) as refused:
        await by(agent_id={"near": 1})
    assert refused.value.field == "filter"
