"""Messages as exchanges, exchanges as threads, and the mode of each reply. Pure.

A thread is named ``{platform}:{channel}:{seq}``. The channel is in the name of the session if that has the
form ``platform:channel`` (``telegram:4711``, also ``telegram:4711:monday``): then several sessions share its
threads. Any other session is a channel of its own, on the platform ``session``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from quipu.kinds.episodes.conversations.model import Message, Run
from quipu.kinds.episodes.shapes import Mode

QUIET: Final = timedelta(minutes=5)
"""After so long nobody is expected to answer what was asked last."""

PAUSE: Final = timedelta(minutes=30)
"""After so long the same person asks something new, rather than more."""

MOST_MESSAGES: Final = 60
"""A longer exchange (an agent that works for hours) is cut."""


_SHORT: Final = 60
_QUESTION = re.compile(r"[?？]\s*(?:[\"'”’)\]*_]\s*)*$")
_BACK = re.compile(
    r"(?i)^(?:could|can|would) you (?:\w+ ){0,2}"
    r"(?:clarify|specify|elaborate|explain|share|tell|confirm|give|provide)"
    r"|\b(?:what|which|who|when|where) (?:exactly |specifically )?"
    r"(?:do|did|would|should|is|are) (?:you|your)\b"
    r"|\bdo you (?:mean|want|prefer|need|have)\b|\bwhich (?:one|of|version|file|option)\b|\bto clarify\b"
    r"|\bwould you (?:like|prefer|rather)\b|\bshould i\b|\bshall i\b|\bhow (?:many|much|long|often|big)\b"
    r"|\bbefore i\b|\bneed (?:a bit )?more (?:details|information|context)\b"
)
_ACKNOWLEDGED = re.compile(
    r"(?i)^(?:(?:ok(?:ay)?|k|got it|sure(?: thing)?|noted|done|will do|understood|alright|great|perfect"
    r"|thanks?(?: you)?|thx|yes|yep|yeah|no problem|you(?:'|’)re welcome|my pleasure|of course|sounds good"
    r"|makes sense|absolutely|certainly|i(?:'|’)ll (?:remember|note|keep)(?: (?:that|it|this))?(?: in mind)?"
    r"|i see|right|cool|nice)\b[\s,.!…👍🙏✅]*){1,4}"
    r"(?:(?:i(?:'|’)ve |i have )?(?:noted|saved|remembered|recorded|updated)(?: (?:that|it|this))?[\s.!]*)?$"
)
_WORD = re.compile(r"\w")


CONTINUES: Final = timedelta(minutes=30)
RESUMES: Final = timedelta(minutes=240)

_CHANNEL = re.compile(r"([A-Za-z][A-Za-z0-9_.-]{0,31}):([^:/][^:]{0,511})(?::.*)?", re.DOTALL)

How = Literal["continued", "resumed", "new"]


@dataclass(frozen=True, slots=True)
class Formed:
    """Exchanges that can be read, oldest first, and when to look again for what still waits for an answer."""

    runs: Sequence[Run]
    waits_until: datetime | None


def form(messages: Sequence[Message], *, now: datetime, more: bool = False) -> Formed:
    """Return the exchanges in messages of a session, given in the order of the record.

    People who talk with each other answer each other: another speaker than the one who began is an answer,
    until the first speaks again. The last exchange may still grow; if nothing was answered in it, it waits
    for ``QUIET``. With ``more`` messages to come it is left for the next time.
    """
    runs: list[tuple[list[Message], list[Message]]] = []
    for message in messages:
        if message.role == "system":
            continue
        if not runs or _begins(runs[-1], message):
            runs.append(([], []))
        requests, replies = runs[-1]
        (replies if _answers(requests, message) else requests).append(message)
    formed = [Run(tuple(requests), tuple(replies)) for requests, replies in runs]
    if more and len(formed) > 1:
        return Formed(formed[:-1], None)
    if formed and not formed[-1].replies:
        until = formed[-1].ended_at + QUIET
        if now < until <= now + 2 * QUIET:  # later than that it was dated by a wrong clock
            return Formed(formed[:-1], until)
    return Formed(formed, None)


def _begins(run: tuple[list[Message], list[Message]], message: Message) -> bool:
    """Return True if a message begins another exchange."""
    requests, replies = run
    if len(requests) + len(replies) >= MOST_MESSAGES:
        return True
    if message.is_reply:
        return False
    last = (replies or requests)[-1]
    if message.happened_at - last.happened_at > PAUSE:
        return True
    return bool(replies) and not _answers(requests, message)


def _answers(requests: Sequence[Message], message: Message) -> bool:
    if message.is_reply:
        return True
    began = requests[0].speaker if requests else None
    return began is not None and message.speaker is not None and message.speaker != began


@dataclass(frozen=True, slots=True)
class Span:
    """A thread of a channel as far as it goes."""

    id: int
    seq: int
    started_at: datetime
    last_at: datetime


@dataclass(frozen=True, slots=True)
class ThreadPlace:
    """Place of an exchange. ``thread`` is its id; None for a new one.

    ``after`` is the channel's last thread before it, if it begins a new one.
    """

    how: How
    thread: int | None
    after: int | None = None


def channel_of(session: str) -> tuple[str, str]:
    """Return platform and channel of a session."""
    named = _CHANNEL.fullmatch(session)
    return (named[1].lower(), named[2]) if named else ("session", session)


def place(started_at: datetime, ended_at: datetime, threads: Sequence[Span]) -> ThreadPlace:
    """Return the thread of an exchange: the nearest in time, if it is at most four hours away.

    Up to half an hour it goes on, up to four hours it is resumed. An exchange that comes in late goes to the
    thread of its own time.
    """
    nearest = min(threads, key=lambda one: (_idle(started_at, ended_at, one), one.seq), default=None)
    if nearest is not None:
        idle = _idle(started_at, ended_at, nearest)
        if idle <= CONTINUES:
            return ThreadPlace("continued", nearest.id)
        if idle <= RESUMES:
            return ThreadPlace("resumed", nearest.id)
    before = [one for one in threads if one.last_at <= started_at]
    return ThreadPlace("new", None, max(before, key=lambda one: one.last_at).id if before else None)


def state(last_at: datetime, *, now: datetime, ended: bool) -> str:
    """Return the state of a thread: ``active``, ``resting`` (it can be resumed), ``ended``."""
    idle = now - last_at
    if ended or idle > RESUMES:
        return "ended"
    return "active" if idle <= CONTINUES else "resting"


def _idle(started_at: datetime, ended_at: datetime, thread: Span) -> timedelta:
    """Return the silence between them; none if they overlap."""
    return max(started_at - thread.last_at, thread.started_at - ended_at, timedelta(0))


def mode_of(reply: str, *, used_tools: bool) -> Mode:
    """Return the mode of a reply, as the seed names it.

    ACT if tools were called for it, CLARIFY if it asks back, ACKNOWLEDGE if it only shows that it has heard,
    IGNORE if it says nothing; else RESPOND.
    """
    text = reply.strip()
    if used_tools:
        return "ACT"
    if not _WORD.search(text):
        return "ACKNOWLEDGE" if text else "IGNORE"
    if _asks_back(text):
        return "CLARIFY"
    if len(text) <= 3 * _SHORT and _ACKNOWLEDGED.match(text):
        return "ACKNOWLEDGE"
    return "RESPOND"


def _asks_back(text: str) -> bool:
    """Return True if the last sentence is a question that is most of the text, or asks for what is needed."""
    if not _QUESTION.search(text):
        return False
    last = re.split(r"(?<=[.!?。！？])\s+|\n+", text)[-1]
    return (bool(_BACK.search(last)) and len(text) < 600) or len(last) > 0.6 * len(text)
