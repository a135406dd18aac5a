"""Long-term memory as people read it, in 80 columns and in a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows, in_full
from quipu.interfaces.cli.views.text import count, day_and_time, shortened, visible
from quipu.kinds.longterm.evaluation.model import SessionEvaluation
from quipu.kinds.longterm.model import (
    ArchivedMemories,
    AuditLine,
    Evaluation,
    FoundMemory,
    JudgedClaim,
    LongtermMemory,
    MemoryCount,
    MemoryRevision,
    MemorySource,
)
from quipu.kinds.longterm.sati import Recovered
from quipu.kinds.longterm.sqlite.exchange import MemoriesExported, MemoriesImported

_ID_DIGITS = 8
_LONGEST = 160
_SHOWN = 20
_NONE = "No memories here. `quipu longterm add` writes one."


table = Rows[LongtermMemory](
    {
        "id": lambda one: one.id[:_ID_DIGITS],
        "weight": lambda one: one.importance,
        "category": lambda one: one.category,
        "user": lambda one: one.user or "",
        "summary": lambda one: one.summary,
    },
    none=_NONE,
)
"""Memories, one line each."""

found = Rows[FoundMemory](
    {
        "id": lambda hit: hit.memory.id[:_ID_DIGITS],
        "score": lambda hit: f"{hit.score:.2f}",
        "weight": lambda hit: hit.memory.importance,
        "category": lambda hit: hit.memory.category,
        "summary": lambda hit: hit.memory.summary,
    },
    none="No memory answers that.",
)
"""Memories that answer a question, with their score."""

sources = Rows[MemorySource](
    {
        "session": lambda one: one.session or "",
        "message": lambda one: one.message or "",
        "said": lambda one: shortened(one.excerpt, _LONGEST),
    },
    none="It was written by hand.",
)
"""The words that a memory rests on."""

history = Rows[MemoryRevision](
    {
        "version": lambda one: str(one.version),
        "until": lambda one: f"{one.act} {day_and_time(one.changed_at)}",
        "by": lambda one: one.changed_by,
        "summary": lambda one: one.summary,
        "why": lambda one: one.reason or "",
    },
    none="It was never changed.",
)
"""The wording of a memory before each change."""

counts = Rows[MemoryCount](
    {
        "category": lambda one: one.category,
        "importance": lambda one: one.importance,
        "live": lambda one: f"{one.live:,}",
        "archived": lambda one: f"{one.archived:,}",
    },
    none=_NONE,
)
"""The number of memories of each category and importance."""


def one(memory: LongtermMemory) -> RenderableType:
    """Show everything that is known of one memory."""
    used = f"{count(memory.access_count, 'time')}, last {day_and_time(memory.last_accessed_at)}"
    return in_full(
        memory.summary,
        memory.id,
        ("category", memory.category),
        ("importance", memory.importance),
        ("user", memory.user or "everybody in the space"),
        ("details", memory.details),
        ("version", f"{memory.version}{', archived' if memory.archived else ''}"),
        ("source", memory.source),
        ("said", f"{day_and_time(memory.happened_at)}, {count(memory.stated_count, 'time')}"),
        ("changed", day_and_time(memory.updated_at)),
        ("in prompts", used if memory.access_count else ""),
    )


def evaluation(done: SessionEvaluation) -> RenderableType:
    """Show the requested changes, a line each, and the number applied."""
    lines = [line for one in done.evaluations for line in _asked(one)]
    read, written = count(done.turns, "turn"), count(len(done.applied.memories), "change")
    return Group(
        *lines, Text(f"{read} of users read, {written} written, {done.dropped} dropped.", style="dim")
    )


def _asked(one: Evaluation) -> Iterator[Text]:
    for new in one.inclusions:
        yield Text(f"include  {new.importance:6} {new.category:20} {visible(new.summary)}")
    for edit in one.edits:
        yield Text(f"edit     {edit.id[:_ID_DIGITS]} {visible(edit.summary or edit.importance or '')}")
    for deletion in one.deletions:
        yield Text(f"archive  {deletion.id[:_ID_DIGITS]} {visible(deletion.reason)}")
    for left in one.left_out:
        yield Text(f"leave    {visible(left.statement or '')} ({left.reason})", style="dim")


def evaluated(one: Evaluation, *, show: bool) -> RenderableType:
    """Show the memories that a text would make; with ``show`` every clause and what becomes of its claim."""
    if show and one.claims:
        return Group(*(line for claim in one.claims for line in _judged(claim)))
    lines = list(_asked(one))
    return Group(*lines) if lines else Text("Nothing in it would be kept.", style="dim")


def _judged(one: JudgedClaim) -> Iterator[Text]:
    is_kept = one.verdict in ("kept", "changed", "ended")
    yield Text(f"{one.verdict:11}  {visible(one.words)}", style="" if is_kept else "dim")
    told = f"{one.rule}: {one.slot} = {one.value}" if one.slot else one.rule
    for line in (one.statement, told, one.reason):
        if line:
            yield Text(f"             {visible(line)}", style="dim" if line is not one.statement else "")


def imported(report: MemoriesImported) -> RenderableType:
    """Show the memories imported from a file of the seed."""
    return Group(*map(Text, _imported(report)))


def exported(done: MemoriesExported) -> RenderableType:
    """Show the memories exported to a file of the seed."""
    lines = [f"Written to {done.path}: {count(done.written, 'memory', 'memories')}."]
    if done.repeated:
        lines.append(f"{done.repeated:,} say what another says and are left out: the file holds that once.")
    lines.append(f"Export {done.id}, SHA-256 {done.sha256}.")
    return Group(*map(Text, lines))


def recovered(found_: Recovered) -> RenderableType:
    """Show the block that an agent would be given, and how long that took."""
    took = f"{count(len(found_.ids), 'memory', 'memories')}, {found_.tokens:,} tokens, {found_.took_ms:,} ms"
    if found_.trouble is not None:
        return Text(f"{found_.outcome}: {visible(found_.trouble)} ({took})", style="red")
    return Group(Text(visible(found_.block) or "Nothing relevant is known."), Text(took, style="dim"))


def audit(lines: Sequence[AuditLine]) -> RenderableType:
    """Show recoveries and evaluations, one line each, with the memories below."""
    if not lines:
        return Text("Nothing was recovered or evaluated yet.", style="dim")
    shown: list[RenderableType] = []
    for line in lines:
        turn = "/".join(visible(part) for part in (line.user, line.session, line.message) if part)
        parts = (day_and_time(line.at), line.act, line.outcome, turn, f"{line.took_ms:,} ms", line.trouble)
        shown.append(Text("  ".join(visible(part) for part in parts if part)))
        for memory in line.memories:
            score = "" if memory.score is None else f" {memory.score:.2f}"
            why = f": {visible(memory.reason)}" if memory.reason else ""
            shown.append(Text(f"    {memory.action} {memory.id[:_ID_DIGITS]}{score}{why}", style="dim"))
    return Group(*shown)


def archived(done: ArchivedMemories) -> RenderableType:
    """Show the archived memories, or the preview."""
    if not done.memories:
        return Text("No live memory is meant.", style="dim")
    head = "archived" if done.archived else "would be archived"
    return Group(Text(f"{count(len(done.memories), 'memory', 'memories')} {head}"), table(done.memories))


def _imported(report: MemoriesImported) -> Iterator[str]:
    yield (
        f"New: {report.new:,}, and {report.archived:,} archived; known before: {report.known:,};"
        f" repeated: {report.repeated:,}"
    )
    for title, by_kind in (("Put right", report.repaired), ("Secrets cut out", report.redacted)):
        if by_kind:
            yield f"{title}: {', '.join(f'{number:,} {what}' for what, number in by_kind.items())}"
    if report.refused:
        yield f"Refused: {count(len(report.refused), 'row')}"
        for row in report.refused[:_SHOWN]:
            yield f"  {visible(row.id)}: {visible(row.why)}"
        if len(report.refused) > _SHOWN:
            yield f"  … and {len(report.refused) - _SHOWN:,} more (--json has all)"
