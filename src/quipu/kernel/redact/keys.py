"""Blocks of private keys (PEM, OpenSSH, PGP): on many lines or with escaped line breaks, whole or cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quipu.kernel.redact.model import Secret, Source

_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
# Line breaks (plain or escaped, once or twice), indentation, and what quotes or continues a line.
_BREAK = r"(?:\\{1,2}[nrt]|[\s\"'`+>|#*,\\])"
_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset)\s?:[^\n\\]{0,200}"
_BODY = re.compile(
    rf"(?:{_BREAK}|{_HEADER}|[A-Za-z0-9+/=]{{16,}}+|[A-Za-z0-9+/=]{{1,15}}+(?={_BREAK}{{0,80}}+(?:-----END|=[\w+/]{{4}})))*+"
)
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_MATERIAL = re.compile(r"[A-Za-z0-9+/=]{16}")


def find(source: Source) -> Iterator[Secret]:
    """Yield every private key from its first line to its last; one that was cut off as far as it goes.

    A begin line without key material after it is talk about keys and stays.
    """
    if "PRIVATE KEY" not in source.text:
        return
    position = 0
    while (begin := _BEGIN.search(source.text, position)) is not None:
        body = _BODY.match(source.text, begin.end())
        position = body.end() if body else begin.end()
        end = _END.match(source.text, position)
        if body is None or not _MATERIAL.search(source.text, *body.span()):
            continue
        position = end.end() if end else begin.end() + len(body[0].rstrip())
        yield Secret(begin.start(), position, "private-key")
