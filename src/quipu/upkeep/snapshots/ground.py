"""What snapshots need of whoever keeps schemas of agents."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import LiteralString, Protocol, TypeVar

from quipu.kernel.db.database import Connection
from quipu.upkeep.snapshots.model import Target

_T = TypeVar("_T")


class Ground(Protocol):
    """The schemas of agents: which there are, and work on the login of their writer."""

    async def find(self, space: str, schema: str, *, make: bool = False) -> Target:
        """The schema of that short name.

        Raises:
            NotFound: there is none, and ``make`` is not said.
        """
        ...

    async def every(self, space: str | None = None) -> Sequence[Target]:
        """All schemas of a space, or of all spaces."""
        ...

    async def tables(self, conn: Connection, target: Target) -> Sequence[str]:
        """The agent's tables that hold rows, by name, as a connection of the owner sees them."""
        ...

    async def drops(self, target: Target) -> Sequence[LiteralString]:
        """Statements that drop all that the agent made in the schema, in any order."""
        ...

    async def look(self, target: Target, work: Callable[[Connection], Awaitable[_T]]) -> _T:
        """Work on a connection of the writer, in autocommit mode."""
        ...

    async def change(
        self, target: Target, work: Callable[[Connection], Awaitable[_T]], *, seconds: float
    ) -> _T:
        """Work in one transaction of the writer, at whose end the engine follows the structure.

        It is undone where the work raises.
        """
        ...

    async def save_vectors(self, conn: Connection, target: Target, write: Callable[[bytes], object]) -> int:
        """Write the vectors of the schema; how many. ``conn`` is of the owner."""
        ...

    async def lend_vectors(self, target: Target, saved: Sequence[bytes]) -> None:
        """Have saved vectors used for rows of the same text when the index follows."""
        ...

    async def follow(self, target: Target) -> int:
        """Have the index follow for a while; how many vectors were made or taken out."""
        ...
