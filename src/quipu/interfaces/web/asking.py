"""Question of the recall page, as in its address; so a hit can be found again by its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, Query

from quipu.app.memory import AsyncMemory
from quipu.errors import NotFound
from quipu.interfaces.web.links import Value
from quipu.recall.model import Hit

LIMITS: Final = (10, 20, 50)
_Word = Annotated[str | None, Query(max_length=1000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question and what narrows it; empty words narrow nothing."""

    question: str
    user: str | None
    session: str | None
    kinds: tuple[str, ...]
    since: str | None
    until: str | None
    limit: int

    def query(self) -> dict[str, Value]:
        """Return the question as the address of the page has it."""
        return {
            "q": self.question,
            "user": self.user,
            "session": self.session,
            "kind": self.kinds,
            "since": self.since,
            "until": self.until,
            "limit": None if self.limit == LIMITS[0] else self.limit,
        }

    async def hits(self, memory: AsyncMemory, *, space: str) -> list[Hit]:
        """Return the hits that answer it; none for an empty question."""
        if not self.question or not space:
            return []
        return await memory.recall(
            self.question,
            space=space,
            user=self.user,
            session=self.session,
            kinds=self.kinds or None,
            since=self.since,
            until=self.until,
            limit=self.limit,
        )

    async def hit(self, memory: AsyncMemory, place: str, *, space: str) -> Hit:
        """Return the hit at a place (``kind:id``).

        Raises:
            NotFound: it does not answer the question any more.
        """
        for one in await self.hits(memory, space=space):
            if place_of(one) == place:
                return one
        raise NotFound("That memory does not come back any more.", hint="Go back and ask again.")


def place_of(hit: Hit) -> str:
    """Return the name of a hit in an address."""
    return f"{hit.kind}:{hit.id}"


def asked(
    q: Annotated[str, Query(max_length=100_000)] = "",
    user: _Word = None,
    session: _Word = None,
    kind: Annotated[list[str] | None, Query()] = None,
    since: _Word = None,
    until: _Word = None,
    limit: Annotated[int, Query(ge=1, le=50)] = LIMITS[0],
) -> Asked:
    """Read the question from the address."""
    return Asked(
        question=q.strip(),
        user=user or None,
        session=session or None,
        kinds=tuple(one for one in kind or () if one),
        since=since or None,
        until=until or None,
        limit=limit,
    )


Asking = Annotated[Asked, Depends(asked)]
