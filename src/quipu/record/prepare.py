"""A message made ready for storing: stripped of echoes and secrets, and taken apart into terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from quipu.kernel.base import echo
from quipu.kernel.redact import redact
from quipu.recall.dates import tells_time
from quipu.recall.terms import Bag, bag
from quipu.record.model import Incoming

_ASKS = ("?", "？", "؟")
_CLOSING = " \t\r\n\"'”’)]}»"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A message that may be written. ``secrets`` counts what was cut out, by kind; ``echoes`` our blocks."""

    message: Incoming
    bag: Bag
    asks: bool
    has_time: bool
    secrets: Mapping[str, int]
    echoes: int


def prepare(message: Incoming, *, language: str, secrets: bool) -> Prepared:
    """Pure, and the only way into the record: nothing is stored that did not pass here.

    ``secrets``: whether to cut secrets out. The content is empty afterwards where a message was nothing
    but an echo of what we had recalled.
    """
    stripped = echo.strip(message.content)
    content, found = stripped.text, dict[str, int]()
    if secrets:
        redacted = redact(content)
        content, found = redacted.text, dict(redacted.counts)
    if content is not message.content:
        message = replace(message, content=content)
    asks = content[-200:].rstrip(_CLOSING).endswith(_ASKS)
    return Prepared(
        message, bag(content, language=language), asks, tells_time(content), found, stripped.removed
    )
