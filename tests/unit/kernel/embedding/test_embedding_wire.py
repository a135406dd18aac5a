from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.kernel.embedding.convert import graph


@pytest.mark.parametrize(
    ("number", "expected"), [(0, "00"), (1, "01"), (127, "7f"), (128, "8001"), (300, "ac02")]
)
def test_numbers_are_written_as_the_specification_shows(number: int, expected: str) -> None:
    assert graph.varint(number).hex() == expected


def test_minus_one_takes_ten_bytes() -> None:
    assert graph.varint(-1).hex() == "ffffffffffffffffff01"


@given(st.integers(0, 2**63 - 1))
def test_a_number_can_be_read_back(number: int) -> None:
    groups = [byte & 0x7F for byte in graph.varint(number)]
    assert sum(group << 7 * place for place, group in enumerate(groups)) == number


def test_fields_carry_their_number_and_kind() -> None:
    assert graph.integer(1, 150).hex() == "089601"
    assert graph.text(2, "testing").hex() == "120774657374696e67"
    assert graph.single(1, 0.5) == b"\x0d" + struct.pack("<f", 0.5)
