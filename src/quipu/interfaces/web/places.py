"""Pages that show the memory behind a hit."""

from __future__ import annotations

from collections.abc import Mapping

from quipu.app.recent_uses import Used
from quipu.interfaces.web.links import Value
from quipu.interfaces.web.navigation import MEMORY
from quipu.recall.model import Hit

Place = tuple[str, Mapping[str, Value]]


def place(hit: Hit | Used) -> Place | None:
    """Return path and query of the page that shows it; None if there is no such page."""
    found = _place(hit)
    if found is None:
        return None
    return found if any(entry.path != "/" and entry.holds(found[0]) for entry in MEMORY) else None


def _place(hit: Hit | Used) -> Place | None:
    source = hit.source
    match hit.kind:
        case "message" if source.session:
            return "/transcripts/session", {"name": source.session}
        case "lesson":
            return f"/transcripts/lessons/{source.message}", {}
        case "longterm":
            return f"/longterm/{source.message}", {}
        case "episodes" if source.role == "episode":
            return f"/episodes/{source.message}", {}
        case "ledger":
            return "/ledger", {"session": source.session, "user": source.user}
        case _:
            return None
