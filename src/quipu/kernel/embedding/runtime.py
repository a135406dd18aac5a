"""The one place that loads onnxruntime and tokenizers: one text in, one vector out.

Import it when a vector is needed and not before: the two libraries take a tenth of a second to load.
"""

# onnxruntime ships no types, so what comes from it is unknown until it is cast:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock
from typing import Protocol, cast

# Before the import. The call that turns telemetry off comes too late: by then onnxruntime (1.31) has made an
# identifier of this machine and a database of events to be sent under ~/.cache/Microsoft.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as refusals  # pyright: ignore[reportAttributeAccessIssue]
from tokenizers import Tokenizer

from quipu.errors import EmbeddingError, ModelMissing
from quipu.kernel.embedding.stored import GRAPH, TOKENIZER, ModelInfo

_INPUT, _OUTPUT = "input_ids", "embedding"
_FATAL_ONLY = 4
_LONG_TOKENS = 16
REFUSALS = cast(
    "tuple[type[Exception], ...]",
    (
        refusals.Fail,
        refusals.InvalidArgument,
        refusals.InvalidGraph,
        refusals.InvalidProtobuf,
        refusals.NoSuchFile,
        refusals.NotImplemented,
        refusals.RuntimeException,
    ),
)
"""What onnxruntime raises: classes without a common parent of their own."""


class Node(Protocol):
    """An input or output of a graph."""

    @property
    def name(self) -> str:
        """Its name in the file."""
        ...


class InferenceSession(Protocol):
    """Part of ``onnxruntime.InferenceSession`` that we need."""

    def run(self, output_names: list[str], inputs: dict[str, NDArray[np.int64]]) -> list[NDArray[np.float32]]:
        """Compute the outputs of these names."""
        ...

    def get_inputs(self) -> list[Node]:
        """Return the inputs of the graph."""
        ...

    def get_outputs(self) -> list[Node]:
        """Return the outputs of the graph."""
        ...


class Encoder:
    """A loaded model. Calls from several threads run beside each other, each on its own core.

    Raises ``ModelMissing`` when the files cannot be loaded.
    """

    def __init__(self, model: ModelInfo) -> None:
        try:
            self._tokenizer = open_tokenizer(model.directory, max_tokens=model.max_tokens)
            self._session = open_session(model.directory / GRAPH, threads=1)
        except (OSError, ValueError, *REFUSALS) as error:
            raise ModelMissing(
                f"The embedding model in {model.directory} cannot be loaded: {error}.",
                hint="quipu doctor checks its files; QUIPU_EMBEDDING_MODEL chooses another model.",
            ) from error
        self._model = model
        self._pair: InferenceSession | None = None
        self._long_ones = 0
        self._loading = Lock()
        self._dimensions = model.dimensions
        self._meaningless = _meaningless(self._tokenizer)

    def encode(self, text: str, *, prefix: str = "", alone: bool = False) -> NDArray[np.float32]:
        """Return the vector of one prepared text: shape (dimensions,), zero without known words.

        The words of ``prefix`` come before it; they do not count as known words of the text.
        With ``alone`` no other text waits, so a long one may take two cores. The vector is the same, to the
        bit.
        """
        tokens = self._tokenizer.encode(text).ids
        if self._meaningless.issuperset(tokens):
            return np.zeros(self._dimensions, np.float32)
        if prefix:
            tokens = self._tokenizer.encode(prefix + text).ids
        try:
            session = self._for_long() if alone and len(tokens) >= _LONG_TOKENS else self._session
            rows = session.run([_OUTPUT], {_INPUT: np.array([tokens], np.int64)})[0]
        except REFUSALS as error:
            raise EmbeddingError(f"onnxruntime refused a text: {error}.") from error
        return rows[0]

    def _for_long(self) -> InferenceSession:
        """Return a session for long texts, loaded at the second one: for one alone it would not pay."""
        with self._loading:
            self._long_ones += 1
            if self._pair is None and self._long_ones > 1 and (os.cpu_count() or 1) > 1:
                self._pair = open_session(self._model.directory / GRAPH, threads=2)
            return self._pair or self._session


def open_tokenizer(directory: Path, *, max_tokens: int) -> Tokenizer:
    """Return the tokenizer, set to cut where the model stops reading and never to pad."""
    tokenizer = Tokenizer.from_buffer((directory / TOKENIZER).read_bytes())
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=max_tokens)
    return tokenizer


def open_session(path: Path, *, threads: int, optimised: bool = False) -> InferenceSession:
    """Return the graph, ready to run.

    In bulk, parallel texts on one thread each use the cores better than parallel products do; a text of 35
    tokens that is alone takes 3.7 ms on two threads instead of 6.1.

    No optimiser for our own graphs: the converter writes them as they should run, and searching them costs
    time at every start.
    """
    ort.disable_telemetry_events()
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry(
        "session.intra_op.allow_spinning", "0"
    )  # no core is kept busy by waiting
    options.inter_op_num_threads = 1
    options.log_severity_level = _FATAL_ONLY
    levels = ort.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimised else levels.ORT_DISABLE_ALL
    return cast(
        "InferenceSession", ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    )


def _meaningless(tokenizer: Tokenizer) -> frozenset[int]:
    """Return the tokens without meaning: those put around every text, and the one for unknown words."""
    around = tokenizer.encode("").ids
    unknown = (tokenizer.token_to_id(name) for name in ("[UNK]", "<unk>"))
    return frozenset(around).union(token for token in unknown if token is not None)
