"""Lists in pages: a cursor says where the next one begins. It is opaque, and good for its own list only.

    @router.get("/sessions", summary="List the sessions, latest first")
    async def sessions(here: Reading, page: Paging) -> Page[Session]:
        offset = page.counted("sessions")
        rows = await here.memory.sessions(space=here.space, limit=page.limit + 1, offset=offset)
        return page.of_counted("sessions", rows)

A list that goes on behind a row has ``after=page.behind("facts")``, or ``behind_number`` where its rows are
numbered, and ``page.of_rows("facts", rows)``; one that is read from its end has ``page.of_last``. The row
beyond the limit shows that there is a next page.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Generic, TypeVar, cast

from fastapi import Depends, Query
from pydantic import Field, TypeAdapter, ValidationError

from quipu.errors import BadInput
from quipu.interfaces.rest.models import Answer

Item = TypeVar("Item")
Place = TypeVar("Place")
_LONGEST: Final = 2_000
_ID: Final = TypeAdapter[str](Annotated[str, Field(max_length=1_000)])
_NUMBER: Final = TypeAdapter[int](Annotated[int, Field(ge=1, le=2**63 - 1)])
_OFFSET: Final = TypeAdapter[int](Annotated[int, Field(ge=0, le=2**53)])


class Page(Answer, Generic[Item]):
    """A part of a list. ``next`` is the cursor of the next part, null on the last."""

    items: list[Item]
    next: Annotated[str | None, Field(description="`cursor` of the next page; null: this was the last.")]


@dataclass(frozen=True, slots=True)
class PageQuery:
    """Part of a list that is asked for.

    Each reading of the cursor raises ``BadInput`` if it is no cursor of the list ``name``.
    """

    limit: int
    cursor: str | None

    def behind(self, name: str) -> str | None:
        """Return the id of the row behind which the page begins; None on the first page."""
        return self._place(name, _ID)

    def behind_number(self, name: str) -> int | None:
        """Return the number of the row behind which the page begins; None on the first page."""
        return self._place(name, _NUMBER)

    def counted(self, name: str) -> int:
        """Return the offset of the page, for a list that is counted from its beginning."""
        return self._place(name, _OFFSET) or 0

    def of_rows(self, name: str, rows: Sequence[Item]) -> Page[Item]:
        """Return the page of a list that goes on behind a row, named by its ``id`` or ``name``."""
        return self._page(name, rows[: self.limit], _key(rows[self.limit - 1]) if self._more(rows) else None)

    def of_last(self, name: str, rows: Sequence[Item]) -> Page[Item]:
        """Return the page of a list that begins at its end: the last rows; the next page is before them."""
        return self._page(name, rows[-self.limit :], _key(rows[-self.limit]) if self._more(rows) else None)

    def of_counted(self, name: str, rows: Sequence[Item]) -> Page[Item]:
        """Return the page of a list that is counted from its beginning."""
        return self._page(
            name, rows[: self.limit], self.counted(name) + self.limit if self._more(rows) else None
        )

    def _more(self, rows: Sequence[object]) -> bool:
        return len(rows) > self.limit

    def _page(self, name: str, rows: Sequence[Item], place: str | int | None) -> Page[Item]:
        """Return a page with a cursor for the place where the next one begins, if there is one."""
        cursor = json.dumps([name, place], separators=(",", ":")).encode()
        next_ = None if place is None else base64.urlsafe_b64encode(cursor).decode("ascii")
        return Page(items=list(rows), next=next_)

    def _place(self, name: str, form: TypeAdapter[Place]) -> Place | None:
        """Return the place at which the page before ended; None on the first page."""
        if self.cursor is None:
            return None
        try:
            cursor = cast("object", json.loads(base64.urlsafe_b64decode(self.cursor.encode("ascii"))))
            if isinstance(cursor, list) and cast("list[Any]", cursor)[:1] == [name]:
                return form.validate_python(cast("list[Any]", cursor)[1])
        except (ValueError, binascii.Error, ValidationError, IndexError, RecursionError):
            pass
        raise BadInput(
            "that is no cursor of this list.", field="cursor", hint="Take `next` of the page before as it is."
        )


def _key(row: Any) -> str:
    return str(row.id if hasattr(row, "id") else row.name)


def paging(
    limit: Annotated[int, Query(ge=1, le=200, description="Rows of a page.")] = 50,
    cursor: Annotated[
        str | None, Query(max_length=_LONGEST, description="`next` of the page before; none: the first.")
    ] = None,
) -> PageQuery:
    """Return the query of a list."""
    return PageQuery(limit, cursor)


Paging = Annotated[PageQuery, Depends(paging)]
