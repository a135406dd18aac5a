"""A model as it lies on disk: one directory with the graph, the tokenizer and a card that describes them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path

from quipu.errors import ModelMissing

GRAPH, TOKENIZER, CARD = "model.onnx", "tokenizer.json", "model.json"

BUNDLED = Path(__file__).parent / "models"
"""The models that come with the package."""

_TEXT_RECIPE = 1
"""Goes up when texts are prepared differently, so that older vectors are not mixed with newer ones."""


@dataclass(frozen=True, slots=True)
class Card:
    """Content of ``model.json``."""

    name: str
    dimensions: int
    max_tokens: int
    precision: str
    pooling: str
    graph_sha256: str
    tokenizer_sha256: str
    source_sha256: str

    @property
    def digest(self) -> str:
        """Identifies weights, tokenizer and how texts are prepared."""
        parts = (self.graph_sha256, self.tokenizer_sha256, str(self.max_tokens), str(_TEXT_RECIPE))
        return sha256(" ".join(parts).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model that can be chosen by its name."""

    name: str
    digest: str
    dimensions: int
    max_tokens: int
    precision: str
    directory: Path
    bundled: bool


def read_model(directory: Path) -> ModelInfo:
    """Read the model of a directory from its card alone. Raises ``ModelMissing`` if a file is absent."""
    for name in (CARD, GRAPH, TOKENIZER):
        if not (directory / name).is_file():
            raise _missing(directory, f"{name} is not there")
    card = _read_card(directory)
    return ModelInfo(
        name=card.name,
        digest=card.digest,
        dimensions=card.dimensions,
        max_tokens=card.max_tokens,
        precision=card.precision,
        directory=directory,
        bundled=directory.parent == BUNDLED,
    )


def write_model(directory: Path, card: Card, *, graph: bytes, tokenizer: bytes) -> None:
    """Write the three files, the card last."""
    (directory / GRAPH).write_bytes(graph)
    (directory / TOKENIZER).write_bytes(tokenizer)
    (directory / CARD).write_text(json.dumps(asdict(card), indent=2) + "\n", encoding="utf-8")


def verify(model: ModelInfo) -> None:
    """Compare the files with the card, reading them whole. Raises ``ModelMissing`` when one was changed."""
    card = _read_card(model.directory)
    for name, expected in ((GRAPH, card.graph_sha256), (TOKENIZER, card.tokenizer_sha256)):
        if sha256((model.directory / name).read_bytes()).hexdigest() != expected:
            raise _missing(model.directory, f"{name} is damaged")


def _read_card(directory: Path) -> Card:
    try:
        content = json.loads((directory / CARD).read_bytes())
        return Card(**{field.name: content[field.name] for field in fields(Card)})
    except (ValueError, KeyError, TypeError) as error:
        raise _missing(directory, f"{CARD} cannot be read ({error})") from error


def _missing(directory: Path, reason: str) -> ModelMissing:
    if directory.parent == BUNDLED:
        hint = "Reinstall quipu-memory; its wheel holds the model."
    else:
        hint = f"Remove {directory} and add the model again: quipu model add DIR"
    return ModelMissing(f"The embedding model in {directory} cannot be used: {reason}.", hint=hint)
