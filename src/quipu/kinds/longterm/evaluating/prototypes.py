"""Categories by meaning, if no saying is known: that of the nearest prototype sentences.

The prototypes are ``prototypes.toml``; the limits were tuned with all-MiniLM-L6-v2 on the tuning sets
(docs/decisions/evaluation.md). A model that spreads its cosines otherwise answers more or less often.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from quipu.kernel.embedding.model import Embedder
from quipu.kernel.embedding.prototypes import embed, prototypes
from quipu.kinds.longterm.model import CATEGORIES, Category

NEAR_ENOUGH: Final = 0.45
MARGIN: Final = 0.12
"""A category must be so much nearer than what lasts in no way."""

MOST: Final = 400
"""Clauses of one evaluation that are embedded: it costs about 2 ms for each."""

_FILE: Final = Path(__file__).with_name("prototypes.toml")


async def by_meaning(embedder: Embedder, clauses: Mapping[str, bool]) -> dict[str, Category]:
    """Return the categories of clauses that seem to last; True marks those asked to be remembered.

    Raises ``EmbeddingError``.
    """
    texts = list(clauses)[:MOST]
    known = await prototypes("longterm", embedder, *_listed())
    vectors = await embed(embedder, texts)
    decided = known.decide(
        vectors, near_enough=NEAR_ENOUGH, margin=MARGIN, settled=[clauses[text] for text in texts]
    )
    pairs = zip(texts, decided, strict=True)
    return {text: CATEGORIES[place] for text, place in pairs if place is not None}


@cache
def _listed() -> tuple[tuple[str, ...], tuple[int, ...]]:
    data: dict[str, list[str]] = tomllib.loads(_FILE.read_text("utf-8"))
    pairs = [(text, place) for place, name in enumerate((*CATEGORIES, "none")) for text in data[name]]
    return tuple(text for text, _ in pairs), tuple(place for _, place in pairs)
