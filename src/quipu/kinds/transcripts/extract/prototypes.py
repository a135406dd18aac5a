"""Categories by meaning, if words do not decide: that of the nearest prototype sentences.

The prototypes are ``prototypes.toml``; the limits were tuned with all-MiniLM-L6-v2 on the tuning sets
(docs/decisions/extraction.md). A model that spreads its cosines otherwise answers more or less often.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from quipu.kernel.embedding import prototypes as kernel
from quipu.kernel.embedding.model import Embedder, Vectors
from quipu.kernel.embedding.prototypes import embed
from quipu.kinds.transcripts.extract.model import CATEGORIES, Category

__all__ = ["FEWEST_WORDS", "Prototypes", "embed", "prototypes"]

NEAR_ENOUGH: Final = 0.4
MARGIN: Final = 0.12
"""A category must be so much nearer than what lasts in no way."""

FEWEST_WORDS: Final = 4

_FILE: Final = Path(__file__).with_name("prototypes.toml")


@dataclass(frozen=True, slots=True, eq=False)
class Prototypes:
    """The prototypes as one embedding model sees them."""

    known: kernel.Prototypes

    def decide(self, vectors: Vectors) -> list[Category | None]:
        """Return the category of each vector, for vectors (n, d); None if it does not seem to last."""
        decided = self.known.decide(vectors, near_enough=NEAR_ENOUGH, margin=MARGIN)
        return [None if place is None else CATEGORIES[place] for place in decided]


async def prototypes(embedder: Embedder) -> Prototypes:
    """Return the prototypes as the embedder sees them. Raises ``EmbeddingError``."""
    return Prototypes(await kernel.prototypes("transcripts", embedder, *_listed()))


@cache
def _listed() -> tuple[tuple[str, ...], tuple[int, ...]]:
    data: dict[str, list[str]] = tomllib.loads(_FILE.read_text("utf-8"))
    pairs = [(text, place) for place, name in enumerate((*CATEGORIES, "none")) for text in data[name]]
    return tuple(text for text, _ in pairs), tuple(place for _, place in pairs)
