"""Memory for software agents: one PostgreSQL database, five kinds of memory, one recall over all of them.

from quipu import Memory

with Memory() as memory:
    memory.observe([{"role": "user", "content": "I moved to Lisbon in May."}], space="ana", session="s1")
    for hit in memory.recall("Where does Ana live?", space="ana"):
        print(hit.score, hit.text, hit.source)
"""

from typing import TYPE_CHECKING, Any

from quipu.errors import QuipuError
from quipu.kernel.base.scope import acting_for
from quipu.sync import Memory

if TYPE_CHECKING:
    from quipu.app.memory import AsyncMemory

__version__ = "0.1.0"
__all__ = ["AsyncMemory", "Memory", "QuipuError", "__version__", "acting_for"]


def __getattr__(name: str) -> Any:
    """Load ``AsyncMemory`` when it is asked for: it brings the database driver with it (0.2 s)."""
    if name == "AsyncMemory":
        from quipu.app.memory import AsyncMemory  # noqa: PLC0415 - the driver is loaded only when asked for

        return AsyncMemory
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
