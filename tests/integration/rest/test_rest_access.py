"""Who may do what by HTTP: keys, their levels and spaces, sessions of browsers, and how often."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import httpx
import pytest
from fastapi import FastAPI

from quipu import AsyncMemory
from quipu.interfaces.server import create_app
from quipu.interfaces.serving.limits import Limits
from quipu.kernel.config import Settings
from quipu.upkeep.keys.model import new_token

pytestmark = pytest.mark.anyio

ASKED = {"question": "Who moved?"}
SAID = {"messages": [{"content": "I moved."}]}
BAD_TOKENS = [None, "", "x", "quipu_000000000000_" + 43 * "a", "quipu_000000000000_" + 43 * "é"]


@pytest.mark.parametrize("token", BAD_TOKENS)
async def test_without_a_key_that_opens_anything_nobody_gets_in(clients: Any, token: str | None) -> None:
    client = await clients.with_token(None)
    headers = {} if token is None else {"authorization": f"Bearer {token}".encode()}
    for method, path in (("POST", "/v1/recall"), ("GET", "/v1/spaces"), ("GET", "/metrics")):
        answer = await client.request(method, path, json=ASKED if method == "POST" else None, headers=headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert answer.headers["content-type"] == "application/problem+json"


async def test_each_level_includes_those_below_it(clients: Any) -> None:
    wanted = {"read": (200, 403, 403), "write": (200, 201, 403), "admin": (200, 201, 200)}
    for level, statuses in wanted.items():
        client = await clients(level, space="levels")
        answers = [
            await client.post("/v1/recall", json=ASKED),
            await client.post("/v1/observe", json=SAID),
            await client.post("/v1/forget", json={"session": "s"}),
        ]
        assert tuple(answer.status_code for answer in answers) == statuses, level


async def test_a_key_for_one_space_opens_no_other_and_nothing_of_the_whole(clients: Any) -> None:
    client = await clients("admin", space="mine")
    assert (await client.post("/v1/recall?space=mine", json=ASKED)).status_code == 200
    assert (await client.post("/v1/recall?space=yours", json=ASKED)).status_code == 403
    for method, path in (
        ("GET", "/v1/spaces"),
        ("GET", "/v1/health"),
        ("GET", "/v1/keys"),
        ("GET", "/metrics"),
    ):
        assert (await client.request(method, path)).status_code == 403
    assert (await client.post("/v1/keys", json={"name": "more"})).status_code == 403


async def test_a_key_for_all_spaces_must_say_which(clients: Any) -> None:
    client = await clients("admin")
    assert (await client.post("/v1/recall", json=ASKED)).json()["field"] == "space"
    assert (await client.post("/v1/recall?space=a/b%20ü", json=ASKED)).status_code == 200


async def test_keys_are_made_shown_once_and_ended(clients: Any, memory: AsyncMemory) -> None:
    owner = await clients("admin")
    made = (await owner.post("/v1/keys", json={"name": "notes", "space": "k", "level": "write"})).json()
    client = await clients.with_token(made["token"])
    assert (await client.post("/v1/observe", json=SAID)).status_code == 201
    listed = (await owner.get("/v1/keys?space=k")).text
    assert made["key"]["id"] in listed
    assert made["token"] not in listed
    assert made["token"][-20:] not in listed
    path = f"/v1/keys/{made['key']['id']}/revoke"
    shown = (await owner.post(path)).json()
    assert shown["shown"]["revoked_at"] is None
    assert (await client.post("/v1/observe", json=SAID)).status_code == 201
    assert (await owner.post(path, json={"confirm": shown["confirm"]})).json()["shown"]["revoked_at"]
    assert (await client.post("/v1/observe", json=SAID)).status_code == 401
    assert (await owner.post("/v1/keys/nobody/revoke")).status_code == 404


async def test_when_a_key_was_last_used_is_written_down(
    clients: Any, app: FastAPI, memory: AsyncMemory
) -> None:
    issued = await memory.keys.create("used", space="used")
    client = await clients.with_token(issued.token)
    await client.post("/v1/recall", json=ASKED)
    await app.state.served.access.note_use()
    (key,) = await memory.keys.list(space="used")
    assert key.last_used_at is not None
    assert datetime.now(UTC) - key.last_used_at < timedelta(minutes=1)


async def test_a_flood_is_told_to_wait_and_others_are_not(clients: Any, memory: AsyncMemory) -> None:
    issued = await memory.keys.create("hasty", space="flood", requests_per_minute=60)
    hasty, calm = await clients.with_token(issued.token), await clients("read", space="flood")
    answers = [await hasty.post("/v1/recall", json=ASKED) for _ in range(30)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert len(refused) >= 15
    assert {answer.status_code for answer in answers} == {200, 429}
    assert refused[0].headers["retry-after"] == "1"
    assert (await calm.post("/v1/recall", json=ASKED)).status_code == 200


async def test_who_tries_one_key_after_the_other_keeps_nobody_out(clients: Any, memory: AsyncMemory) -> None:
    stranger = await clients.with_token(None)
    refused: list[int] = []

    async def keep_trying() -> None:
        for _ in range(10):
            tried = {"authorization": f"Bearer {new_token()[1]}"}
            refused.append((await stranger.post("/v1/recall", json=ASKED, headers=tried)).status_code)

    async with anyio.create_task_group() as tasks:
        for _ in range(10):
            tasks.start_soon(keep_trying)
        known = await clients.with_token((await memory.keys.create("new", space="flood")).token)
        assert (await known.post("/v1/recall", json=ASKED)).status_code == 200
    assert refused == [401] * 100


async def test_where_the_database_gives_no_connection_it_is_told_so(
    server_settings: Settings, module_url: str
) -> None:
    settings = replace(server_settings, database_url=module_url, pool_size=1)
    async with AsyncMemory(settings=settings) as memory:
        app = create_app(memory=memory)
        database = memory.keys._database
        token = (await memory.keys.create("k", space="busy")).token
        transport = httpx.ASGITransport(app=app)
        headers = {"authorization": f"Bearer {token}"}
        async with (
            httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client,
            database.unscoped(),
        ):
            database._settings = replace(database._settings, connect_seconds=0.05)
            assert (await client.get("/health")).status_code == 200
            for answer in (await client.get("/ready"), await client.post("/v1/recall", json=ASKED)):
                assert answer.status_code == 503
                assert answer.headers["retry-after"]
                assert answer.json()["detail"] == "The database does not answer."


async def link(app: FastAPI) -> str:
    """The token of a link that signs somebody in."""
    return await app.state.served.memory.signins.link(seconds=60)


@pytest.fixture
async def browser(app: FastAPI) -> Any:
    """A browser that opened the sign-in link."""
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.get("/signin", params={"token": await link(app)})
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        cookie = answer.headers["set-cookie"].lower()
        assert all(word in cookie for word in ("httponly", "samesite=strict", "path=/"))
        yield client


async def test_a_sign_in_link_works_once(app: FastAPI, browser: httpx.AsyncClient, clients: Any) -> None:
    token = await link(app)
    other, late = [await clients.with_token(None) for _ in range(2)]
    assert (await other.get("/signin", params={"token": token})).status_code == 303
    assert (await late.get("/signin", params={"token": token})).status_code == 403
    assert (await late.get("/signin")).status_code == 401
    assert (await browser.get("/signin")).status_code == 303  # it is signed in already


async def test_a_session_reads_and_writes_only_from_pages_of_ours(
    app: FastAPI, browser: httpx.AsyncClient
) -> None:
    assert (await browser.get("/v1/spaces")).status_code == 200
    assert (await browser.post("/v1/recall?space=s", json=ASKED)).status_code == 403
    session = await app.state.served.signin.session(browser.cookies["quipu_session_80"])
    headers = {"x-csrf-token": session.csrf}
    assert (await browser.post("/v1/observe?space=s", json=SAID, headers=headers)).status_code == 201
    wrong = {"x-csrf-token": "é".encode()}
    assert (await browser.post("/v1/observe?space=s", json=SAID, headers=wrong)).status_code == 403


async def test_a_browser_is_signed_in_to_several_servers_of_a_host(memory: AsyncMemory) -> None:
    jar = httpx.Cookies()
    apps = {f"http://localhost{port}": create_app(memory=memory) for port in (":4780", ":4781", "")}
    for _ in range(2):
        for address, app in apps.items():
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url=address, cookies=jar) as client:
                if not len(jar) > 2:
                    await client.get("/signin", params={"token": await link(app)})
                    jar.update(client.cookies)
                assert (await client.get("/")).status_code == 200
    assert {cookie.name for cookie in jar.jar} == {
        *("quipu_session_4780", "quipu_session_4781", "quipu_session_80")
    }


async def test_signing_out_ends_the_session(app: FastAPI, browser: httpx.AsyncClient) -> None:
    session = await app.state.served.signin.session(browser.cookies["quipu_session_80"])
    kept = {"cookie": f"quipu_session_80={session.id}"}
    assert (await browser.post("/signout", data={"csrf_token": "wrong"})).status_code == 403
    assert (await browser.post("/signout", data={"csrf_token": session.csrf})).status_code == 303
    assert (await browser.get("/v1/spaces", headers=kept)).status_code == 401


async def test_a_browser_that_is_not_signed_in_is_shown_the_way(clients: Any) -> None:
    client = await clients.with_token(None)
    answer = await client.post("/signout", headers={"accept": "text/html"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/signin")


async def test_cookies_are_for_https_only_where_the_server_is(memory: AsyncMemory) -> None:
    app = create_app(memory=memory, terms=Limits(secure_cookies=True))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.get("/signin", params={"token": await link(app)})
    assert "secure" in answer.headers["set-cookie"].lower()


async def test_probes_need_no_key_and_counters_one_for_all_spaces(clients: Any) -> None:
    stranger, owner = await clients.with_token(None), await clients("read")
    assert (await stranger.get("/health")).json() == {"status": "ok"}
    assert (await stranger.get("/ready")).json() == {"status": "ready"}
    await owner.post("/v1/recall?space=secret-name", json=ASKED)
    await owner.post("/v1/keys/secret-id/revoke")
    counters = (await owner.get("/metrics")).text
    assert 'quipu_requests_total{method="POST",route="/v1/recall",status="200"}' in counters
    assert 'route="/v1/keys/{key}/revoke",status="403"' in counters
    assert "secret" not in counters


async def test_every_answer_keeps_to_itself(clients: Any) -> None:
    client = await clients.with_token(None)
    for path in ("/health", "/nowhere", "/v1/spaces", "/signin"):
        headers = (await client.get(path)).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
    preflight = {"origin": "http://evil.example", "access-control-request-method": "POST"}
    answer = await client.options("/v1/recall", headers=preflight)
    assert answer.status_code == 405
    assert "access-control-allow-origin" not in answer.headers


async def test_another_name_that_leads_here_is_refused(clients: Any) -> None:
    client = await clients("read", space="s")
    answer = await client.post("/v1/recall", json=ASKED, headers={"host": "evil.example:80"})
    assert answer.status_code == 403


async def test_the_openapi_document_says_how_problems_are_told_and_which_routes_need_a_key(
    clients: Any,
) -> None:
    stranger = await clients.with_token(None)
    paths = (await stranger.get("/v1/openapi.json")).json()["paths"]
    observe = paths["/v1/observe"]["post"]
    problem = {"schema": {"$ref": "#/components/schemas/Problem"}}
    assert observe["responses"]["422"]["content"] == {"application/problem+json": problem}
    assert observe["operationId"] == "record_observe"
    open_to_all = {path for path, ways in paths.items() for way in ways.values() if not way.get("security")}
    assert open_to_all == {"/health", "/ready"}
    assert list(paths["/v1/import"]["post"]["responses"]["200"]["content"]) == ["application/x-ndjson"]
