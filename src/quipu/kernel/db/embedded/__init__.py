"""The embedded PostgreSQL: one server for each home, shared by all processes that use it."""

from quipu.kernel.db.embedded.binaries import Binaries
from quipu.kernel.db.embedded.server import EmbeddedServer, ServerStatus, keep, programs, start, status, stop

__all__ = ["Binaries", "EmbeddedServer", "ServerStatus", "keep", "programs", "start", "status", "stop"]
