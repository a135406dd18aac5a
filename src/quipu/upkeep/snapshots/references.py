"""Target of a foreign key in a dump. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from quipu.upkeep.snapshots.forms import folded
from quipu.upkeep.snapshots.reader import Statement


@dataclass(frozen=True, slots=True)
class Reference:
    """Columns of a table that refer to columns of another one of the same schema."""

    table: str
    columns: tuple[str, ...]
    other: str
    other_columns: tuple[str, ...]


def reference(statement: Statement) -> Reference | None:
    """Return the reference that ``ALTER TABLE … FOREIGN KEY (b) REFERENCES s.c(d)`` adds.

    None if it is written differently.
    """
    words = list(statement.words)
    texts = [word.text.lower() if word.sort == "word" else word.text for word in words]
    if "foreign" not in texts or "references" not in texts:
        return None
    first = 3 if texts[2] == "only" else 2
    key, refers = texts.index("foreign"), texts.index("references")
    columns = _names(statement, key + 2)
    others = _names(statement, refers + 4)
    if not columns or len(columns) != len(others):
        return None
    return Reference(folded(words[first + 2]), columns, folded(words[refers + 3]), others)


def _names(statement: Statement, place: int) -> tuple[str, ...]:
    """Return the names between two parentheses; none if there is something else."""
    if statement.lower(place) != "(":
        return ()
    names: list[str] = []
    while statement.lower(place) in {"(", ","} and place + 1 < len(statement.words):
        names.append(folded(statement.words[place + 1]))
        place += 2
    return tuple(names) if statement.lower(place) == ")" else ()
