"""The protobuf wire format, as far as ONNX files need it (protobuf.dev, "Encoding")."""

from __future__ import annotations

import struct

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
