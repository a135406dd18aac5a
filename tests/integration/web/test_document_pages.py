"""The pages of documents: listed, found, read, edited, moved, taken away, brought back and erased."""

from __future__ import annotations

import re
from html import unescape

import pytest
from page_client import HOSTILE, Browser, faults

from quipu import AsyncMemory
from quipu.errors import NotFound

SPACE = "documents <pages>"
NAME = """<script>alert("x")</script><b>&"'"""
MOST_BYTES = 100_000


async def seen(client: Browser, address: str, /, **query: str) -> str:
    params = None if "?" in address else {"space": SPACE, **query}
    answer = await client.get(address, params=params)
    assert answer.status_code == 200, answer.text
    assert faults(answer.text) == []
    assert len(answer.content) < MOST_BYTES
    return answer.text


def links(page: str, beginning: str) -> list[str]:
    return [unescape(one) for one in re.findall(r'href="([^"]*)"', page) if one.startswith(beginning)]


async def test_a_list_is_read_path_by_path_and_page_by_page(client: Browser, memory: AsyncMemory) -> None:
    put = memory.documents.put
    for number in range(70):
        path = f"garden/{'beds' if number % 2 else 'trees'}"
        await put(path, f"plant-{number}", {"n": number}, space=SPACE, user="ana" if number < 5 else None)
    page = await seen(client, "/documents")
    assert "/documents?space=documents+%3Cpages%3E&path=garden" in links(page, "/documents?")
    page = await seen(client, "/documents", path="garden")
    assert [href.rpartition("=")[2] for href in links(page, "/documents?") if "garden%2F" in href] == [
        "garden%2Fbeds",
        "garden%2Ftrees",
    ]
    keys: list[str] = re.findall(r">(?:beds|trees)/(plant-\d+)</a>", page)
    while found := re.search(r'rel="next" href="([^"]*)"', page):
        page = await seen(client, unescape(found[1]))
        keys += re.findall(r">(?:beds|trees)/(plant-\d+)</a>", page)
    assert keys == [f"plant-{number}" for number in range(69, -1, -1)]
    of_ana = await seen(client, "/documents", path="garden/beds", user="ana")
    assert re.findall(r">(plant-\d+)</a>", of_ana) == ["plant-3", "plant-1"]
    gone = await client.get("/documents", params={"space": SPACE, "after": "x"})
    assert gone.status_code == 422


async def test_hostile_text_stays_text(client: Browser, memory: AsyncMemory) -> None:
    await memory.documents.put(
        [NAME, "a/b"],
        f"{NAME}.md",
        {HOSTILE: [HOSTILE]},
        body=f"# {HOSTILE}\n\n{HOSTILE}",
        metadata={HOSTILE: HOSTILE},
        space=SPACE,
        user="<b>ana</b>",
        actor="<b>planner</b>",
    )
    page = await seen(client, "/documents")
    (there,) = [one for one in links(page, "/documents/one?") if "script" in one]
    shown = await seen(client, there)
    assert HOSTILE not in shown
    assert "by &lt;b&gt;planner&lt;/b&gt;" in shown
    assert unescape(shown).count(HOSTILE) > 5
    for path in ("edit", "erase"):
        await seen(client, there.replace("/documents/one", f"/documents/{path}"))
    found = await seen(client, "/documents", q="Lisbon")
    assert there in links(found, "/documents/one?")
    await client.submit(there.replace("/one", "/rename"), {"to": "b/c", "to_key": "<b>"})
    await seen(client, "/documents/one", path="b/c", key="<b>")
    differs = await seen(client, "/documents/difference", path="b/c", key="<b>")
    assert "Place" in differs


@pytest.mark.parametrize(
    ("path", "key"),
    [
        (["a/b"], "c"),
        (["a", "b/c", "/"], "/k/"),
        ([" a ", "\U0001f600"], " k "),
        (["100%", "a%2Fb", "?", "#", "&"], "%2F"),
        (["x" * 400, "y" * 400], "z" * 500),
        (["ü" * 300, "&" * 100, "ß" * 200], "é" * 200),
        ([f"n{number:03}" for number in range(100)], "deep"),
    ],
)
async def test_every_name_leads_to_its_document_and_back(
    client: Browser, memory: AsyncMemory, path: list[str], key: str
) -> None:
    put = await memory.documents.put(path, key, space=SPACE, body="first")
    page = await seen(client, "/documents")
    there = links(page, "/documents/one?")[0]
    assert ">first<" in await seen(client, there)
    edit = there.replace("/one", "/edit")
    sent = await client.submit(edit, {"body": "second", "expected_version": str(put.version)})
    assert ">second<" in await client.outcome(sent)
    assert (await memory.documents.get(path, key, space=SPACE)).body == "second"
    assert "+ second" in await seen(client, there.replace("/one", "/difference"))
    assert (await client.submit(there.replace("/one", "/delete"))).status_code == 303
    with pytest.raises(NotFound):
        await memory.documents.get(path, key, space=SPACE)
    back = await client.submit(there.replace("/one", "/revert"), {"to": "1"})
    assert ">first<" in await client.outcome(back)
    crumbs = links(await seen(client, there), "/documents?")
    listed = await seen(client, crumbs[-1])
    assert there in links(listed, "/documents/one?")
    await memory.documents.delete(path, key, space=SPACE)


@pytest.mark.parametrize("query", [{}, {"path": "a"}, {"key": "k"}, {"path": "a\x1fb", "key": "k"}])
async def test_what_is_no_address_is_refused(client: Browser, query: dict[str, str]) -> None:
    answer = await client.get("/documents/one", params={"space": SPACE, **query})
    assert answer.status_code == 422
    missing = await client.get("/documents/one", params={"space": SPACE, "path": "no", "key": "where"})
    assert missing.status_code == 404


async def test_a_long_text_and_a_long_value_are_cut_and_it_is_said(
    client: Browser, memory: AsyncMemory
) -> None:
    put = memory.documents.put
    await put("large", "text", space=SPACE, body="<&\"'\U0001f600 é\n" * 500_000, index=False)
    await put("large", "value", {"a": list(range(600_000)), "b": "&" * 1_000_000}, space=SPACE, index=False)
    await put("large", "text", space=SPACE, body="other\n" * 800_000, index=False)
    text = await seen(client, "/documents/one", path="large", key="text")
    assert "Only its beginning is shown: it has 4,800,000 characters." in text
    assert "Only its beginning is shown." in await seen(client, "/documents/one", path="large", key="value")
    assert "More than can be compared" in await seen(
        client, "/documents/difference", path="large", key="text"
    )
    await seen(client, "/documents", path="large")
    refused = await client.get("/documents/edit", params={"space": SPACE, "path": "large", "key": "text"})
    assert refused.status_code == 422
    await memory.documents.erase("large", space=SPACE, confirm=True)


async def test_a_document_is_written_by_hand_and_edited_with_what_is_known_of_it(
    client: Browser, memory: AsyncMemory
) -> None:
    written = {"path": "notes/work", "key": "plan.md", "body": "# Plan\r\n\r\nBuy a rope.", "user": "ana"}
    sent = await client.submit(f"/documents?space={SPACE}", written)
    page = await client.outcome(sent)
    assert "The document is saved." in page
    assert "Buy a rope." in page
    again = await client.submit(f"/documents?space={SPACE}", written)
    assert again.status_code == 412
    at = {"path": "notes/work", "key": "plan.md"}
    kept = await memory.documents.put(
        **at,
        space=SPACE,
        body="\nfirst\n",
        value={"n": 12345678901234567890},
        metadata={"topic": "boat"},
        user="ana",
        index=["n"],
        ttl_seconds=5_000,
    )
    form = await seen(client, "/documents/edit", **at)
    assert "\n\nfirst\n</textarea>" in form
    edit = f"/documents/edit?space={SPACE}&path=notes/work&key=plan.md"
    wrong = await client.submit(edit, {"value": "{", "body": "", "expected_version": "2"})
    assert wrong.status_code == 422
    changed = {"value": '{"n": 2}', "body": "\r\nsecond\r\n", "expected_version": str(kept.version)}
    assert "the earlier version is kept" in await client.outcome(await client.submit(edit, changed))
    now = await memory.documents.get(**at, space=SPACE)
    assert (now.body, now.value, now.metadata) == ("\nsecond\n", {"n": 2}, {"topic": "boat"})
    assert (now.user, now.index, now.ttl_seconds) == ("ana", ["n"], 5_000)
    late = await client.submit(edit, {**changed, "body": "mine"})
    assert late.status_code == 409
    assert faults(late.text) == []
    assert "You saw version 2; it is now at version 3." in late.text
    assert "second" in late.text
    assert ">\nmine</textarea>" in late.text


async def test_the_versions_of_the_page_are_those_of_the_last_document(
    client: Browser, memory: AsyncMemory
) -> None:
    at = {"path": "diary", "key": "twice.md"}
    for text in ("Old.", "Older than the new one."):
        await memory.documents.put(**at, space=SPACE, body=text)
    await memory.documents.delete(**at, space=SPACE)
    for text in ("New.", "And again."):
        await memory.documents.put(**at, space=SPACE, body=text)
    redact = f"/documents/redact?space={SPACE}&path=diary&key=twice.md&version=1"
    digest = re.search(r'name="sha256" value="(\w+)"', await seen(client, redact))
    assert digest is not None
    await client.submit(redact, {"confirmed": "yes", "sha256": digest[1]})
    history = await memory.documents.history(**at, space=SPACE)
    assert [one.redacted for one in history] == [False, True, False, False]


async def test_versions_are_compared_brought_back_and_taken_out(client: Browser, memory: AsyncMemory) -> None:
    at = {"path": "diary", "key": "today.md"}
    for number, weather in enumerate(("sun", "rain", "snow")):
        await memory.documents.put(
            **at, space=SPACE, body=f"# Weather\n\n{weather}", actor=f"writer {number}"
        )
    page = await seen(client, "/documents/one", **at)
    for known in ("by writer 2", "by writer 0", "when another text came", "it stands", ">Weather<"):
        assert known in page
    shown = await seen(client, "/documents/difference", **at, new="3", old="1")
    assert "<del>− sun</del><ins>+ snow</ins>" in shown
    assert "<ins>+ snow</ins>" in await seen(client, "/documents/difference", **at)
    missing = await client.get("/documents/difference", params={"space": SPACE, **at, "new": "9"})
    assert missing.status_code == 404
    where = f"space={SPACE}&path=diary&key=today.md"
    redact = f"/documents/redact?{where}&version=1"
    asked = await seen(client, redact)
    digest = re.search(r'name="sha256" value="(\w+)"', asked)
    assert digest is not None
    assert (await memory.documents.history(**at, space=SPACE))[2].body is not None
    await client.submit(redact, {"confirmed": "yes", "sha256": "other"})
    assert (await memory.documents.history(**at, space=SPACE))[2].body is not None
    await client.submit(redact, {"confirmed": "yes", "sha256": digest[1]})
    assert (await memory.documents.history(**at, space=SPACE))[2].redacted
    assert "Its content was taken out." in await seen(client, "/documents/one", **at)
    assert "was taken out" in await seen(client, "/documents/difference", **at, new="2")
    deleted = await client.outcome(await client.submit(f"/documents/delete?{where}"))
    assert "it can be brought back" in deleted
    assert "Bring back</button>" in deleted
    back = await client.outcome(await client.submit(f"/documents/revert?{where}", {"to": "3"}))
    assert "What version 3 said is back." in back
    moved = await client.submit(f"/documents/rename?{where}", {"to": "archive", "to_key": "today.md"})
    assert "It is moved" in await client.outcome(moved)
    assert "elsewhere</a> now" in await seen(client, "/documents/one", **at)


async def test_what_is_erased_is_seen_before(client: Browser, memory: AsyncMemory) -> None:
    for key in ("a", "b"):
        await memory.documents.put("scrap/paper", key, key, space=SPACE)
    asked = await seen(client, "/documents/erase", path="scrap", key="")
    given = re.search(r'name="token" value="(\w+)"', asked)
    assert given is not None
    address = f"/documents/erase?space={SPACE}&path=scrap"
    await memory.documents.put("scrap/paper", "c", "c", space=SPACE)
    outdated = await client.submit(address, {"confirmed": "yes", "token": given[1]})
    assert outdated.status_code == 303
    assert len(await memory.documents.list("scrap", space=SPACE)) == 3
    given = re.search(r'name="token" value="(\w+)"', await seen(client, outdated.headers["location"]))
    assert given is not None
    assert (await client.submit(address, {"token": given[1]})).status_code == 303
    done = await client.submit(address, {"confirmed": "yes", "token": given[1]})
    assert "Forgotten: all documents below scrap" in done.text
    assert await memory.documents.list("scrap", space=SPACE) == []
    with pytest.raises(NotFound):
        await memory.documents.history("scrap/paper", "a", space=SPACE)


async def test_a_hit_of_recall_and_of_the_timeline_leads_to_its_document(
    client: Browser, memory: AsyncMemory
) -> None:
    await memory.documents.put(
        ["harbour", "pier/3"], "log:12.md", space=SPACE, body="# Lamps\n\nThe quagga lamp is broken."
    )
    for address in ("/recall", "/recall/timeline"):
        page = await seen(client, address, q="quagga lamp")
        there = links(page, "/documents/cited/")[-1 if "timeline" in address else 0]
        sent = await client.get(there)
        assert sent.status_code == 303
        assert "The quagga lamp is broken." in await seen(client, sent.headers["location"])
    gone = await client.get(f"/documents/cited/999999?space={SPACE}")
    assert gone.status_code == 404
    elsewhere = await client.get(there.replace("documents+%3Cpages%3E", "other"))
    assert elsewhere.status_code == 404


async def test_forms_without_a_token_and_strangers_change_nothing(
    client: Browser, stranger: Browser, memory: AsyncMemory
) -> None:
    await memory.documents.put("safe", "k", 1, space=SPACE)
    where = f"space={SPACE}&path=safe&key=k"
    for act in ("delete", "erase", "rename", "revert", "edit", "redact"):
        address = f"/documents/{act}?{where}&version=1"
        values = {"to": "1", "confirmed": "yes", "expected_version": "1", "value": "2"}
        assert (await client.post(address, data=values)).status_code == 403
        assert (await stranger.post(address, data=values)).status_code in (303, 401, 403)
    assert (await memory.documents.get("safe", "k", space=SPACE)).value == 1
    assert (await stranger.get(f"/documents/one?{where}")).status_code == 303
