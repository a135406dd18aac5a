"""Passwords in URLs and on the command line of curl."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quipu.kernel.redact import values
from quipu.kernel.redact.model import MARK, Secret, Source

USER_AND_PASSWORD = re.compile(
    r"://[^\s:/@?#\"'<>]{0,128}:(?P<secret>[^\s/\"'<>?#]{1,256})@|://(?P<sole>[A-Za-z0-9_-]{32,128})@"
)
CURL_USER = re.compile(r"\s(?:-u|--user)[ =]?[\"']?[\w.@-]{1,64}:(?P<secret>[^\s\"':]{4,128})")
CURL_WITHIN = 300


def find(source: Source) -> Iterator[Secret]:
    """The password of every URL that has one, and of ``curl -u user:password``; the user name stays."""
    position = source.text.find("://")
    while position >= 0:
        match = USER_AND_PASSWORD.match(source.text, position)
        if match is not None and (found := _secret(match, "url-password")):
            yield found
        position = source.text.find("://", position + 3)
    for start in source.hits("curl "):
        match = CURL_USER.search(source.text, start + 4, start + CURL_WITHIN)
        if match is not None and (found := _secret(match, "password")):
            yield found


def _secret(match: re.Match[str], kind: str) -> Secret | None:
    group = match.lastgroup or "secret"
    value = match[group]
    if MARK in match[0] or values.is_placeholder(value) or value.isdigit():
        return None
    return Secret(*match.span(group), kind)
