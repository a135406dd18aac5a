"""A client of HTTP that costs next to nothing: what is measured is the server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit


class Client:
    """One connection that stays open; ``async with Client("http://127.0.0.1:4780", token) as client``."""

    def __init__(self, url: str, token: str) -> None:
        place = urlsplit(url)
        if place.scheme not in ("http", "https") or place.hostname is None:
            raise ValueError(f"{url!r} is no address such as https://memory.example.org")
        self._host, self._is_https = place.hostname, place.scheme == "https"
        self._port = place.port or (443 if self._is_https else 80)
        self._path = place.path.rstrip("/").removesuffix("/v1")
        host, json_ = f"Host: {place.netloc}", "Content-Type: application/json"
        self._head = f"{host}\r\nAuthorization: Bearer {token}\r\n{json_}\r\n"

    async def __aenter__(self) -> Self:
        tls = self._is_https or None
        self._reader, self._writer = await asyncio.open_connection(self._host, self._port, ssl=tls)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()

    async def post(self, path: str, document: Mapping[str, object]) -> tuple[int, Any]:
        """The status and the document that is answered."""
        body = json.dumps(document).encode()
        head = f"POST {self._path}{path} HTTP/1.1\r\n{self._head}Content-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode() + body)
        answered = await self._reader.readuntil(b"\r\n\r\n")
        first, *lines = answered.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        told = await self._body(headers)
        return int(first.split()[1]), json.loads(told)

    async def _body(self, headers: Mapping[str, str]) -> bytes:
        """The body, which a proxy may send in chunks."""
        if headers.get("transfer-encoding") != "chunked":
            return await self._reader.readexactly(int(headers["content-length"]))
        body = b""
        while size := int((await self._reader.readuntil(b"\r\n")).split(b";")[0], 16):
            body += await self._reader.readexactly(size)
            await self._reader.readexactly(2)
        await self._reader.readexactly(2)
        return body
