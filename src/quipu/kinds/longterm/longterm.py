"""Long-term memory, as a caller meets it."""

from __future__ import annotations

from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.longterm.evaluating.evaluating import AsyncEvaluating
from quipu.kinds.longterm.looking import AsyncLooking
from quipu.kinds.longterm.recovering import AsyncRecovering
from quipu.kinds.longterm.remembering import AsyncRemembering
from quipu.kinds.longterm.sqlite.exchange import AsyncMemoryFiles
from quipu.recall.generations import Models
from quipu.recall.search import Search


class AsyncLongterm(AsyncRemembering, AsyncLooking, AsyncRecovering, AsyncEvaluating, AsyncMemoryFiles):
    """Memories about a person, to know before answering: by category and importance, each once.

    Every call names the ``space``. An id is a memory's whole id or the beginning of it, at least four digits.
    """

    def __init__(
        self, database: Database, models: Models, search: Search, *, clock: Clock, settings: Settings
    ) -> None:
        AsyncRemembering.__init__(self, database, models, clock=clock, redact=settings.redact)
        AsyncLooking.__init__(self, database, search=search)
        AsyncRecovering.__init__(self, database, search=search, clock=clock, settings=settings)
        AsyncEvaluating.__init__(self, database, models, search=search, clock=clock)
        AsyncMemoryFiles.__init__(self, database, models, clock=clock, redact=settings.redact)
