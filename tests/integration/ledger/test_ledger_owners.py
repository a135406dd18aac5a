"""Whose a session is: the person's it was opened for, else its one user's; of several, nobody's."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput
from quipu.kinds.ledger.ledger import AsyncLedger

pytestmark = pytest.mark.anyio

DANAS: dict[str, Any] = {"space": "cafe", "session": "of dana"}
SHARED: dict[str, Any] = {"space": "cafe", "session": "of both"}


@pytest.fixture
async def said(cafe: AsyncMemory) -> AsyncMemory:
    """A session in which dana speaks alone, and one in which bob answers her; nobody opened them."""
    asked = [{"content": "Where is the green boat?"}, {"role": "assistant", "content": "At the pier."}]
    await cafe.observe(asked, user="dana", **DANAS)
    await cafe.observe([{"content": "My boat is blue."}], user="dana", **SHARED)
    await cafe.observe([{"content": "Mine is red."}], user="bob", **SHARED)
    return cafe


async def test_a_session_is_its_one_users_and_nobody_else_claims_it(
    said: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    for act in (
        ledger.set("boat", "mine", user="bob", **DANAS),
        ledger.set("tone", "dry", user="bob", scope="cross_session", **DANAS),
        ledger.assume("boat", "mine", user="bob", **DANAS),
        ledger.open_session(user="bob", **DANAS),
        ledger.state(user="bob", **DANAS),
    ):
        with pytest.raises(BadInput, match="somebody else's") as refusal:
            await act
        assert refusal.value.field == "user"
    with psycopg.connect(url) as conn:
        conn.execute("select core.enter('cafe')")
        with pytest.raises(psycopg.Error, match="somebody else's"):
            conn.execute("update ledger.chat_sessions set distinct_id = 'bob' where name = 'of dana'")
    assert (await said.forget(space="cafe", user="bob")).counts == {"messages": 1}


async def test_what_is_noted_in_a_session_is_of_its_one_user_and_goes_with_them(
    said: AsyncMemory, ledger: AsyncLedger, url: str
) -> None:
    await ledger.set("tone", "dry", space="cafe", user="dana")
    noted = await ledger.set("boat", "green", **DANAS)
    kept = await ledger.set("ui.response_depth", {"value": "verbose"}, **DANAS)
    assert [one.event.user for one in (noted, kept) if one.event] == ["dana", "dana"]
    state = await ledger.state(**DANAS)
    assert {key: value.user for key, value in state.items()} == dict.fromkeys(
        ["boat", "tone", "ui.response_depth"], "dana"
    )
    with psycopg.connect(url) as conn:
        conn.execute("select core.enter('cafe')")
        shown = conn.execute("select distinct_id from ledger.chat_sessions where name = 'of dana'").fetchall()
    assert shown == [("dana",)]
    await said.forget(space="cafe", user="dana", confirm=True)
    assert await ledger.events(space="cafe") == []
    assert await said.recall("green boat dry", space="cafe", kinds=["ledger"]) == []


async def test_of_a_session_of_several_nothing_is_of_one_of_them(
    said: AsyncMemory, ledger: AsyncLedger
) -> None:
    for act in (ledger.set("boat", "blue", user="dana", **SHARED), ledger.open_session(user="bob", **SHARED)):
        with pytest.raises(BadInput, match=r"several take part .*\(bob, dana\)") as refusal:
            await act
        assert refusal.value.field == "user"
    assert await ledger.events(space="cafe") == []
    told = await ledger.set("boats", 2, **SHARED)
    assert told.event is not None
    assert told.event.user is None
    for user, tone in (("dana", "dry"), ("bob", "warm")):
        await ledger.set("tone", tone, user=user, scope="cross_session", **SHARED)
        seen = await ledger.state(user=user, **SHARED)
        assert {key: value.value for key, value in seen.items()} == {"boats": 2, "tone": tone}
    assert list(await ledger.state(**SHARED)) == ["boats"]
    await said.forget(space="cafe", user="dana", confirm=True)
    assert [(e.key, e.user) for e in await ledger.events(space="cafe")] == [("tone", "bob"), ("boats", None)]


async def test_what_was_noted_before_others_came_is_taken_back_and_goes_with_whose_it_was(
    said: AsyncMemory, ledger: AsyncLedger
) -> None:
    await ledger.set("boat", "green", **DANAS)
    changed = await ledger.set("boat", "grey", **DANAS)
    await ledger.set("pier", 3, **DANAS)
    await said.observe([{"content": "I sold it."}], user="bob", **DANAS)
    assert changed.event is not None
    await ledger.undo(changed.event.id, space="cafe")
    await ledger.correct("pier", 4, **DANAS)
    state = await ledger.state(**DANAS)
    assert {key: value.value for key, value in state.items()} == {"boat": "green", "pier": 4}
    await said.forget(space="cafe", user="dana", confirm=True)
    assert await ledger.events(space="cafe") == []
    assert [one.messages for one in await said.sessions(space="cafe") if one.name == "of dana"] == [1]


@pytest.mark.parametrize("opened", [False, True])
async def test_a_person_takes_along_what_nobody_else_said_in_their_session_and_nothing_that_others_did(
    cafe: AsyncMemory, ledger: AsyncLedger, url: str, opened: bool
) -> None:
    """What names no user is of the one whose session it is; what another user says there is that user's."""
    if opened:
        await ledger.open_session(user="dana", **DANAS)
    await cafe.observe([{"content": "Zanzibar?"}], **DANAS)
    await cafe.observe([{"content": "Where is the Zanzibar?"}], user="dana", **DANAS)
    await cafe.observe([{"role": "assistant", "content": "Your Zanzibar is at the pier."}], **DANAS)
    if opened:
        await ledger.set("boat", "Zanzibar", **DANAS)
        await cafe.observe([{"content": "Mine is red."}], user="bob", **DANAS)
        _call_tools(url, Zanzibar="dana", red="bob")
        assert (await cafe.forget(space="cafe", user="bob")).counts == {"messages": 1}
    gone = {"messages": 3} | (
        {"ledger.chat_memory_events": 1, "ledger.chat_session_memory": 1, "ledger.tool_calls": 1}
        if opened
        else {}
    )
    assert (await cafe.forget(space="cafe", user="dana")).counts == gone
    assert (await cafe.forget(space="cafe", user="dana", confirm=True)).counts == gone
    with psycopg.connect(url) as conn:
        left = conn.execute(
            "select user_name, content from core.messages where content ~ 'Zanzibar|red'"
        ).fetchall()
        sessions = conn.execute(
            "select name from core.sessions where 'dana' in (distinct_id, belongs_to)"
        ).fetchall()
        calls = conn.execute("select args_json from core.tool_calls").fetchall()
    assert (left, sessions) == ([("bob", "Mine is red.")] if opened else [], [])
    assert calls == ([({"of": "bob"},)] if opened else [])


def _call_tools(url: str, **users: str) -> None:
    """A tool call for the message of each user that has the word."""
    with psycopg.connect(url) as conn:
        conn.execute("select core.enter('cafe')")
        for word, user in users.items():
            conn.execute(
                """
                insert into core.tool_calls (space_id, id, session_id, message_id, turn_index, tool_name,
                    args_json, status, latency_ms)
                select space_id, id, session_id, id, 1, 'look', jsonb_build_object('of', %(user)s::text),
                    'ok', 1
                from core.messages where content ~ %(word)s and user_name = %(user)s
                """,
                {"word": word, "user": user},
            )
