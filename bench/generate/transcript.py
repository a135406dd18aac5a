"""Reads a transcript: talk written down in the order of time, with marks on what questions ask for.

    == ana                      ana (``U``) talks with the assistant (``S``); ``== me``: without a name
    == people                   here every line begins with the name of its speaker
    2024-03-01 08:10            a session begins
    U home.1 job: text          a line with its marks: the first value of ``home``, and evidence of ``job``
    ? moved home present: question => answer
                                category, marks, what is asked (only where values replace each other)

Marks with numbers are values that replace each other, the highest holds; ``.0`` is an old value that
somebody comes back to after the news. A question may name one value of several: ``home.2``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from generate.bank import BANKS, blocks

ASKS = ("present", "past", "change")
ROLES = {"U": "user", "S": "assistant"}
PEOPLE = "people"
NOBODY = "me"
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
_LINE = re.compile(r"(?P<speaker>[^\W\d]+)(?P<marks>(?: [a-z][a-z0-9-]*(?:\.\d)?)*): (?P<text>.+)")
_QUESTION = re.compile(r"\? (?P<category>[a-z]+)(?P<marks>[^:]*): (?P<text>.+?)(?: => (?P<answer>.+))?")


@dataclass(frozen=True, slots=True)
class Line:
    """What one speaker says, and the marks of what it is evidence for."""

    speaker: str
    marks: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """Lines said together."""

    starts: datetime
    lines: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the marks of its evidence; ``asks`` is None where nothing was replaced."""

    text: str
    category: str
    marks: tuple[str, ...]
    asks: str | None
    answer: str | None

    @property
    def topic(self) -> str:
        """What it is about, the same for all questions about one matter."""
        return " ".join(mark.partition(".")[0] for mark in self.marks) or self.text


@dataclass(frozen=True, slots=True)
class Thread:
    """All sessions of one user with the assistant, or of people, and the questions about them."""

    user: str | None
    roles: Mapping[str, str]
    sessions: list[Session] = field(default_factory=list)
    questions: list[Asked] = field(default_factory=list)


def read(name: str, folder: Path = BANKS) -> list[Thread]:
    """The threads of ``NAME.txt``; ValueError at a line of no known form, or where time runs backwards."""
    return [_thread(head.removeprefix("== "), body) for head, body in blocks(name, folder)]


def _thread(head: str, body: Sequence[str]) -> Thread:
    with_assistant = head != PEOPLE
    thread = Thread(
        user=head if with_assistant and head != NOBODY else None, roles=ROLES if with_assistant else {}
    )
    for line in body:
        if _TIME.fullmatch(line):
            _begin(thread, datetime.strptime(line, "%Y-%m-%d %H:%M").replace(tzinfo=UTC))
        elif line.startswith("? "):
            thread.questions.append(_question(line))
        else:
            _speak(thread, line)
    return thread


def _begin(thread: Thread, starts: datetime) -> None:
    if thread.sessions and starts <= thread.sessions[-1].starts:
        raise ValueError(f"time runs backwards at {starts:%Y-%m-%d %H:%M}")
    thread.sessions.append(Session(starts))


def _speak(thread: Thread, line: str) -> None:
    found = _LINE.fullmatch(line)
    if not found or not thread.sessions or (thread.roles and found["speaker"] not in thread.roles):
        raise ValueError(f"not a line of a transcript: {line!r}")
    spoken = Line(found["speaker"], tuple(found["marks"].split()), found["text"])
    thread.sessions[-1].lines.append(spoken)


def _question(line: str) -> Asked:
    found = _QUESTION.fullmatch(line)
    if not found:
        raise ValueError(f"not a question: {line!r}")
    words = found["marks"].split()
    asks = words.pop() if words and words[-1] in ASKS else None
    return Asked(found["text"], found["category"], tuple(words), asks, found["answer"])
