"""Meaning of sentences whose words do not say it, by how near they are to prototypes.

How it ended, and how it felt. What was measured, and what was left out because it gained nothing:
docs/decisions/episodes.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast

import numpy as np

from quipu.kernel.embedding.embedder import Embedder, Vectors
from quipu.kernel.embedding.prototypes import Prototypes, prototypes
from quipu.kinds.episodes import cues

Ending = Literal["solved", "failed"]
Mood = Literal["joy", "sadness", "fear", "anger", "disgust"]

INTENTS: Final = tuple(name for name, _ in cues.prototypes("intent"))
"""The intent of each row of ``Meaning.intents``."""

# How near a sentence must be, and by how much nearer than to what stands for neither; set on the tuning half
# of bench/condensing/sentences.tsv.
ENDING_NEAR, ENDING_MARGIN = 0.35, 0.05
MOOD_NEAR, MOOD_MARGIN = 0.2, 0.1

_MOODS: Final = tuple(cues.prototypes("feeling"))
_BITTER: Final = ("sadness", "fear", "anger", "disgust")
_SAME: Final = tuple(
    ("same", text) for text in ("a physician", "the doctor", "an automobile", "my car", "to weep", "crying")
)
_KNOWS: Final = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """The prototypes as one embedding model sees them; ``knows``: whether it knows what words mean.

    ``intents``: shape (n, d). A model that knows no meaning finds neither an ending nor a mood: words that
    two sentences share say nothing of that.
    """

    intents: Vectors
    outcomes: Prototypes
    feelings: Prototypes
    knows: bool

    def endings(self, texts: Sequence[str], vectors: Vectors) -> dict[str, Ending]:
        """Return the kind of ending by text; texts about no ending are left out.

        ``vectors``: shape (n, d).
        """
        if not self.knows:
            return {}
        places = self.outcomes.decide(vectors, near_enough=ENDING_NEAR, margin=ENDING_MARGIN)
        names: tuple[Ending, Ending] = ("solved", "failed")
        return {text: names[place] for text, place in zip(texts, places, strict=True) if place is not None}

    def moods(self, texts: Sequence[str], vectors: Vectors) -> dict[str, Mood]:
        """Return the feeling of each text; texts without one are left out. ``vectors``: shape (n, d)."""
        if not self.knows:
            return {}
        places = self.feelings.decide(vectors, near_enough=MOOD_NEAR, margin=MOOD_MARGIN)
        return {
            text: self._nearest(vector, place)
            for text, vector, place in zip(texts, vectors, places, strict=True)
            if place is not None
        }

    def _nearest(self, vector: Vectors, place: int) -> Mood:
        """Return the feeling of the nearest prototype among those of a place."""
        cosines = np.where(np.array(self.feelings.places) == place, self.feelings.rows @ vector, -np.inf)
        return cast("Mood", _MOODS[int(cosines.argmax())][0])


async def meaning(embedder: Embedder) -> Meaning:
    """Return the prototypes as an embedder sees them, made once. Raises ``EmbeddingError``."""
    same = (await _placed("same", embedder, _SAME, {})).rows
    return Meaning(
        (await _placed("intent", embedder, cues.prototypes("intent"), {})).rows,
        await _placed("outcome", embedder, cues.prototypes("outcome"), {"solved": 0, "failed": 1}),
        await _placed("feeling", embedder, _MOODS, {"joy": 0} | dict.fromkeys(_BITTER, 1)),
        knows=float((same[::2] * same[1::2]).sum(axis=1).mean()) > _KNOWS,
    )


async def _placed(
    name: str, embedder: Embedder, listed: Sequence[tuple[str, str]], places: Mapping[str, int]
) -> Prototypes:
    """Return prototypes, each at the place of its name; the last place is for those without one."""
    none = len(set(places.values()))
    texts, of = [text for _, text in listed], [places.get(one, none) for one, _ in listed]
    return await prototypes(f"episodes.{name}", embedder, texts, of)
