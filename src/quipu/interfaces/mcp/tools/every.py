"""Every tool, in the order in which a model reads of them: at most twelve."""

from __future__ import annotations

from typing import Final

from quipu.interfaces.mcp.model import Tool
from quipu.interfaces.mcp.tools.facts import SET_FACT
from quipu.interfaces.mcp.tools.forgetting import FORGET
from quipu.interfaces.mcp.tools.loops import CLOSE_LOOP, OPEN_LOOPS
from quipu.interfaces.mcp.tools.recalling import RECALL, WHY
from quipu.interfaces.mcp.tools.remembering import REMEMBER
from quipu.interfaces.mcp.tools.tables_looking import TABLES_LIST, TABLES_QUERY
from quipu.interfaces.mcp.tools.tables_rows import TABLES_WRITE
from quipu.interfaces.mcp.tools.tables_shaping import TABLES_CREATE, TABLES_EXECUTE

TOOLS: Final[tuple[Tool, ...]] = (
    RECALL,
    WHY,
    REMEMBER,
    SET_FACT,
    OPEN_LOOPS,
    CLOSE_LOOP,
    FORGET,
    TABLES_LIST,
    TABLES_QUERY,
    TABLES_CREATE,
    TABLES_WRITE,
    TABLES_EXECUTE,
)
