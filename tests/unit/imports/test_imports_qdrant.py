"""A Qdrant server: asked page by page, with a key, and not believed what it should not be."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from quipu.app.imports.fields import Account
from quipu.app.imports.found import Filed
from quipu.app.imports.sources.mem0 import SOURCE
from quipu.errors import BadInput

Answer = Callable[[str, dict[str, Any], dict[str, str]], tuple[int, Any]]


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """A server that answers as it is told; its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def _answer(self, body: dict[str, Any]) -> None:
            status, said = answer(self.path, body, dict(self.headers))
            data = said if isinstance(said, bytes) else json.dumps(said).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(data)))
            if status == 302:
                self.send_header("location", "http://127.0.0.1:1/")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def point(number: int) -> dict[str, Any]:
    payload = {"data": f"Memory {number}.", "user_id": "ana", "created_at": "2026-05-03T10:00:00+00:00"}
    return {"id": number, "payload": payload}


def store(path: str, body: dict[str, Any], _: dict[str, str]) -> tuple[int, Any]:
    """Three points of a collection, two on a page, beside a collection of entities."""
    if path == "/collections":
        return 200, {"result": {"collections": [{"name": "mem 0"}, {"name": "mem 0_entities"}]}}
    assert path == "/collections/mem%200/points/scroll"
    assert body["with_vector"] is False
    begin = body.get("offset", 0)
    points = [point(number) for number in range(3)][begin : begin + 2]
    return 200, {"result": {"points": points, "next_page_offset": begin + 2 if begin == 0 else None}}


def connected(url: str) -> tuple[list[Filed], Account]:
    account = Account()
    assert SOURCE.connect is not None
    return [one for one in SOURCE.connect(url, account) if isinstance(one, Filed)], account


def test_all_pages_of_all_collections_are_read() -> None:
    with serving(store) as host:
        found, account = connected(f"http://{host}")
    assert [(one.id, one.body, one.user) for one in found] == [
        (str(number), f"Memory {number}.", "ana") for number in range(3)
    ]
    assert account.left_out == {"a collection of entities that mem0 derived": 1}
    assert account.refused == []


@pytest.mark.parametrize("url", ["http://{}/collections/mem%200", "http://{}?collection=mem+0", "HTTP://{}/"])
def test_a_collection_may_be_named(url: str) -> None:
    with serving(store) as host:
        found, _ = connected(url.format(host))
    assert len(found) == 3


def test_a_key_is_handed_in() -> None:
    keys: list[str | None] = []

    def answer(path: str, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
        keys.append(headers.get("api-key"))
        return store(path, body, headers)

    with serving(answer) as host:
        connected(f"http://:s%3Acret@{host}")
    assert set(keys) == {"s:cret"}


@pytest.mark.parametrize(
    "said",
    [
        (302, {}),
        (401, {"status": "no key"}),
        (200, b"<html>"),
        (200, [1]),
        (200, {"result": 1}),
        (200, b"[" * 10_000),
        (200, {"result": {"collections": None}}),
    ],
)
def test_what_is_no_qdrant_is_refused(said: tuple[int, Any]) -> None:
    with serving(lambda *_: said) as host, pytest.raises(BadInput):
        connected(f"http://:secret@{host}")


def test_pages_without_an_end_are_refused() -> None:
    def answer(path: str, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
        if path == "/collections":
            return store(path, body, headers)
        return 200, {"result": {"points": [point(1)], "next_page_offset": 7}}

    with serving(answer) as host, pytest.raises(BadInput, match="no end"):
        connected(f"http://{host}")


def test_points_of_any_kind_are_refused_one_by_one() -> None:
    points = [None, 1, {}, {"id": [1]}, {"id": 5, "payload": {"data": [1]}}, point(2)]

    def answer(path: str, body: dict[str, Any], headers: dict[str, str]) -> tuple[int, Any]:
        if path == "/collections":
            return store(path, body, headers)
        return 200, {"result": {"points": points, "next_page_offset": None}}

    with serving(answer) as host:
        found, account = connected(f"http://{host}")
    assert [one.id for one in found] == ["2"]
    assert len(account.refused) + account.left_out["a point that is no memory"] == 5


@pytest.mark.parametrize("url", ["http://", "http://127.0.0.1:1", "http://[::1", "http://127.0.0.1:99999999"])
def test_a_server_that_is_not_there_is_said_so(url: str) -> None:
    with pytest.raises(BadInput):
        connected(url)


def test_an_error_never_shows_the_key() -> None:
    with pytest.raises(BadInput) as refused:
        connected("http://:secret@127.0.0.1:1")
    assert "secret" not in str(refused.value)


def test_a_collection_that_is_not_there_is_said_so() -> None:
    with serving(store) as host, pytest.raises(BadInput, match="mem 0"):
        connected(f"http://{host}?collection=other")
