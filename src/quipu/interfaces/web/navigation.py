"""Navigation: the pages, as the head of each page lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Entry:
    """A page: what it is called, and where it is."""

    name: str
    path: str

    def holds(self, path: str) -> bool:
        """Return True if the page at ``path`` belongs to it."""
        return path == self.path or (self.path != "/" and path.startswith(f"{self.path}/"))


MEMORY: Final[tuple[Entry, ...]] = (
    Entry("Overview", "/"),
    Entry("Recall", "/recall"),
    Entry("Ledger", "/ledger"),
    Entry("Transcripts", "/transcripts"),
    Entry("Episodes", "/episodes"),
    Entry("Long-term", "/longterm"),
    Entry("Tables", "/tables"),
)
"""Pages on what is remembered."""

HOUSE: Final[tuple[Entry, ...]] = (
    Entry("Snapshots", "/config/memory"),
    Entry("Settings", "/config/settings"),
    Entry("Keys", "/keys"),
    Entry("Spaces", "/spaces"),
    Entry("Erasure", "/erasure"),
)
"""Pages on the memory itself: its settings, keys and spaces."""
