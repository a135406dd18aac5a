"""Sessions and memory of Google's Agent Development Kit (ADK) over a memory.

from quipu.compat.adk import QuipuMemoryService, QuipuSessionService

sessions, memories = QuipuSessionService(space="desk"), QuipuMemoryService(space="desk")
runner = Runner(app_name="desk", agent=agent, session_service=sessions, memory_service=memories)
"""

from quipu.compat.adk.memories import QuipuMemoryService
from quipu.compat.adk.sessions import QuipuSessionService

__all__ = ["QuipuMemoryService", "QuipuSessionService"]
