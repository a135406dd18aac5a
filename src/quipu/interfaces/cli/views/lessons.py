"""Lessons as people read them, in 80 columns and in a pipe."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import count, day_and_time, shortened, visible
from quipu.kinds.transcripts.lessons.model import (
    ExtractionReport,
    FoundLesson,
    Lesson,
    LessonSource,
    Pruned,
)

_ID_DIGITS = 8
_NONE = "No lessons here. `quipu transcripts extract` reads recorded sessions for them."
_NOT_FOUND = "No lesson answers that."
_LONGEST = 160


def table(found: Sequence[Lesson]) -> RenderableType:
    """Show lessons with their worth."""
    if not found:
        return Text(_NONE, style="dim")
    rows = Table("id", "sure", "category", "fact", box=None, pad_edge=False)
    for lesson in found:
        rows.add_row(
            lesson.id[:_ID_DIGITS], _share(lesson.confidence), _category(lesson), visible(lesson.fact)
        )
    return rows


def found(hits: Sequence[FoundLesson]) -> RenderableType:
    """Show lessons that answer a question, with their score."""
    if not hits:
        return Text(_NOT_FOUND, style="dim")
    rows = Table("id", "score", "sure", "category", "fact", box=None, pad_edge=False)
    for hit in hits:
        lesson = hit.lesson
        cells = (_share(hit.score), _share(lesson.confidence), _category(lesson), visible(lesson.fact))
        rows.add_row(lesson.id[:_ID_DIGITS], *cells)
    return rows


def one(lesson: Lesson) -> RenderableType:
    """Show everything that is known of one lesson."""
    lines = [Text(visible(lesson.fact), style="bold"), Text(f"id          {lesson.id}")]
    told = (
        ("category", _category(lesson)),
        ("confidence", f"{_share(lesson.confidence)} (judged {_share(lesson.judged)}), {lesson.state}"),
        ("project", lesson.project),
        ("from", f"{lesson.origin}{f' by {lesson.extractor}' if lesson.extractor else ''}"),
        ("said last", day_and_time(lesson.happened_at)),
        ("edited", day_and_time(lesson.edited_at)),
        ("confirmed", day_and_time(lesson.confirmed_at)),
        ("used", f"{count(lesson.uses, 'time')}, last {day_and_time(lesson.used_at)}" if lesson.uses else ""),
        ("otherwise", ", ".join(other[:_ID_DIGITS] for other in lesson.contradicted_by)),
    )
    lines += [Text(f"{name:11} {visible(value)}") for name, value in told if value]
    return Group(*lines)


def sources(told: Sequence[LessonSource]) -> RenderableType:
    """Show where a lesson was said."""
    if not told:
        return Text("It was written by hand.", style="dim")
    rows = Table("session", "turn", "said", box=None, pad_edge=False)
    for source in told:
        rows.add_row(visible(source.session), str(source.turn_index), shortened(source.excerpt, _LONGEST))
    return rows


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
    """Show what was archived, or would be."""
    if not done.lessons:
        return Text("No lesson has faded.", style="dim")
    head = "archived" if done.archived else "faded"
    return Group(Text(f"{count(len(done.lessons), 'lesson')} {head}"), table(done.lessons))


def _share(value: float) -> str:
    return f"{value:.2f}"


def _category(lesson: Lesson) -> str:
    return visible(lesson.category or "")
