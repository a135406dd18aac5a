"""A client of HTTP that costs next to nothing: what is measured is the server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self


class Client:
    """One connection that stays open; ``async with Client(port, token) as client``."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._head = f"Host: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()

    async def post(self, path: str, document: Mapping[str, object]) -> tuple[int, Any]:
        """The status and the document that is answered."""
        body = json.dumps(document).encode()
        head = f"POST {path} HTTP/1.1\r\n{self._head}Content-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode() + body)
        answered = await self._reader.readuntil(b"\r\n\r\n")
        first, *lines = answered.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        told = await self._reader.readexactly(int(headers["content-length"]))
        return int(first.split()[1]), json.loads(told)
