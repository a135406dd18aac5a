"""What the vectors of a database must be, worked out again from the words and the shares that are stored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import psycopg
from numpy.typing import NDArray

from quipu.kernel.embedding.hashing import HashEmbedder

_ENTRIES = """
select e.space_id, e.id, e.from_previous, e.from_before, e.from_next, m.content, s.generation, v.own::text,
       v.context::text, e.bits::text, g.dimensions
from core.recall_entries e
join core.spaces s on s.id = e.space_id
join core.messages m on m.space_id = e.space_id and m.id = e.id
left join core.recall_vectors v
    on v.space_id = e.space_id and v.generation = {generation} and v.entry_id = e.id
left join core.recall_generations g on g.id = {generation}
order by e.space_id, e.id
"""


@dataclass(frozen=True)
class Checked:
    """How many entries were compared, and those of which the generation has no vector."""

    compared: int
    missing: list[tuple[int, int]]


def check(url: str, *, generation: int | None = None) -> Checked:
    """Compare each vector of the generation that a space is searched by, or of the one given.

    Signs are compared only where spaces are searched by them.
    """
    with psycopg.connect(url) as conn:
        chosen = "s.generation" if generation is None else str(generation)
        rows = conn.execute(_ENTRIES.format(generation=chosen)).fetchall()
    by_place = {(row[0], row[1]): row for row in rows}
    missing: list[tuple[int, int]] = []
    for place, row in by_place.items():
        if row[8] is None:
            missing.append(place)
            continue
        dimensions = row[10]
        expected = _context(by_place, place, dimensions)
        found = _parsed(row[8])
        assert found.shape == (dimensions,), place
        np.testing.assert_allclose(found, expected, atol=2e-3, err_msg=str(place))
        assert (row[7] is None) == (row[1] < 0), "own vectors are kept where neighbours are mixed in"
        if row[7] is not None:
            np.testing.assert_allclose(_parsed(row[7]), _own(row[5], dimensions), atol=2e-3)
        if generation is None:
            signs = np.array([bit == "1" for bit in row[9][:dimensions]])
            clear = np.abs(expected) > 2e-3
            assert (signs == (expected > 0))[clear].all(), place
    return Checked(len(rows) - len(missing), missing)


def _own(text: str, dimensions: int) -> NDArray[np.float32]:
    return HashEmbedder(dimensions=dimensions).embed_now(text)


def _context(by_place: dict, place: tuple[int, int], dimensions: int) -> NDArray[np.float32]:
    space, number = place
    mixed = _own(by_place[place][5], dimensions).astype(np.float64)
    for step, share in zip((-1, -2, 1), by_place[place][2:5], strict=True):
        if share:
            mixed += share * _own(by_place[space, number + step][5], dimensions)
    length = np.linalg.norm(mixed)
    return mixed / length if length else mixed


def _parsed(text: str) -> NDArray[np.float32]:
    return np.array(text.strip("[]").split(","), np.float32)
