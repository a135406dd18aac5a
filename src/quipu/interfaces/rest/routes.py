"""The routers of all kinds, which the server mounts under ``/v1``."""

from __future__ import annotations

from quipu.app.operations import OPERATIONS
from quipu.interfaces.rest import (
    conversations,
    dumps,
    evaluating,
    evidence,
    imports,
    keys,
    lessons,
    longterm,
    recall,
    receipts,
    record,
    settings,
    snapshots,
    system,
    tables,
    trace,
    transcripts,
)
from quipu.interfaces.rest.derived import derived

# Of two with the same prefix, the one whose routes are words comes before the one with an id in their place.
ROUTERS = (
    record.router,
    imports.router,
    recall.router,
    derived("ledger", OPERATIONS),
    evidence.router,
    trace.router,
    transcripts.router,
    lessons.router,
    derived("episodes", OPERATIONS),
    conversations.router,
    derived("loops", OPERATIONS),
    derived("beliefs", OPERATIONS),
    evaluating.router,
    longterm.router,
    tables.router,
    dumps.router,
    snapshots.router,
    settings.router,
    settings.engine_router,
    derived("queue", OPERATIONS),
    keys.router,
    receipts.router,
    receipts.engine_router,
    system.router,
)
