"""The style sheet, the script and the icon: read once, kept by browsers until they change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

_TYPES: Final = {
    "style.css": "text/css; charset=utf-8",
    "htmx.min.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_KEPT: Final = "public, max-age=31536000, immutable"

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class File:
    """Content of a file, and a mark that changes with it."""

    content: bytes
    media_type: str
    mark: str


@cache
def file(name: str) -> File:
    """Return one of the files."""
    content = (resources.files("quipu.interfaces.web") / "static" / name).read_bytes()
    return File(content, _TYPES[name], sha256(content).hexdigest()[:12])


def address(name: str) -> str:
    """Return the address of a file for browsers."""
    return f"/static/{name}?v={file(name).mark}"


@router.get("/static/{name}")
async def static(name: str, v: str = "") -> Response:
    """Send a file; under the address that changes with it, it may be kept for good."""
    if name not in _TYPES:
        return Response("There is no such file.", 404, media_type="text/plain")
    asset = file(name)
    kept = _KEPT if v == asset.mark else "no-cache"
    return Response(asset.content, media_type=asset.media_type, headers={"Cache-Control": kept})
