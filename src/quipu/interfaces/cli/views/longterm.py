"""Long-term memory as people read it, in 80 columns and in a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import count, day_and_time, shortened, visible
from quipu.kinds.longterm.evaluating.model import SessionEvaluation
from quipu.kinds.longterm.model import (
    ArchivedMemories,
    AuditLine,
    Evaluation,
    FoundMemory,
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
_NOT_FOUND = "No memory answers that."


def evaluation(done: SessionEvaluation) -> RenderableType:
    """Show what was asked for, a line each, and how much of it was done."""
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


def table(found: Sequence[LongtermMemory]) -> RenderableType:
    """Show memories, one line each."""
    if not found:
        return Text(_NONE, style="dim")
    rows = Table("id", "weight", "category", "user", "summary", box=None, pad_edge=False)
    for one in found:
        rows.add_row(one.id[:_ID_DIGITS], *_kind(one), visible(one.user or ""), visible(one.summary))
    return rows


def found(hits: Sequence[FoundMemory]) -> RenderableType:
    """Show memories that answer a question, with their score."""
    if not hits:
        return Text(_NOT_FOUND, style="dim")
    rows = Table("id", "score", "weight", "category", "summary", box=None, pad_edge=False)
    for hit in hits:
        one = hit.memory
        rows.add_row(one.id[:_ID_DIGITS], f"{hit.score:.2f}", *_kind(one), visible(one.summary))
    return rows


def one(memory: LongtermMemory) -> RenderableType:
    """Show everything that is known of one memory."""
    said = f"{day_and_time(memory.happened_at)}, {count(memory.stated_count, 'time')}"
    used = f"{count(memory.access_count, 'time')}, last {day_and_time(memory.last_accessed_at)}"
    told = (
        ("category", memory.category),
        ("importance", memory.importance),
        ("user", memory.user or "everybody in the space"),
        ("details", memory.details or ""),
        ("version", f"{memory.version}{', archived' if memory.archived else ''}"),
        ("source", memory.source or ""),
        ("said", said),
        ("changed", day_and_time(memory.updated_at)),
        ("in prompts", used if memory.access_count else ""),
    )
    lines = [Text(visible(memory.summary), style="bold"), Text(f"id          {memory.id}")]
    lines += [Text(f"{name:11} {visible(value)}") for name, value in told if value]
    return Group(*lines)


def sources(told: Sequence[MemorySource]) -> RenderableType:
    """Show the words that a memory rests on."""
    if not told:
        return Text("It was written by hand.", style="dim")
    rows = Table("session", "message", "said", box=None, pad_edge=False)
    for source in told:
        place = (visible(source.session or ""), visible(source.message or ""))
        rows.add_row(*place, shortened(source.excerpt, _LONGEST))
    return rows


def history(before: Sequence[MemoryRevision]) -> RenderableType:
    """Show the wording of a memory before each change."""
    if not before:
        return Text("It was never changed.", style="dim")
    rows = Table("version", "until", "by", "summary", "why", box=None, pad_edge=False)
    for one_ in before:
        when = f"{one_.act} {day_and_time(one_.changed_at)}"
        why = visible(one_.reason or "")
        rows.add_row(str(one_.version), when, visible(one_.changed_by), visible(one_.summary), why)
    return rows


def counts(found: Sequence[MemoryCount]) -> RenderableType:
    """Show the number of memories of each category and importance."""
    rows = Table("category", "importance", "live", "archived", box=None, pad_edge=False)
    for one_ in found:
        rows.add_row(one_.category, one_.importance, f"{one_.live:,}", f"{one_.archived:,}")
    return rows if found else Text(_NONE, style="dim")


def imported(found: MemoriesImported) -> RenderableType:
    """Show what a file of the seed brought."""
    return Group(*map(Text, _imported(found)))


def exported(done: MemoriesExported) -> RenderableType:
    """Show what was written into a file of the seed."""
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
    """Show what was archived, or would be."""
    if not done.memories:
        return Text("No live memory is meant.", style="dim")
    head = "archived" if done.archived else "would be archived"
    return Group(Text(f"{count(len(done.memories), 'memory', 'memories')} {head}"), table(done.memories))


def _kind(memory: LongtermMemory) -> tuple[str, str]:
    return memory.importance, memory.category


def _imported(found: MemoriesImported) -> Iterator[str]:
    yield (
        f"New: {found.new:,}, and {found.archived:,} archived; known before: {found.known:,};"
        f" repeated: {found.repeated:,}"
    )
    for title, by_kind in (("Put right", found.mended), ("Secrets cut out", found.redacted)):
        if by_kind:
            yield f"{title}: {', '.join(f'{number:,} {what}' for what, number in by_kind.items())}"
    if found.refused:
        yield f"Refused: {count(len(found.refused), 'row')}"
        for row in found.refused[:_SHOWN]:
            yield f"  {visible(row.id)}: {visible(row.why)}"
        if len(found.refused) > _SHOWN:
            yield f"  … and {len(found.refused) - _SHOWN:,} more (--json has all)"
