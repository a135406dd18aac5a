"""What the token of an erasure stands for: all that its preview shows."""

from __future__ import annotations

from collections.abc import Sequence

from quipu.upkeep.erasure.model import Erasure


def shown(preview: Erasure, names: Sequence[str], *, everywhere: bool) -> dict[str, object]:
    """All that counts of a preview, but jobs that wait: workers do those at any moment."""
    what = preview.what
    return {
        "space": preview.space,
        "what": [what.session, what.user, what.message],
        "counts": {table: rows for table, rows in preview.counts.items() if table != "jobs"},
        "left": [(one.place, one.count) for one in preview.left if not one.place.startswith("core.outbox")],
        "names": list(names),
        "everywhere": everywhere,
    }
