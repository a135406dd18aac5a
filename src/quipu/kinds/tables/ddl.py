"""Making tables, and running other statements, on the writer's login."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from psycopg import sql

from quipu.errors import BadInput
from quipu.kernel.db.database import Connection, SpaceTransaction
from quipu.kinds.tables import catalogue
from quipu.kinds.tables.access import SchemaPlace
from quipu.kinds.tables.engine import Engine, Undone, settled
from quipu.kinds.tables.exchange import Rows, exchange, run
from quipu.kinds.tables.introspection import own_structure, structure
from quipu.kinds.tables.losses import (
    count_again,
    hold,
    losses,
    outdated,
    own_state,
    refuse_losses,
    with_counts,
)
from quipu.kinds.tables.model import Done, StoredSchema
from quipu.kinds.tables.names import PROTECTED, check_table, nearest
from quipu.kinds.tables.refusals import Request
from quipu.kinds.tables.scan import first_words, name_after
from quipu.kinds.tables.templates import fill
from quipu.kinds.tables.values import as_json, parsed

MOST_STATEMENT: Final = 1_000_000
_RETURNED: Final = 100
_OURS: Final = ("begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release", "prepare")
_GENERAL = (
    "Call memory:schema:recreate with the whole new definition; rows, vectors and indexes come along. "
    "Confirm with the user first."
)


async def create_table(
    engine: Engine,
    place: SchemaPlace,
    name: object,
    statement: object,
    *,
    description: object,
    embed_fields: object,
    column_descriptions: object = None,
) -> Done:
    """Make a table and say what it is for, in one transaction."""
    text = engine.clean_statement(statement_of(statement))
    about = _about(engine, description)
    fields = fields_of(embed_fields)
    told = {k: engine.clean(v) for k, v in descriptions_of(column_descriptions).items()}
    if "create" not in first_words(text, 1):
        raise BadInput(
            "this is no CREATE TABLE.", field="sql", hint="memory:schema:execute runs other statements."
        )
    async with engine.access.entered(place, "admin", make=True) as (tx, schema):
        table = check_table(name, field="name", schema=schema.name)
        if await catalogue.find_shape(tx, schema, table) is not None:
            raise BadInput(
                f"There is a table {table!r} already.",
                field="name",
                hint="memory:schema:recreate changes it.",
            )
    request = Request(schema=schema, field="sql", seconds=engine.seconds, statement=text)

    async def work(conn: Connection) -> Done:
        async with settled(conn):
            before = await own_state(conn)
            done = await exchange(conn, text, most=0, all_of_it=True)
            refuse_losses(before, await own_state(conn), schema.names)
            await made(conn, schema, table, statement=text, status=done.status)
            await register(conn, schema, table, about=about, fields=fields, columns=told)
        return Done(status=done.status, rows=0)

    done = await engine.run(place.space, request, "writer", work)
    embedded = await engine.followed(place.space, schema)
    return Done(status=done.status, rows=0, embedded=embedded, note=f"{table} is registered.")


async def execute(
    engine: Engine,
    place: SchemaPlace,
    statement: object,
    *,
    confirm: bool | Done,
    show_first: bool,
) -> Done:
    """Run a statement that changes structure or rows; undo what takes something away unconfirmed.

    Raises:
        Outdated: It takes away other than the preview that is confirmed; nothing was changed.
    """
    as_tried = confirm if isinstance(confirm, Done) else None
    trial = show_first and confirm is False
    text = engine.clean_statement(statement_of(statement))
    async with engine.access.entered(place, "admin") as (tx, schema):
        if first_words(text) == ("alter", "table"):
            recipe = await recreate_recipe(tx, schema, text)
            raise BadInput("there is no ALTER TABLE; a table is recreated instead.", field="sql", hint=recipe)
        _refuse(text)
        tables = await catalogue.table_names(tx, schema)
    request = Request(schema=schema, field="sql", seconds=engine.seconds, statement=text, tables=tables)

    async def work(conn: Connection) -> Done:
        done, lost, before = Rows((), (), False, False, "", 0), (), {}
        compares, undone, changed = confirm is not True, False, False
        async with settled(conn):
            before = await own_state(conn) if compares else {}
            held = {} if as_tried is None else await hold(conn, before, as_tried.lost, schema.names)
            done = await exchange(conn, text, most=_RETURNED, all_of_it=True)
            if compares:
                await conn.execute(fill("end_of_statement"))
                lost = losses(before, await own_state(conn))
            if as_tried is not None:
                lost = tuple(f"{line} ({held[line]:,} rows)" if line in held else line for line in lost)
            changed = as_tried is not None and _shown(schema, lost) != tuple(as_tried.lost)
            undone = trial or changed or (as_tried is None and bool(lost))
            if undone:
                raise Undone
        if undone:
            await count_again(conn, before)
        if changed:
            raise outdated()
        if as_tried is None:
            lost = await with_counts(conn, lost)
        notes = [f"The first {len(done.rows)} rows are shown."] if done.limited else []
        for table in () if undone else await unkeyed(conn):
            notes.append(
                f"{table} has no primary key: nothing of it is embedded until it is recreated with one."
            )
        return Done(
            status=done.status,
            rows=done.touched,
            returned=done.rows,
            note=" ".join(notes) or None,
            lost=_shown(schema, lost),
            undone=undone,
        )

    done = await engine.run(place.space, request, "writer", work)
    return done if done.undone else replace(done, embedded=await engine.followed(place.space, schema))


async def recreate_recipe(tx: SpaceTransaction, schema: StoredSchema, statement: str) -> str:
    """Return the call to make, with the table's present definition, for the change to be written into."""
    named = name_after(statement, "alter", "table")
    if named is None:
        return _GENERAL
    _, table = named
    if table in PROTECTED:
        return f"{table} is the engine's and stays as it is."
    shape = await catalogue.find_shape(tx, schema, table)
    if shape is None or not shape.is_table:
        return _GENERAL
    definition = (await structure(tx, shape)).create(schema, table)
    arguments: dict[str, object] = {"table": table, "sql": definition, "mapping": {}, "dry_run": True}
    return (
        f"Confirm with the user, write the change into the definition, and call "
        f"memory:schema:recreate {as_json(arguments)}. "
        f'In mapping, name the columns that are called otherwise: {{"new": "old"}}. '
        f"With dry_run false it is done, in one transaction."
    )


def statement_of(value: object, *, field: str = "sql") -> str:
    """Return a statement as it was given.

    Raises:
        BadInput: there is none, or it is too long.
    """
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise BadInput("give a statement in SQL.", field=field)
    if len(value) > MOST_STATEMENT:
        raise BadInput(f"it has {len(value):,} characters; {MOST_STATEMENT:,} are the most.", field=field)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadInput("it has half a character in it.", field=field) from None
    return value


def _shown(schema: StoredSchema, lost: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(schema.names.in_message, lost))


async def unkeyed(conn: Connection) -> list[str]:
    """Return the tables of which nothing is embedded, for want of a primary key."""
    return [row["table_name"] for row in (await run(conn, fill("unkeyed"))).rows]


def _refuse(text: str) -> None:
    """Refuse what PostgreSQL would refuse too, or what would mislead, with a helpful message."""
    words = first_words(text, 1)
    if words and words[0] in _OURS:
        raise BadInput(
            "each call is a transaction of its own.", field="sql", hint="Send the statements alone."
        )
    dropped = name_after(text, "drop", "table")
    if dropped is not None and dropped[1] in PROTECTED:
        said = f"{dropped[1]} is the engine's and cannot be dropped."
        raise BadInput(said, field="sql", hint="Drop your own tables; their embeddings go with them.")


async def made(conn: Connection, schema: StoredSchema, table: str, *, statement: str, status: str) -> None:
    """Check that a statement made the table of that name.

    Raises:
        BadInput: it made none of that name in the schema.
    """
    rows = await run(conn, fill("is_there"), [table])
    if rows.rows[0]["found"] and (status.startswith(("CREATE TABLE", "SELECT"))):
        return
    said = name_after(statement, "create", "table")
    called = "no table of that name"
    if said is not None:
        called = schema.names.in_message(".".join(part for part in said if part))
    raise BadInput(
        f"the statement makes {called}, not {table}.",
        field="sql",
        hint=f"It must begin: CREATE TABLE {table} (",
    )


async def register(
    conn: Connection,
    schema: StoredSchema,
    table: str,
    *,
    about: str,
    fields: Sequence[str],
    columns: Mapping[str, str],
) -> None:
    """Describe a table in the registry and by comments.

    Raises:
        BadInput: a column that is named is not there, or there is no primary key for what is embedded.
    """
    name = sql.Identifier(schema.schema_name, table)
    looked = await conn.execute(fill("look", table=name))
    there = [column.name for column in looked.description or ()]
    for field, named in (("embed_fields", fields), ("column_descriptions", columns)):
        for column in named:
            if column not in there:
                raise BadInput(f"{table} has no column {column!r}.", field=field, hint=nearest(column, there))
    if fields and not (await own_structure(conn, table)).has_key:
        raise BadInput(
            f"{table} has no primary key: nothing would say which row a vector stands for.",
            field="embed_fields",
            hint="Give the table a PRIMARY KEY, or hand in an empty list.",
        )
    await conn.execute(fill("describe_table", table=name, text=about))
    for column, said in columns.items():
        place = sql.Identifier(schema.schema_name, table, column)
        await conn.execute(fill("describe_column", column=place, text=said))
    registry = sql.Identifier(schema.schema_name, "schema_registry")
    await run(conn, fill("register", registry=registry), [table, about, list(fields)])


def fields_of(value: object) -> list[str]:
    """Return the columns to embed: from a list, its JSON, or names with commas; empty for none.

    Raises:
        BadInput: it is not said.
    """
    if value is None:
        raise BadInput(
            "say which columns are to be found by meaning; an empty list where none are.",
            field="embed_fields",
        )
    if isinstance(value, str):
        value = parsed(value, field="embed_fields") if value.lstrip().startswith("[") else value.split(",")
    if not isinstance(value, Sequence):
        raise BadInput(
            "a list of columns is needed.", field="embed_fields", hint='["backstory"] or "backstory,title"'
        )
    names = [one.strip() if isinstance(one, str) else one for one in cast("Sequence[Any]", value)]
    if not all(isinstance(name, str) for name in names):
        raise BadInput("a list of names of columns is needed.", field="embed_fields")
    return list(dict.fromkeys(name for name in names if name))


def descriptions_of(value: object) -> dict[str, str]:
    """Return the description of each column: an object, or JSON of one.

    Raises:
        BadInput: it is none.
    """
    if value is None or value == "":
        return {}
    given = parsed(value, field="column_descriptions")
    if not isinstance(given, Mapping):
        raise BadInput("an object is needed: column to text.", field="column_descriptions")
    described = cast("Mapping[Any, Any]", given)
    if not all(isinstance(text, str) for text in described.values()):
        raise BadInput("descriptions are texts.", field="column_descriptions")
    return {str(name): text.replace("\0", "") for name, text in described.items()}


def _about(engine: Engine, description: object) -> str:
    if not isinstance(description, str) or not description.strip() or "\0" in description:
        raise BadInput(
            "say what the table is for.",
            field="description",
            hint="What it holds, what will be asked of it, how it relates to other tables, an example.",
        )
    return engine.clean(description.strip())
