"""A plugin of pytest: sessions of the OpenAI Agents SDK are ours, a space for each of its files of SQLite."""

from __future__ import annotations

import os
from collections import defaultdict
from uuid import uuid4

import agents
import agents.extensions.memory
import agents.memory

from quipu import Memory
from quipu.compat.openai_agents import Session

MEMORY = Memory(os.environ["QUIPU_HOME"])
SPACES = defaultdict(lambda: f"t{uuid4().hex}")


class SQLiteSession(Session):
    def __init__(self, session_id, db_path=":memory:", *_tables, session_settings=None):
        space = f"t{uuid4().hex}" if str(db_path) == ":memory:" else SPACES[str(db_path)]
        super().__init__(session_id, MEMORY, space=space, session_settings=session_settings)


class AsyncSQLiteSession(SQLiteSession):
    async def close(self):
        """Close nothing: the memory stays open for the next test."""


class SimpleListSession(Session):
    """Stands for the session in memory of the SDK's tests."""

    def __init__(self, session_id="test"):
        super().__init__(session_id, MEMORY, space=f"t{uuid4().hex}")


agents.SQLiteSession = agents.memory.SQLiteSession = SQLiteSession
agents.extensions.memory.AsyncSQLiteSession = AsyncSQLiteSession
