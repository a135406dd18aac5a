"""Messages as exchanges: somebody says something, and is answered. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from quipu.kinds.episodes.conversations.model import Run, Said

QUIET: Final = timedelta(minutes=5)
"""After so long nobody is expected to answer what was asked last."""

PAUSE: Final = timedelta(minutes=30)
"""After so long the same person asks something new, rather than more."""

MOST_MESSAGES: Final = 60
"""A longer exchange (an agent that works for hours) is cut."""


@dataclass(frozen=True, slots=True)
class Formed:
    """Exchanges that can be read, oldest first, and when to look again for what still waits for an answer."""

    runs: Sequence[Run]
    waits_until: datetime | None


def form(messages: Sequence[Said], *, now: datetime, more: bool = False) -> Formed:
    """Return the exchanges in messages of a session, given in the order of the record.

    People who talk with each other answer each other: another speaker than the one who began is an answer,
    until the first speaks again. The last exchange may still grow; if nothing was answered in it, it waits
    for ``QUIET``. With ``more`` messages to come it is left for the next time.
    """
    runs: list[tuple[list[Said], list[Said]]] = []
    for message in messages:
        if message.role == "system":
            continue
        if not runs or _begins(runs[-1], message):
            runs.append(([], []))
        asked, replies = runs[-1]
        (replies if _answers(asked, message) else asked).append(message)
    formed = [Run(tuple(asked), tuple(replies)) for asked, replies in runs]
    if more and len(formed) > 1:
        return Formed(formed[:-1], None)
    if formed and not formed[-1].replies:
        until = formed[-1].ended_at + QUIET
        if now < until <= now + 2 * QUIET:  # later than that it was dated by a wrong clock
            return Formed(formed[:-1], until)
    return Formed(formed, None)


def _begins(run: tuple[list[Said], list[Said]], message: Said) -> bool:
    """Return True if a message begins another exchange."""
    asked, replies = run
    if len(asked) + len(replies) >= MOST_MESSAGES:
        return True
    if message.is_reply:
        return False
    last = (replies or asked)[-1]
    if message.happened_at - last.happened_at > PAUSE:
        return True
    return bool(replies) and not _answers(asked, message)


def _answers(asked: Sequence[Said], message: Said) -> bool:
    if message.is_reply:
        return True
    began = asked[0].speaker if asked else None
    return began is not None and message.speaker is not None and message.speaker != began
