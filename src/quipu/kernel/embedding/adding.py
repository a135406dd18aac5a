"""Adding a model: converted, tried, and only then given its name."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from quipu.errors import BadInput, Conflict, EmbeddingError
from quipu.kernel.embedding.convert import Precision, convert_model
from quipu.kernel.embedding.embedder import LocalEmbedder
from quipu.kernel.embedding.stored import ModelInfo, is_name, is_taken, read_model

_UNFINISHED = ".adding-"
_TRY_HINT = "Are config.json and tokenizer.json those of these weights?"


def add_model(
    directory: Path, *, home: Path, name: str | None = None, precision: Precision = "int8"
) -> ModelInfo:
    """Convert a BERT encoder (model.safetensors, tokenizer.json, config.json) into ``home/models/NAME``.

    The name is the directory's unless given. The model is tried first, and appears whole or not at all.
    Raises ``BadInput`` with the reason when it is not understood, ``Conflict`` when the name is taken,
    ``EmbeddingError`` when files cannot be read or written, ``MissingExtra`` when ``onnx`` is not installed.
    """
    name = _checked_name(name or directory.resolve().name, home)
    models = home / "models"
    try:
        with placed(models, name) as unfinished:
            convert_model(directory, unfinished, name=name, precision=precision)
            _try(read_model(unfinished))
    except OSError as error:
        raise EmbeddingError(
            f"The model {name!r} could not be added to {models}: {error}.",
            hint="Nothing was kept. Look at the directory's rights and the free disk space, then try again.",
        ) from error
    return read_model(models / name)


@contextmanager
def placed(shelf: Path, name: str) -> Generator[Path]:
    """Lend a hidden directory on the shelf; it gets its name if the block ends well, else it is removed."""
    shelf.mkdir(parents=True, exist_ok=True)
    unfinished = Path(mkdtemp(prefix=_UNFINISHED, dir=shelf))
    try:
        yield unfinished
        unfinished.chmod(0o755)
        unfinished.rename(shelf / name)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _checked_name(name: str, home: Path) -> str:
    if not is_name(name):
        raise BadInput(
            f"{name!r} cannot be a model's name.", field="name", hint="Use letters, digits, '.', '_', '-'."
        )
    if is_taken(name, home=home):
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
