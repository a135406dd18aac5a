"""Mem0's ``Memory`` and ``AsyncMemory``, as mem0 2.2 has them; mem0 itself is not needed.

from quipu.compat.mem0 import Memory

memory = Memory()
memory.add("I live in Lisbon.", user_id="ana", infer=False)
memory.search("Where does Ana live?", filters={"user_id": "ana"})
"""

from quipu.compat.mem0.filters import Refused
from quipu.compat.mem0.memory import AsyncMemory, Memory
from quipu.compat.mem0.payload import ValidationError

__all__ = ["AsyncMemory", "Memory", "Refused", "ValidationError"]
