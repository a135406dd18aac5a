"""A real HTTP server on the loopback that speaks OpenAI's ``/embeddings``, with vectors from hashed words."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any

from quipu.kernel.embedding.hashing import HashEmbedder

KEY = "key-of-the-test"


class EmbeddingServer:
    """Answers until the block ends. ``failures`` are statuses to answer with first, one request each."""

    def __init__(
        self, *, dimensions: int = 64, failures: list[int] | None = None, answers: int | None = None
    ) -> None:
        self.words = HashEmbedder(dimensions=dimensions)
        self.failures = failures or []
        self.answers = answers
        self.requests: list[dict[str, Any]] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> EmbeddingServer:
        Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, path: str, key: str | None, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The status and the body; the vectors come in reverse, as the protocol allows."""
        self.requests.append(body)
        if path != "/v1/embeddings":
            return 404, {"error": {"message": f"no {path} here"}}
        if key != f"Bearer {KEY}":
            return 401, {"error": {"message": "this key is not known"}}
        if self.failures:
            return self.failures.pop(0), {"error": {"message": "not now"}}
        rows = [3 * self.words.embed_now(text) for text in body["input"]]
        data = [
            {"object": "embedding", "index": place, "embedding": [float(number) for number in row]}
            for place, row in enumerate(rows)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return 200, {
            "object": "list",
            "data": data[::-1][: self.answers],
            "model": body["model"],
            "usage": usage,
        }


def _handler(server: EmbeddingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, answer = server.answer(self.path, self.headers["Authorization"], body)
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Tests stay quiet."""

    return Handler
