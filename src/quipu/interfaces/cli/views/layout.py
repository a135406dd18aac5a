"""Shapes in which answers stand on a screen: a row for each value, or one value in full."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Generic, TypeVar

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import visible

Row = TypeVar("Row")


class Rows(Generic[Row]):
    """The view of a list: a row for each value, a column for each name.

    ``none`` stands in place of an empty list. ``right`` names the columns of numbers.
    """

    def __init__(
        self,
        columns: Mapping[str, Callable[[Row], str | Text]],
        *,
        none: str = "",
        right: Collection[str] = (),
    ) -> None:
        self._columns = columns
        self._none = none
        self._right = right

    def __call__(self, rows: Sequence[Row]) -> RenderableType:
        """Show the values; nothing in them steers a terminal."""
        if self._none and not rows:
            return Text(self._none, style="dim")
        table = Table(box=None, pad_edge=False)
        for name in self._columns:
            table.add_column(name, justify="right" if name in self._right else "left")
        for one in rows:
            cells = [cell(one) for cell in self._columns.values()]
            table.add_row(*(visible(cell) if isinstance(cell, str) else cell for cell in cells))
        return table


def in_full(head: str, id_: object, *parts: tuple[str, str | None]) -> RenderableType:
    """Show one value: its text, its id, and a line for each part that is not empty."""
    lines = [Text(visible(head), style="bold"), Text(f"id          {id_}")]
    lines += [Text(f"{name:11} {visible(value)}") for name, value in parts if value]
    return Group(*lines)


def named_values(values: Mapping[str, object]) -> Table:
    """Show values beside their names; those that are None or empty are left out."""
    table = Table.grid(padding=(0, 2))
    for name, value in values.items():
        if value is not None and value != "":
            table.add_row(Text(name, style="dim"), Text(visible(str(value))))
    return table


def amounts(by_name: Mapping[str, int], name: str, amount: str) -> RenderableType:
    """Show numbers by name, under two headings."""
    table = Rows[tuple[str, int]](
        {name: lambda pair: pair[0], amount: lambda pair: f"{pair[1]:,}"}, right=(amount,)
    )
    return table([*by_name.items()])
