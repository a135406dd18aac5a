"""The text that a session is given at its beginning, within a hard budget.

What is taken in first is settled here: lessons before tasks, tasks before sessions, sessions before files.
Each kind gets a few places before any gets more, so that many lessons do not hide that work was left open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

from quipu.kernel.base.prompt_text import defused
from quipu.kernel.base.text import Marks, excerpt, sized
from quipu.kinds.transcripts.bootstrap.model import (
    Bootstrap,
    FrequentFile,
    KnownFacts,
    KnownLesson,
    RecentSession,
)
from quipu.recall.render import estimate_tokens

# Kind, and up to how many of it are taken in before the next line has its turn.
_TURNS: Final = (
    ("memories", 4),
    ("todos", 2),
    ("sessions", 2),
    ("frequent_files", 3),
    ("memories", 10),
    ("todos", 5),
    ("sessions", 5),
    ("frequent_files", 10),
    ("memories", None),
    ("todos", None),
    ("sessions", None),
    ("frequent_files", None),
)
_ORDER: Final = ("sessions", "memories", "frequent_files", "todos")
_FACT_CHARACTERS: Final = 240
_TITLE_CHARACTERS: Final = 80

Counts = Mapping[str, int]


def fit(known: KnownFacts, *, budget_tokens: int, marks: Marks, project: str | None = None) -> Bootstrap:
    """Return the part of ``known`` that fits into ``budget_tokens``, marks and headings included.

    Paths are shown as seen from ``project``. Of each kind the first ones are taken; one that does not fit
    ends its kind, so that no later, lesser one takes its place.
    """
    counts: dict[str, int] = dict.fromkeys(_ORDER, 0)
    ended: set[str] = set()
    for kind, upto in _TURNS:
        have = len(getattr(known, kind))
        while kind not in ended and counts[kind] < (have if upto is None else min(upto, have)):
            more = {**counts, kind: counts[kind] + 1}
            if estimate_tokens(sized(_text(known, more, project))) > budget_tokens:
                ended.add(kind)
            else:
                counts = more
    text = marks.mark(_text(known, counts, project))
    taken: dict[str, Any] = {kind: tuple(getattr(known, kind)[: counts[kind]]) for kind in _ORDER}
    return Bootstrap(**taken, text=text, tokens=estimate_tokens(text))


def _text(known: KnownFacts, counts: Counts, project: str | None) -> str:
    sections = {
        "sessions": _activity(known.sessions[: counts["sessions"]]),
        "memories": _lessons(known.memories[: counts["memories"]]),
        "frequent_files": _files(known.frequent_files[: counts["frequent_files"]], project),
        "todos": _section(
            "Open Todos",
            [f"- [ ] {_line(one.text, _FACT_CHARACTERS)}" for one in known.todos[: counts["todos"]]],
        ),
    }
    return defused("\n\n".join(sections[kind] for kind in _ORDER if sections[kind]))


def _section(title: str, lines: Sequence[str]) -> str:
    return "\n".join([f"## {title}", *lines]) if lines else ""


def _activity(sessions: Sequence[RecentSession]) -> str:
    def line(one: RecentSession) -> str:
        when = "" if one.last_timestamp is None else f"{one.last_timestamp:%Y-%m-%d %H:%M} "
        details = [one.git_branch or "", f"{one.prompts} prompts" if one.prompts else ""]
        told = ", ".join(filter(None, details))
        title = _line(one.title or one.id, _TITLE_CHARACTERS)
        return f"- {when}{title}{f' ({told})' if told else ''}"

    return _section("Recent Activity", [line(one) for one in sessions])


def _lessons(memories: Sequence[KnownLesson]) -> str:
    rows = [
        f"| {_cell(one.fact, _FACT_CHARACTERS)} | {_cell(one.category or '', 64)} | {one.confidence:.2f} |"
        for one in memories
    ]
    head = ["| Memory | Category | Confidence |", "|---|---|---|"]
    return _section("Relevant Memories", [*head, *rows] if rows else [])


def _files(files: Sequence[FrequentFile], project: str | None) -> str:
    def line(one: FrequentFile) -> str:
        edits = "1 edit" if one.edits == 1 else f"{one.edits} edits"
        return f"- {_line(_seen_from(one.path, project), 200)} ({edits})"

    return _section("Files Frequently Touched", [line(one) for one in files])


def _line(text: str, most: int) -> str:
    return excerpt(" ".join(text.split()), most)


def _cell(text: str, most: int) -> str:
    return _line(text, most).replace("\\", "\\\\").replace("|", "\\|")


def _seen_from(path: str, project: str | None) -> str:
    if project is None:
        return path
    try:
        return str(PurePath(path).relative_to(project))
    except ValueError:
        return path
