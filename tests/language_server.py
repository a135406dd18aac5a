"""A real HTTP server on the loopback that answers by a script, in OpenAI's dialect or in Anthropic's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from types import TracebackType
from typing import Any

from patience import PATIENCE_SECONDS

KEY = "sk-language-test-key"


@dataclass(frozen=True)
class Reply:
    """What the server sends for one request; ``hangs`` sends it only when the server ends."""

    status: int = 200
    body: Any = None
    content_type: str = "application/json"
    hangs: bool = False
    # The pause that clients make is half a second where nobody says.
    headers: dict[str, str] = field(default_factory=lambda: {"Retry-After-Ms": "5"})


def said(text: str | None, *, cut_off: bool = False, used: int | None = 100, **message: Any) -> Reply:
    """An answer in words, and how many tokens it took if the server counts them."""
    choice = {
        "index": 0,
        "finish_reason": "length" if cut_off else "stop",
        "message": {"role": "assistant", "content": text} | message,
    }
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": used} if used is not None else None
    return Reply(200, {"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage})


def called(arguments: Any, *, used: int = 100) -> Reply:
    """An answer as the call of a tool."""
    call = {"id": "1", "type": "function", "function": {"name": "answer", "arguments": arguments}}
    return said(None, used=used, tool_calls=[call])


def streamed(*events: Any, end: str = "data: [DONE]\n\n") -> Reply:
    """An answer in events, each of them JSON."""
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + end
    return Reply(200, body.encode(), content_type="text/event-stream")


def spoke(*blocks: dict[str, Any], ended: str = "end_turn", used: int = 100) -> Reply:
    """An answer as Anthropic has them: blocks, and why it ended."""
    usage = {"input_tokens": used - 1, "output_tokens": 1}
    return Reply(
        200,
        {
            "type": "message",
            "role": "assistant",
            "content": list(blocks),
            "stop_reason": ended,
            "usage": usage,
        },
    )


def text(words: str) -> dict[str, Any]:
    """A block of words in an answer of Anthropic's."""
    return {"type": "text", "text": words}


def refused(status: int, words: str = "not now", *, wait: str | None = None) -> Reply:
    """A refusal; ``wait`` is what Retry-After says, if it says anything."""
    body = {"error": {"message": words}}
    return Reply(status, body) if wait is None else Reply(status, body, headers={"Retry-After": wait})


class LanguageServer:
    """Answers until the block ends; when the script has ended, with the last of it again."""

    def __init__(
        self,
        script: Iterable[Reply] = (),
        *,
        takes: Callable[[dict[str, Any]], Reply | None] = lambda body: None,
        models: list[str] | None = None,
        speaks: str = "openai",
        key: str | None = KEY,
    ) -> None:
        """``takes`` may refuse a request; ``models`` are listed; ``key`` is asked for, if there is one."""
        self.script = list(script)
        self.takes = takes
        self.models = models
        self.path = "/v1/chat/completions" if speaks == "openai" else "/v1/messages"
        self.key = key and (f"Bearer {key}" if speaks == "openai" else key)
        self.header = "Authorization" if speaks == "openai" else "X-Api-Key"
        self.requests: list[dict[str, Any]] = []
        self.ended = Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> LanguageServer:
        Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.ended.set()
        self._http.shutdown()
        self._http.server_close()

    def listed(self, path: str, key: str | None) -> Reply:
        """The reply to ``GET /models``."""
        if refusal := self._unknown(key):
            return refusal
        if self.models is None or path != "/v1/models":
            return refused(404, "no such page")
        return Reply(
            200, {"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]}
        )

    def answer(self, path: str, key: str | None, body: dict[str, Any]) -> Reply:
        """The reply to a question."""
        self.requests.append(body)
        if path != self.path:
            return refused(404, f"no {path} here")
        if refusal := self._unknown(key) or self.takes(body):
            return refusal
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def _unknown(self, key: str | None) -> Reply | None:
        if self.key is None or key == self.key:
            return None
        return refused(401, f"Incorrect API key provided: {(key or '').removeprefix('Bearer ')}")


def _handler(server: LanguageServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self.send(server.listed(self.path, self.headers[server.header]))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = server.answer(self.path, self.headers[server.header], body)
            if reply.hangs:
                server.ended.wait(PATIENCE_SECONDS)
                self.close_connection = True
                return
            self.send(reply)

        def send(self, reply: Reply) -> None:
            raw = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(raw)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            """Tests stay quiet."""

    return Handler
