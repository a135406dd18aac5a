"""A message made ready for storing: stripped of echoes and secrets, and taken apart into terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from quipu.kernel.base.echo import Heard, Marks
from quipu.kernel.redact import redact
from quipu.recall.dates import tells_time
from quipu.recall.terms import Bag, bag
from quipu.record.model import Incoming

_ASKS = ("?", "？", "؟")
_CLOSING = " \t\r\n\"'”’)]}»"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A message that may be written. ``secrets`` counts what was cut out, by kind.

    ``spoken`` is what of the content is indexed: all but memory of other spaces. ``heard`` counts what came
    back of memory.
    """

    message: Incoming
    spoken: str
    bag: Bag
    asks: bool
    has_time: bool
    secrets: Mapping[str, int]
    heard: Heard


def prepare(message: Incoming, *, language: str, secrets: bool, marks: Marks | None) -> Prepared:
    """Clean a message for the record; nothing is stored that did not pass here. Pure.

    ``secrets``: whether to cut secrets out. ``marks`` are those of the space, or None for a message that
    mentions none. The content is empty afterwards where a message was nothing but what we had recalled.
    """
    content, found = message.content, dict[str, int]()
    heard = Heard(content, content) if marks is None else marks.hear(content)
    content, spoken = heard.text, heard.spoken
    if secrets:
        redacted = redact(content)
        content, found = redacted.text, dict(redacted.counts)
        spoken = redact(spoken).text if heard.foreign else content
    if content is not message.content:
        message = replace(message, content=content)
    asks = spoken[-200:].rstrip(_CLOSING).endswith(_ASKS)
    return Prepared(message, spoken, bag(spoken, language=language), asks, tells_time(spoken), found, heard)
