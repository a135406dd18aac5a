"""Models on disk: in the package and under the home directory, each with graph, tokenizer and card."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path

from quipu.errors import ModelMissing

GRAPH, TOKENIZER, CARD = "model.onnx", "tokenizer.json", "model.json"
BUNDLED = Path(__file__).parent / "models"
"""The models that come with the package."""

_TEXT_RECIPE = 1
"""Goes up when texts are prepared differently, so that older vectors are not mixed with newer ones."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_RESERVED = frozenset({"hashing"})


def list_models(home: Path) -> list[ModelInfo]:
    """Return all models that can be chosen by name: the bundled ones first, then the added ones by name."""
    found = [read_model(path) for path in _directories(BUNDLED)]
    return found + [read_model(path) for path in _directories(home / "models")]


def find_model(name: str, *, home: Path) -> ModelInfo:
    """Return the model of that name. Raises ``ModelMissing``, which lists the models that there are."""
    for shelf in (BUNDLED, home / "models"):
        if is_name(name) and (shelf / name).is_dir():
            return read_model(shelf / name)
    there = ", ".join(path.name for path in (*_directories(BUNDLED), *_directories(home / "models")))
    raise ModelMissing(
        f"There is no embedding model {name!r}.",
        hint=f"Add one with: quipu model add DIR --name {name}. There are: {there or 'none'}.",
    )


def is_name(name: str) -> bool:
    """Return True if a model may have that name."""
    return _NAME.fullmatch(name) is not None


def is_taken(name: str, *, home: Path) -> bool:
    """Return True if a model, or another choice of embedder, has that name already."""
    return name in _RESERVED or any((shelf / name).exists() for shelf in (BUNDLED, home / "models"))


def _directories(shelf: Path) -> list[Path]:
    if not shelf.is_dir():
        return []
    return sorted(
        path for path in shelf.iterdir() if (path / CARD).is_file() and not path.name.startswith(".")
    )


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
