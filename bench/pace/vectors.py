"""The vectors of a run: made once by our own embedder, read by every store from one file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]


class Vectors:
    """Text to vector. The file is read when a text is not among the ``known``, which keeps opening fast."""

    def __init__(
        self, path: Path, texts: Iterable[str], known: Mapping[str, Sequence[float]] | None = None
    ) -> None:
        self._path, self._texts = path, texts
        self._known = {text: np.asarray(vector, np.float32) for text, vector in (known or {}).items()}

    @cached_property
    def _rows(self) -> Vector:
        return np.load(self._path)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {text: number for number, text in enumerate(self._texts)}

    def __call__(self, text: str) -> Vector:
        """The vector of one text, of unit length; KeyError for a text that is not of this run."""
        found = self._known.get(text)
        return self._rows[self._numbers[text]] if found is None else found
