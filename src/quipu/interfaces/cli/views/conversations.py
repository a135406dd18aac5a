"""Conversations as people read them, in 80 columns and in a pipe."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows
from quipu.interfaces.cli.views.text import count, day_and_time, shortened, visible
from quipu.kinds.episodes.conversations.model import Conversation, Dialogue, Exchange, Thread, Topic
from quipu.kinds.episodes.prompts.model import Prompt

_NOBODY_READ = "Nothing was read yet. `quipu worker --burst` reads what was taken in."
_LONGEST = 100


table = Rows[Conversation](
    {
        "session": lambda one: one.session,
        "latest": lambda one: day_and_time(one.updated_at),
        "messages": lambda one: f"{one.messages:,}",
        "topic": lambda one: one.topic,
        "title": lambda one: shortened(one.title or "", 60),
    },
    none="No conversations here.",
)
"""Conversations, a line each."""

threads = Rows[Thread](
    {
        "thread": lambda one: one.name,
        "state": lambda one: one.state,
        "exchanges": lambda one: f"{one.exchanges:,}",
        "from": lambda one: day_and_time(one.started_at),
        "to": lambda one: day_and_time(one.last_at),
    },
    none=_NOBODY_READ,
)
"""Threads, a line each."""

topics = Rows[Topic](
    {
        "topic": lambda one: one.name,
        "exchanges": lambda one: f"{one.messages:,}",
        "latest": lambda one: day_and_time(one.last_at),
        "words": lambda one: ", ".join(one.words),
    },
    none=_NOBODY_READ,
)
"""Topics, a line each."""

prompts = Rows[Prompt](
    {
        "asked": lambda one: day_and_time(one.created_at),
        "session": lambda one: one.session,
        "status": lambda one: one.status,
        "prompt": lambda one: shortened(one.prompt, 40),
        "answer": lambda one: shortened(one.reply or "", 40),
    },
    none="No prompts here.",
)
"""Prompts, a line each."""


def one(conversation: Conversation) -> RenderableType:
    """Show everything that is known of a conversation."""
    fields = (
        ("session", conversation.session),
        ("title", conversation.title or ""),
        ("topic", conversation.topic),
        ("status", conversation.status),
        ("thread", conversation.thread or ""),
        ("person", conversation.user or ""),
        ("id", str(conversation.id)),
    )
    return Group(*(Text(f"{name:8} {visible(value)}") for name, value in fields if value))


def dialogue(shown: Dialogue) -> RenderableType:
    """Show a conversation with what was said, and under each exchange what was kept of it."""
    ends = {exchange.messages[-1]: exchange for exchange in shown.exchanges if exchange.messages}
    lines: list[RenderableType] = [one(shown.conversation), Text()]
    for message in shown.messages:
        who = message.speaker or message.role
        mode = f" [{message.mode}]" if message.mode else ""
        head = Text(f"{day_and_time(message.created_at)} {visible(who)}{mode}: ", style="bold")
        lines.append(head + Text(shortened(message.content, 400), style="not bold"))
        if message.message in ends:
            lines += [Text(f"  {line}", style="dim") for line in _kept(ends[message.message])]
    return Group(*lines)


def prompt(one: Prompt) -> RenderableType:
    """Show a prompt with its answer, or its state."""
    head = Text(f"{one.id} {one.status}", style="dim")
    if one.reply is not None:
        return Group(head, Text(visible(one.reply)))
    return Group(head, Text(visible(one.error or "A worker answers it: quipu worker"), style="dim"))


def _kept(exchange: Exchange) -> Iterator[str]:
    if exchange.chunk is None:
        yield "to be read again"
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
    """Show the number of sessions that will be read again."""
    return Text(f"{count(sessions, 'session')} will be read again.")
