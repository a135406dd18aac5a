"""Credentials sent by HTTP clients: ``Authorization`` headers and bearer tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quipu.kernel.redact import values
from quipu.kernel.redact.model import Secret, Source

_VALUE = r"(?P<secret>[A-Za-z0-9._~+/-]{8,4096}+={0,2})"
_AUTHORIZATION = re.compile(
    rf"(?:\\?[\"'`]|\])*+\s{{0,4}}(?:=>|[:=,])\s{{0,4}}[fbr]?(?:\\?[\"'`])?(?:(?:bearer|basic|token|apikey|digest)\s{{1,4}})?{_VALUE}",
    re.IGNORECASE,
)
_BEARER = re.compile(rf"\s{{1,4}}{_VALUE}")


def find(source: Source) -> Iterator[Secret]:
    """Yield the credentials of each ``Authorization`` header and token after ``Bearer``; the scheme stays."""
    for word, form, least in (("authorization", _AUTHORIZATION, 8), ("bearer", _BEARER, 16)):
        for position in source.hits(word):
            match = form.match(source.text, position + len(word))
            if match is not None and _is_credential(match["secret"], least):
                yield Secret(*match.span("secret"), "authorization")


def _is_credential(value: str, least: int) -> bool:
    drawn = value.endswith("=") or any(map(str.isdigit, value))
    return len(value) >= least and drawn and not values.is_placeholder(value)
