"""Each kind of memory by HTTP: what comes back, what is refused, what has to be confirmed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.anyio


async def posted(client: httpx.AsyncClient, path: str, **body: Any) -> Any:
    answer = await client.post(f"/v1{path}", json=body)
    assert answer.is_success, answer.text
    return answer.json() if answer.content else None


async def test_an_agent_writes_what_the_words_of_a_person_bear(clients: Any) -> None:
    client = await clients("write", space="claims")
    said = [{"id": "m1", "content": "I live in Lisbon.", "user": "ana"}]
    assert (await client.post("/v1/observe", json={"messages": said})).status_code < 300
    claim = {"statement": "The user lives in Lisbon.", "category": "identity", "words": "I live in Lisbon"}
    told = {"claims": [{**claim, "message": "m1"}], "user": "ana"}
    (done,) = (await client.post("/v1/longterm/remember", json=told)).json()["claims"]
    assert (done["action"], done["summary"]) == ("included", "The user lives in Lisbon.")
    (again,) = (await client.post("/v1/longterm/remember", json=told)).json()["claims"]
    assert (again["action"], again["memories"]) == ("kept", done["memories"])
    told["claims"] = [{**claim, "message": "m1", "words": "I live in Rome"}]
    refused = await client.post("/v1/longterm/remember", json=told)
    assert refused.status_code == 422
    assert "claims[0].words" in refused.text


async def test_a_longterm_memory_is_changed_by_who_read_its_latest_version(clients: Any) -> None:
    client = await clients("write", space="versions")
    made = await client.post("/v1/longterm", json={"summary": "Prefers tea.", "user": "ana"})
    path, first = f"/v1/longterm/{made.json()['id']}", made.headers["etag"]
    changed = await client.patch(path, json={"summary": "Prefers green tea."}, headers={"If-Match": first})
    assert changed.status_code == 200
    assert changed.headers["etag"] == (await client.get(path)).headers["etag"] != first
    late = await client.patch(path, json={"summary": "Prefers coffee."}, headers={"If-Match": first})
    assert (late.status_code, late.json()["type"]) == (412, "/problems/outdated")
    assert (await client.get(path)).json()["summary"] == "Prefers green tea."
    reverted = await client.post(f"{path}/revert", json={"to": 1})
    assert reverted.json()["summary"] == "Prefers tea."
    history = (await client.get(f"{path}/history")).json()["items"]
    assert [one["act"] for one in history] == ["revert", "edit"]


async def test_many_are_archived_only_as_they_were_shown(clients: Any) -> None:
    client = await clients("write", space="bulk")
    for number in range(3):
        await posted(client, "/longterm", summary=f"Owns boat {number}.", user="ana")
    shown = await posted(client, "/longterm/archive", text="boat")
    assert len(shown["shown"]["memories"]) == 3
    assert not shown["shown"]["archived"]
    await posted(client, "/longterm", summary="Owns boat 4.", user="ana")
    late = await client.post("/v1/longterm/archive", json={"text": "boat", "confirm": shown["confirm"]})
    assert late.status_code == 412
    again = await posted(client, "/longterm/archive", text="boat")
    done = await posted(client, "/longterm/archive", text="boat", confirm=again["confirm"])
    assert done["confirm"] is None
    assert done["shown"]["archived"]
    assert (await client.get("/v1/longterm")).json()["items"] == []


async def test_pages_of_a_list_are_the_whole_of_it_in_its_order(clients: Any) -> None:
    client = await clients("write", space="pages")
    for number in range(5):
        await posted(client, "/lessons", fact=f"The port of service {number} is 80{number}0.")
    whole = (await client.get("/v1/lessons?limit=200")).json()
    assert whole["next"] is None
    found: list[Any] = []
    cursor: str | None = None
    while cursor is not None or not found:
        params = {"limit": 2, **({} if cursor is None else {"cursor": cursor})}
        page = (await client.get("/v1/lessons", params=params)).json()
        assert len(page["items"]) <= 2
        found += page["items"]
        cursor = page["next"]
    assert [one["id"] for one in found] == [one["id"] for one in whole["items"]]
    first = (await client.get("/v1/lessons?limit=2")).json()["next"]
    assert (await client.get("/v1/longterm", params={"cursor": first})).json()["field"] == "cursor"


async def test_tables_are_designed_by_an_administrator_and_filled_by_who_may_write(clients: Any) -> None:
    by = {level: await clients(level, space="designed") for level in ("read", "write", "admin")}
    design = {
        "name": "dwarves",
        "sql": "create table dwarves (id int generated always as identity primary key, name text, age int)",
        "description": "Who goes along.",
        "embed_fields": ["name"],
    }
    assert (await by["write"].post("/v1/tables/create", json=design)).status_code == 403
    await posted(by["admin"], "/tables/create", **design)
    rows = [{"name": "Thorin", "age": 195}, {"name": "Kili", "age": 77}]
    assert (await posted(by["write"], "/tables/insert", table="dwarves", data=rows))["rows"] == 2
    older = {"table": "dwarves", "data": {"age": 196}, "where": {"age": {">": 100}}}
    tried = await posted(by["write"], "/tables/update", **older, show_first=True)
    assert (tried["rows"], tried["keys"], tried["undone"]) == (1, [{"id": 1}], True)
    assert (await posted(by["write"], "/tables/update", **older))["rows"] == 1
    every = {"table": "dwarves", "where": "true"}
    assert (await posted(by["write"], "/tables/delete", **every))["rows"] == 2
    asked = await posted(by["read"], "/tables/query", sql="select name, age from dwarves order by age")
    assert asked["results"] == [{"name": "Kili", "age": 77}, {"name": "Thorin", "age": 196}]
    sneaky = await by["read"].post("/v1/tables/query", json={"sql": "delete from dwarves returning id"})
    assert sneaky.status_code == 422
    (table,) = (await by["read"].get("/v1/tables?table=dwarves")).json()["tables"]
    assert [one["name"] for one in table["columns"]] == ["id", "name", "age"]
    gone = await posted(by["admin"], "/tables/schemas/drop", name="memory")
    assert "dwarves" in gone["shown"]["tables"]
    await posted(by["admin"], "/tables/schemas/drop", name="memory", confirm=gone["confirm"])
    assert (await by["read"].get("/v1/tables/schemas")).json()["items"] == []


async def test_what_takes_away_rows_or_definitions_is_done_only_with_the_token_of_a_preview(
    clients: Any,
) -> None:
    by = {level: await clients(level, space="guarded") for level in ("write", "admin")}
    design = {"name": "t", "sql": "create table t (id int primary key)", "description": "d"}
    await posted(by["admin"], "/tables/create", **design, embed_fields=[])
    for sql in (
        "create table parts (t int)",
        "create function wipe() returns int language sql as 'delete from parts returning 1'",
        "create function wiping() returns trigger language plpgsql as"
        " 'begin perform wipe(); return new; end'",
        "create trigger wiping before insert on t for each row when (new.id > 100) execute function wiping()",
        "insert into t values (1), (2)",
        "insert into parts values (1), (2)",
    ):
        assert not (await posted(by["admin"], "/tables/execute", sql=sql))["undone"]

    async def count(table: str) -> int:
        sql = f"select count(*) from {table}"
        (row,) = (await posted(by["write"], "/tables/query", sql=sql))["results"]
        return row["count"]

    for level, path, asked, there, lost in (
        ("write", "insert", {"table": "t", "data": {"id": 101}}, ("parts", 2), "parts: 2 rows deleted"),
        (
            "write",
            "update",
            {"table": "t", "data": {"id": 3}, "where": "id = 2 and wipe() > 0"},
            ("parts", 2),
            "parts: 2 rows deleted",
        ),
        ("write", "delete", {"table": "t", "where": "true"}, ("t", 2), None),
        ("admin", "execute", {"sql": "truncate t"}, ("t", 2), "t: emptied or rewritten (2 rows)"),
        (
            "admin",
            "recreate",
            {"table": "t", "sql": "create table t (id bigint primary key, n int)"},
            ("t", 2),
            None,
        ),
    ):
        shown = await posted(by[level], f"/tables/{path}", **asked)
        assert shown["confirm"], path
        assert lost is None or any(lost in line for line in shown["lost"]), path
        assert await count(there[0]) == there[1], path
        refused = await by[level].post(f"/v1/tables/{path}", json={**asked, "confirm": "0" * 32})
        assert (refused.status_code, await count(there[0])) == (412, there[1]), path
        done = await posted(by[level], f"/tables/{path}", **asked, confirm=shown["confirm"])
        assert done["confirm"] is None, path
        assert path == "recreate" or not done["undone"], path
        for sql in (
            "delete from t",
            "delete from parts",
            "insert into t values (1), (2)",
            "insert into parts values (1), (2)",
        ):
            tried = await posted(by["admin"], "/tables/execute", sql=sql)
            if tried["confirm"]:
                await posted(by["admin"], "/tables/execute", sql=sql, confirm=tried["confirm"])
    assert (await posted(by["write"], "/tables/delete", table="t", where={"id": 9}))["confirm"] is None


async def test_the_ledger_tells_what_held_and_takes_back_what_was_wrong(clients: Any) -> None:
    client = await clients("write", space="ledger")
    session = (await posted(client, "/ledger/sessions", session="s1", user="ana"))["session"]
    first = await posted(client, "/ledger/assume", key="tone", value="formal", session=session)
    assert (await client.get("/v1/ledger/assumptions?session=s1")).json()["items"][0]["assumed"]
    moment = first["event"]["created_at"]
    second = await posted(client, "/ledger/correct", key="tone", value="warm", session=session)
    assert (await client.get("/v1/ledger/state?session=s1")).json()["tone"]["value"] == "warm"
    before = await client.get("/v1/ledger/state", params={"session": "s1", "as_of": moment})
    assert before.json()["tone"]["value"] == "formal"
    undone = await posted(client, f"/ledger/events/{second['event']['id']}/undo")
    assert undone["value"]["value"] == "formal"
    history = (await client.get("/v1/ledger/history?key=tone&session=s1")).json()["items"]
    assert [one["new"] for one in history] == ["formal", "warm", "formal"]


async def test_a_recommendation_is_told_with_what_it_rests_on(clients: Any) -> None:
    client = await clients("write", space="evidence")
    await posted(client, "/ledger/sessions", session="s1")
    lately = (datetime.now(UTC) - timedelta(days=2)).isoformat()
    review = {"text": "The bread was good.", "published_at": lately}
    read = await posted(client, "/trace/reviews", reviews=[review], session="s1", place="oslo")
    assert read["signals"]["sample_count"] == 1
    found = {"theme": "wait_time", "place_id": "oslo", "published_at": review["published_at"], "weight": 0.8}
    kept = await posted(
        client,
        "/evidence/recommendations",
        action="One more at the door.",
        session="s1",
        location="Oslo",
        time_window="Friday",
        confidence="high",
        source="reviews",
        evidence=[found],
    )
    assert kept["evidence_count"] == 1
    shown = (await client.get(f"/v1/evidence/recommendations/{kept['id']}/sources?theme=wait_time")).json()
    assert {one["place_id"] for one in shown["pieces"]} == {"oslo"}
    assert (await client.get("/v1/evidence/recommendations/4711")).status_code == 404


async def test_a_language_model_that_is_not_there_is_told_as_a_wrong_field(clients: Any) -> None:
    client = await clients("write", space="language")
    await posted(client, "/observe", messages=[{"content": "I moved."}], session="s1")
    for path, field in (("/lessons/extract", "extractor"), ("/longterm/evaluate/session", "evaluator")):
        answer = await client.post(f"/v1{path}", json={"session": "s1", field: "llm"})
        assert (answer.status_code, answer.json()["field"]) == (422, field)


async def test_a_space_shows_what_can_be_set_of_it_and_nothing_of_the_machine(clients: Any) -> None:
    owner, client = await clients("admin"), await clients("admin", space="set")
    assert (await client.put("/v1/settings/session_days", json={"value": 44})).json()["source"] == "space"
    told = {one["name"]: one for one in (await client.get("/v1/settings")).json()["items"]}
    assert (told["session_days"]["value"], told["session_days"]["stored"]) == (44, None)
    assert "home" not in told
    assert "home" in {one["name"] for one in (await owner.get("/v1/engine/settings")).json()["items"]}
    assert (await client.put("/v1/settings/session_days", json={"value": "soon"})).status_code == 422
    assert (await client.delete("/v1/settings/session_days")).json()["source"] == "default"
    machine = await client.delete("/v1/settings/home")
    assert machine.status_code == 422, "an admin of one space learns nothing of the machine"
    assert machine.json().keys() & {"value", "default", "stored"} == set()
    assert (await client.get("/v1/engine/settings")).status_code == 403


async def test_jobs_are_seen_by_who_owns_all_and_thrown_away_as_they_were_shown(clients: Any) -> None:
    owner, client = await clients("admin"), await clients("write", space="jobs")
    prompt = await client.post("/v1/conversations/prompts", json={"text": "Who moved?", "session": "s1"})
    assert (prompt.status_code, prompt.json()["status"]) == (202, "waiting")
    path = f"/v1/conversations/prompts/{prompt.json()['id']}"
    assert (await client.get(path)).json() == prompt.json()
    waiting = {one["topic"]: one["waiting"] for one in (await owner.get("/v1/queue")).json()["topics"]}
    assert waiting["prompt_queue"] >= 1
    shown = await posted(owner, "/queue/purge", topic="prompt_queue", waiting=True)
    assert not shown["shown"]["done"]
    gone = await posted(owner, "/queue/purge", topic="prompt_queue", waiting=True, confirm=shown["confirm"])
    assert gone["shown"] == {"done": True, "jobs": shown["shown"]["jobs"]}
    assert (await owner.get("/v1/queue/jobs/4711")).status_code == 404


async def test_a_write_of_any_kind_is_done_once_under_its_key(clients: Any) -> None:
    client = await clients("write", space="once")
    headers = {"Idempotency-Key": "the-same"}
    answers = [
        await client.post("/v1/longterm", json={"summary": "Has a dog."}, headers=headers) for _ in range(2)
    ]
    assert answers[0].content == answers[1].content
    assert answers[1].headers["idempotency-replayed"] == "true"
    assert answers[1].headers["etag"] == answers[0].headers["etag"]
    (kept,) = (await client.get("/v1/longterm")).json()["items"]
    assert kept["stated_count"] == 1


async def test_a_snapshot_is_restored_as_it_was_shown_and_that_can_be_undone(clients: Any) -> None:
    client = await clients("admin", space="snapshots")
    sql = "create table boats (id int generated always as identity primary key, name text)"
    await posted(client, "/tables/create", name="boats", sql=sql, description="Boats.", embed_fields=[])
    await posted(client, "/tables/insert", table="boats", data={"name": "Nimrod"})
    taken = await posted(client, "/snapshots", schema="memory")
    assert taken["tables"] == {"boats": 1}
    await posted(client, "/tables/insert", table="boats", data={"name": "Aurora"})
    shown = await posted(client, f"/snapshots/{taken['name']}/restore")
    assert (shown["shown"]["before"], shown["shown"]["after"]) == ({"boats": 2}, {"boats": 1})
    back = await posted(client, f"/snapshots/{taken['name']}/restore", confirm=shown["confirm"])
    rows = await posted(client, "/tables/query", sql="select name from boats")
    assert rows["results"] == [{"name": "Nimrod"}]
    assert back["shown"]["undo"] in {
        one["name"] for one in (await client.get("/v1/snapshots")).json()["items"]
    }


async def test_a_schema_is_handed_out_as_a_file_and_taken_into_another_space(clients: Any) -> None:
    source, target = await clients("admin", space="from"), await clients("admin", space="into")
    sql = "create table boats (id int generated always as identity primary key, name text)"
    await posted(source, "/tables/create", name="boats", sql=sql, description="Boats.", embed_fields=[])
    await posted(source, "/tables/insert", table="boats", data={"name": "Nimrod"})
    dump = await source.get("/v1/snapshots/export")
    assert dump.headers["content-type"].startswith("application/sql")
    shown = (await target.post("/v1/snapshots/import", content=dump.content)).json()
    assert not shown["shown"]["done"]
    assert (await target.get("/v1/tables/schemas")).json()["items"] == []
    params = {"confirm": shown["confirm"]}
    other = await target.post("/v1/snapshots/import", content=dump.content + b"\n", params=params)
    assert other.status_code == 412
    done = await target.post("/v1/snapshots/import", content=dump.content, params=params)
    assert done.json()["shown"]["after"] == {"boats": 1}
    rows = await posted(target, "/tables/query", sql="select name from boats")
    assert rows["results"] == [{"name": "Nimrod"}]
    bad = await target.post("/v1/snapshots/import", content=b"drop schema core cascade;")
    assert bad.status_code == 422
    assert "quipu-import" not in bad.text
