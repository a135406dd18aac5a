"""Kinds of memory speak of tools and commands by other names than a model here knows them by. Pure."""

from __future__ import annotations

import re
from typing import Final

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
    return _SEEDS.sub(lambda found: _OURS[found[0]], text)
