"""An ONNX graph under construction, on top of the ``onnx`` package."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quipu.errors import MissingExtra

MICROSOFT = "com.microsoft"
"""The domain of onnxruntime's own, fused operators."""

Attribute: TypeAlias = int | float | str | tuple[int, ...]
Dimension: TypeAlias = int | str

# Old enough for every onnxruntime that pyproject.toml allows, whatever the installed ``onnx`` could write.
_IR_VERSION = 8
_OPSETS = {"": 17, MICROSOFT: 1}


class Graph:
    """Collects constants and operators in order; names of values are made up as it goes.

    Raises ``MissingExtra`` when ``onnx`` is not installed.
    """

    def __init__(self) -> None:
        self._onnx = _load_onnx()
        self._nodes: list[object] = []
        self._constants: list[object] = []
        self._count = 0

    def constant(self, values: NDArray[Any]) -> str:
        """Add a tensor with fixed values and return its name."""
        name = self._name("c")
        self._constants.append(self._onnx.numpy_helper.from_array(values, name))
        return name

    def integers(self, *values: int) -> str:
        """Add a short list of integers, for axes and shapes, and return its name."""
        return self.constant(np.array(values, np.int64))

    def apply(self, operator: str, *inputs: str, domain: str = "", **attributes: Attribute) -> str:
        """Apply an operator with one result and return the name of the result."""
        return self.split(operator, *inputs, parts=1, domain=domain, **attributes)[0]

    def split(
        self, operator: str, *inputs: str, parts: int, domain: str = "", **attributes: Attribute
    ) -> list[str]:
        """Apply an operator with several results and return their names."""
        outputs = [self._name("t") for _ in range(parts)]
        self._add(operator, inputs, outputs, domain=domain or None, **attributes)
        return outputs

    def finish(self, result: str, *, name: str, dimensions: Sequence[Dimension]) -> None:
        """Give the result its public name."""
        self._add("Identity", [result], [name])
        self._output = self._value(name, "FLOAT", dimensions)

    def serialize(self, *, input_name: str, dimensions: Sequence[Dimension]) -> bytes:
        """Return the whole model file, with one int64 input."""
        helper = self._onnx.helper
        inputs = [self._value(input_name, "INT64", dimensions)]
        graph = helper.make_graph(self._nodes, "encoder", inputs, [self._output], initializer=self._constants)
        opsets = [helper.make_opsetid(domain, version) for domain, version in _OPSETS.items()]
        model = helper.make_model(graph, producer_name="quipu", ir_version=_IR_VERSION, opset_imports=opsets)
        return model.SerializeToString(deterministic=True)

    def _add(
        self, operator: str, inputs: Sequence[str], outputs: Sequence[str], **options: Attribute | None
    ) -> None:
        self._nodes.append(self._onnx.helper.make_node(operator, inputs, outputs, **options))

    def _value(self, name: str, element_type: str, dimensions: Sequence[Dimension]) -> object:
        """Describe a tensor of that type; dimensions with a name may vary."""
        type_number = self._onnx.TensorProto.DataType.Value(element_type)
        return self._onnx.helper.make_tensor_value_info(name, type_number, dimensions)

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"


def _load_onnx() -> Any:
    try:
        return import_module("onnx")
    except ImportError as error:
        raise MissingExtra("onnx", "Converting an embedding model") from error
