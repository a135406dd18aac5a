"""Moving a space from one database of a directory to another.

The space is in one database at any moment: in the source until the transaction commits in which it is taken
out there and says where it went, from then on in the target. Until then nobody finds it in the target, and
whoever comes there is sent to the source. A move that was cut off is finished, or begun anew, by moving the
space again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from quipu.app.directory.members import Members
from quipu.app.kinds import ERASERS
from quipu.errors import NotFound, SpaceMoved
from quipu.upkeep.archive.archive import RecordsDone
from quipu.upkeep.directory.carriage import forget_no_less
from quipu.upkeep.directory.registry import unknown


@dataclass(frozen=True, slots=True)
class Moved:
    """A space that was moved, or (``done`` is False) would be, and from where to where.

    ``memories`` is how many it has, ``records`` how many went over, ``seconds`` how long whoever wrote to it
    waited; both are 0 before it is done, and where nothing had to be moved.
    """

    space: str
    source: str
    target: str
    memories: int
    records: int
    seconds: float
    done: bool


async def move(
    members: Members, space: str, target: str, *, confirm: bool, progress: RecordsDone = None
) -> Moved:
    """Move a space to the database ``target``, or without ``confirm`` tell what that would move.

    Raises:
        NotFound: there is no such space, or no such database.
        DatabaseUnavailable: one of the two does not answer.
    """
    if target not in await members.rows(fresh=True):
        raise unknown(target)
    async with members.registry.moving(space):
        source = await _source(members, space)
        leaving, coming = await members.get(source), await members.get(target)
        async with leaving.database.transaction(space) as tx:
            memories = 0 if tx is None else tx.space.entries
        plan = Moved(space, source, target, memories, 0, 0.0, done=source == target)
        if plan.done or not confirm:
            return plan
        await coming.carriage.clear(space, ERASERS)
        records, began = 0, time.monotonic()
        async with leaving.database.erase(space) as tx:
            began = time.monotonic()
            if tx is not None:
                await tx.take_time()
                async with leaving.carriage.packed(tx, progress) as load:
                    records = load.records
                    await coming.carriage.unpack(space, load, source=source)
                await forget_no_less(leaving.database, coming.database)
                await leaving.carriage.leave(tx, ERASERS, to=target)
        await coming.carriage.arrived(space)
        await members.registry.move(space, target)
        return replace(plan, records=records, seconds=time.monotonic() - began, done=True)


async def _source(members: Members, space: str) -> str:
    """Return the database that has a space, and finish a move that was cut off at its end."""
    place = await members.registry.place_of(space)
    if place is None:
        raise NotFound(f"There is no space {space!r}.", hint="The list of spaces shows them.")
    try:
        async with (await members.get(place)).database.transaction(space):
            return place
    except SpaceMoved as moved:
        await (await members.get(moved.database)).carriage.arrived(space)
        await members.registry.move(space, moved.database)
        return moved.database
