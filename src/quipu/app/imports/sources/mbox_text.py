"""Mail: the words of a message, decoded; of HTML what a reader sees, quotes marked as in plain text. Pure."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.errors import MessageError
from email.header import Header, decode_header
from email.message import Message
from html import unescape
from typing import Final, cast

_UNSEEN: Final = frozenset({"script", "style", "template", "svg", "title"})
_LINE_TAGS: Final = (
    "address article blockquote br dd div dl dt footer form h1 h2 h3 h4 h5 h6 header hr li main ol p pre"
    " section table tr ul"
)
_LINES: Final = frozenset(_LINE_TAGS.split())
_TAG: Final = re.compile(r"<(?:(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]*)(?![a-zA-Z0-9])[^<>]*|[!?][^<>]*)>")
_DEEPEST_QUOTE: Final = 20
_SPACES: Final = re.compile(r"\s+")
_NOT_OF_MAIL: Final = frozenset(
    {"idna", "punycode", "raw_unicode_escape", "raw-unicode-escape", "unicode_escape", "unicode-escape"}
)


@dataclass(slots=True)
class Body:
    """The words of a message, and what is attached: the name and the media type of each."""

    texts: list[str] = field(default_factory=list[str])
    attached: list[tuple[str | None, str]] = field(default_factory=list[tuple[str | None, str]])
    is_plain: bool = True

    @property
    def text(self) -> str:
        """The words, with lines ended by ``\\n``."""
        return "\n\n".join(text for text in self.texts if text.strip()).strip("\n").rstrip()


def body_of(part: Message) -> Body:
    """Return the words of a message, or of a part of one.

    Of alternatives the first in plain text counts, else the first with any words.
    """
    if part.get_content_maintype() == "multipart":
        parts = [body_of(one) for one in _parts(part)]
        body = Body(attached=[one for inner in parts for one in inner.attached])
        if part.get_content_subtype() == "alternative":
            worded = [one for one in parts if one.text]
            parts = sorted(worded, key=lambda one: not one.is_plain)[:1]
        body.texts = [text for one in parts for text in one.texts]
        body.is_plain = all(one.is_plain for one in parts)
        return body
    name, kind = part.get_filename(), part.get_content_type()
    is_text = kind in ("text/plain", "text/html")
    if part.get_content_disposition() == "attachment" or not is_text or (name and kind == "text/html"):
        return Body(attached=[(decoded(name) if name else None, kind)])
    data = part.get_payload(decode=True)
    text = _text(data if isinstance(data, bytes) else b"", part.get_content_charset())
    is_plain = kind == "text/plain"
    return Body(texts=[text if is_plain else seen(text)], is_plain=is_plain)


def _parts(part: Message) -> Iterator[Message]:
    payload: object = part.get_payload()
    if isinstance(payload, list):
        yield from (one for one in cast("list[object]", payload) if isinstance(one, Message))


def decoded(value: object) -> str:
    """Return a header in one line, its encoded words decoded, whatever is wrong with them."""
    if isinstance(value, str) and value.isascii() and "=?" not in value:
        return _SPACES.sub(" ", value).strip()
    pieces: list[tuple[str | bytes, str | None]]
    try:
        pieces = decode_header(value if isinstance(value, Header) else str(value))
    except (MessageError, ValueError):  # an encoded word that is cut off
        pieces = [(str(value), None)]
    shown = "".join(_text(piece, charset) if isinstance(piece, bytes) else piece for piece, charset in pieces)
    return _SPACES.sub(" ", shown.encode("utf-8", "surrogateescape").decode("utf-8", "replace")).strip()


def _text(data: bytes, charset: str | None) -> str:
    """Decode bytes by the charset they claim to have, else by what they are."""
    for one in (charset, "utf-8"):
        try:
            if one and codecs.lookup(one).name not in _NOT_OF_MAIL:
                return _lines(data.decode(one))
        except (LookupError, ValueError):
            continue
    return _lines(data.decode("cp1252", "replace"))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def seen(markup: str) -> str:
    """Return the text that a reader of HTML sees; lines of quotes begin with ``>``.

    The time grows with the length, whatever is wrong with the markup.
    """
    page = _Page()
    at = 0
    text = _without_comments(markup)
    for tag in _TAG.finditer(text):
        page.add(text[at : tag.start()])
        at = tag.end()
        if tag["name"]:
            page.turn(tag["name"].lower(), -1 if tag["end"] else 0 if tag[0].endswith("/>") else 1)
    page.add(text[at:])
    return page.text


def _without_comments(markup: str) -> str:
    kept: list[str] = []
    at = 0
    while (begun := markup.find("<!--", at)) >= 0:
        kept.append(markup[at:begun])
        end = markup.find("-->", begun)
        at = len(markup) if end < 0 else end + 3
    return "".join([*kept, markup[at:]])


class _Page:
    """Lines of HTML as they are seen so far."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._depth = {"unseen": 0, "quote": 0}

    @property
    def text(self) -> str:
        """The lines, without those that are empty."""
        self._end_line()
        return "\n".join(self._lines)

    def add(self, data: str) -> None:
        """Add what stands between two tags."""
        if data and not self._depth["unseen"]:
            self._line.append(unescape(data))

    def turn(self, tag: str, step: int) -> None:
        """Take a tag: ``step`` is 1 at its beginning, -1 at its end, 0 for one that is both."""
        if tag in _LINES:
            self._end_line()
        for name, is_of in (("unseen", tag in _UNSEEN), ("quote", tag == "blockquote")):
            if is_of:
                self._depth[name] = max(0, self._depth[name] + step)

    def _end_line(self) -> None:
        line = _SPACES.sub(" ", "".join(self._line)).strip()
        if line:
            mark = ">" * min(self._depth["quote"], _DEEPEST_QUOTE)
            self._lines.append(f"{mark} {line}" if mark else line)
        self._line = []
