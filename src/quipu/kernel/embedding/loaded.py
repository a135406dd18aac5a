"""The models that are loaded in this process: each once, however many embedders work with it."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from quipu.kernel.embedding.stored import ModelInfo

if TYPE_CHECKING:
    from quipu.kernel.embedding.runtime import Encoder

_turn = Lock()
_encoders: WeakValueDictionary[ModelInfo, Encoder] = WeakValueDictionary()


def encoder(model: ModelInfo) -> Encoder:
    """Return the model, loaded now (0.2 s) if it is not, from any thread; its last holder frees it.

    Raises ``ModelMissing`` when its files cannot be loaded.
    """
    with _turn:
        found = _encoders.get(model)
        if found is None:
            found = _encoders[model] = _load(model)
        return found


def _load(model: ModelInfo) -> Encoder:
    # Here, so that only who embeds pays for loading onnxruntime (a tenth of a second).
    from quipu.kernel.embedding.runtime import Encoder  # noqa: PLC0415

    return Encoder(model)
