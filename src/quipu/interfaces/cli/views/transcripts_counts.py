"""Numbers of recorded sessions as people read them: tools, files, tokens, tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows, named_values
from quipu.interfaces.cli.views.text import count, day_and_time, shortened, size, visible
from quipu.interfaces.cli.views.transcripts import short
from quipu.kinds.transcripts.browse.model import (
    CompactedOutput,
    IndexedTexts,
    QueryRows,
    QueryTable,
    TokenUsage,
    ToolUse,
    TouchedFile,
    TranscriptStats,
)

_WIDEST = 30
_EIGHTHS = " ▏▎▍▌▋▊▉"
_CELL = 200
_SYNC = "Take recorded sessions in first: quipu transcripts sync"


files = Rows[TouchedFile](
    {
        "edits": lambda one: _not_zero(one.edits),
        "writes": lambda one: _not_zero(one.writes),
        "reads": lambda one: _not_zero(one.reads + one.others),
        "sessions": lambda one: _not_zero(one.sessions),
        "last (UTC)": lambda one: day_and_time(one.last_touched),
        "file": lambda one: one.path,
    },
    right=("edits", "writes", "reads", "sessions"),
    none=f"No tool worked on a file. {_SYNC}",
)
"""Files that tools worked on."""


def tools(rows: Sequence[ToolUse]) -> RenderableType:
    """Show a table of tools."""
    by_project = any(one.project_path is not None for one in rows)
    if not rows:
        return Text(f"No tool was called. {_SYNC}", style="dim")
    head = ["tool", "calls", "failed", "median s", "sessions", *(["project"] if by_project else [])]
    table = Table(*head, box=None, pad_edge=False)
    for column in table.columns[1:5]:
        column.justify = "right"
    for one in rows:
        median = "" if one.median_seconds is None else f"{one.median_seconds:.1f}"
        failed = f"{one.errors:,}" if one.errors else ""
        cells = [shortened(one.tool, 40), f"{one.calls:,}", failed, median, f"{one.sessions:,}"]
        table.add_row(*cells, *([visible(one.project_path or "")] if by_project else []))
    return table


def stats(numbers: TranscriptStats | None) -> RenderableType:
    """Show the content of a space, and its tokens by day and model as bars."""
    if numbers is None or not numbers.totals.lines:
        return Text(f"Nothing is recorded here. {_SYNC}", style="dim")
    return Group(_totals(numbers), *_models(numbers.usage), *_days(numbers.usage))


def _not_zero(number: int) -> str:
    return f"{number:,}" if number else ""


def _totals(numbers: TranscriptStats) -> RenderableType:
    one = numbers.totals
    rows = {
        "sessions": f"{one.sessions:,} of {count(one.projects, 'project')}, "
        + f"{count(one.subagents, 'subagent')}, {count(one.teams, 'team')}",
        "time": f"{day_and_time(one.first)} to {day_and_time(one.last)} UTC",
        "messages": f"{one.messages:,}, {count(one.prompts, 'prompt')}, of {count(one.lines, 'line')}",
        "tool calls": f"{one.tool_calls:,}, {one.errors:,} failed",
        "memories": f"{one.memories:,}",
        "tokens": f"{short(one.input_tokens)} in, {short(one.output_tokens)} out, "
        + f"{short(one.cache_read_tokens)} read from cache, {short(one.cache_creation_tokens)} written to it",
        "text": f"{size(one.said_bytes)} said, {size(one.thinking_bytes)} thought, "
        + f"{size(one.input_bytes)} given to tools, {size(one.result_bytes)} answered",
        "on disk": f"{size(numbers.sizes.lines_bytes)}, text index {size(numbers.sizes.index_bytes)}"
        + " (all spaces)",
    }
    if one.compacted:
        rows["compacted"] = f"{count(one.compacted, 'output')}, {size(one.compacted_bytes)}"
    if numbers.unindexed:
        rows["to index"] = f"{count(numbers.unindexed, 'line')}: quipu transcripts index"
    return named_values(rows)


def _models(usage: Sequence[TokenUsage]) -> Iterator[RenderableType]:
    sums: defaultdict[str, int] = defaultdict(int)
    for one in usage:
        sums[one.model] += _tokens(one)
    if sums:
        yield Text("\ntokens by model", style="dim")
        yield _bars(
            [
                (visible(model or "unknown"), amount)
                for model, amount in sorted(sums.items(), key=lambda item: -item[1])
            ]
        )


def _days(usage: Sequence[TokenUsage]) -> Iterator[RenderableType]:
    sums: defaultdict[date, int] = defaultdict(int)
    for one in usage:
        sums[one.day] += _tokens(one)
    if sums:
        yield Text("\ntokens by day (UTC)", style="dim")
        yield _bars([(day.isoformat(), amount) for day, amount in sorted(sums.items())])


def _tokens(one: TokenUsage) -> int:
    """Count what was read again and what was written; reading a cache is nearly free and would hide it."""
    return one.input_tokens + one.cache_creation_tokens + one.output_tokens


def _bars(rows: Sequence[tuple[str, int]]) -> RenderableType:
    most = max(amount for _, amount in rows) or 1
    table = Table.grid(padding=(0, 2))
    for name, amount in rows:
        table.add_row(
            Text(name), Text(short(amount), justify="right"), Text(_bar(amount / most), style="cyan")
        )
    return table


def _bar(share: float) -> str:
    eighths = round(share * _WIDEST * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def answer(result: QueryRows) -> RenderableType:
    """Show a table of rows."""
    if not result.columns:
        return Text(f"There is no such space. {_SYNC}", style="dim")
    table = Table(*(visible(name) for name in result.columns), box=None, pad_edge=False)
    for row in result.rows:
        table.add_row(*("" if value is None else shortened(str(value), _CELL) for value in row))
    return table


def schema(relations: Sequence[QueryTable]) -> RenderableType:
    """Show tables by name; of a single one its columns."""
    if not relations:
        return Text(f"There is no such space. {_SYNC}", style="dim")
    if len(relations) > 1:
        table = Table("name", "kind", "what it holds", box=None, pad_edge=False)
        for one in relations:
            table.add_row(one.name, one.kind, one.comment or ", ".join(c.name for c in one.columns[:6]))
        return table
    table = Table("column", "type", "meaning", box=None, pad_edge=False)
    for column in relations[0].columns:
        table.add_row(column.name, column.type, column.comment or "")
    return table


def compacted(report: CompactedOutput) -> RenderableType:
    """Show the space that compaction saved, or would save."""
    if not report.tools:
        return Text(
            f"No output older than {count(report.older_than_days, 'day')} is long enough to be replaced.",
            style="dim",
        )
    table = Table("tool", "outputs", "now" if not report.done else "before", "then", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for one in report.tools:
        table.add_row(visible(one.tool), f"{one.results:,}", size(one.bytes_before), size(one.bytes_after))
    did = "were replaced" if report.done else "would be replaced"
    return Group(table, Text(f"{size(report.bytes_saved)} of {count(report.results, 'output')} {did}."))


def indexed(progress: IndexedTexts) -> RenderableType:
    """Show the progress of the text index."""
    left = f" {count(progress.left, 'line')} left." if progress.left else ""
    return Text(f"{count(progress.texts, 'text')} of {count(progress.lines, 'line')} indexed.{left}")
