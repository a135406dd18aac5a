"""The interface of every embedder, what all of them do to texts and vectors, and the one on this machine.

That runs on onnxruntime: no torch, no download, no network.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from itertools import repeat
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable
from weakref import WeakValueDictionary

import numpy as np
from anyio import to_thread
from numpy.typing import NDArray

from quipu.kernel.embedding.prefixes import Role
from quipu.kernel.embedding.stored import ModelInfo, read_means, verify

if TYPE_CHECKING:
    from quipu.kernel.embedding.runtime import Encoder

Vectors: TypeAlias = NDArray[np.float32]
Vector: TypeAlias = NDArray[np.float32]
_CHARACTERS_PER_TOKEN = 8
"""More than any language has on average (English 4.5), so that the cut rarely costs a token."""

_FEW_TEXTS = 4
"""Up to this many are encoded where they arrive, so that a question never waits behind a bulk import."""

_SLICE_TEXTS = 256
"""A call can be cancelled after each slice of this many texts, about every second."""

_turn = Lock()
_encoders: WeakValueDictionary[ModelInfo, Encoder] = WeakValueDictionary()


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors that lie near each other when the texts mean nearly the same."""

    @property
    def name(self) -> str:
        """The name under which settings choose it, e.g. ``all-MiniLM-L6-v2``."""
        ...

    @property
    def digest(self) -> str:
        """Identifies weights and recipe: vectors of different digests must not be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of every vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """Number of tokens of a text that are read: what lies beyond does not change its vector."""
        ...

    async def embed(self, texts: Sequence[str], *, role: Role = "passage") -> Vectors:
        """Return the vectors of the texts: shape (n, dimensions), float32, in their order.

        ``role`` is ``query`` for a question that searches; models that expect other words before a question
        than before what is stored embed it otherwise. Texts that are compared with each other have one role.

        Rows have unit length, so their inner product is their cosine. A text in which the model knows
        no word at all (empty, blank, emoji only) has the zero vector, which means "no direction": its inner
        product with everything is 0. Compare by inner product: a cosine distance to it is not a number.
        A text's vector never depends on its neighbours. Raises ``EmbeddingError``.
        """
        ...

    async def aclose(self) -> None:
        """Give back threads, connections and weights; calling it again does nothing."""
        ...


class LocalEmbedder:
    """Vectors from a model on disk, loaded at the first text.

    Every text is encoded alone: an 8-bit model scales its activations to what it sees at once, so a text
    encoded in a batch would get another vector beside other neighbours. Bulk work runs on ``threads`` cores;
    a long text that is the only one at the moment takes two of them.
    """

    def __init__(self, model: ModelInfo, *, threads: int = 2, cached_texts: int = 2048) -> None:
        self.name = model.name
        self.digest = model.digest
        self.dimensions = model.dimensions
        self.max_tokens = model.max_tokens
        self._model = model
        self._threads = threads
        self._readings = _readings(model, cached_texts)
        self._encoder: Encoder | None = None
        self._bulk = BoundedSemaphore(threads)
        self._at_work = 0  # texts that are being encoded
        self._counting = Lock()

    async def embed(self, texts: Sequence[str], *, role: Role = "passage") -> Vectors:
        """Return the vectors of the texts, in their order: shape (n, dimensions). See ``Embedder``."""
        reading = self._readings[role]
        if len(texts) == 1:
            text = self._prepare(texts[0])
            row = reading.cache.get(text)
            if row is None:
                row = await to_thread.run_sync(lambda: self._encode(text, reading, alone=True))
            return row[np.newaxis].copy()
        if len(texts) <= _FEW_TEXTS:
            return await to_thread.run_sync(self._few, texts, reading)
        rows = np.empty((len(texts), self.dimensions), np.float32)
        places = await to_thread.run_sync(self._places, texts)
        for part in _slices(places):
            encoded = await to_thread.run_sync(self._encode_all, part, reading)
            for text, row in zip(part, encoded, strict=True):
                rows[places[text]] = row
        return rows

    def embed_now(self, text: str, *, role: Role = "passage") -> Vectors:
        """Return the vector of one text, computed in this thread: shape (dimensions,)."""
        return self._encode(self._prepare(text), self._readings[role]).copy()

    def load(self) -> None:
        """Load the model now (a quarter of a second) instead of at the first text."""
        self._loaded()

    def verify(self) -> None:
        """Read the files whole and compare them with their card; ``ModelMissing`` if one was changed."""
        verify(self._model)

    async def aclose(self) -> None:
        """Give back the weights; a later text would load them again."""
        self._encoder = None
        for reading in self._readings.values():
            reading.cache.clear()

    def _prepare(self, text: str) -> str:
        return prepare(text, max_tokens=self.max_tokens)

    def _places(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """Return the places of each different text, longest first: no thread should end on a long one."""
        places: dict[str, list[int]] = {}
        for place, text in enumerate(texts):
            places.setdefault(self._prepare(text), []).append(place)
        return dict(sorted(places.items(), key=lambda item: len(item[0]), reverse=True))

    def _few(self, texts: Sequence[str], reading: _Reading) -> Vectors:
        """Encode a few texts in one thread: another would first wait for the interpreter's lock."""
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for text, places in self._places(texts).items():
            rows[places] = self._encode(text, reading, alone=True)
        return rows

    def _encode_all(self, texts: Sequence[str], reading: _Reading) -> list[Vectors]:
        if self._threads == 1:
            return [self._encode(text, reading) for text in texts]
        self._loaded()
        with ThreadPoolExecutor(self._threads, thread_name_prefix="quipu-embed") as pool:
            return list(pool.map(self._encode_in_turn, texts, repeat(reading)))

    def _encode_in_turn(self, text: str, reading: _Reading) -> Vectors:
        """Encode a text in turn: several bulk calls together use no more cores than one."""
        with self._bulk:
            return self._encode(text, reading)

    def _encode(self, text: str, reading: _Reading, *, alone: bool = False) -> Vectors:
        row = reading.cache.get(text)
        if row is None:
            with self._among_others() as others:
                row = self._loaded().encode(
                    text, prefix=reading.prefix, alone=alone and not others and self._threads > 1
                )
            row = unit(row[np.newaxis])
            row = (row if reading.mean is None else centred(row, reading.mean))[0]
            reading.cache.put(text, row)
        return row

    @contextmanager
    def _among_others(self) -> Generator[int]:
        """Count the other texts being encoded: beside them, two threads for one text gain nothing."""
        with self._counting:
            others, self._at_work = self._at_work, self._at_work + 1
        try:
            yield others
        finally:
            with self._counting:
                self._at_work -= 1

    def _loaded(self) -> Encoder:
        loaded = self._encoder
        if loaded is None:
            loaded = self._encoder = encoder(self._model)
        return loaded


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """Treatment of the texts of one role: words put before them, the mean subtracted, the latest vectors."""

    prefix: str
    mean: Vectors | None
    cache: VectorCache


def _readings(model: ModelInfo, cached_texts: int) -> dict[Role, _Reading]:
    """Return the reader of texts of each role; roles that do not differ share their cache."""
    roles: tuple[Role, Role] = ("passage", "query")
    means = dict(zip(roles, read_means(model), strict=True)) if model.centred else {}
    readings: dict[Role, _Reading] = {
        role: _Reading(model.prefixes.of(role), means.get(role), VectorCache(capacity=cached_texts))
        for role in roles
    }
    same = model.prefixes.query == model.prefixes.passage
    return {"passage": readings["passage"], "query": readings["passage" if same else "query"]}


def _slices(texts: dict[str, list[int]]) -> Iterator[list[str]]:
    every = list(texts)
    for start in range(0, len(every), _SLICE_TEXTS):
        yield every[start : start + _SLICE_TEXTS]


def unit(rows: Vectors) -> Vectors:
    """Return the rows scaled to length 1; rows of length 0 (or without a finite length) become zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    usable = np.isfinite(lengths) & (lengths > 1e-12)
    return np.where(usable, rows / np.where(usable, lengths, 1), 0).astype(np.float32)


def mean(rows: Vectors) -> Vectors:
    """Return the mean of the rows that have a direction: shape (d,), zero if none has."""
    usable = unit(rows)[np.abs(rows).max(axis=1, initial=0) > 0]
    return usable.mean(axis=0, dtype=np.float64).astype(np.float32) if len(usable) else np.zeros_like(rows[0])


def centred(rows: Vectors, mean: Vectors) -> Vectors:
    """Return rows of unit length without what all texts have in common; rows of length 0 stay as they are.

    The vectors of some models (e5, bge, gte) all point in nearly one direction: their cosines lie between .7
    and 1. Without their mean, those of texts that have nothing in common lie around 0.
    """
    zero = ~rows.any(axis=1, keepdims=True)
    return unit(np.where(zero, 0, rows - mean).astype(np.float32))


def prepare(text: str, *, max_tokens: int) -> str:
    """Return the beginning of the text with single spaces, without characters that UTF-8 cannot carry.

    At most 8 characters a token of what the model reads; a run of white space counts once.
    """
    most = max_tokens * _CHARACTERS_PER_TOKEN
    start = text if len(text) <= most else text.lstrip()[: 2 * most]
    clean = start.encode("utf-8", "ignore").decode("utf-8")
    return " ".join(clean.split())[:most]


def encoder(model: ModelInfo) -> Encoder:
    """Return the model, loaded now (0.2 s) if it is not, from any thread; its last holder frees it.

    Raises ``ModelMissing`` when its files cannot be loaded.
    """
    with _turn:
        loaded = _encoders.get(model)
        if loaded is None:
            loaded = _encoders[model] = _load(model)
        return loaded


def _load(model: ModelInfo) -> Encoder:
    # Here, so that only who embeds pays for loading onnxruntime (a tenth of a second).
    from quipu.kernel.embedding.runtime import Encoder  # noqa: PLC0415

    return Encoder(model)


class VectorCache:
    """At most ``capacity`` vectors; the one unused for longest goes first. Safe between threads.

    Texts are known by a 128-bit hash, so that long texts do not stay in memory
    (384 dimensions: 1.6 kB an entry).
    """

    def __init__(self, *, capacity: int = 2048) -> None:
        self.capacity = capacity
        self._rows: OrderedDict[bytes, Vector] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        """Count the vectors held now."""
        return len(self._rows)

    def get(self, text: str) -> Vector | None:
        """Return the vector of the text if it is still held. Do not write to it."""
        key = _hash(text)
        with self._lock:
            row = self._rows.get(key)
            if row is not None:
                self._rows.move_to_end(key)
            return row

    def put(self, text: str, row: Vector) -> None:
        """Hold the vector of the text; the oldest entry beyond the capacity is dropped."""
        key = _hash(text)
        with self._lock:
            self._rows[key] = row
            self._rows.move_to_end(key)
            while len(self._rows) > self.capacity:
                self._rows.popitem(last=False)

    def clear(self) -> None:
        """Forget all of them."""
        with self._lock:
            self._rows.clear()


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
