"""Collections of a Qdrant server, by URL, a page at a time; a redirect is not followed.

``GET /collections`` names them, ``POST /collections/NAME/points/scroll`` gives ``{"result": {"points": [{id,
payload}], "next_page_offset"}}``. ``http://:KEY@host:6333`` opens one that wants a key.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from quipu.app.imports.fields import Unreadable, as_list, as_object, parsed
from quipu.app.imports.found import JSON
from quipu.errors import BadInput

SCHEMES: Final = ("http", "https")

_PORT: Final = 6333
_SECONDS: Final = 60
_PAGE: Final = 256
_MOST_BYTES: Final = 256 << 20


class Qdrant:
    """A server that is asked, one question after the other."""

    def __init__(self, connection: HTTPConnection, parts: SplitResult) -> None:
        self._connection = connection
        self._before = parts.path.rstrip("/").partition("/collections")[0]
        self._headers = {"content-type": "application/json"}
        if key := unquote(parts.password or parts.username or ""):
            self._headers["api-key"] = key
        self.named = dict(parse_qsl(parts.query)).get("collection") or _last(parts.path)

    def collections(self) -> list[str]:
        """Return the names of all collections."""
        listed = as_list(self._result("GET", "/collections").get("collections")) or []
        return sorted(str(one["name"]) for each in listed if (one := as_object(each)) and "name" in one)

    def points(self, collection: str) -> Iterator[JSON]:
        """Yield the points of a collection, without their vectors."""
        where = f"/collections/{quote(collection, safe='')}/points/scroll"
        asked: dict[str, JSON] = {"limit": _PAGE, "with_payload": True, "with_vector": False}
        while True:
            page = self._result("POST", where, asked)
            points = as_list(page.get("points")) or []
            yield from points
            after = page.get("next_page_offset")
            if after is None:
                return
            if after == asked.get("offset") or not points:
                raise BadInput("The server gives a page of Qdrant that has no end.", field="path")
            asked["offset"] = after

    def _result(self, method: str, path: str, body: JSON = None) -> Mapping[str, JSON]:
        content = None if body is None else json.dumps(body)
        self._connection.request(method, f"{self._before}{path}", content, self._headers)
        answer = self._connection.getresponse()
        data = answer.read(_MOST_BYTES + 1)
        if answer.status != 200 or len(data) > _MOST_BYTES:
            raise BadInput(f"The server answered {answer.status} to {path}.", field="path")
        try:
            found = as_object(parsed(data, path))
        except Unreadable as error:
            raise BadInput(f"The server is no Qdrant: {error}.", field="path") from error
        result = as_object((found or {}).get("result"))
        if result is None:
            raise BadInput(f"The server is no Qdrant: it has no result for {path}.", field="path")
        return result


@contextmanager
def asking(url: str) -> Generator[Qdrant]:
    """Open a server for the block.

    Raises:
        BadInput: it cannot be reached, or is no Qdrant.
    """
    kinds: Mapping[str, Any] = {"http": HTTPConnection, "https": HTTPSConnection}
    try:
        parts = urlsplit(url)
        make, port = kinds[parts.scheme], parts.port
    except (ValueError, KeyError) as error:
        raise BadInput("it is no URL of a server.", field="path") from error
    if not parts.hostname:
        raise BadInput("it is no URL of a server.", field="path", hint="Such as http://localhost:6333.")
    with closing(make(parts.hostname, port or _PORT, timeout=_SECONDS)) as connection:
        try:
            yield Qdrant(connection, parts)
        except (OSError, HTTPException) as error:
            why = str(error) or type(error).__name__
            raise BadInput(f"{parts.hostname} cannot be asked: {why}.", field="path") from error


def _last(path: str) -> str | None:
    """Return the collection that a path names."""
    _, found, name = path.partition("/collections/")
    return unquote(name.partition("/")[0]) or None if found else None
