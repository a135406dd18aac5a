"""Session repositories of Strands' tests that are ours: each has a space to itself."""

from __future__ import annotations

import os
from uuid import uuid4

from strands.session.repository_session_manager import RepositorySessionManager

from quipu import Memory
from quipu.compat.strands import SessionRepository

MEMORY = Memory(os.environ["QUIPU_HOME"])


class MockedSessionRepository(SessionRepository):
    def __init__(self):
        super().__init__(MEMORY, space=f"t{uuid4().hex}")


class FileSessionManager(RepositorySessionManager, SessionRepository):
    def __init__(self, session_id, storage_dir):
        del storage_dir
        SessionRepository.__init__(self, MEMORY, space=f"t{uuid4().hex}")
        RepositorySessionManager.__init__(self, session_id=session_id, session_repository=self)
