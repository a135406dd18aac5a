"""Content of a file: its bytes, its digest and its text. What is no text is refused, never guessed."""

from __future__ import annotations

import hashlib
import io
import mimetypes
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any, Final

from quipu.kinds.documents.forms.prose import PAGE_END
from quipu.kinds.documents.rules import LARGEST_BYTES

_PDF: Final = "application/pdf"
_MEDIA_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys((".md", ".markdown", ".mdx"), "text/markdown"),
        **dict.fromkeys((".html", ".htm"), "text/html"),
        ".xhtml": "application/xhtml+xml",
        ".pdf": _PDF,
        ".css": "text/css",
        ".csv": "text/csv",
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".json": "application/json",
        ".py": "text/x-python",
        ".rst": "text/x-rst",
        ".xml": "text/xml",
        ".ts": "text/plain",  # to the list of Python it is a film
    }
)
_KNOWN: Final = mimetypes.MimeTypes()
_LOOKED_AT: Final = 8_192


class NoText(Exception):
    """A file has no text that can be taken; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """Bytes of a file, with what is known of it."""

    data: bytes
    media_type: str
    modified: datetime

    @property
    def sha256(self) -> str:
        """The SHA-256 of its bytes."""
        return hashlib.sha256(self.data).hexdigest()


def media_type(name: str) -> str:
    """Return the media type of a file by its ending; plain text if that says nothing."""
    suffix = PurePath(name).suffix.lower()
    return _MEDIA_TYPES.get(suffix) or _KNOWN.guess_type(f"x{suffix}")[0] or "text/plain"


def read(path: Path) -> Content:
    """Return the content of a file.

    Raises:
        NoText: it is none, too large, an image or another medium, binary, or cannot be read.
    """
    kind = media_type(path.name)
    if kind.partition("/")[0] in ("image", "audio", "video", "font"):
        raise NoText(f"its media type is {kind}")
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | _flag("O_NOFOLLOW") | _flag("O_NONBLOCK")), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise NoText("no regular file")
            first = file.read(_LOOKED_AT)
            if b"\0" in first and kind != _PDF:
                raise NoText("it is binary")
            if about.st_size > LARGEST_BYTES:
                raise NoText(f"it has {about.st_size / 2**20:.1f} MB; {LARGEST_BYTES // 2**20} are the most")
            data = first + file.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise NoText(f"it cannot be read: {error.strerror}") from error
    if len(data) > LARGEST_BYTES:
        raise NoText(f"it grew over {LARGEST_BYTES // 2**20} MB")
    return Content(data=data, media_type=kind, modified=datetime.fromtimestamp(about.st_mtime, UTC))


def check(content: Content) -> None:
    """Refuse a file that has no text, as far as can be told quickly: a PDF is not read.

    Raises:
        NoText: it is not UTF-8, or has a NUL in it.
    """
    if content.media_type != _PDF:
        text_of(content)


def text_of(content: Content) -> str:
    """Return the text of a file: of a PDF that of its pages, with a form feed between them.

    Raises:
        NoText: it is not UTF-8, has a NUL in it, or is a PDF without a text, or one that cannot be read.
    """
    if content.media_type == _PDF:
        return _text_of_pdf(content.data)
    if b"\0" in content.data:
        raise NoText("it is binary")
    try:
        return content.data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise NoText(f"it is not UTF-8: byte {error.start:,}") from error


def _text_of_pdf(data: bytes) -> str:
    try:
        import pypdf  # noqa: PLC0415 - an optional extra
        from pypdf.errors import PyPdfError  # noqa: PLC0415 - as above
    except ImportError as error:
        raise NoText("the text of a PDF needs the extra pdf: pip install 'quipu-memory[pdf]'") from error
    try:
        reader: Any = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted:
            raise NoText("it is encrypted")
        pages = [str(page.extract_text()) for page in reader.pages]
    # A damaged PDF makes the library stumble over whatever is missing.
    except (
        PyPdfError,
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
        AttributeError,
        RuntimeError,
    ) as error:
        raise NoText(f"its text cannot be read: {type(error).__name__}") from error
    said = f"\n{PAGE_END}".join(page.replace("\0", "").replace(PAGE_END, "\n") for page in pages)
    if not said.replace(PAGE_END, "").strip():
        raise NoText("it has no text, only images")
    return said.encode("utf-8", "replace").decode("utf-8")


def _flag(name: str) -> int:
    return getattr(os, name, 0)
