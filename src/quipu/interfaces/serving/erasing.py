"""Token of an erasure: it stands for all that the preview shows."""

from __future__ import annotations

from collections.abc import Sequence

from quipu.upkeep.erasure.model import Erasure


def shown(preview: Erasure, names: Sequence[str], *, everywhere: bool) -> dict[str, object]:
    """Return what counts of a preview, without waiting jobs: workers may do those at any moment."""
    what = preview.what
    return {
        "space": preview.space,
        "what": [what.session, what.user, what.message],
        "counts": {table: rows for table, rows in preview.counts.items() if table != "jobs"},
        "left": [(one.place, one.count) for one in preview.left if not one.place.startswith("core.outbox")],
        "names": list(names),
        "everywhere": everywhere,
    }
