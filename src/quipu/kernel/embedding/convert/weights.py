"""Reads safetensors files (huggingface/safetensors, "Format"): a JSON header and raw tensors."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import cast

import numpy as np

from quipu.errors import BadInput
from quipu.kernel.embedding.model import Vectors

_HEADER_LIMIT = 100_000_000
_READABLE = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}


def read_weights(data: bytes, *, name: str) -> dict[str, Vectors]:
    """Read a file's floating-point tensors as float32, by name (position ids are left out).

    Raises ``BadInput`` for what is not a whole safetensors file.
    """
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > min(_HEADER_LIMIT, len(data) - 8):
        raise BadInput(f"{name} is not a safetensors file, or it is cut short.", hint="Fetch it again.")
    try:
        header = cast("Mapping[str, Mapping[str, object]]", json.loads(data[8 : 8 + size]))
        body = memoryview(data)[8 + size :]
        entries = {key: entry for key, entry in header.items() if entry.get("dtype") in _READABLE}
        return {key: _tensor(body, entry) for key, entry in entries.items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(f"{name} cannot be read: {error}.", hint="Fetch it again.") from error


def _tensor(body: memoryview, entry: Mapping[str, object]) -> Vectors:
    kind = str(entry["dtype"])
    shape = cast("list[int]", entry["shape"])
    start, end = cast("tuple[int, int]", entry["data_offsets"])
    raw = np.frombuffer(body[start:end], _READABLE[kind], count=math.prod(shape))
    if kind == "BF16":
        raw = (raw.astype(np.uint32) << 16).view(np.float32)
    return raw.astype(np.float32).reshape(shape)
