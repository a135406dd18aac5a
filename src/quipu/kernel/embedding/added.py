"""The models there are: the one in the package and those added under the home directory."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from tempfile import mkdtemp

from quipu.errors import BadInput, Conflict, EmbeddingError, ModelMissing
from quipu.kernel.embedding.convert import Precision, convert_model
from quipu.kernel.embedding.local import LocalEmbedder
from quipu.kernel.embedding.stored import BUNDLED, CARD, ModelInfo, read_model

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_RESERVED = frozenset({"hashing"})
_UNFINISHED = ".adding-"
_TRY_HINT = "Are config.json and tokenizer.json those of these weights?"


def add_model(
    directory: Path, *, home: Path, name: str | None = None, precision: Precision = "int8"
) -> ModelInfo:
    """Convert a BERT encoder (model.safetensors, tokenizer.json, config.json) into ``home/models/NAME``.

    The name is the directory's unless given. The model is tried first, and appears whole or not at all.
    Raises ``BadInput`` with the reason when it is not understood, ``Conflict`` when the name is taken,
    ``EmbeddingError`` when files cannot be read or written.
    """
    name = _checked_name(name or directory.resolve().name, home)
    models = home / "models"
    try:
        _add(directory, models, name, precision)
    except OSError as error:
        raise EmbeddingError(
            f"The model {name!r} could not be added to {models}: {error}.",
            hint="Nothing was kept. Look at the directory's rights and the free disk space, then try again.",
        ) from error
    return read_model(models / name)


def list_models(home: Path) -> list[ModelInfo]:
    """All models that can be chosen by name: the bundled ones first, then the added ones by name."""
    found = [read_model(path) for path in _directories(BUNDLED)]
    return found + [read_model(path) for path in _directories(home / "models")]


def find_model(name: str, *, home: Path) -> ModelInfo:
    """The model of that name. Raises ``ModelMissing``, which tells what there is."""
    for shelf in (BUNDLED, home / "models"):
        if _NAME.fullmatch(name) and (shelf / name).is_dir():
            return read_model(shelf / name)
    there = ", ".join(path.name for path in (*_directories(BUNDLED), *_directories(home / "models")))
    raise ModelMissing(
        f"There is no embedding model {name!r}.",
        hint=f"Add one with: quipu model add DIR --name {name}. There are: {there or 'none'}.",
    )


def _add(directory: Path, models: Path, name: str, precision: Precision) -> None:
    """Convert into a hidden directory beside the others; give it its name when it is known to work."""
    models.mkdir(parents=True, exist_ok=True)
    unfinished = Path(mkdtemp(prefix=_UNFINISHED, dir=models))
    try:
        convert_model(directory, unfinished, name=name, precision=precision)
        _try(read_model(unfinished))
        unfinished.chmod(0o755)
        unfinished.rename(models / name)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _checked_name(name: str, home: Path) -> str:
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"{name!r} cannot be a model's name.", field="name", hint="Use letters, digits, '.', '_', '-'."
        )
    if name in _RESERVED or any((shelf / name).exists() for shelf in (BUNDLED, home / "models")):
        raise Conflict(f"There is already a model {name!r}.", field="name", hint="Give another with --name.")
    return name


def _try(model: ModelInfo) -> None:
    """Refuse a model that does not load, or loads and does not embed."""
    try:
        row = LocalEmbedder(model).embed_now("The first words of a new model.")
    except EmbeddingError as error:
        raise BadInput(f"The converted model does not run: {error.__cause__}.", hint=_TRY_HINT) from error
    if not row.any():
        raise BadInput("The converted model gives no vector.", hint=_TRY_HINT)


def _directories(shelf: Path) -> list[Path]:
    if not shelf.is_dir():
        return []
    return sorted(
        path for path in shelf.iterdir() if (path / CARD).is_file() and not path.name.startswith(".")
    )
