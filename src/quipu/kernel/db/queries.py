"""Named SQL: the queries of one package, read once, looked up by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import LiteralString, cast

from psycopg import sql

_PARAMETER = re.compile(r"%\((\w+)\)s")
_NAME = re.compile(r"^-- name: ([a-z][a-z0-9_]*)[^\n]*\n", re.MULTILINE)


_names: dict[str, str] = {}


def name_of(text: str) -> str | None:
    """Return the name of a query by its text, with its package: ``recall.search``; None if it has none."""
    return _names.get(text)


class Queries(dict[str, LiteralString]):
    """The queries of one package. Asking for one that is not there names those that are."""

    def __missing__(self, name: str) -> LiteralString:
        raise KeyError(f"no query named {name!r}; known: {', '.join(sorted(self))}")

    def fill(self, name: str, /, **parts: sql.Composable | str) -> sql.Composed:
        """Return the statement of a template, its ``{parts}`` filled in; a plain text becomes a literal."""
        return sql.SQL(self[name]).format(**parts)


def load(package: str, *, folder: str = "sql") -> Queries:
    """Read every ``.sql`` file in the ``folder`` of ``package``; a name that occurs twice is an error."""
    queries = Queries()
    place = resources.files(package) / folder
    for file in sorted((f for f in place.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name):
        _, *parts = _NAME.split(file.read_text(encoding="utf-8"))
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            if name in queries:
                raise ValueError(f"{package}: query {name!r} is defined twice")
            queries[name] = cast(LiteralString, text.strip().rstrip(";"))
            _names[queries[name]] = f"{package.removeprefix('quipu.')}.{name}"
    return queries


@dataclass(frozen=True, slots=True)
class Numbered:
    """A query with ``$1`` in place of ``%(name)s``, and the names in the order of their numbers."""

    text: LiteralString
    names: tuple[str, ...]


@cache
def numbered(query: LiteralString) -> Numbered:
    """Return a query with numbered parameters for a raw cursor, which need not look for names."""
    names = tuple(dict.fromkeys(_PARAMETER.findall(query)))
    places = {name: f"${place}" for place, name in enumerate(names, start=1)}
    text = _PARAMETER.sub(lambda m: places[m[1]], query).replace("%%", "%")
    return Numbered(cast(LiteralString, text), names)
