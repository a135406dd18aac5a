"""The directory that the processes of one server share."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True, slots=True)
class Shared:
    """A directory for what several processes of a server know together; it goes with the server."""

    place: Path

    @classmethod
    @contextmanager
    def made(cls, there: Self | None = None) -> Generator[Self]:
        """Make an empty one for the block, unless one is ``there``."""
        if there is not None:
            yield there
            return
        with tempfile.TemporaryDirectory(prefix="quipu-serve-") as place:
            shared = cls(Path(place))
            for directory in (shared.metrics, shared.work):
                directory.mkdir()
            yield shared

    @property
    def rates(self) -> Path:
        """The file of the callers' buckets."""
        return self.place / "rates"

    @property
    def metrics(self) -> Path:
        """The directory of the counters, one file for each process and kind."""
        return self.place / "metrics"

    @property
    def work(self) -> Path:
        """The directory of the long work of pages: its files, and how far it is."""
        return self.place / "work"
