"""Lessons as people read them, in 80 columns and in a pipe."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows, in_full
from quipu.interfaces.cli.views.text import count, day_and_time, shortened, visible
from quipu.kinds.transcripts.lessons.model import (
    ExtractionReport,
    FoundLesson,
    Lesson,
    LessonSource,
    Pruned,
)

_ID_DIGITS = 8
_LONGEST = 160

table = Rows[Lesson](
    {
        "id": lambda one: one.id[:_ID_DIGITS],
        "sure": lambda one: _share(one.confidence),
        "category": lambda one: one.category or "",
        "fact": lambda one: one.fact,
    },
    none="No lessons here. `quipu lessons extract` reads recorded sessions for them.",
)
"""Lessons with their worth."""

found = Rows[FoundLesson](
    {
        "id": lambda hit: hit.lesson.id[:_ID_DIGITS],
        "score": lambda hit: _share(hit.score),
        "sure": lambda hit: _share(hit.lesson.confidence),
        "category": lambda hit: hit.lesson.category or "",
        "fact": lambda hit: hit.lesson.fact,
    },
    none="No lesson answers that.",
)
"""Lessons that answer a question, with their score."""

sources = Rows[LessonSource](
    {
        "session": lambda one: one.session,
        "turn": lambda one: str(one.turn_index),
        "said": lambda one: shortened(one.excerpt, _LONGEST),
    },
    none="It was written by hand.",
)
"""Sessions in which a lesson was said."""


def one(lesson: Lesson) -> RenderableType:
    """Show everything that is known of one lesson."""
    return in_full(
        lesson.fact,
        lesson.id,
        ("category", lesson.category),
        ("confidence", f"{_share(lesson.confidence)} (judged {_share(lesson.judged)}), {lesson.state}"),
        ("project", lesson.project),
        ("from", f"{lesson.origin}{f' by {lesson.extractor}' if lesson.extractor else ''}"),
        ("said last", day_and_time(lesson.happened_at)),
        ("edited", day_and_time(lesson.edited_at)),
        ("confirmed", day_and_time(lesson.confirmed_at)),
        ("used", f"{count(lesson.uses, 'time')}, last {day_and_time(lesson.used_at)}" if lesson.uses else ""),
        ("otherwise", ", ".join(other[:_ID_DIGITS] for other in lesson.contradicted_by)),
    )


def report(done: ExtractionReport) -> RenderableType:
    """Show the outcome of an extraction."""
    if not done.sessions:
        return Text("Every session was read already. --again reads them once more.", style="dim")
    parts = [
        f"{count(len(done.sessions), 'session')} read by {done.extractor} {done.version}",
        f"{count(done.added, 'new lesson')}, {done.merged:,} known",
    ]
    if done.removed:
        parts.append(f"{done.removed:,} not found any more")
    if done.redacted:
        parts.append(f"{count(sum(done.redacted.values()), 'secret')} cut out")
    if done.left:
        parts.append(f"{count(done.left, 'session')} left")
    lines = [Text("; ".join(parts))]
    lines += [
        Text(f"{one.status}: {visible(one.session)}: {visible(one.error)}", style="red")
        for one in done.sessions
        if one.error
    ]
    return Group(*lines)


def pruned(done: Pruned) -> RenderableType:
    """Show the archived lessons, or the preview."""
    if not done.lessons:
        return Text("No lesson has faded.", style="dim")
    head = "archived" if done.archived else "faded"
    return Group(Text(f"{count(len(done.lessons), 'lesson')} {head}"), table(done.lessons))


def _share(value: float) -> str:
    return f"{value:.2f}"
