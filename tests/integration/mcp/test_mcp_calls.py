"""Each tool does what its description says, through the official client."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_answers import Call, text
from mcp_types import TextContent, TextResourceContents

from quipu import AsyncMemory
from quipu.interfaces.mcp.model import Caller
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio


async def fields(call: Call, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The structured answer of a call that works."""
    result = await call(tool, **arguments)
    assert not result.is_error, text(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def test_what_is_remembered_is_recalled_explained_and_not_stored_twice(call: Call) -> None:
    said = {"text": "Ana plays the cello in the harbour orchestra.", "speaker": "Ana", "time": "2024-05-02"}
    first = await fields(call, "remember", **said)
    again = await fields(call, "remember", **said)
    assert (first["stored"], again["stored"]) == (True, False)
    assert first["id"] == again["id"]
    (found,) = (await fields(call, "recall", question="Which instrument does Ana play?"))["memories"]
    assert found["memory"] == said["text"]
    assert (found["by"], found["message"], found["kind"]) == ("Ana", first["id"], "message")
    assert found["happened_at"].startswith("2024-05-02")
    assert found["score"] == pytest.approx(sum(found["parts"].values()), abs=0.01)
    why = await fields(call, "why", question="Who plays the cello?", kind=found["kind"], id=found["id"])
    assert "cello" in why["shared_words"]
    assert {reason["signal"] for reason in why["reasons"]} >= {"meaning", "words"}


async def test_a_topic_is_gathered_in_order_with_its_coverage_and_goes_on_behind_a_cursor(call: Call) -> None:
    for day, what in ((3, "leaks"), (1, "was built"), (2, "was painted")):
        await call("remember", text=f"The harbour shed {what}.", time=f"2024-05-0{day}")
    first = await fields(call, "gather", topic="the harbour shed", limit=2)
    assert [line["line"] for line in first["lines"]] == [
        "The harbour shed was built.",
        "The harbour shed was painted.",
    ]
    assert first["coverage"] == "2 of about 3"
    rest = text(await call("gather", topic="the harbour shed", limit=2, after=first["cursor"]))
    assert "2024-05-03\n- 00:00 user: The harbour shed leaks." in rest
    assert "(all 3)" in rest
    assert "painted" in text(await call("gather", since="2024-05-02", until="2024-05-03"))
    assert text(await call("gather", since="2031-01-01")) == "Nothing is known of it."
    refused = text(await call("gather"))
    assert "topic" in refused


async def test_what_comes_back_as_text_is_marked_so_that_it_is_never_remembered_again(call: Call) -> None:
    await call("remember", text="The blue boat leaves at nine.")
    recalled = text(await call("recall", question="When does the blue boat leave?"))
    again = await fields(call, "remember", text=recalled)
    assert not again["stored"]
    assert "stored already" in again["note"]


async def test_secrets_are_cut_out_before_anything_is_stored(call: Call) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    stored = await fields(call, "remember", text=f"The key is {secret}, keep it.")
    assert stored["redacted"] == 1
    assert secret not in text(await call("recall", question="What is the key?"))


async def test_nothing_relevant_is_said_to_be_nothing(call: Call) -> None:
    assert text(await call("recall", question="Who built the tower?")) == "Nothing is known of this."


async def test_forgetting_shows_what_goes_then_takes_it_with_the_token_of_that_preview(call: Call) -> None:
    one = await fields(call, "remember", text="The safe is behind the mirror.")
    preview = await fields(call, "forget", message=one["id"])
    assert not preview["forgotten"]
    assert preview["rows"]["messages"] == 1
    assert (await fields(call, "recall", question="Where is the safe?"))["memories"]
    refused = await call("forget", message=one["id"], token="0" * 32)
    assert refused.is_error
    other = await fields(call, "remember", text="The dog sleeps.")
    for_another = await call("forget", message=other["id"], token=preview["token"])
    assert for_another.is_error
    done = await fields(call, "forget", message=one["id"], token=preview["token"])
    assert done["forgotten"]
    assert done["receipt"]
    found = (await fields(call, "recall", question="Where is the safe?"))["memories"]
    assert "mirror" not in repr(found)


async def test_a_preview_is_no_longer_good_when_more_would_go(
    call: Call, memory: AsyncMemory, request: pytest.FixtureRequest
) -> None:
    space = request.node.name
    await memory.observe([{"content": "One."}], space=space, session="s")
    preview = await fields(call, "forget", session="s")
    await memory.observe([{"content": "Two."}], space=space, session="s")
    assert (await call("forget", session="s", token=preview["token"])).is_error
    assert len(await memory.sessions(space=space)) == 1


async def test_a_preview_is_no_longer_good_when_more_would_be_left(
    call: Call, memory: AsyncMemory, request: pytest.FixtureRequest
) -> None:
    space = request.node.name
    await memory.observe([{"content": "One."}], space=space, session="s")
    asked = {"session": "s", "names": ["Ana Lima"]}
    preview = await fields(call, "forget", **asked)
    await memory.observe([{"content": "Ana Lima called."}], space=space, session="other")
    assert (await call("forget", **asked, token=preview["token"])).is_error
    again = await fields(call, "forget", **asked)
    assert again["left"]
    assert (await fields(call, "forget", **asked, token=again["token"]))["forgotten"]


async def test_what_is_not_there_cannot_be_forgotten_and_the_whole_space_never(call: Call) -> None:
    assert "recall tells the ids" in text(await call("forget", message="unheard"))
    for what in ({}, {"message": "m", "session": "s"}):
        assert "one of message and session" in text(await call("forget", **what))


async def test_a_fact_is_set_corrected_and_outweighed(call: Call) -> None:
    assert (await fields(call, "set_fact", key="city", value="Porto"))["previous"] is None
    corrected = await fields(call, "set_fact", key="city", value={"name": "Lisbon"}, reason="moved")
    assert (corrected["value"], corrected["previous"]) == ({"name": "Lisbon"}, "Porto")
    assumed = await fields(call, "set_fact", key="city", value="Faro", known="assumed")
    assert (assumed["stands"], assumed["value"]) == (False, {"name": "Lisbon"})
    again = await fields(call, "set_fact", key="city", value={"name": "Lisbon"})
    assert not again["recorded"]


async def test_a_fact_has_the_shape_that_another_program_registered(
    call: Call, server_settings: Settings, module_url: str, request: pytest.FixtureRequest
) -> None:
    async with AsyncMemory(settings=replace(server_settings, database_url=module_url)) as program:
        program.ledger.register("constraint.diet", list[str], namespace="constraint")
        await program.ledger.set("constraint.diet", ["nuts"], space=request.node.name, user="dana")
        refused = await call("set_fact", key="constraint.diet", value="nuts")
        assert refused.is_error
        assert "value" in text(refused)
        assert (await fields(call, "set_fact", key="constraint.diet", value=["fish"]))["recorded"]


async def test_open_loops_are_listed_closed_by_their_beginning_and_reopened(
    call: Call, memory: AsyncMemory, request: pytest.FixtureRequest
) -> None:
    await memory.observe(
        [
            {"content": "I will send you the contract by Friday.", "role": "user", "speaker": "Ana"},
            {"content": "Thank you, I wait for it.", "role": "assistant"},
        ],
        space=request.node.name,
        session="s",
    )
    await memory.work()
    listed = (await fields(call, "open_loops"))["loops"]
    (loop,) = [one for one in listed if "contract" in one["what"]]
    closed = await fields(call, "close_loop", id=loop["id"][:8], evidence="It came on Monday.")
    assert (closed["loop"]["state"], closed["loop"]["evidence"]) == ("closed", "It came on Monday.")
    assert loop["id"] not in repr((await fields(call, "open_loops"))["loops"])
    reopened = await fields(call, "close_loop", id=loop["id"], outcome="reopened")
    assert reopened["loop"]["state"] == "open"
    assert "list of loops" in text(await call("close_loop", id="ffffffff"))


async def test_tables_are_made_filled_asked_and_shown(call: Call) -> None:
    made = await fields(
        call,
        "tables_create",
        name="dwarves",
        sql="create table dwarves (id int primary key, name text not null, about text)",
        description="Dwarves of the company.",
        embed_fields=["about"],
    )
    assert made["done"]
    rows = [{"id": 1, "name": "Thorin", "about": "their king"}, {"id": 2, "name": "Balin", "about": "old"}]
    inserted = await fields(call, "tables_write", action="insert", table="dwarves", data=rows)
    assert (inserted["rows"], inserted["keys"]) == (2, [{"id": 1}, {"id": 2}])
    await fields(
        call, "tables_write", action="update", table="dwarves", data={"name": "Fili"}, where={"id": 2}
    )
    sql = "select id, name from dwarves order by id"
    asked = await fields(call, "tables_query", sql=sql, limit=1)
    assert asked["rows"] == [{"id": 1, "name": "Thorin"}]
    assert asked["limited"]
    by_meaning = (
        "select d.name from embeddings e join dwarves d on d.id::text = e.source_id "
        "order by e.embedding <=> :search_embedding limit 1"
    )
    nearest = await fields(call, "tables_query", sql=by_meaning, search_text="their king")
    assert nearest["rows"] == [{"name": "Thorin"}]
    (table,) = (await fields(call, "tables_list", table="dwarves"))["tables"]
    assert (table["about"], table["embedded"], table["key"]) == ("Dwarves of the company.", ["about"], ["id"])
    assert "name text not null" in table["columns"]


async def test_rows_are_deleted_and_tables_dropped_only_after_a_preview(call: Call) -> None:
    table = {
        "name": "t",
        "sql": "create table t (id int primary key)",
        "description": "d",
        "embed_fields": [],
    }
    await fields(call, "tables_create", **table)
    await fields(call, "tables_write", action="insert", table="t", data=[{"id": 1}, {"id": 2}])
    rows = {"action": "delete", "table": "t", "where": {"id": 1}}
    preview = await fields(call, "tables_write", **rows)
    assert (preview["done"], preview["rows"], preview["keys"]) == (False, 1, [{"id": 1}])
    other = await call("tables_write", **{**rows, "where": "true"}, token=preview["token"])
    assert other.is_error
    above = {**rows, "where": "id > 1"}
    older = await fields(call, "tables_write", **above)
    await fields(call, "tables_write", action="insert", table="t", data={"id": 3})
    assert (await call("tables_write", **above, token=older["token"])).is_error
    newer = await fields(call, "tables_write", **{**rows, "where": {"id": 3}})
    await fields(call, "tables_write", **{**rows, "where": {"id": 3}}, token=newer["token"])
    assert (await fields(call, "tables_write", **rows, token=preview["token"]))["rows"] == 1
    old = await fields(call, "tables_execute", sql="drop table t")
    assert "goes (1 rows)" in old["note"]
    await fields(call, "tables_write", action="insert", table="t", data={"id": 4})
    refused = await call("tables_execute", sql="drop table t", token=old["token"])
    assert refused.is_error
    await fields(call, "tables_execute", sql="insert into t values (5)")
    hidden = "do $$ begin execute 'del' || 'ete from t where id > 3'; end $$"
    shown = await fields(call, "tables_execute", sql=hidden)
    assert "2 rows deleted" in shown["note"]
    assert (await fields(call, "tables_execute", sql=hidden, token=shown["token"]))["done"]
    drop = await fields(call, "tables_execute", sql="drop table t")
    assert not drop["done"]
    assert (await fields(call, "tables_query", sql="select id from t"))["rows"] == [{"id": 2}]
    assert (await fields(call, "tables_execute", sql="drop table t", token=drop["token"]))["done"]
    assert (await call("tables_query", sql="select id from t")).is_error


async def test_a_write_that_takes_something_else_away_is_done_only_after_a_preview(call: Call) -> None:
    table = {"name": "t", "sql": "create table t (id int primary key)", "description": "d"}
    await fields(call, "tables_create", **table, embed_fields=[])
    for sql in (
        "create table parts (t int references t on delete cascade)",
        "create function wipe() returns int language sql as 'delete from parts returning 1'",
        "insert into t values (1), (2)",
        "insert into parts values (1), (2)",
    ):
        await fields(call, "tables_execute", sql=sql)
    gone = "table parts: {} rows deleted"
    preview = await fields(call, "tables_write", action="delete", table="t", where={"id": 1})
    assert gone.format(1) in preview["note"]
    sly = {"action": "update", "table": "t", "data": {"id": 3}, "where": "id = 2 and wipe() is not null"}
    preview = await fields(call, "tables_write", **sly)
    assert (preview["done"], gone.format(2) in preview["note"]) == (False, True)
    assert (await fields(call, "tables_query", sql="select t from parts"))["rows"] == [{"t": 1}, {"t": 2}]
    done = await fields(call, "tables_write", **sly, token=preview["token"])
    assert (done["done"], done["rows"]) == (True, 1)
    assert (await fields(call, "tables_query", sql="select t from parts"))["rows"] == []


async def test_what_takes_nothing_away_is_executed_at_once(call: Call) -> None:
    table = {"name": "t", "sql": "create table t (id int, x text)", "description": "d", "embed_fields": []}
    await fields(call, "tables_create", **table)
    assert (await fields(call, "tables_execute", sql="create index on t (x)"))["done"]
    assert (await fields(call, "tables_execute", sql="insert into t values (1, 'delete me')"))["rows"] == 1


async def test_a_table_is_made_anew_after_its_differences_were_shown(call: Call) -> None:
    table = {"name": "t", "sql": "create table t (id int primary key, a text)", "description": "d"}
    await fields(call, "tables_create", **table, embed_fields=[])
    await fields(call, "tables_write", action="insert", table="t", data={"id": 1, "a": "x"})
    change = {"name": "t", "sql": "create table t (id int primary key, b text)", "mapping": {"b": "a"}}
    preview = await fields(call, "tables_create", **change, replace=True)
    assert not preview["done"]
    assert "a text -> b text" in preview["note"]
    assert (await fields(call, "tables_create", **change, replace=True, token=preview["token"]))["done"]
    assert (await fields(call, "tables_query", sql="select b from t"))["rows"] == [{"b": "x"}]


async def test_long_answers_are_cut_and_say_so(call: Call) -> None:
    sql = "select i, repeat('x', 5000) as long from generate_series(1, 500) as i"
    found = await fields(call, "tables_query", sql=sql, limit=500)
    assert 0 < len(found["rows"]) < 50
    assert found["left_out"]
    assert found["limited"]
    assert found["rows"][0]["long"].endswith("…")


async def test_the_briefing_tells_what_is_open_what_holds_and_nothing_where_nothing_is_known(
    call: Call, connect: Callable[[Caller], Client], request: pytest.FixtureRequest
) -> None:
    async def read(space: str) -> str:
        async with connect(Caller(space=space)) as client:
            (content,) = (await client.read_resource("quipu://briefing")).contents
            assert isinstance(content, TextResourceContents)
            prompt = await client.get_prompt("briefing")
            assert isinstance(prompt.messages[0].content, TextContent)
            assert prompt.messages[0].content.text == content.text
            return content.text

    await call("set_fact", key="city", value="Porto")
    assert 'city: "Porto"' in await read(request.node.name)
    assert "Nothing is remembered" in await read("nobody's")


async def test_what_is_not_there_is_a_clear_error_of_the_protocol(
    connect: Callable[[Caller], Client],
) -> None:
    async with connect(Caller(space="s")) as client:
        with pytest.raises(MCPError, match="recall, gather, why"):
            await client.call_tool("restore_snapshot", {})
        with pytest.raises(MCPError, match="quipu://briefing"):
            await client.read_resource("quipu://secrets")
        with pytest.raises(MCPError, match="briefing, tables"):
            await client.get_prompt("other")
