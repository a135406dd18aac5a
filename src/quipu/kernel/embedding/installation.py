"""Adding a model: converted, measured, tried, and only then given its name."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from typing import get_args

import numpy as np

from quipu.errors import BadInput, Conflict, EmbeddingError
from quipu.kernel.embedding.convert import Precision, convert_model, convert_multilingual
from quipu.kernel.embedding.embedder import LocalEmbedder, Vectors, mean
from quipu.kernel.embedding.prefixes import Role
from quipu.kernel.embedding.stored import (
    MULTILINGUAL,
    ModelInfo,
    is_name,
    is_taken,
    read_model,
    write_means,
)

_UNFINISHED = ".adding-"
_SAMPLE = Path(__file__).with_name("sample.txt")
"""Everyday sentences in 21 languages, of nothing in particular: what all texts have in common for a model."""

_TRY_HINT = "Are config.json and tokenizer.json those of these weights?"


def add_model(
    directory: Path,
    *,
    home: Path,
    name: str | None = None,
    precision: Precision = "int8",
    query_prefix: str | None = None,
    passage_prefix: str | None = None,
) -> ModelInfo:
    """Convert a BERT encoder (model.safetensors, tokenizer.json, config.json) into ``home/models/NAME``.

    The name is the directory's unless given. Prefixes that are not given are those that the directory or the
    makers of its family name. Its mean vector is measured. The model is tried first, and appears whole or
    not at all.

    Raises ``BadInput`` with the reason when it is not understood, ``Conflict`` when the name is taken,
    ``EmbeddingError`` when files cannot be read or written, ``MissingExtra`` when ``onnx`` is not installed.
    """
    name = _checked_name(name or directory.resolve().name, home)
    convert = partial(
        convert_model,
        directory,
        name=name,
        precision=precision,
        query_prefix=query_prefix,
        passage_prefix=passage_prefix,
    )
    return _added(convert, home, name)


def add_multilingual(home: Path) -> ModelInfo:
    """Convert multilingual-e5-small, of the extra ``multilingual``, into ``home/models/multilingual``.

    One that is there already is returned as it is.

    Raises ``MissingExtra`` when the extra is not installed, ``BadInput`` when it holds other weights,
    ``EmbeddingError`` when files cannot be written.
    """
    if is_multilingual_made(home):
        return read_model(home / "models" / MULTILINGUAL)
    return _added(partial(convert_multilingual, name=MULTILINGUAL), home, MULTILINGUAL)


def is_multilingual_made(home: Path) -> bool:
    """Return True if ``add_multilingual`` has nothing left to do."""
    return (home / "models" / MULTILINGUAL).is_dir()


def _added(convert: Callable[[Path], None], home: Path, name: str) -> ModelInfo:
    models = home / "models"
    try:
        with placed(models, name) as unfinished:
            convert(unfinished)
            _try(read_model(unfinished))
            _measure(unfinished)
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


def _measure(directory: Path) -> None:
    """Measure the mean vector of what is searched and that of questions, and keep both with the model."""
    sample = _SAMPLE.read_bytes()
    embedder = LocalEmbedder(read_model(directory))
    means = means_of(embedder, sample.decode().splitlines())
    write_means(directory, means, sample_sha256=sha256(sample).hexdigest())


def means_of(embedder: LocalEmbedder, texts: Sequence[str]) -> Vectors:
    """Return the mean vector of texts as what is searched, and as questions: shape (2, dimensions)."""
    return np.stack(
        [mean(np.stack([embedder.embed_now(text, role=role) for text in texts])) for role in get_args(Role)]
    )


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
