"""Tokens that a line break, a quotation or a continuation divides: read as if they were whole."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from quipu.kernel.redact.model import HEAD_CHARACTERS, Secret, Source
from quipu.kernel.redact.tokens import ANCHORS, Token

_PIECES: Final = 6
_SHORTEST_ANCHOR: Final = 4
_LONG_PIECE: Final = 40
_SHORTEST_REST: Final = 12
_PIECE = re.compile(r"[\w.+/=~-]{1,400}+", re.ASCII)
_REST = re.compile(r"[\w.+/~-]{1,400}+=?=?", re.ASCII)
# A continued line; quoted-printable; strings that are put together; line breaks, with what quotes lines.
_CONTINUED = r"\\\r?\n[ \t]{0,40}|(?<==)\r?\n|[\"']\s{0,40}[+.&\\]?\s{0,40}[\"']"
_BREAK = re.compile(rf"(?P<sure>{_CONTINUED})|(?P<line>(?:\r?\n|\\r\\n|\\n)[ \t>|#*]{{0,40}})")
_DRAWN = re.compile(r"(?=.*\d)(?=.*[A-Za-z])")

LEADING: Final = tuple(
    (anchor, token)
    for anchor, token in ANCHORS
    if token.leads and len(anchor) >= _SHORTEST_ANCHOR and not token.ambiguous and token.expression[0] == "("
)
"""Of the tokens that begin with an anchor which seldom stands elsewhere."""
_BY_HEAD: Final[defaultdict[str, list[tuple[str, Token]]]] = defaultdict(list)
for _anchor, _token in LEADING:
    _BY_HEAD[_anchor[:HEAD_CHARACTERS]].append((_anchor, _token))
_SIGNS: Final = ("\n", "\\", '" ', "' ", '"+', "'+")
MAY_BREAK: Final = r"[\w.+/=~-]{0,400}[\"'\\\\\r\n]"
"""What follows such an anchor where the token goes on after a break."""


def find(source: Source) -> Iterator[Secret]:
    """Yield every token that goes on after a line break."""
    text = source.text
    if not source.has_drawn or not any(sign in text for sign in _SIGNS):
        return
    for head in source.heads & _BY_HEAD.keys():
        for anchor, token in _BY_HEAD[head]:
            position = text.find(anchor)
            while position >= 0:
                secret = at(text, position, token)
                if secret is not None:
                    yield secret
                position = text.find(anchor, position + len(anchor))


def at(text: str, position: int, token: Token) -> Secret | None:
    """Return the token that begins there and goes on after a line break, if one does."""
    piece = _PIECE.match(text, position)
    if piece is None or (position and (text[position - 1].isalnum() or text[position - 1] in "+_")):
        return None
    joined, end = piece[0], piece.end()
    for _ in range(_PIECES):
        joined = joined.removesuffix("=") if text.startswith(("\n", "\r\n"), end) else joined
        cut = _BREAK.match(text, end)
        rest = _REST.match(text, cut.end()) if cut else None
        if cut is None or rest is None:
            return None
        whole = token.pattern.match(joined) is not None
        goes_on = cut["sure"] is not None if whole else _DRAWN.match(rest[0]) is not None
        if not goes_on and not (whole and _is_rest(text, joined, rest)):
            return None
        joined, end = joined + rest[0], rest.end()
        match = token.pattern.match(joined)
        if match is not None and match.end() > len(joined) - len(rest[0]):
            return Secret(position, end - (len(joined) - match.end()), token.kind)
    return None


def _is_rest(text: str, joined: str, rest: re.Match[str]) -> bool:
    """Return True if the next line is nothing but the rest of a long token."""
    alone = text[rest.end() : rest.end() + 1] in ("", "\n", "\r", '"', "'", "`", "\\")
    drawn = _DRAWN.match(rest[0]) is not None and rest[0].lower() != rest[0] != rest[0].upper()
    return alone and drawn and len(joined) >= _LONG_PIECE and len(rest[0]) >= _SHORTEST_REST
