"""The databases of a directory, as people read them."""

from __future__ import annotations

from rich.text import Text

from quipu.app.directory.databases import DatabaseEntry
from quipu.app.directory.moves import Moved
from quipu.interfaces.cli.views.layout import Rows
from quipu.interfaces.cli.views.text import count, size, visible


def _state(one: DatabaseEntry) -> Text:
    if one.problem is not None:
        return Text(f"does not answer: {visible(one.problem)}", style="red")
    if one.draining:
        return Text("takes no new spaces", style="yellow")
    return Text("takes new spaces")


table = Rows[DatabaseEntry](
    {
        "name": lambda one: one.name,
        "spaces": lambda one: f"{one.spaces:,}",
        "size": lambda one: "" if one.bytes is None else size(one.bytes),
        "state": _state,
        "address": lambda one: one.address,
    },
    none="The directory has no database yet: quipu databases add NAME URL",
    right=("spaces", "size"),
)
"""The databases, with how many spaces each was given and how large it is."""


def one(entry: DatabaseEntry) -> Text:
    """Show one of them."""
    taken = "" if entry.bytes is None else f", {size(entry.bytes)}"
    return Text(f"{entry.name}: {count(entry.spaces, 'space')}{taken}; ") + _state(entry)


def moved(one: Moved) -> Text:
    """Show a move, done or to be confirmed."""
    space, source, target = visible(one.space), one.source, one.target
    if source == target:
        return Text(f"{space} is in {target} already.")
    memories = count(one.memories, "memory", "memories")
    if not one.done:
        return Text(f"{space} would go from {source} to {target}, with {memories}.")
    waited = f"whoever wrote to it waited {one.seconds:.1f} s"
    return Text(f"{space} went from {source} to {target}, with {memories}; {waited}.")
