"""Names of schemas and tables: which are good, and what a schema is called in SQL. Pure."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Final

from quipu.errors import BadInput
from quipu.kernel.base.scope import refuse_secret

DEFAULT: Final = "memory"
PLAIN_SPACE: Final = "default"
PROTECTED: Final = ("embeddings", "schema_registry")
LONGEST_TABLE: Final = 63

_SHORT = re.compile(r"[a-z][a-z0-9_]{0,29}")
_OF_A_SPACE = re.compile(r"s[0-9]+(_.*)?")
_TABLE = re.compile(r"[a-z][a-z0-9_]*")


def check_schema(value: object) -> str:
    """Return the short name of a schema: ``memory`` or another, with or without ``memory_`` in front.

    Raises:
        BadInput: it is no such name.
    """
    if not isinstance(value, str):
        raise BadInput("a short name is needed.", field="schema", hint='Such as "work".')
    name = value.removeprefix(f"{DEFAULT}_") or value
    if not _SHORT.fullmatch(name) or _OF_A_SPACE.fullmatch(name):
        raise BadInput(
            f"{value!r} is no short name of a schema.",
            field="schema",
            hint="Up to 30 of a-z, 0-9 and _, a letter first; not s and a number, which name spaces.",
        )
    return name


def physical(space_id: int, space: str, name: str) -> str:
    """Return the name that PostgreSQL has for a schema.

    Names of schemas are shared by all spaces of a database. The space ``default`` has the plain ones, any
    other has its number in them; so no name tells of what another space has. Outside, nobody sees it: see
    ``kernel/db/schema_names.py`` and docs/decisions/tables.md.
    """
    first = DEFAULT if space == PLAIN_SPACE else f"{DEFAULT}_s{space_id}"
    return first if name == DEFAULT else f"{first}_{name}"


def check_table(value: object, *, field: str = "table", schema: str | None = None) -> str:
    """Return the name of a table; its ``schema`` may stand in front, as in ``memory.boats``.

    Raises:
        BadInput: it is no such name.
    """
    name = value
    if isinstance(value, str) and schema is not None:
        name = value.removeprefix(f"{schema}.").removeprefix(f"{DEFAULT}_{schema}.")
    if not isinstance(name, str) or len(name) > LONGEST_TABLE or not _TABLE.fullmatch(name):
        raise BadInput(
            f"{value!r} is no name of a table.",
            field=field,
            hint="Up to 63 of a-z, 0-9 and _, a letter first.",
        )
    refuse_secret(field, name)
    return name


def bare_table(value: object) -> str | None:
    """Return the name of a table without any schema in front; None if it can be none."""
    name = value.rpartition(".")[2] if isinstance(value, str) else ""
    return name if _TABLE.fullmatch(name) else None


def nearest(name: str, known: list[str]) -> str:
    """Return a sentence that names the nearest of what exists, or all of it if nothing is near."""
    if near := get_close_matches(name, known, n=1, cutoff=0.5):
        return f"Did you mean {near[0]!r}?"
    return f"There are: {', '.join(known)}." if known else "There are none yet."
