"""What a kind of memory hands in, as one value: all that the house needs to know of it.

``app/kinds.py`` is the tuple of these values; nothing else knows which kinds there are.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from quipu.kernel.db.database import Database, Within
from quipu.recall.generations import Models
from quipu.recall.model import Cited
from quipu.upkeep.erasure.service import Eraser

CatchUp = Callable[[Database, Models, str], Awaitable[None]]
Cite = Callable[[Within, Sequence[int]], Awaitable[Mapping[int, Cited]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of memory.

    ``name`` and ``code``: how recall calls it and files it (core.recall_kinds). ``package``: where its
    migrations lie. ``cite``: tells of entries that were found, by id. ``eraser``: forgets. ``catch_up``:
    files what a space holds of this kind and the index does not know yet; called before a recall where the
    kind has set its bit in ``core.spaces.unfiled``, which it clears. A kind that files as it writes has none.
    """

    name: str
    code: int
    package: str
    cite: Cite
    eraser: Eraser
    catch_up: CatchUp | None = None

    @property
    def unfiled_bit(self) -> int:
        """Its bit in ``core.spaces.unfiled``."""
        return 1 << (self.code - 1)
