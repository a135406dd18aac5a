"""Passwords in URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quipu.kernel.redact import values
from quipu.kernel.redact.model import MARK, Secret, Source

USER_AND_PASSWORD = re.compile(
    r"://[^\s:/@?#\"'<>]{0,128}:(?P<secret>[^\s/\"'<>?#]{1,256})@|://(?P<sole>[A-Za-z0-9_-]{32,128})@"
)


def find(source: Source) -> Iterator[Secret]:
    """Yield the password of every URL that has one; the user name stays."""
    position = source.text.find("://")
    while position >= 0:
        match = USER_AND_PASSWORD.match(source.text, position)
        if match is not None and (found := _secret(match)):
            yield found
        position = source.text.find("://", position + 3)


def _secret(match: re.Match[str]) -> Secret | None:
    group = match.lastgroup or "secret"
    value = match[group]
    if MARK in match[0] or values.is_placeholder(value) or value.isdigit():
        return None
    return Secret(*match.span(group), "url-password")
