"""Interface that snapshots need from the keeper of agents' schemas."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import LiteralString, Protocol, TypeVar

from quipu.kernel.db.database import Connection
from quipu.upkeep.snapshots.model import Target
from quipu.upkeep.snapshots.rights import Granted, Right

_T = TypeVar("_T")


class Ground(Protocol):
    """The schemas of agents: which there are, and work on the login of their writer."""

    @property
    def protected(self) -> Sequence[str]:
        """Relations of the engine in every schema."""
        ...

    async def retention_days(self, space: str) -> int:
        """Return how long the snapshots of a space are kept, in days, 1 to 365."""
        ...

    async def space_id(self, space: str) -> int | None:
        """Return the number of a space; None if there is none of that name."""
        ...

    async def find(self, space: str, schema: str, *, make: bool = False) -> Target:
        """Return the schema of that short name; with ``make``, make a missing one.

        Raises:
            NotFound: there is none, and ``make`` is not said.
        """
        ...

    async def every(self, space: str) -> Sequence[Target]:
        """Return all schemas of a space."""
        ...

    async def tables(self, conn: Connection, target: Target) -> Sequence[str]:
        """Return the agent's tables that hold rows, by name, as a connection of the owner sees them."""
        ...

    async def tables_now(self, target: Target) -> Sequence[str]:
        """Return the agent's tables that hold rows now, by name."""
        ...

    async def drops(self, target: Target) -> Sequence[LiteralString]:
        """Return statements that drop all that the agent made in the schema, in any order."""
        ...

    async def open_up(self, target: Target) -> None:
        """Have all rows of the agent's tables read, whatever their owner did with its rights."""
        ...

    async def grants(self, target: Target) -> Mapping[str, str]:
        """Return what each agent may do in the schema."""
        ...

    async def grant(self, target: Target, grants: Mapping[str, str]) -> None:
        """Let agents do so much in the schema."""
        ...

    async def rights(self, conn: Connection, target: Target) -> Sequence[Granted]:
        """Return what everybody may do with the objects of a writer; ``conn`` is of it."""
        ...

    async def roles(self, space: str, named: Collection[tuple[str, int]]) -> set[tuple[str, int]]:
        """Return those of these roles, by name and number, that are still there and not of another space."""
        ...

    async def admit(self, target: Target, rights: Iterable[Right]) -> None:
        """Give roles rights on the schema itself, as its owner."""
        ...

    async def look(self, target: Target, work: Callable[[Connection], Awaitable[_T]]) -> _T:
        """Work on a connection of the writer, in autocommit mode."""
        ...

    async def change(
        self,
        target: Target,
        work: Callable[[Connection], Awaitable[_T]],
        *,
        seconds: float,
        trial: bool = False,
    ) -> _T:
        """Work in one transaction of the writer, at whose end the engine follows the structure.

        It is undone where the work raises, and where it was a trial.
        """
        ...

    async def save_vectors(self, conn: Connection, target: Target, write: Callable[[bytes], object]) -> int:
        """Write the vectors of the schema; how many. ``conn`` is of the owner."""
        ...

    async def lend_vectors(self, target: Target, saved: Path) -> None:
        """Have vectors of a file of `save_vectors` used for rows of the same text when the index follows."""
        ...

    async def follow(self, target: Target) -> int:
        """Have the index follow for a while; how many vectors were made or taken out."""
        ...

    async def tidy(self, target: Target) -> None:
        """Let go of saved vectors that no row waits for."""
        ...
