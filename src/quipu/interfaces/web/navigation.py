"""Navigation: the pages, as the head of each page lists them, and the pages of a kind of memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from quipu.app.entries import Used
from quipu.interfaces.web.links import Value
from quipu.recall.model import Hit
from quipu.recall.timeline import Moment

Place = tuple[str, Mapping[str, Value]]


def place(hit: Hit | Used | Moment) -> Place | None:
    """Return path and query of the page that shows it; None if there is no such page."""
    address = _place(hit)
    if address is None:
        return None
    return address if any(entry.path != "/" and entry.holds(address[0]) for entry in MEMORY) else None


def _place(hit: Hit | Used | Moment) -> Place | None:
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
        case "episodes" if source.role == "belief":
            return f"/episodes/beliefs/{source.message}", {}
        case "document" if not isinstance(hit, Used):
            return f"/documents/cited/{hit.id}", {}
        case "ledger":
            return "/ledger", {"session": source.session, "user": source.user}
        case _:
            return None


@dataclass(frozen=True, slots=True)
class NavigationEntry:
    """A page: what it is called, and where it is."""

    name: str
    path: str

    def holds(self, path: str) -> bool:
        """Return True if the page at ``path`` belongs to it."""
        return path == self.path or (self.path != "/" and path.startswith(f"{self.path}/"))


MEMORY: Final[tuple[NavigationEntry, ...]] = (
    NavigationEntry("Overview", "/"),
    NavigationEntry("Recall", "/recall"),
    NavigationEntry("Ledger", "/ledger"),
    NavigationEntry("Transcripts", "/transcripts"),
    NavigationEntry("Episodes", "/episodes"),
    NavigationEntry("Long-term", "/longterm"),
    NavigationEntry("Documents", "/documents"),
    NavigationEntry("Tables", "/tables"),
)
"""Pages on what is remembered."""

SYSTEM: Final[tuple[NavigationEntry, ...]] = (
    NavigationEntry("Snapshots", "/config/memory"),
    NavigationEntry("Settings", "/config/settings"),
    NavigationEntry("Keys", "/keys"),
    NavigationEntry("Spaces", "/spaces"),
    NavigationEntry("Erasure", "/erasure"),
)
"""Pages on the memory itself: its settings, keys and spaces."""
