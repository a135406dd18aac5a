"""The embedded PostgreSQL: one server for each home, shared by all processes that use it."""

from quipu.kernel.db.embedded.server import EmbeddedServer, keep, start, stop

__all__ = ["EmbeddedServer", "keep", "start", "stop"]
