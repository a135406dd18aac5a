"""Recorded sessions as people read them: lists, conversations, hits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from quipu.interfaces.cli.views.text import count, day_and_time, shortened, visible
from quipu.kinds.transcripts.browse.excerpts import CLOSE, OPEN
from quipu.kinds.transcripts.browse.model import (
    RecordedSession,
    ToolCall,
    Transcript,
    TranscriptHit,
    TranscriptHits,
    TranscriptLine,
    TranscriptMatch,
    TranscriptMatches,
    TranscriptTurn,
)

_INDENT = (0, 0, 0, 4)
_NAME, _TITLE, _CALL, _TEXT = 36, 60, 100, 2_000
_SAID = {"user": "bold cyan", "assistant": "bold", "system": "dim", "tool": "dim"}
_NOTHING_SYNCED = "No recorded sessions here. Take some in first: quipu transcripts sync"
_NOTHING_FOUND = (
    "Nothing has these words. Try fewer, a beginning (login*), alternatives (a OR b), or another --space."
)


def sessions(rows: Sequence[RecordedSession]) -> RenderableType:
    """Show sessions, two lines each, subagents below their parents."""
    if not rows:
        return Text(_NOTHING_SYNCED, style="dim")
    return Group(*(part for one in rows for part in _session(one, depth=0)))


def _session(one: RecordedSession, *, depth: int) -> Iterator[RenderableType]:
    title = one.title or one.agent_description or one.agent_type or "(no title)"
    head = Text.assemble(
        (f"{day_and_time(one.first_timestamp)}  ", "dim"),
        ("└ " if depth else ""),
        (shortened(title, _TITLE), "bold"),
    )
    yield Padding(head, (0, 0, 0, 2 * depth), expand=False)
    where = visible(one.project_path.rstrip("/").rsplit("/", 1)[-1] or "no project")
    detail = f"{shortened(one.id, _NAME)}  {where}  {length(one.seconds)}\n{_amounts(one)}"
    yield Padding(Text(detail, style="dim"), (0, 0, 0, 4 + 2 * depth), expand=False)
    for child in one.subagents:
        yield from _session(child, depth=depth + 1)


def _amounts(one: RecordedSession) -> str:
    failed = f" ({one.errors:,} failed)" if one.errors else ""
    parts = [count(one.messages, "message"), count(one.tool_calls, "tool call") + failed]
    tokens = one.input_tokens + one.cache_creation_tokens + one.cache_read_tokens
    if tokens or one.output_tokens:
        parts.append(f"{short(tokens)} tokens in, {short(one.output_tokens)} out")
    if one.memories:
        parts.append(count(one.memories, "memory", "memories"))
    return ", ".join(parts)


def length(seconds: float) -> str:
    """Format a duration: ``45 s``, ``12 min``, ``3 h 5 min``, ``2 d 3 h``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes = whole // 60
    if minutes < 60:
        return f"{minutes} min"
    if minutes < 24 * 60:
        return f"{minutes // 60} h {minutes % 60} min"
    return f"{minutes // (24 * 60)} d {minutes // 60 % 24} h"


def short(number: int) -> str:
    """Format a number: ``950``, ``12.3k``, ``4.5M``."""
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:.1f}{letter}"
    return str(number)


def shown(transcript: Transcript) -> RenderableType:
    """Show a session as it went."""
    lines = [part for line in transcript.lines for part in _line(line)]
    rest = (
        f"\n{len(transcript.lines):,} of {count(transcript.total, 'line')}; --limit and --offset show others."
    )
    more = [Text(rest, style="dim")] if len(transcript.lines) < transcript.total else []
    return Group(*_session(transcript.session, depth=0), Text(), *lines, *more)


def _line(line: TranscriptLine) -> Iterator[RenderableType]:
    if line.content_text or line.thinking:
        side = " (beside)" if line.is_sidechain else ""
        yield Text.assemble(
            (f"{line.role}{side}", _SAID.get(line.role, "bold")), (f"  {day_and_time(line.timestamp)}", "dim")
        )
    if line.thinking:
        yield Padding(Text(f"({_cut(line.thinking)})", style="dim italic"), _INDENT, expand=False)
    if line.content_text:
        yield Padding(Text(_cut(line.content_text)), _INDENT, expand=False)
    for call in line.calls:
        yield Padding(_call(call), _INDENT, expand=False)


def _cut(text: str) -> str:
    text = visible(text).strip()
    return text if len(text) <= _TEXT else f"{text[:_TEXT]}… ({len(text) - _TEXT:,} characters more)"


def _call(call: ToolCall) -> Text:
    seconds = "" if call.seconds is None else f" {call.seconds:.1f} s"
    text = Text.assemble((f"▸ {visible(call.tool)} ", "bold"), shortened(_given(call), _CALL))
    if call.result is None:
        text.append("\n  no result", "dim")
    else:
        failed = "failed: " if call.is_error else ""
        text.append(f"\n  {failed}{shortened(call.result, _CALL)}", "red" if call.is_error else "dim")
        text.append(f"  ({count(len(call.result), 'character')},{seconds})", "dim")
    return text


def _given(call: ToolCall) -> str:
    """Return a tool's input in a few words: its path or its command before anything else."""
    for name in ("command", "file_path", "path", "pattern", "query", "url", "description", "prompt"):
        if isinstance(call.input.get(name), str):
            return call.input[name]
    return json.dumps(call.input, ensure_ascii=False)


def searched(search: TranscriptHits) -> RenderableType:
    """Show hits, best first."""
    if not search.hits:
        return Text(_NOTHING_FOUND, style="dim")
    hits = [part for rank, hit in enumerate(search.hits, 1) for part in _hit(rank, hit)]
    return Group(*hits, *_beyond(search))


def _beyond(search: TranscriptHits) -> Iterator[RenderableType]:
    if search.total > len(search.hits):
        yield Text(f"\n{count(search.total, 'text')} with these words; --limit shows more.", style="dim")
    if search.unindexed:
        yield Text(f"{count(search.unindexed, 'line')} not indexed yet: quipu transcripts index", style="dim")


def _hit(rank: int, hit: TranscriptHit) -> Iterator[RenderableType]:
    what = f"{hit.tool or 'tool'} {hit.part}" if hit.part in ("input", "result") else f"{hit.role} {hit.part}"
    head = Text.assemble(
        (f"{rank:>2}  {hit.score:.2f}  ", "bold"),
        (f"{day_and_time(hit.timestamp)}  ", "dim"),
        (visible(what), "red" if hit.is_error else "bold"),
    )
    if hit.is_error:
        head.append("  failed", "red")
    yield head
    yield Padding(_marked(hit.snippet), _INDENT, expand=False)
    where = " / ".join(visible(part) for part in (hit.project_path, hit.session) if part)
    also = f" (and {count(len(hit.also_in), 'session')} resumed from it)" if hit.also_in else ""
    yield Padding(Text(where + also, style="dim"), _INDENT, expand=False)


def _marked(snippet: str) -> Text:
    """Return the marks in bold for a terminal; in a pipe they are unchanged."""
    text = Text()
    for at, piece in enumerate(visible(snippet).split(OPEN)):
        inside, closed, rest = piece.partition(CLOSE)
        if at == 0 or not closed:
            text.append(piece if at == 0 else OPEN + piece)
            continue
        text.append(f"{OPEN}{inside}{CLOSE}", "bold yellow")
        text.append(rest)
    return text


def recalled(recall: TranscriptMatches) -> RenderableType:
    """Show matches with the messages around them."""
    if not recall.matches:
        return Text(_NOTHING_FOUND, style="dim")
    return Group(*(part for rank, match in enumerate(recall.matches, 1) for part in _match(rank, match)))


def _match(rank: int, match: TranscriptMatch) -> Iterator[RenderableType]:
    where = " / ".join(visible(part) for part in (match.project_path, match.session_id) if part)
    yield Text.assemble((f"{rank:>2}  {match.relevance:.2f}  ", "bold"), (where, "dim"))
    for turn in (*match.before, match.match, *match.after):
        yield Padding(_turn(turn), _INDENT, expand=False)


def _turn(turn: TranscriptTurn) -> Text:
    mark = "▶ " if turn.match else "  "
    text = shortened(turn.content_text, 400)
    return Text.assemble(
        (f"{mark}{turn.role}  ", _SAID.get(turn.role, "bold")), (text, "" if turn.match else "dim")
    )
