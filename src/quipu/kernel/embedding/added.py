"""The models there are: the one in the package and those added under the home directory."""

from __future__ import annotations

import re
from pathlib import Path

from quipu.errors import ModelMissing
from quipu.kernel.embedding.stored import BUNDLED, CARD, ModelInfo, read_model

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
