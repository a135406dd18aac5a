"""Lists in pages: a cursor says where the next one begins. It is opaque, and good for its own list only.

    @router.get("", summary="List the facts, newest first")
    async def facts(here: Reading, page: Paging) -> Page[FactTold]:
        after = page.after("facts", FactPlace)  # None on the first page
        found = await here.memory.ledger.list(after=after, limit=page.limit + 1, space=here.space)
        told = [FactTold.model_validate(one) for one in found]
        return page.of("facts", told, lambda last: FactPlace(id=last.id))

``FactPlace`` is a pydantic model: where the last row of a page stands in the order of the list. A list that
goes on behind the id of a row has ``after=page.behind("facts")``, and ``page.of_rows("facts", told)``; one
that is counted from its beginning ``offset=page.counted("facts")``, ``page.of_counted("facts", told)``.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Generic, TypeVar, cast

from fastapi import Depends, Query
from pydantic import BaseModel, Field, ValidationError

from quipu.errors import BadInput
from quipu.interfaces.rest.models import Told

Item = TypeVar("Item")
Place = TypeVar("Place", bound=BaseModel)
_LONGEST: Final = 2_000


class Page(Told, Generic[Item]):
    """A part of a list. ``next`` is the cursor of the next part, null on the last."""

    items: list[Item]
    next: Annotated[str | None, Field(description="`cursor` of the next page; null: this was the last.")]


class Row(BaseModel):
    """The place of a list that goes on behind a row."""

    id: Annotated[str, Field(max_length=1_000)]


class Numbered(BaseModel):
    """Place in a list whose rows have numbers."""

    id: Annotated[int, Field(ge=1, le=2**63 - 1)]


class Offset(BaseModel):
    """The place of a list that is counted from its beginning."""

    offset: Annotated[int, Field(ge=0, le=2**53)]


@dataclass(frozen=True, slots=True)
class Asked:
    """Part of a list that is asked for."""

    limit: int
    cursor: str | None

    def after(self, name: str, place: type[Place]) -> Place | None:
        """Return where the page before ended; None on the first page.

        Raises:
            BadInput: it is no cursor of the list ``name``.
        """
        if self.cursor is None:
            return None
        try:
            told = cast("object", json.loads(base64.urlsafe_b64decode(self.cursor.encode("ascii"))))
            if isinstance(told, list) and cast("list[Any]", told)[:1] == [name]:
                return place.model_validate(cast("list[Any]", told)[1])
        except (ValueError, binascii.Error, ValidationError, IndexError, RecursionError):
            pass
        raise BadInput(
            "that is no cursor of this list.", field="cursor", hint="Take `next` of the page before as it is."
        )

    def of(self, name: str, found: Sequence[Item], place: Callable[[Item], BaseModel]) -> Page[Item]:
        """Return the page of up to ``limit + 1`` rows that were found; the extra one shows a next page."""
        items = list(found[: self.limit])
        more = len(found) > self.limit
        return Page(items=items, next=_cursor(name, place(items[-1])) if more else None)

    def behind(self, name: str) -> str | None:
        """Return the id of the row behind which the page begins, for a list that goes on behind a row."""
        after = self.after(name, Row)
        return None if after is None else after.id

    def behind_number(self, name: str) -> int | None:
        """Return the number of the row behind which the page begins, for a list of numbered rows."""
        after = self.after(name, Numbered)
        return None if after is None else after.id

    def of_rows(self, name: str, found: Sequence[Item]) -> Page[Item]:
        """Return the page of a list that goes on behind a row; its items have an ``id``."""
        return self.of(name, found, lambda last: Row(id=str(cast("Any", last).id)))

    def counted(self, name: str) -> int:
        """Return the offset of the page, for a list that is counted from its beginning."""
        after = self.after(name, Offset)
        return 0 if after is None else after.offset

    def of_counted(self, name: str, found: Sequence[Item]) -> Page[Item]:
        """Return the page of a list that is counted from its beginning."""
        return self.of(name, found, lambda _: Offset(offset=self.counted(name) + self.limit))


def paging(
    limit: Annotated[int, Query(ge=1, le=200, description="Rows of a page.")] = 50,
    cursor: Annotated[
        str | None, Query(max_length=_LONGEST, description="`next` of the page before; none: the first.")
    ] = None,
) -> Asked:
    """Return the query of a list."""
    return Asked(limit, cursor)


Paging = Annotated[Asked, Depends(paging)]


def _cursor(name: str, place: BaseModel) -> str:
    told = json.dumps([name, place.model_dump(mode="json")], separators=(",", ":"), ensure_ascii=True)
    return base64.urlsafe_b64encode(told.encode()).decode("ascii")
