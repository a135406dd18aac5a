"""Content of a dump, read without a database."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from quipu.errors import BadInput
from quipu.kernel.base.lines import open_regular
from quipu.upkeep.snapshots.forms import REGISTRY, order, schema_of
from quipu.upkeep.snapshots.reader import Dump
from quipu.upkeep.snapshots.rights import noted


def look_through(path: Path, schema_name: str, *, protected: Collection[str], code: bool) -> dict[str, int]:
    """Return rows by table, if each statement is one that may be loaded.

    ``code`` and ``protected`` as in `order`.

    Raises:
        BadInput: a statement may not be loaded; names its line.
    """
    rows: dict[str, int] = {}
    with path.open("rb") as file:
        dump = Dump(file)
        for statement in dump.statements():
            given = order(statement, schema_name, protected=protected, code=code)
            if given.step == "rows":
                rows[given.relation] = sum(line.endswith(b"\n") for line in dump.rows())
        noted(dump.notes)
    rows.pop(REGISTRY, None)
    return rows


def schema_named(path: Path) -> str:
    """Return the name of the schema that a dump is of.

    Raises:
        BadInput: the file cannot be read, or is no dump of one schema.
    """
    try:
        with open_regular(path) as file:
            return schema_of(Dump(file).statements())
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.", field="path") from error
