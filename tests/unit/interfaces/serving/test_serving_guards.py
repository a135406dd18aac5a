"""The guards before every door: how much, how fast, by which name."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import Any

import anyio
import httpx
import pytest
from patience import PATIENCE_SECONDS
from starlette.types import Receive, Scope, Send

from quipu.interfaces.serving.limits import Limits
from quipu.interfaces.serving.metrics import Metrics
from quipu.interfaces.serving.middleware import around

pytestmark = pytest.mark.anyio

App = Callable[[Scope, Receive, Send], Awaitable[None]]
TERMS = Limits(body_bytes=100, body_seconds=PATIENCE_SECONDS, request_seconds=PATIENCE_SECONDS)
SOON = 0.05


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the bytes that it was sent, and in how many pieces."""
    pieces: list[bytes] = []
    while True:
        message = await receive()
        pieces.append(message["body"])
        if not message["more_body"]:
            break
    body = json.dumps([len(b"".join(pieces)), len(pieces)]).encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


async def asleep(scope: Scope, receive: Receive, send: Send) -> None:
    await anyio.sleep_forever()


async def slow(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers, but not within the time of an answer."""
    await anyio.sleep(2 * SOON)
    await echo(scope, receive, send)


async def half(scope: Scope, receive: Receive, send: Send) -> None:
    """Begins an answer and never ends it."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await anyio.sleep_forever()


async def asked(
    app: App,
    *,
    terms: Limits = TERMS,
    path: str = "/",
    content: Any = b"",
    headers: dict[str, str] | None = None,
) -> httpx.Response:
    transport = httpx.ASGITransport(app=around(app, terms, Metrics()))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        return await client.post(path, content=content, headers=headers or {})


async def in_pieces(count: int, size: int) -> AsyncIterator[bytes]:
    for _ in range(count):
        yield b"x" * size


async def endless() -> AsyncIterator[bytes]:
    """A piece, and never the next."""
    yield b"x"
    await anyio.sleep_forever()


async def test_a_request_reaches_the_door_whole_and_in_one_piece() -> None:
    assert (await asked(echo, content=in_pieces(10, 10))).json() == [100, 1]
    assert (await asked(echo)).json() == [0, 1]


@pytest.mark.parametrize("content", [b"x" * 101, in_pieces(11, 10)], ids=["announced", "unannounced"])
async def test_what_is_too_large_is_refused_before_the_door(content: Any) -> None:
    answer = await asked(asleep, content=content)
    assert answer.status_code == 413
    assert answer.json()["type"] == "/problems/too-large"
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize("announced", [{}, {"content-length": "300"}], ids=["unannounced", "announced"])
async def test_what_is_too_large_is_read_to_its_end_so_that_the_answer_arrives(
    announced: dict[str, str],
) -> None:
    sent = 0

    async def content() -> AsyncIterator[bytes]:
        nonlocal sent
        async for piece in in_pieces(30, 10):
            sent += len(piece)
            yield piece

    assert (await asked(asleep, content=content(), headers=announced)).status_code == 413
    assert sent == 300


async def test_who_asks_before_sending_too_much_is_told_at_once() -> None:
    headers = {"content-length": "300", "expect": "100-continue"}
    assert (await asked(asleep, content=endless(), headers=headers)).status_code == 413


async def test_what_is_too_large_and_too_slow_is_told_to_be_too_large() -> None:
    headers = {"content-length": "300"}
    answer = await asked(asleep, terms=replace(TERMS, body_seconds=SOON), content=endless(), headers=headers)
    assert answer.status_code == 413


async def test_a_length_that_is_no_number_is_no_way_past_the_limit() -> None:
    headers = {"content-length": "many"}
    assert (await asked(asleep, content=in_pieces(11, 10), headers=headers)).status_code == 413


async def test_who_sends_too_slowly_is_sent_away() -> None:
    answer = await asked(asleep, terms=replace(TERMS, body_seconds=SOON), content=endless())
    assert answer.status_code == 503
    assert answer.json()["type"] == "/problems/took-too-long"


async def test_what_takes_too_long_is_given_up_and_told_as_a_problem() -> None:
    answer = await asked(asleep, terms=replace(TERMS, request_seconds=SOON))
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert answer.headers["content-type"] == "application/problem+json"


async def test_a_restore_has_the_time_it_needs_and_no_more_room() -> None:
    terms = replace(TERMS, request_seconds=SOON)
    answer = await asked(slow, terms=terms, path="/v1/snapshots/one.sql/restore")
    assert (answer.status_code, answer.json()) == (200, [0, 1])
    assert (await asked(slow, path="/v1/snapshots/one.sql/restore", content=b"x" * 101)).status_code == 413


async def test_an_answer_that_was_begun_is_not_begun_again() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message["type"])

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"host", b"localhost")]}
    with anyio.fail_after(PATIENCE_SECONDS):
        await around(half, replace(TERMS, request_seconds=SOON), Metrics())(scope, receive, send)
    assert sent == ["http.response.start"]


async def test_streams_come_in_pieces_of_any_size() -> None:
    assert (await asked(echo, path="/v1/import", content=in_pieces(5, 50))).json() == [250, 6]


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:4780", "LOCALHOST", "127.0.0.1:80", "[::1]:80", "[::1]"]
)
async def test_it_answers_to_its_names(host: str) -> None:
    assert (await asked(echo, headers={"host": host})).status_code == 200


@pytest.mark.parametrize(
    "host", ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", ":80"]
)
async def test_it_answers_to_no_other_name(host: str) -> None:
    assert (await asked(echo, headers={"host": host})).status_code == 403


async def test_every_answer_has_the_headers_of_a_page_that_keeps_to_itself() -> None:
    late = await asked(asleep, terms=replace(TERMS, request_seconds=SOON))
    for answer in (await asked(echo), late, await asked(echo, headers={"host": "x"})):
        assert answer.headers["x-frame-options"] == "DENY"
        assert "https:" not in answer.headers["content-security-policy"]
