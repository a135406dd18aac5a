"""Resources that a client can put into a conversation: the briefing, and the part about tables."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from quipu.interfaces.mcp.bounds import compact, shortened, tokens
from quipu.interfaces.mcp.model import Desk
from quipu.interfaces.mcp.tools.tables_read import place

_BRIEFING_TOKENS: Final = 800
_MOST_FACTS: Final = 30


_OURS: Final = {
    "memory:schema:create-table": "tables_create",
    "memory:schema:recreate": "tables_create with replace",
    "memory:schema:execute": "tables_execute",
    "memory:schema:list-tables": "tables_list",
    "memory:query": "tables_query",
    "memory:insert": "tables_write (insert)",
    "memory:update": "tables_write (update)",
    "memory:delete": "tables_write (delete)",
    "memory:*": "tables_*",
    "With `dry_run` it": "Without a token it",
    "`dry_run`": "`token`",
}
_SEEDS: Final = re.compile("|".join(re.escape(name) for name in sorted(_OURS, key=len, reverse=True)))


def in_our_words(text: str) -> str:
    """Replace names of the seed's tools, and of commands, by those of the tools here."""
    return _SEEDS.sub(lambda match: _OURS[match[0]], text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A text that a client can read, and what it is good for."""

    uri: str
    name: str
    title: str
    about: str
    read: Callable[[Desk], Awaitable[str]]


async def _briefing(desk: Desk) -> str:
    """Return standing rules, open loops and beliefs; without a person, also what sessions were about."""
    caller, memory = desk.caller, desk.memory
    rules = [f"- {one.line}" for one in await memory.rules.list(space=caller.space, user=caller.user)]
    lines = [f"- {line}" for line in await memory.reminders(space=caller.space, user=caller.user)]
    facts = await memory.ledger.list(space=caller.space, user=caller.user, limit=_MOST_FACTS)
    known = [f"- {fact.key}: {compact(shortened(fact.value, longest=200))}" for fact in facts]
    parts = _within(_BRIEFING_TOKENS // 2, ("Rules:", rules), ("Open:", lines), ("Facts:", known))
    block = (await memory.marks(space=caller.space)).mark("\n".join(parts))
    if caller.user is None:
        begun = await memory.transcripts.bootstrap(space=caller.space, budget_tokens=_BRIEFING_TOKENS // 2)
        block = "\n\n".join(part for part in (block, begun.text) if part)
    return block or "Nothing is remembered here yet."


def _within(budget_tokens: int, *sections: tuple[str, list[str]]) -> list[str]:
    """Return the lines of sections that fit: each may have an equal share."""
    kept: list[str] = []
    for head, lines in sections:
        fit: list[str] = []
        for line in lines:
            if tokens("\n".join([head, *fit, line])) > budget_tokens // len(sections):
                break
            fit.append(line)
        kept += [head, *fit] if fit else []
    return kept


async def _tables(desk: Desk) -> str:
    text = await desk.memory.tables.prompt(**place(desk.caller))
    return in_our_words(text.text)


RESOURCES: Final = (
    Resource(
        uri="quipu://briefing",
        name="briefing",
        title="What to know first",
        about="Rules, open loops, facts, what recent sessions were about: read it as a conversation begins.",
        read=_briefing,
    ),
    Resource(
        uri="quipu://tables",
        name="tables",
        title="Your tables",
        about="How to use the tables_ tools, and every table with its columns: read it before you write SQL.",
        read=_tables,
    ),
)
