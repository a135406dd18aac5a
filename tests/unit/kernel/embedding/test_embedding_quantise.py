from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from quipu.kernel.embedding.convert.bert import columns, rows
from quipu.kernel.embedding.embedder import Vectors

MATRICES = arrays(
    np.float32, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=st.floats(-8, 8, width=32)
)


@given(MATRICES)
def test_no_pair_of_products_overflows_sixteen_bits(weights: Vectors) -> None:
    values = columns(weights).values.astype(np.int64)
    padded = np.pad(values, ((0, len(values) % 2), (0, 0))).reshape(-1, 2, values.shape[1])
    assert (np.maximum(padded, 0).sum(axis=1) * 255 < 2**15).all()
    assert (np.minimum(padded, 0).sum(axis=1) * 255 >= -(2**15)).all()


@given(MATRICES)
def test_a_weight_is_off_by_half_a_step_at_most(weights: Vectors) -> None:
    quantised = columns(weights)
    assert (np.abs(quantised.values * quantised.scales - weights) <= quantised.scales * 0.5001 + 1e-6).all()


@given(MATRICES)
def test_a_table_entry_is_off_by_half_a_step_at_most(table: Vectors) -> None:
    quantised = rows(table)
    assert quantised.scales.shape == (len(table), 1)
    assert (np.abs(quantised.values * quantised.scales - table) <= quantised.scales * 0.5001 + 1e-6).all()
