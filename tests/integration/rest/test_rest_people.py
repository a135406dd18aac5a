"""Who has a key bound to one user reads and changes nothing of anybody else in the space, through any route.

As for spaces, the routes come from the route table and the requests from the OpenAPI, with the names and ids
of the others in their places. Then several people write at random, and each reads all there is to read.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import defaultdict
from typing import Any

import httpx
import psycopg
import pytest
from fastapi import FastAPI
from filling import Asking
from long_form import sized
from psycopg import sql
from route_table import Entry, entries
from seeding import KEY, PLACE, Known, documents, home_of, ledger, longterm, of_documents, said
from test_rest_isolation import LEAKS, asked, send

from quipu import AsyncMemory, acting_for

pytestmark = pytest.mark.anyio

SPACE = "shop"
MARKS = {"una": "aardvark", "otto": "bonobo", "ida": "civet"}
BOTH = "xerus"  # in what belongs to several people, and so to nobody
OURS = "una"
# What is closed to who acts for one person -> because it is not kept apart by person.
CLOSED = re.compile(
    r"POST /v1/aliases"
    r"| /v1/messages/"
    r"| /v1/(lessons|transcripts|tables|snapshots|import|receipts|conversations/(prompts|answer)"
    r"|used-lately|overview|episodes/(condense|rebuild)|longterm/(evaluate/session)|trace/source-runs)\b"
)


def others(user: str) -> re.Pattern[str]:
    marks = [mark for who, mark in MARKS.items() if who != user]
    return re.compile("|".join([*marks, BOTH]), re.IGNORECASE)


async def fill(memory: AsyncMemory) -> dict[str, Known]:
    """Give each person something of every kind, and all a session in common; what is known of each."""
    for user, mark in MARKS.items():
        await said(memory, SPACE, mark, user=user, sessions=(f"of {user}", f"more of {user}"))
    group = [{"content": f"I bring the {mark}.", "user": user} for user, mark in MARKS.items()]
    answer = {"role": "assistant", "content": f"The {BOTH} is for everybody."}
    await memory.observe([*group, answer], space=SPACE, session="group")
    alone = [{"content": f"Nobody knows whose the {BOTH} is."}, {"content": "A word.", "user": "otto"}]
    await memory.observe(alone, space=SPACE)
    await memory.work(concurrency=8)
    await memory.episodes.condense(space=SPACE)
    return {user: await known_of(memory, user, mark) for user, mark in MARKS.items()}


async def known_of(memory: AsyncMemory, user: str, mark: str) -> Known:
    where = {"user": user, "session": f"of {user}"}
    numbers = await ledger(memory, SPACE, mark, **where)
    ids = [*await longterm(memory, SPACE, mark, **where)]
    hits = await documents(memory, SPACE, mark, user=user)
    prompt = await memory.conversations.prompt(f"Is the {mark} blue?", space=SPACE, **where)
    with acting_for(user):
        for found in (
            await memory.episodes.list(space=SPACE),
            await memory.loops.list(space=SPACE, state="all"),
            await memory.beliefs.list(space=SPACE, state="all"),
            await memory.beliefs.conflicts(space=SPACE, settled=True),
        ):
            assert found
            ids.append(str(found[0].id))
        (hit, *_) = await memory.recall(f"Where is the {mark} harbour?", space=SPACE)
        ids.append(str((await memory.rules.add(f"Never mention the {mark}.", space=SPACE)).id))
        moved = f"the {mark} moved"
        await memory.relate(f"more of {user}-0", f"of {user}-0", space=SPACE, reason=moved)
    used = {"kind": hit.kind, "id": hit.id}
    return {
        "POST /v1/why": [{"json": {"question": "Where do I live?", **used}}],
        "POST /v1/reinforce": [{"json": {"hits": [used]}}],
        "POST /v1/longterm/remember": [{"json": {"claims": [home_of(f"more of {user}-0")]}}],
        **of_documents(hits, user),
        "POST /v1/ledger/events/{event}/undo": [
            {"json": {"force": True}, "path": f"/v1/ledger/events/{numbers[0]}/undo"}
        ],
        "GET /v1/evidence/recommendations/{id}": [
            {"path": f"/v1/evidence/recommendations/{number}"} for number in numbers[1:]
        ],
        "GET /v1/evidence/recommendations/{id}/sources": [
            {"path": f"/v1/evidence/recommendations/{number}/sources"} for number in numbers[1:]
        ],
        "id": [*ids, str(prompt.id)],
        "ids": [[one] for one in ids],
        "number": numbers,
        "session": [f"of {user}", f"more of {user}", "group"],
        "user": [user],
        "message": [f"of {user}-0"],
        "newer": [f"more of {user}-0"],
        "older": [f"of {user}-0"],
        "place": [PLACE],
        "key": [KEY, "home"],
        "table": ["boats"],
    }


def held(url: str, user: str) -> dict[str, str]:
    """A digest of every row that names a person or has their mark, and of their entries in the index."""
    found: dict[str, str] = {}
    with psycopg.connect(url) as conn:
        tables = conn.execute(
            "select table_schema, table_name from information_schema.columns c"
            " join information_schema.tables using (table_schema, table_name)"
            " where column_name = 'space_id' and table_type = 'BASE TABLE'"
        ).fetchall()
        theirs = f"\\y{user}\\y|{MARKS[user]}"
        for schema, table in tables:
            query = sql.SQL("select t::text from {} t where t::text ~* %s order by 1")
            rows = conn.execute(query.format(sql.Identifier(schema, table)), [theirs]).fetchall()
            found[f"{schema}.{table}"] = hashlib.sha256(repr(rows).encode()).hexdigest() if rows else ""
        rows = conn.execute(
            "select e::text, v::text from core.recall_entries e join core.recall_vectors v"
            " on v.space_id = e.space_id and v.entry_id = e.id"
            " where e.owner in (select id from core.recall_names where name = %(user)s)"
            " or e.id >> 24 in (select id from core.sessions where belongs_to = %(user)s) order by e.id",
            {"user": user},
        ).fetchall()
        assert rows
        found["entries"] = hashlib.sha256(repr(rows).encode()).hexdigest()
    return found


@pytest.fixture(scope="module")
async def known(memory: AsyncMemory) -> dict[str, Known]:
    return await fill(memory)


async def test_no_route_shows_or_changes_anything_of_another_person(
    app: FastAPI, clients: Any, known: dict[str, Known], module_url: str
) -> None:
    client = await clients("write", space=SPACE, user=OURS)
    schemas = app.openapi()["components"]["schemas"]
    before = {user: held(module_url, user) for user in MARKS if user != OURS}
    assert all(sum(map(bool, rows.values())) > 20 for rows in before.values())
    for entry in entries(app):
        for one in asked(entry, known["otto"], schemas):
            answer = await send(client, one)
            assert answer.status_code < 500, (one, answer.text)
            assert not others(OURS).search(answer.text), (one, answer.text)
            assert not LEAKS.search(answer.text), (one, answer.text)
            if entry.level == "admin" or not entry.of_space or CLOSED.search(entry.name):
                # An import has begun to answer before it is refused.
                refused = answer.status_code in {403, 404, 422} or "access-refused" in answer.text
                assert refused, (one, answer.text)
            elif "{id}" in entry.path:
                assert answer.status_code in {403, 404, 422}, (one, answer.text)
    assert {user: held(module_url, user) for user in before} == before


async def test_what_is_open_is_of_use_to_the_person(
    app: FastAPI, clients: Any, known: dict[str, Known]
) -> None:
    client = await clients("write", space=SPACE, user=OURS)
    schemas = app.openapi()["components"]["schemas"]
    useless: dict[str, str] = {}
    own = 0
    for entry in sorted(entries(app), key=lambda one: one.method != "GET"):
        if entry.level == "admin" or not entry.of_space or CLOSED.search(entry.name):
            continue
        for one in asked(entry, known[OURS], schemas):
            answer = await send(client, one)
            assert not others(OURS).search(answer.text), (one, answer.text)
            if answer.is_success:
                own += MARKS[OURS] in answer.text.lower()
                break
        else:
            useless[entry.name] = answer.text
    assert not useless, "\n".join(f"{name}: {text}" for name, text in useless.items())
    assert own > 25  # so many routes tell them of their own


async def test_the_id_of_somebody_elses_row_is_answered_like_an_unknown_one(
    clients: Any, known: dict[str, Known]
) -> None:
    client = await clients("write", space=SPACE, user=OURS)
    for room, id_ in (("longterm", 0), ("episodes", 2), ("loops", 3), ("beliefs", 4)):
        theirs = await client.get(f"/v1/{room}/{known['otto']['id'][id_]}")
        nobodys = await client.get(f"/v1/{room}/00000000-0000-4000-8000-000000000000")
        ours = await client.get(f"/v1/{room}/{known[OURS]['id'][id_]}")
        assert (theirs.status_code, nobodys.status_code, ours.status_code) == (404, 404, 200), room


@pytest.mark.usefixtures("known")
async def test_nothing_is_written_for_another_person_or_into_their_session(clients: Any) -> None:
    client = await clients("write", space=SPACE, user=OURS)
    word = {"content": "A word."}
    for body in (
        {"messages": [word], "user": "otto"},
        {"messages": [{**word, "user": "otto"}]},
        {"messages": [word], "session": "of otto"},
        {"messages": [word], "session": "group"},
    ):
        assert (await client.post("/v1/observe", json=body)).status_code == 403, body
    for path, body in (
        ("/v1/ledger/set", {"key": KEY, "value": "loud", "user": "otto"}),
        ("/v1/ledger/sessions", {"session": "of otto"}),
        ("/v1/longterm", {"summary": "Likes tea.", "user": "otto"}),
    ):
        answer = await client.post(path, json=body)
        assert answer.status_code == 403, answer.text
    reader = await clients("read", space=SPACE, user=OURS)
    assert (await reader.post("/v1/observe", json={"messages": [word]})).status_code == 403


def gather(told: Any, known: defaultdict[str, set[Any]]) -> None:
    """Note every id that an answer names, under the name that asks for it."""
    match told:
        case dict():
            for name, cell in told.items():
                if name in {"id", "session", "number", "key", "message"} and isinstance(cell, str | int):
                    known[name].add(cell)
                gather(cell, known)
        case list():
            for cell in told:
                gather(cell, known)
        case _:
            pass


async def random_write(client: httpx.AsyncClient, rng: random.Random, user: str, turn: int) -> httpx.Response:
    word = f"{MARKS[user]}{turn}"
    session = rng.choice([f"of {user}", f"of {user} {rng.randrange(3)}", "group", "of otto"])
    line = rng.choice([f"I live in {word}.", f"I will send you the {word} tomorrow.", f"My {word} is ill."])
    reply = {"role": "assistant", "content": f"I know the {word}."}
    path, body = rng.choice(
        [
            ("/v1/observe", {"messages": [{"content": line}, reply], "session": session}),
            ("/v1/observe", {"messages": [{"content": line, "id": f"{rng.randrange(9)}"}]}),
            ("/v1/ledger/set", {"key": KEY, "value": word}),
            ("/v1/ledger/assume", {"key": "mood", "value": word, "session": session}),
            ("/v1/longterm", {"summary": f"Has a {word}.", "session": session}),
            ("/v1/longterm", {"summary": "Likes tea.", "details": word}),
        ]
    )
    return await client.post(path, json=body)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(sized(1, long=3)))
async def test_whatever_people_write_each_reads_their_own(
    app: FastAPI, clients: Any, memory: AsyncMemory, known: dict[str, Known], seed: int
) -> None:
    rng = random.Random(seed)
    keys = {user: await clients("write", space=SPACE, user=user) for user in MARKS}
    for turn in range(40):
        user = rng.choice(list(MARKS))
        answer = await random_write(keys[user], rng, user, turn)
        assert answer.status_code in {200, 201, 403, 409, 422}, answer.text
        assert not others(user).search(answer.text), answer.text
    await memory.work(concurrency=8)
    schemas = app.openapi()["components"]["schemas"]
    seen: defaultdict[str, set[Any]] = defaultdict(set)
    reads = [one for one in entries(app) if one.of_space and one.level == "read"]
    for user, client in keys.items():
        for entry in reads:
            for one in guesses(entry, known, seen, schemas, rng):
                answer = await send(client, one)
                assert answer.status_code < 500, (one, answer.text)
                assert not others(user).search(answer.text), (user, one, answer.text)
                if answer.is_success and "json" in answer.headers["content-type"]:
                    gather(answer.json(), seen)
    assert len(seen["id"]) > 20


def guesses(
    entry: Entry,
    known: dict[str, Known],
    seen: defaultdict[str, set[Any]],
    schemas: Any,
    rng: random.Random,
) -> list[Asking]:
    """Requests with what anybody has seen so far, some at random."""
    together: Known = {**known["otto"]}
    for name, values in seen.items():
        wanted = str if name in {"id", "session", "message", "key"} else int
        fitting = sorted({one for one in values if isinstance(one, wanted)})
        if fitting and name in together:
            together[name] = rng.sample(fitting, min(4, len(fitting)))
    made = asked(entry, together, schemas)
    return rng.sample(made, min(5, len(made)))
