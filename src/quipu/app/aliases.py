"""Other names of people, as a room of the memory."""

from __future__ import annotations

from typing import Annotated, Final

from typing_extensions import Doc

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Confirm, Example, Limit, Offset, Space
from quipu.kernel.base.scope import check_known_name, check_name, everybody_only, reads_only, whole
from quipu.kernel.db.database import Database
from quipu.record import aliases
from quipu.record.aliases import Alias

_MOST: Final = 1_000
_LONGEST: Final = 200
Other = Annotated[str, Doc("The other name, as people say it."), Example("Kate")]
Known = Annotated[str, Doc("The name under which the person speaks or is spoken of."), Example("Emi")]


class AsyncAliases:
    """Other names of people: a question that has one finds what is known under the other.

    Some are learnt from plain statements, such as "everyone calls him Bo". They go with the message that told
    them, and with the person.
    """

    def __init__(self, database: Database, *, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    @reads_only
    async def list(self, *, space: Space, limit: Limit = 100, offset: Offset = 0) -> list[Alias]:
        """Return other names in order of the alphabet, with who said so."""
        whole("limit", limit, least=1, most=_MOST)
        whole("offset", offset, least=0, most=10**9)
        async with self._database.list_read(check_name("space", space)) as tx:
            return [] if tx is None else await aliases.every(tx, limit=limit, offset=offset)

    async def add(self, alias: Other, name: Known, *, space: Space) -> Alias:
        """Say that somebody has another name, and return it as it is kept. Adding it again changes nothing.

        Raises:
            BadInput: both are the same, or one of them is longer than 200 characters.
        """
        everybody_only("Other names concern")
        other, known = _new("alias", alias), _new("name", name)
        if other.casefold() == known.casefold():
            raise BadInput("it is the same as the name.", field="alias", hint="Give another name.")
        async with self._database.write(check_name("space", space)) as tx:
            return await aliases.added(tx, other, known, now=self._clock.now())

    async def erase(self, alias: Other, name: Known, *, space: Space, confirm: Confirm = False) -> Alias:
        """Take another name away, learnt or said, and return it; it is learnt again if it is told again.

        Raises:
            NotFound: the person is not known by it.
        """
        everybody_only("Other names concern")
        ends = check_known_name("alias", alias), check_known_name("name", name)
        async with self._database.write(check_name("space", space)) as tx:
            found = await aliases.one(tx, *ends)
            if found is None:
                raise NotFound(f"{name!r} is not known as {alias!r} here.", hint="List them: aliases.list.")
            if confirm:
                await aliases.erase(tx, found)
            return found


def _new(field: str, value: str) -> str:
    name = " ".join(check_name(field, value).split())
    if len(name) > _LONGEST:
        raise BadInput(f"it has {len(name):,} characters; {_LONGEST} are the most.", field=field)
    return name
