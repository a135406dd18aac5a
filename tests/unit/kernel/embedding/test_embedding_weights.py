from __future__ import annotations

import numpy as np
import pytest
from tiny_bert import safetensors

from quipu.errors import BadInput
from quipu.kernel.embedding.convert.directory import read_weights


def test_tensors_come_back_in_their_shapes() -> None:
    data = safetensors({"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.ones(1, np.float32)})
    read = read_weights(data, name="x")
    assert read["a"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert read["b"].tolist() == [1]


def test_half_precision_is_widened() -> None:
    half = np.array([0.5, -2], np.float16)
    brain = (np.array([0.5, -2], np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.float16)
    read = read_weights(safetensors({"half": half, "brain": brain}, {"brain": "BF16"}), name="x")
    assert read["half"].dtype == read["brain"].dtype == np.float32
    assert read["half"].tolist() == read["brain"].tolist() == [0.5, -2]


def test_whole_numbers_are_left_out() -> None:
    assert read_weights(safetensors({"position_ids": np.arange(3)}), name="x") == {}


WHOLE = safetensors({"a": np.ones(4, np.float32)})


@pytest.mark.parametrize(
    "data", [b"", b"abc", b"\xff" * 40, WHOLE[:30], WHOLE[:-4], b"\x02" + bytes(7) + b"[]"]
)
def test_what_is_not_a_whole_file_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(BadInput, match=r"model\.safetensors"):
        read_weights(data, name="model.safetensors")
