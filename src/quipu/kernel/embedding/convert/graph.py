"""An ONNX graph under construction. Field numbers are those of onnx.proto3 (ONNX IR version 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.embedding.convert import wire

MICROSOFT = "com.microsoft"
"""The domain of onnxruntime's own, fused operators."""

Attribute: TypeAlias = int | float | str | tuple[int, ...]
Dimension: TypeAlias = int | str

FLOAT32, INT64 = 1, 7
_ELEMENT_TYPES = {"float32": FLOAT32, "uint8": 2, "int8": 3, "int32": 6, "int64": INT64}
_IR_VERSION = 8
_OPSET = 17


class Graph:
    """Collects constants and operators in order; names of values are made up as it goes."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._count = 0

    def constant(self, values: NDArray[Any]) -> str:
        """Add a tensor with fixed values and return its name."""
        name = self._name("c")
        self._constants.append(_tensor(name, values))
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
        node = [wire.text(1, name) for name in inputs]
        node += [wire.text(2, name) for name in outputs]
        node.append(wire.text(4, operator))
        node += [wire.text(5, _attribute(name, value)) for name, value in attributes.items()]
        if domain:
            node.append(wire.text(7, domain))
        self._nodes.append(b"".join(node))
        return outputs

    def finish(self, result: str, *, name: str, dimensions: Sequence[Dimension]) -> None:
        """Give the result its public name."""
        self._nodes.append(wire.text(1, result) + wire.text(2, name) + wire.text(4, "Identity"))
        self._output = _value(name, FLOAT32, dimensions)

    def serialize(self, *, input_name: str, dimensions: Sequence[Dimension]) -> bytes:
        """Return the whole model file, with one int64 input."""
        graph = [wire.text(1, node) for node in self._nodes]
        graph.append(wire.text(2, "encoder"))
        graph += [wire.text(5, tensor) for tensor in self._constants]
        graph.append(wire.text(11, _value(input_name, INT64, dimensions)))
        graph.append(wire.text(12, self._output))
        opsets = wire.text(8, wire.text(1, "") + wire.integer(2, _OPSET))
        opsets += wire.text(8, wire.text(1, MICROSOFT) + wire.integer(2, 1))
        return wire.integer(1, _IR_VERSION) + wire.text(2, "quipu") + wire.text(7, b"".join(graph)) + opsets

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"


def _tensor(name: str, values: NDArray[Any]) -> bytes:
    """Return a TensorProto; raw data is little-endian by definition."""
    shape = b"".join(wire.integer(1, size) for size in values.shape)
    data = np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()
    return (
        shape + wire.integer(2, _ELEMENT_TYPES[values.dtype.name]) + wire.text(8, name) + wire.text(9, data)
    )


def _attribute(name: str, value: Attribute) -> bytes:
    """Return an AttributeProto: its name, its value, its type."""
    if isinstance(value, float):
        return wire.text(1, name) + wire.single(2, value) + wire.integer(20, 1)
    if isinstance(value, int):
        return wire.text(1, name) + wire.integer(3, value) + wire.integer(20, 2)
    if isinstance(value, str):
        return wire.text(1, name) + wire.text(4, value) + wire.integer(20, 3)
    return wire.text(1, name) + b"".join(wire.integer(8, number) for number in value) + wire.integer(20, 7)


def _value(name: str, element_type: int, dimensions: Sequence[Dimension]) -> bytes:
    """Return a ValueInfoProto: a tensor of that type; dimensions with a name may vary."""
    sizes = b"".join(
        wire.text(1, wire.text(2, size) if isinstance(size, str) else wire.integer(1, size))
        for size in dimensions
    )
    return wire.text(1, name) + wire.text(
        2, wire.text(1, wire.integer(1, element_type) + wire.text(2, sizes))
    )
