"""Statements that insert, update and delete rows. Names are quoted, values are parameters. Pure.

Values go as one JSON document each and PostgreSQL reads them into the types of the columns: a list becomes an
array where the column is one, and stays JSON where it is jsonb.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, LiteralString, cast

from psycopg import sql

from quipu.errors import BadInput
from quipu.kinds.tables.catalogue import RelationShape
from quipu.kinds.tables.embedding import row_text
from quipu.kinds.tables.embedding.model import Written
from quipu.kinds.tables.model import StoredSchema
from quipu.kinds.tables.names import nearest
from quipu.kinds.tables.templates import fill
from quipu.kinds.tables.values import as_json, jsonable

_COMPARED: Final[Mapping[str, LiteralString]] = {
    "=": "=", "!=": "<>", "<>": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "@>": "@>",
}  # fmt: skip
_MATCHED: Final[Mapping[str, LiteralString]] = {
    "like": "like", "ilike": "ilike", "not like": "not like", "not ilike": "not ilike",
}  # fmt: skip
_SCALAR: Final = re.compile(
    "(smallint|integer|bigint|numeric|real|double|boolean|text|character|uuid|date|time|interval|bytea)"
)
_WRITTEN: Final = "as it was written"
_OPERATORS: Final = (*_COMPARED, *_MATCHED, "in", "not in", "null")


@dataclass(frozen=True, slots=True)
class PreparedStatement:
    """A statement and its parameters."""

    statement: sql.Composed
    values: Sequence[str]


class Values:
    """Parameters in the order of their numbers."""

    def __init__(self) -> None:
        self.given: list[str] = []

    def add(self, value: Any) -> sql.SQL:
        """Return the place of one more value, as JSON."""
        self.given.append(as_json(value))
        return sql.SQL(cast(LiteralString, f"${len(self.given)}::jsonb"))

    def text(self, value: str) -> sql.SQL:
        """Return the place of one more text, unchanged."""
        self.given.append(value)
        return sql.SQL(cast(LiteralString, f"${len(self.given)}::text"))


def known(shape: RelationShape, names: Sequence[str], *, field: str) -> None:
    """Raise BadInput for a name that is no column, with the nearest that is one."""
    for name in names:
        if name not in shape.types:
            raise BadInput(
                f"{shape.name} has no column {name!r}.",
                field=f"{field}.{name}",
                hint=nearest(name, list(shape.types)),
            )


def insert(
    schema: StoredSchema,
    shape: RelationShape,
    columns: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    *,
    told: bool = False,
) -> PreparedStatement:
    """Return the insertion of rows that all have the same columns.

    With ``told``, what is embedded of them comes back (``written``).
    """
    table = sql.Identifier(schema.schema_name, shape.name)
    returning = _returning(shape, told=told)
    if not columns:
        return PreparedStatement(fill("insert_defaults", table=table, returning=returning), ())
    values = Values()
    listed = sql.SQL(", ").join(map(sql.Identifier, columns))
    statement = fill(
        "insert_rows", table=table, columns=listed, rows=values.add(list(rows)), returning=returning
    )
    return PreparedStatement(statement, values.given)


def update(
    schema: StoredSchema, shape: RelationShape, data: Mapping[str, Any], where: object
) -> PreparedStatement:
    """Change the rows that satisfy ``where``; ``updated_at`` follows where the table has it."""
    values = Values()
    columns = [sql.Identifier(name) for name in data]
    touched = shape.types.get("updated_at", "").startswith("timestamp") and "updated_at" not in data
    statement = fill(
        "update_rows",
        table=sql.Identifier(schema.schema_name, shape.name),
        columns=sql.SQL(", ").join(columns),
        taken=sql.SQL(", ").join(sql.SQL("v.{}").format(column) for column in columns),
        data=values.add(dict(data)),
        touched=sql.SQL(", updated_at = pg_catalog.now()" if touched else ""),
        where=condition(schema, shape, where, values),
        returning=_returning(shape),
    )
    return PreparedStatement(statement, values.given)


def delete(schema: StoredSchema, shape: RelationShape, where: object) -> PreparedStatement:
    """Take the rows that satisfy ``where``."""
    values = Values()
    statement = fill(
        "delete_rows",
        table=sql.Identifier(schema.schema_name, shape.name),
        where=condition(schema, shape, where, values),
        returning=_returning(shape),
    )
    return PreparedStatement(statement, values.given)


def condition(schema: StoredSchema, shape: RelationShape, where: object, values: Values) -> sql.Composable:
    """Return the condition on rows: columns with values or operators, or a text in SQL.

    Raises:
        BadInput: it says nothing, or something that there is not.
    """
    if isinstance(where, str) and where.strip() and "\0" not in where:
        # With a parameter PostgreSQL accepts one statement only; without one, the text could end ours and
        # begin another. It runs as the writer of the schema either way.
        written = sql.SQL(cast(LiteralString, f"(\n{where}\n)"))
        return sql.SQL("{} is not null and {}").format(values.add("one statement"), written)
    if not isinstance(where, Mapping) or not where:
        raise BadInput(
            "say which rows.",
            field="where",
            hint='{"id": 5}, {"age": {">": 30}}, or SQL such as "level < 3"; "true" is all rows.',
        )
    given = cast("Mapping[Any, Any]", where)
    known(shape, [str(name) for name in given], field="where")
    parts = [_part(schema, shape, str(name), wanted, values) for name, wanted in given.items()]
    return sql.SQL(" and ").join(parts)


def _part(
    schema: StoredSchema, shape: RelationShape, name: str, wanted: Any, values: Values
) -> sql.Composable:
    said = [
        _compared(schema, shape, name, operator, value, values)
        for operator, value in _operators(shape, name, wanted).items()
    ]
    return sql.SQL(" and ").join(said)


def compared(shape: RelationShape, where: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the values that columns are compared with and that must fit their types: one in a row."""
    conditions: list[dict[str, Any]] = []
    for name, wanted in where.items():
        for operator, value in _operators(shape, name, wanted).items():
            several = cast("Sequence[Any]", value) if operator in {"in", "not in"} else [value]
            if operator not in _MATCHED and operator != "null":
                conditions += [{name: jsonable(one, field=f"where.{name}", clean=False)} for one in several]
    return conditions


def _operators(shape: RelationShape, name: str, wanted: Any) -> dict[str, Any]:
    """Return the operators of a column, and their values."""
    if not _is_operators(wanted):
        if isinstance(wanted, Mapping) and _SCALAR.match(shape.types[name]):
            said = next((str(one) for one in cast("Mapping[Any, Any]", wanted)), "")
            raise BadInput(
                f"there is no operator {said!r}.", field=f"where.{name}", hint=nearest(said, list(_OPERATORS))
            )
        return {"=": wanted}
    return {str(operator).lower(): value for operator, value in cast("Mapping[Any, Any]", wanted).items()}


def _is_operators(wanted: Any) -> bool:
    """Return True if it says how to compare, and is not itself a value of a column of JSON."""
    if not isinstance(wanted, Mapping) or not wanted:
        return False
    return all(str(name).lower() in _OPERATORS for name in cast("Mapping[Any, Any]", wanted))


def _compared(
    schema: StoredSchema, shape: RelationShape, name: str, operator: str, value: Any, values: Values
) -> sql.Composable:
    column = sql.SQL("t.{}").format(sql.Identifier(name))
    table = sql.Identifier(schema.schema_name, shape.name)
    field = f"where.{name}"
    if operator == "null" or (value is None and operator in {"=", "!=", "<>"}):
        is_null = value is True if operator == "null" else operator == "="
        return sql.SQL("{} is null" if is_null else "{} is not null").format(column)
    if operator in _MATCHED:
        if not isinstance(value, str):
            raise BadInput("a pattern is a text.", field=field, hint='{"name": {"like": "Th%"}}')
        return sql.SQL("{}::text {} {}").format(
            column, sql.SQL(_MATCHED[operator]), values.text(jsonable(value, field=field, clean=False))
        )
    if operator in {"in", "not in"}:
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise BadInput("a list of values is needed.", field=field, hint='{"id": {"in": [1, 2]}}')
        rows = [{name: jsonable(one, field=field, clean=False)} for one in cast("Sequence[Any]", value)]
        return fill(
            "among",
            column=column,
            operator=sql.SQL("in" if operator == "in" else "not in"),
            name=sql.Identifier(name),
            table=table,
            rows=values.add(rows),
        )
    data = values.add({name: jsonable(value, field=field, clean=False)})
    compared = sql.SQL(_COMPARED[operator])
    return fill(
        "compare", column=column, operator=compared, table=table, data=data, name=sql.Identifier(name)
    )


def _returning(shape: RelationShape, *, told: bool = False) -> sql.Composable:
    if not shape.key:
        return sql.SQL("")
    listed: list[sql.Composable] = [sql.Identifier(name) for name in shape.key]
    if told and shape.fields and _WRITTEN not in shape.key:
        key, fields = row_text.key(shape.key), row_text.fields(shape.fields)
        listed.append(fill("as_written", key=key, fields=fields, name=sql.Identifier(_WRITTEN)))
    return sql.SQL(" returning {}").format(sql.SQL(", ").join(listed))


def keys(shape: RelationShape, returned: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Return the primary keys of rows that a statement changed; none if the table has none."""
    return tuple({name: one[name] for name in shape.key} for one in returned)


def written(shape: RelationShape, returned: Sequence[Mapping[str, Any]]) -> list[Written]:
    """Return the written rows, as an insertion that reports them gave them back."""
    rows: list[Written] = []
    for one in returned:
        if told := one.get(_WRITTEN):
            transaction, key, *texts = told
            fields = dict(zip(shape.fields, texts, strict=True))
            rows.append(Written(shape.relation, int(transaction) % 2**32, key, fields))
    return rows
