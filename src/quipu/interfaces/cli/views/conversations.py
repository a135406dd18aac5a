"""Conversations as people read them, in 80 columns and in a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import count, day_and_time, shortened, visible
from quipu.kinds.episodes.conversations.model import Conversation, Dialogue, Exchange, Thread, Topic
from quipu.kinds.episodes.prompting.model import Prompt

_NONE = "No conversations here."
_NOBODY_READ = "Nothing was read yet. `quipu worker --burst` reads what was taken in."
_LONGEST = 100


def table(found: Sequence[Conversation]) -> RenderableType:
    """Show conversations, a line each."""
    if not found:
        return Text(_NONE, style="dim")
    rows = Table("session", "latest", "messages", "topic", "title", box=None, pad_edge=False)
    for one in found:
        cells = (day_and_time(one.updated_at), f"{one.messages:,}", visible(one.topic))
        rows.add_row(visible(one.session), *cells, shortened(one.title or "", 60))
    return rows


def one(conversation: Conversation) -> RenderableType:
    """Show everything that is known of a conversation."""
    told = (
        ("session", conversation.session),
        ("title", conversation.title or ""),
        ("topic", conversation.topic),
        ("status", conversation.status),
        ("thread", conversation.thread or ""),
        ("person", conversation.user or ""),
        ("id", str(conversation.id)),
    )
    return Group(*(Text(f"{name:8} {visible(value)}") for name, value in told if value))


def dialogue(shown: Dialogue) -> RenderableType:
    """Show a conversation with what was said, and under each exchange what was kept of it."""
    ends = {exchange.messages[-1]: exchange for exchange in shown.exchanges if exchange.messages}
    lines: list[RenderableType] = [one(shown.conversation), Text()]
    for said in shown.messages:
        who = said.speaker or said.role
        mode = f" [{said.mode}]" if said.mode else ""
        head = Text(f"{day_and_time(said.created_at)} {visible(who)}{mode}: ", style="bold")
        lines.append(head + Text(shortened(said.content, 400), style="not bold"))
        if said.message in ends:
            lines += [Text(f"  {line}", style="dim") for line in _kept(ends[said.message])]
    return Group(*lines)


def threads(found: Sequence[Thread]) -> RenderableType:
    """Show threads, a line each."""
    if not found:
        return Text(_NOBODY_READ, style="dim")
    rows = Table("thread", "state", "exchanges", "from", "to", box=None, pad_edge=False)
    for thread in found:
        cells = (thread.state, f"{thread.exchanges:,}", day_and_time(thread.started_at))
        rows.add_row(visible(thread.name), *cells, day_and_time(thread.last_at))
    return rows


def topics(found: Sequence[Topic]) -> RenderableType:
    """Show topics, a line each."""
    if not found:
        return Text(_NOBODY_READ, style="dim")
    rows = Table("topic", "exchanges", "latest", "words", box=None, pad_edge=False)
    for topic in found:
        cells = (f"{topic.messages:,}", day_and_time(topic.last_at))
        rows.add_row(visible(topic.name), *cells, visible(", ".join(topic.words)))
    return rows


def prompt(asked: Prompt) -> RenderableType:
    """Show a prompt with its answer, or its state."""
    head = Text(f"{asked.id} {asked.status}", style="dim")
    if asked.reply is not None:
        return Group(head, Text(visible(asked.reply)))
    return Group(head, Text(visible(asked.error or "A worker answers it: quipu worker"), style="dim"))


def prompts(found: Sequence[Prompt]) -> RenderableType:
    """Show prompts, a line each."""
    if not found:
        return Text("No prompts here.", style="dim")
    rows = Table("asked", "session", "status", "prompt", "answer", box=None, pad_edge=False)
    for asked in found:
        cells = (visible(asked.session), asked.status, shortened(asked.prompt, 40))
        rows.add_row(day_and_time(asked.created_at), *cells, shortened(asked.reply or "", 40))
    return rows


def _kept(exchange: Exchange) -> Iterator[str]:
    if exchange.chunk is None:
        yield "to be read anew"
        return
    for gist in exchange.chunk["gists"]:
        yield f"{gist['type']}: {shortened(gist['content'], _LONGEST)}"
    facts = [f"{fact['key']} = {fact['value']}" for fact in exchange.chunk["facts"]]
    if facts:
        yield f"{count(len(facts), 'fact')}: {shortened(', '.join(facts), _LONGEST)}"
    scope = exchange.chunk["scope"]
    trouble = f" ({shortened(exchange.trouble, 60)})" if exchange.trouble else ""
    yield f"{scope['intent']}, {scope['sentiment']}; read by {visible(exchange.chunker or '')}{trouble}"


def reread(sessions: int) -> RenderableType:
    """Show how many sessions will be read anew."""
    return Text(f"{count(sessions, 'session')} will be read anew.")
