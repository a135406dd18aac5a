"""Answers about agents' tables that are done at once, or bear the token of a preview."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from quipu.interfaces.rest.models import Told

Confirm = Annotated[
    str | None,
    Field(
        description="Nothing was changed, since something would go: send it back to have it done.",
        examples=[None],
    ),
]


class StatementTold(Told):
    """Outcome of a statement: PostgreSQL's word for it, and the rows that it touched or returned.

    `returned`: rows that it returned, at most so many; `embedded`: vectors made or taken out; `note`:
    what else there is to know. `lost`: what it takes away, a line each; `undone`: nothing was changed.
    """

    status: str
    rows: int
    returned: list[dict[str, Any]]
    embedded: int
    note: str | None
    lost: list[str]
    undone: bool
    confirm: Confirm = None


class ChangedRowsTold(Told):
    """Rows that were inserted, updated or deleted: their primary keys, and how many vectors followed.

    Where it is `undone`, nothing was changed: those that would be, with the keys of the first 20.
    """

    table: str
    rows: int
    keys: list[dict[str, Any]]
    embedded: int
    note: str | None
    lost: Annotated[list[str], Field(description="What goes along elsewhere, where nothing was changed.")]
    undone: Annotated[bool, Field(description="Nothing was changed.")]
    confirm: Confirm = None


class RecreatedTold(Told):
    """Outcome, or where it is `undone` preview: the steps in their order, and what differs.

    `diff`: lines that begin with `+`, `-` or `~` and name a column, a constraint or a setting of the table,
    with the definition before and after. `rows` are carried over; a trial carries the first `tried` of them,
    at most 100,000, and undoes that. `lost` names what cannot come along.
    """

    table: str
    steps: list[str]
    diff: list[str]
    lost: list[str]
    rows: int
    tried: int
    embedded: int
    undone: Annotated[bool, Field(description="Nothing was changed.")]
    confirm: Confirm = None
