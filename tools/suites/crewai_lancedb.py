"""A plugin of pytest: LanceDB storages of CrewAI are ours, with a space for each of their paths."""

from __future__ import annotations

import os
from hashlib import sha256
from uuid import uuid4

from crewai.memory.storage import lancedb_storage

from quipu import Memory
from quipu.compat.crewai import QuipuStorage

MEMORY, RUN = Memory(os.environ["QUIPU_HOME"]), uuid4().hex


class LanceDBStorage(QuipuStorage):
    def __init__(self, path=None, vector_dim=None):
        del vector_dim
        super().__init__(MEMORY, space=f"t{sha256(f'{path}{RUN}'.encode()).hexdigest()[:30]}")


lancedb_storage.LanceDBStorage = LanceDBStorage
