"""Taking in, recalling and forgetting by HTTP."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.anyio

LISBON = {
    "id": "m1",
    "content": "I moved to Lisbon in May.",
    "session": "s1",
    "speaker": "Ana",
    "user": "ana",
}
BIKE = {"id": "m2", "content": "My bicycle was stolen.", "session": "s1", "speaker": "Ana", "user": "ana"}


async def done(answer: httpx.Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json()


async def hits(client: httpx.AsyncClient, question: str, **more: object) -> list[Any]:
    return (await done(await client.post("/v1/recall", json={"question": question, **more})))["hits"]


@pytest.fixture
async def ana(clients: Any) -> httpx.AsyncClient:
    """May do everything in the space ``ana``, which holds two messages."""
    client = await clients("admin", space="ana")
    assert (await client.post("/v1/observe", json={"messages": [LISBON, BIKE]})).status_code == 201
    return client


async def test_what_was_observed_is_recalled_with_its_source(ana: httpx.AsyncClient) -> None:
    best = (await hits(ana, "Who moved to Lisbon?"))[0]
    assert best["text"] == LISBON["content"]
    assert best["source"] == {
        "message": "m1",
        "session": "s1",
        "speaker": "Ana",
        "role": "user",
        "user": "ana",
        "span": None,
    }
    assert sum(best["parts"].values()) == pytest.approx(best["score"], abs=1e-4)


async def test_the_same_message_again_is_a_duplicate_and_other_words_a_conflict(
    ana: httpx.AsyncClient,
) -> None:
    again = await done(await ana.post("/v1/observe", json={"messages": [LISBON]}), 201)
    assert (again["imported"], again["duplicates"]) == (0, 1)
    other = await done(
        await ana.post("/v1/observe", json={"messages": [{**LISBON, "content": "Porto."}]}), 409
    )
    assert other["type"] == "/problems/conflict"


async def test_questions_are_narrowed_as_in_python(ana: httpx.AsyncClient) -> None:
    assert await hits(ana, "Who moved?", user="somebody else") == []
    assert len(await hits(ana, "Who moved to Lisbon on a bicycle?", limit=1)) == 1
    assert await hits(ana, "Who moved?", until="2001-01-01") == []
    refused = await done(await ana.post("/v1/recall", json={"question": "Who?", "kinds": ["dreams"]}), 422)
    assert refused["field"] == "kinds"


async def test_many_questions_are_answered_in_their_order(ana: httpx.AsyncClient) -> None:
    asked = {"questions": ["Who moved to Lisbon?", "What was stolen?"], "limit": 1}
    answers = (await done(await ana.post("/v1/recall/many", json=asked)))["answers"]
    assert [one["hits"][0]["source"]["message"] for one in answers] == ["m1", "m2"]


async def test_a_block_for_a_prompt_keeps_to_its_budget(ana: httpx.AsyncClient) -> None:
    asked = {"question": "Who moved to Lisbon?", "budget_tokens": 200}
    block = await done(await ana.post("/v1/recall/block", json=asked))
    assert LISBON["content"] in block["text"]
    assert block["tokens"] <= 200
    assert block["hits"]


async def test_why_tells_the_reasons_of_one_hit(ana: httpx.AsyncClient) -> None:
    hit = (await hits(ana, "Who moved to Lisbon?"))[0]
    asked = {"question": "Who moved to Lisbon?", "kind": hit["kind"], "id": hit["id"]}
    why = await done(await ana.post("/v1/why", json=asked))
    assert "lisbon" in why["words"]
    assert [reason["amount"] for reason in why["reasons"]] == sorted(hit["parts"].values(), reverse=True)
    await done(await ana.post("/v1/why", json={**asked, "id": "1"}), 404)


async def test_hits_that_were_of_use_are_counted(ana: httpx.AsyncClient) -> None:
    hit = (await hits(ana, "Who moved to Lisbon?"))[0]
    used = {"hits": [{"kind": hit["kind"], "id": hit["id"]}, {"kind": "episodes", "id": "99"}]}
    assert (await done(await ana.post("/v1/reinforce", json=used)))["counted"] == 0  # neither of them ages
    assert (await done(await ana.get("/v1/reminders", params={"user": "ana"})))["items"] == []


async def test_sessions_come_in_pages_that_hold_each_once(clients: Any) -> None:
    client = await clients("write", space="pages")
    said = [{"content": f"word {n}", "session": f"s{n}"} for n in range(5)]
    await done(await client.post("/v1/observe", json={"messages": said}), 201)
    seen: list[str] = []
    cursor: str | None = None
    while True:
        query = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = await done(await client.get("/v1/sessions", params=query))
        seen += [one["name"] for one in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert sorted(seen) == [f"s{n}" for n in range(5)]


@pytest.mark.parametrize("cursor", ["x", "W10=", "WyJmYWN0cyIseyJvZmZzZXQiOjJ9XQ==", "ä", "WzFd" * 300])
async def test_what_is_no_cursor_of_the_list_is_refused(clients: Any, cursor: str) -> None:
    client = await clients("write", space="pages")
    assert (await done(await client.get("/v1/sessions", params={"cursor": cursor}), 422))["field"] == "cursor"


async def test_forgetting_shows_what_would_go_and_does_it_only_with_the_token(clients: Any) -> None:
    client = await clients("admin", space="forgetful")
    said = [{"content": "I moved to Lisbon.", "session": "s1"}, {"content": "Lisbon rain.", "session": "s2"}]
    await done(await client.post("/v1/observe", json={"messages": said}), 201)
    shown = await done(await client.post("/v1/forget", json={"session": "s1"}))
    assert shown["counts"]["messages"] == 1
    assert shown["receipt"] is None
    assert len(await hits(client, "Lisbon?")) == 2
    gone = await done(await client.post("/v1/forget", json={"session": "s1", "confirm": shown["confirm"]}))
    assert gone["receipt"]
    assert [hit["source"]["session"] for hit in await hits(client, "Lisbon?")] == ["s2"]


async def test_a_preview_that_is_out_of_date_is_not_carried_out(clients: Any) -> None:
    client = await clients("admin", space="changing")
    await client.post("/v1/observe", json={"messages": [{"content": "One.", "session": "s1"}]})
    shown = await done(await client.post("/v1/forget", json={"session": "s1"}))
    await client.post("/v1/observe", json={"messages": [{"content": "Two.", "session": "s1"}]})
    late = {"session": "s1", "confirm": shown["confirm"]}
    assert (await done(await client.post("/v1/forget", json=late), 412))["type"] == "/problems/outdated"
    other = {"user": "ana", "confirm": shown["confirm"]}
    await done(await client.post("/v1/forget", json=other), 412)
    assert (await done(await client.get("/v1/sessions")))["items"][0]["messages"] == 2


@pytest.mark.parametrize("what", [{}, {"everything": True, "session": "s1"}, {"session": ""}])
async def test_what_is_to_be_forgotten_must_be_said_clearly(ana: httpx.AsyncClient, what: object) -> None:
    await done(await ana.post("/v1/forget", json=what), 422)


async def test_a_space_that_is_forgotten_takes_its_keys_along(clients: Any) -> None:
    owner = await clients("admin")
    made = {"name": "n", "space": "gone", "level": "write"}
    token = (await done(await owner.post("/v1/keys", json=made), 201))["token"]
    client = await clients.with_token(token)
    await done(await client.post("/v1/observe", json={"messages": [{"content": "Hello."}]}), 201)
    asked = {"everything": True}
    shown = await done(await owner.post("/v1/forget?space=gone", json=asked))
    assert shown["counts"]["api_keys"] == 1
    confirmed = {**asked, "confirm": shown["confirm"]}
    await done(await owner.post("/v1/forget?space=gone", json=confirmed))
    await done(await client.post("/v1/recall", json={"question": "Hello?"}), 401)


async def test_an_import_withholds_what_was_forgotten_unless_erased_too(clients: Any) -> None:
    client = await clients("admin", space="forgotten")
    body = json.dumps(LISBON)

    async def taken(**options: str) -> tuple[int, int]:
        answer = await client.post("/v1/import", content=body, params=options)
        assert answer.status_code == 200, answer.text
        report = json.loads(answer.text.splitlines()[-1])["report"]
        return report["imported"], report["withheld"]

    assert await taken() == (1, 0)
    preview = await done(await client.post("/v1/forget", json={"user": "ana"}))
    await done(await client.post("/v1/forget", json={"user": "ana", "confirm": preview["confirm"]}))
    assert await taken() == (0, 1)
    assert await taken(erased_too="false") == (0, 1)
    assert await taken(erased_too="true") == (1, 0)
    assert await taken() == (0, 0)


async def test_an_import_is_told_of_line_by_line_and_again_changes_nothing(clients: Any) -> None:
    client = await clients("write", space="imported")
    lines = [json.dumps({"content": f"Fact {n}.", "session": "s"}) for n in range(900)]
    body = "\n".join([*lines, "no json", json.dumps({"text": "no content"})]).encode()
    answers = [await client.post("/v1/import", content=body) for _ in range(2)]
    told = [[json.loads(line) for line in answer.text.splitlines()] for answer in answers]
    assert all(answer.headers["content-type"] == "application/x-ndjson" for answer in answers)
    first, again = (lines[-1]["report"] for lines in told)
    assert (first["imported"], first["refused"]) == (900, 2)
    assert [refusal["line"] for refusal in first["refusals"]] == [901, 902]
    assert (again["imported"], again["duplicates"]) == (0, 900)
    assert told[0][-1]["done"] == 902


async def test_messages_are_paged_from_the_last_one_back_and_forward_behind_one(
    ana: httpx.AsyncClient,
) -> None:
    said = [{"id": f"n{n}", "content": f"Word {n}.", "session": "s2"} for n in range(7)]
    await done(await ana.post("/v1/observe", json={"messages": said}), 201)

    async def pages(**more: object) -> list[list[str]]:
        found: list[list[str]] = []
        cursor: dict[str, str] = {}
        while True:
            page = await done(
                await ana.get("/v1/messages", params={"session": "s2", "limit": 3, **more, **cursor})
            )
            found.append([one["id"] for one in page["items"]])
            if page["next"] is None:
                return found
            cursor = {"cursor": page["next"]}

    assert await pages() == [["n4", "n5", "n6"], ["n1", "n2", "n3"], ["n0"]]
    assert await pages(before="n6") == [["n3", "n4", "n5"], ["n0", "n1", "n2"]]
    assert await pages(after="n1") == [["n2", "n3", "n4"], ["n5", "n6"]]
    assert await pages(after="n1", before="n4") == [["n2", "n3"]]
    assert await pages(limit=200) == [[f"n{n}" for n in range(7)]]
