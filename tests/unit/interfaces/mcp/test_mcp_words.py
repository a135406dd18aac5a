"""A model is told of the tools that it has, whatever the kinds of memory call them."""

from __future__ import annotations

import re

from quipu.interfaces.mcp.resources import in_our_words
from quipu.interfaces.mcp.server import TOOLS
from quipu.kinds.tables.model import Extensions, Listing
from quipu.kinds.tables.system_prompt import briefing
from quipu.kinds.tables.tools import TOOLS as OF_THE_SEED


def test_every_tool_of_the_seed_is_called_by_the_name_of_one_that_is_there() -> None:
    names = {tool.name for tool in TOOLS}
    for tool in OF_THE_SEED:
        assert in_our_words(f"call {tool.name} now").split()[1] in names, tool.name


def test_the_part_about_tables_speaks_of_no_tool_that_is_not_there() -> None:
    listing = Listing(schema="memory", tables=(), extensions=Extensions(postgis=False, pg_trgm=True))
    text = in_our_words(briefing(listing, version=1).text)
    assert "memory:" not in text
    names = {tool.name for tool in TOOLS}
    assert set(re.findall(r"\btables_[a-z]+", text)) <= names
    assert "dry_run" not in text
