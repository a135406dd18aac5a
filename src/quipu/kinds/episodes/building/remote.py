"""The builder that asks a language model."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from quipu.kernel.embedding.model import Embedder
from quipu.kernel.language.model import Language
from quipu.kernel.language.prompt import entry, label, latest
from quipu.kinds.episodes.building.model import Material
from quipu.kinds.episodes.shapes import Condensed

VERSION: Final = 1
"""To be raised with every change of the prompt by which it writes better."""

PURPOSE: Final = "episodes.build"
"""Under which the tokens are counted."""

LONGEST: Final = 1_500
"""So much of a message is shown to the model; of all of them MOST characters."""

MOST: Final = 24_000
_PROMPT: Final = Path(__file__).with_name("prompts") / "episode.md"


class RemoteBuilder:
    """Condenses through a language model. Each model is a builder of its own name."""

    version = VERSION
    measures_novelty = True

    def __init__(self, language: Language) -> None:
        self._language = language
        self.name = f"llm:{language.name}"

    async def build(self, material: Material, embedder: Embedder) -> Condensed:  # noqa: ARG002 - of the protocol
        """Return the model's answer, checked against the shape.

        Raises:
            LanguageFailed, BudgetSpent: it did not.
        """
        return await self._language.structured(
            instructions=_PROMPT.read_text("utf-8"), text=shown(material), shape=Condensed, purpose=PURPOSE
        )


def shown(material: Material) -> str:
    """Return the messages as the model reads them; long ones are cut, and of many the middle is left out."""
    said = [
        entry(f"[{one.at:%Y-%m-%d %H:%M} {label(one.who)}]", _cut(one.text)) for one in material.utterances
    ]
    text = "\n".join(said)
    if len(text) > MOST:
        first = text[: MOST // 2].rsplit("\n", 1)[0]
        text = f"{first}\n[...]\n{latest(said, most=MOST // 2)}"
    return f"Topic: {label(material.topic)}\n\n{text}" if material.topic else text


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} [...]"
