"""Embedding by sentence-transformers, for models that cannot be converted. Brings torch (more than 1 GB)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from threading import Lock
from typing import Protocol

import numpy as np
from anyio import to_thread

from quipu.errors import MissingExtra, ModelMissing
from quipu.kernel.embedding.embedder import Vectors, prepare, unit
from quipu.kernel.embedding.prefixes import Role

_DEFAULT_TOKENS = 512


class _Model(Protocol):
    """Part of ``sentence_transformers.SentenceTransformer`` that we need."""

    def get_sentence_embedding_dimension(self) -> int | None: ...
    def get_max_seq_length(self) -> int | None: ...
    def encode(self, sentences: list[str], *, convert_to_numpy: bool) -> Vectors: ...


class TransformersEmbedder:
    """Vectors from a model that sentence-transformers knows by name or directory, loaded when it is made."""

    def __init__(self, model: str) -> None:
        self._model = _load(model)
        self._lock = Lock()
        self.name = f"st:{model}"
        self.dimensions = int(self._model.get_sentence_embedding_dimension() or 0)
        self.max_tokens = int(self._model.get_max_seq_length() or _DEFAULT_TOKENS)
        self.digest = f"{self.name}/{self.dimensions}/{self.max_tokens}"

    async def embed(self, texts: Sequence[str], *, role: Role = "passage") -> Vectors:  # noqa: ARG002
        """Return the vectors of the texts, in their order: shape (n, dimensions). See ``Embedder``.

        The role changes nothing: texts are handed over as they are.
        """
        return await to_thread.run_sync(self._encode, texts)

    async def aclose(self) -> None:
        """Do nothing: torch frees the weights with the object."""

    def _encode(self, texts: Sequence[str]) -> Vectors:
        prepared = [prepare(text, max_tokens=self.max_tokens) for text in texts]
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        places = [place for place, text in enumerate(prepared) if text]
        if places:
            with self._lock:
                vectors = self._model.encode([prepared[place] for place in places], convert_to_numpy=True)
            rows[places] = unit(np.asarray(vectors, np.float32))
        return rows


def _load(model: str) -> _Model:
    try:
        library = import_module("sentence_transformers")
    except ImportError as error:
        raise MissingExtra("sentence-transformers", "An embedding model 'st:NAME'") from error
    try:
        return library.SentenceTransformer(model)
    except (OSError, ValueError) as error:
        raise ModelMissing(
            f"sentence-transformers cannot load {model!r}: {error}.",
            hint="Name a model that it knows, or a directory; a download needs the network.",
        ) from error
