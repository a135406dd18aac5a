"""The limits of a server."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable
from dataclasses import dataclass
from typing import Final

import anyio

from quipu.errors import TookTooLong, TooLarge

_FILES: Final = frozenset({"/v1/import", "/v1/imports"})
_STREAMS: Final = (
    "/v1/snapshots/import",
    "/v1/snapshots/export",
    "/mcp",
    "/config/memory/import",
    "/config/memory/export",
)
_TAKE_LONG: Final = (*_STREAMS, "/v1/snapshots")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Terms of a server: its limits, and how long it waits.

    ``body_bytes``: of one request; ``document_bytes``: of one with documents, by who has a key, as text in
    JSON is longer than it is; ``import_bytes``: of one import, which is streamed. ``head_seconds``: for
    the head of a request; ``body_seconds``: for all of its body, or of a stream for the next piece of it.
    ``request_seconds``: for one answer, from the last byte of the question on. ``ready_seconds``: for the
    database, when ``/ready`` is asked. ``leave_seconds``: for requests in hand when the server is to end.
    ``session_seconds``: after which a person signs in again. ``link_seconds``: after which a sign-in link
    opens nothing. ``session_per_minute``: requests of one session. ``connections``: at a time and process;
    more are answered 503. ``hosts``: names by which it may be called (the header
    ``Host``); empty for any. ``secure_cookies``: it is reached by https only.
    """

    body_bytes: int = 2_000_000
    document_bytes: int = 40_000_000
    import_bytes: int = 1_000_000_000
    head_seconds: float = 10.0
    body_seconds: float = 30.0
    request_seconds: float = 60.0
    ready_seconds: float = 2.0
    leave_seconds: float = 20.0
    session_seconds: float = 12 * 3600.0
    link_seconds: float = 24 * 3600.0
    session_per_minute: int = 1_200
    connections: int = 1_000
    hosts: frozenset[str] = frozenset({"localhost", "127.0.0.1", "[::1]"})
    secure_cookies: bool = False

    def streams(self, path: str) -> bool:
        """Return True if requests there come or are answered bit by bit, however long it takes."""
        return path in _FILES or path.startswith(_STREAMS)

    def most_bytes(self, path: str) -> int:
        """Return the largest body of a request there, by somebody who has a key."""
        return self.document_bytes if path.startswith("/v1/documents") else self.body_bytes

    def takes_long(self, path: str) -> bool:
        """Return True if an answer there has unlimited time: of a schema as a whole, or of a stream."""
        return path in _FILES or path.startswith(_TAKE_LONG)


async def received(chunks: AsyncIterable[bytes], terms: Limits, *, larger: str) -> AsyncGenerator[bytes]:
    """Yield the bytes that are sent for an import; ``larger`` is the way out for more than it may have.

    Raises:
        TooLarge: it is more than an import may have.
        TookTooLong: nothing came for too long.
    """
    size, waiting = 0, aiter(chunks)
    while True:
        try:
            with anyio.fail_after(terms.body_seconds):
                chunk = await anext(waiting, None)
        except TimeoutError as error:
            raise TookTooLong(f"Nothing was sent for {terms.body_seconds:g} seconds.") from error
        if chunk is None:
            return
        size += len(chunk)
        if size > terms.import_bytes:
            raise TooLarge(f"An import may have {terms.import_bytes:,} bytes.", hint=larger)
        yield chunk
