"""Loading the embedding model beside everything else that a command needs.

Most of it happens outside Python (reading the weights, building the graph), so on a second core it takes no
time from the command, which meanwhile loads its own libraries and connects: 0.1 s less until the answer.
"""

from __future__ import annotations

from threading import Thread

# Here already: the two threads then load libraries that have nothing in common.
import numpy  # noqa: F401  # pyright: ignore[reportUnusedImport]

from quipu.errors import QuipuError
from quipu.kernel.config import Settings
from quipu.kernel.embedding.embedder import encoder
from quipu.kernel.embedding.stored import find_model


class Warming(Thread):
    """Loads the model that the environment names, and holds it until the process ends.

    If that is the wrong one, because the database serves another, nothing but its time was lost.
    """

    def __init__(self) -> None:
        super().__init__(name="quipu loads the model")
        self.held: object = None

    def run(self) -> None:
        """Load it; what stands in the way is met again, and told, by the command itself."""
        try:
            settings = Settings()
            self.held = encoder(find_model(settings.embedding_model, home=settings.home))
        except QuipuError:
            return
