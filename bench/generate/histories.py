"""The kinds that are written down as transcripts, and how they become files of ``bench/data``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from random import Random
from typing import Any

from generate.transcript import Asked, Line, Thread, read

Ids = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class History:
    """One file made of ``banks``: the half to which a bank belongs, None where its topics take turns."""

    name: str
    seed: int
    banks: Mapping[str, str | None]


def histories() -> list[History]:
    """All kinds, in the order of their names."""
    return [
        History("life", 6, {"life": None}),
        History("orders", 7, {"orders": None}),
        History("rules", 8, {"rules": None}),
        History("updates", 9, {"updates_tune": "tune", "updates_report": "report"}),
    ]


def make(history: History) -> dict[str, Any]:
    """The file of a kind: ``{"name", "language", "messages", "questions"}``."""
    threads = [(thread, half) for bank, half in history.banks.items() for thread in read(bank)]
    messages, ids = _messages(history, [thread for thread, _ in threads])
    return {
        "name": history.name,
        "language": "english",
        "messages": messages,
        "questions": _questions(threads, ids),
    }


def _messages(history: History, threads: Sequence[Thread]) -> tuple[list[dict[str, object]], Ids]:
    """All messages in the order of time, and the ids of each mark."""
    messages: list[dict[str, object]] = []
    ids: dict[str, list[str]] = {}
    for at, session, thread, line in _spoken(threads, Random(history.seed)):
        id_ = f"{history.name}-{len(messages) + 1:04}"
        where: dict[str, object] = {"id": id_, "session": f"{history.name}-s{session:03}"}
        said = {"content": line.text, "time": at.isoformat().replace("+00:00", "Z")}
        messages.append(where | _who(thread, line) | said)
        for mark in line.marks:
            ids.setdefault(mark, []).append(id_)
    return messages, ids


def _spoken(threads: Sequence[Thread], rng: Random) -> list[tuple[datetime, int, Thread, Line]]:
    """Every line with its time and the number of its session; people talk at the same time elsewhere."""
    spoken: list[tuple[datetime, int, Thread, Line]] = []
    sessions = [(session, thread) for thread in threads for session in thread.sessions]
    for number, (session, thread) in enumerate(sorted(sessions, key=lambda pair: pair[0].starts), 1):
        at = session.starts
        for line in session.lines:
            at += timedelta(seconds=rng.randint(8, 90))
            spoken.append((at, number, thread, line))
    return sorted(spoken, key=lambda told: told[:2])


def _who(thread: Thread, line: Line) -> dict[str, str]:
    if not thread.roles:
        return {"role": "user", "speaker": line.speaker}
    who = {"role": thread.roles[line.speaker]}
    return who | {"user": thread.user} if thread.user else who


def _questions(threads: Sequence[tuple[Thread, str | None]], ids: Ids) -> list[dict[str, object]]:
    halves: dict[str, str] = {}
    turn = count()
    questions: list[dict[str, object]] = []
    for thread, half in threads:
        for asked in thread.questions:
            if asked.topic not in halves:
                halves[asked.topic] = half or ("tune", "report")[next(turn) % 2]
            user = {"user": thread.user} if thread.user else {}
            questions.append(_question(asked, halves[asked.topic], ids) | user)
    return questions


def _question(asked: Asked, half: str, ids: Ids) -> dict[str, object]:
    values = _values(asked, ids)
    entry: dict[str, object] = {"question": asked.text, "evidence": []}
    entry |= {"category": asked.category, "half": half}
    if asked.answer:
        entry["answer"] = asked.answer
    if asked.asks:
        entry["asks"] = asked.asks
    top = {name.partition(".")[0]: name for name in sorted(values)}
    newest = _ids(top.values(), ids)
    if not any("." in name for name in values):
        return entry | {"evidence": newest}
    outdated = _ids(values - set(top.values()), ids)
    evidence = {"past": outdated, "change": sorted([*outdated, *newest])}.get(asked.asks or "", newest)
    return entry | {"evidence": evidence, "newest": newest, "outdated": outdated}


def _values(asked: Asked, ids: Ids) -> set[str]:
    """The marks meant: all values of a mark without a number, else the one named and the newest."""
    names: set[str] = set()
    for mark in asked.marks:
        stem = mark.partition(".")[0]
        values = {name for name in ids if name.partition(".")[0] == stem}
        if not values or ("." in mark and mark not in values):
            raise ValueError(f"no line has the mark {mark!r}")
        names |= values if mark == stem else {mark, max(values)}
    return names


def _ids(names: Iterable[str], ids: Ids) -> list[str]:
    return sorted({id_ for name in names for id_ in ids[name]})
