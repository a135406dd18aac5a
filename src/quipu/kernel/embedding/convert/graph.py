"""An ONNX graph under construction. Field numbers are those of onnx.proto3 (ONNX IR version 8)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

MICROSOFT = "com.microsoft"
"""The domain of onnxruntime's own, fused operators."""

Attribute: TypeAlias = int | float | str | tuple[int, ...]
Dimension: TypeAlias = int | str

FLOAT32, INT64 = 1, 7
_ELEMENT_TYPES = {"float32": FLOAT32, "uint8": 2, "int8": 3, "int32": 6, "int64": INT64}
_IR_VERSION = 8
_OPSET = 17


_VARINT, _LENGTH, _FIXED32 = 0, 2, 5


def varint(number: int) -> bytes:
    """Encode a number in groups of seven bits, lowest first; negative ones as 64-bit two's complement."""
    rest = number & (1 << 64) - 1
    out = bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def integer(field: int, number: int) -> bytes:
    """Encode an integer field."""
    return varint(field << 3 | _VARINT) + varint(number)


def text(field: int, value: str | bytes) -> bytes:
    """Encode a string, bytes or nested message field."""
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | _LENGTH) + varint(len(data)) + data


def single(field: int, value: float) -> bytes:
    """Encode a 32-bit float field."""
    return varint(field << 3 | _FIXED32) + struct.pack("<f", value)


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
        node = [text(1, name) for name in inputs]
        node += [text(2, name) for name in outputs]
        node.append(text(4, operator))
        node += [text(5, _attribute(name, value)) for name, value in attributes.items()]
        if domain:
            node.append(text(7, domain))
        self._nodes.append(b"".join(node))
        return outputs

    def finish(self, result: str, *, name: str, dimensions: Sequence[Dimension]) -> None:
        """Give the result its public name."""
        self._nodes.append(text(1, result) + text(2, name) + text(4, "Identity"))
        self._output = _value(name, FLOAT32, dimensions)

    def serialize(self, *, input_name: str, dimensions: Sequence[Dimension]) -> bytes:
        """Return the whole model file, with one int64 input."""
        graph = [text(1, node) for node in self._nodes]
        graph.append(text(2, "encoder"))
        graph += [text(5, tensor) for tensor in self._constants]
        graph.append(text(11, _value(input_name, INT64, dimensions)))
        graph.append(text(12, self._output))
        opsets = text(8, text(1, "") + integer(2, _OPSET))
        opsets += text(8, text(1, MICROSOFT) + integer(2, 1))
        return integer(1, _IR_VERSION) + text(2, "quipu") + text(7, b"".join(graph)) + opsets

    def _name(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"


def _tensor(name: str, values: NDArray[Any]) -> bytes:
    """Return a TensorProto; raw data is little-endian by definition."""
    shape = b"".join(integer(1, size) for size in values.shape)
    data = np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()
    return shape + integer(2, _ELEMENT_TYPES[values.dtype.name]) + text(8, name) + text(9, data)


def _attribute(name: str, value: Attribute) -> bytes:
    """Return an AttributeProto: its name, its value, its type."""
    if isinstance(value, float):
        return text(1, name) + single(2, value) + integer(20, 1)
    if isinstance(value, int):
        return text(1, name) + integer(3, value) + integer(20, 2)
    if isinstance(value, str):
        return text(1, name) + text(4, value) + integer(20, 3)
    return text(1, name) + b"".join(integer(8, number) for number in value) + integer(20, 7)


def _value(name: str, element_type: int, dimensions: Sequence[Dimension]) -> bytes:
    """Return a ValueInfoProto: a tensor of that type; dimensions with a name may vary."""
    sizes = b"".join(
        text(1, text(2, size) if isinstance(size, str) else integer(1, size)) for size in dimensions
    )
    return text(1, name) + text(2, text(1, integer(1, element_type) + text(2, sizes)))
