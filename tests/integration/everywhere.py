"""Looks for texts in every column of every table that can hold one, as the catalogue tells them."""

from __future__ import annotations

from collections.abc import Iterable

import psycopg
from psycopg import sql

from quipu.recall.terms import bag

# Every table, and of each the columns that can hold a text: by itself, in JSON, in an array, in bytes, or
# written as one (a uuid made from a name).
COLUMNS = """
select c.relnamespace::regnamespace::text, c.relname, a.attname, a.atttypid = 'bytea'::regtype
from pg_attribute a
join pg_class c on c.oid = a.attrelid
join pg_type t on t.oid = a.atttypid
where c.relkind in ('r', 'p', 'm') and a.attnum > 0 and not a.attisdropped
    and c.relnamespace::regnamespace::text !~ '^(pg_|information_schema$)'
    and (t.typcategory in ('S', 'A', 'U', 'C', 'X', 'E') or a.atttypid = 'bytea'::regtype)
order by 1, 2, a.attnum
"""
HASHES = {
    "core.recall_terms": "select term from core.recall_terms",
    "core.recall_postings": "select term from core.recall_postings",
    "core.recall_entries": "select unnest(terms) from core.recall_entries",
}


def columns(url: str) -> list[tuple[str, str, str, bool]]:
    """Schema, table, column, and whether it holds bytes."""
    with psycopg.connect(url) as conn:
        return conn.execute(COLUMNS.encode()).fetchall()


def found(url: str, needles: Iterable[str]) -> set[tuple[str, str]]:
    """Where which of the texts occurs, in whatever case; words are looked for by their numbers as well."""
    texts = list(needles)
    seen: set[tuple[str, str]] = set()
    with psycopg.connect(url) as conn:
        for schema, table, column, is_bytes in columns(url):
            held = (
                "position(convert_to(n, 'UTF8') in {0}) > 0"
                if is_bytes
                else "strpos(lower({0}::text), lower(n)) > 0"
            )
            query = sql.SQL(
                "select distinct n from {}, unnest(%s::text[]) n where " + held.replace("{0}", "{}")
            )  # pyright: ignore[reportArgumentType]
            rows = conn.execute(query.format(sql.Identifier(schema, table), sql.Identifier(column)), [texts])
            seen |= {(f"{schema}.{table}.{column}", needle) for (needle,) in rows}
        for table, query in HASHES.items():
            stored = {row[0] for row in conn.execute(query.encode())}
            seen |= {(table, text) for text in texts if _is_among(stored, text)}
    return seen


def _is_among(stored: set[int], text: str) -> bool:
    """Whether a word of the text is filed: all of its parts, for others have some of them in common."""
    words = [{int(number) for number in bag(word).hashes} for word in (text, *text.split())]
    return any(numbers and numbers <= stored for numbers in words)


# What PostgreSQL keeps of the tables that agents design: names, comments, literals, queries.
CATALOGUE = {
    "pg_description": "select description from pg_description",
    "pg_class": "select relname::text from pg_class",
    "pg_attribute": "select attname::text from pg_attribute",
    "pg_namespace": "select nspname::text from pg_namespace",
    "pg_roles": "select rolname::text from pg_roles",
    "pg_attrdef": "select pg_get_expr(adbin, adrelid) from pg_attrdef",
    "pg_constraint": "select pg_get_constraintdef(oid) from pg_constraint",
    "pg_index": "select pg_get_indexdef(indexrelid) from pg_index",
    "pg_rewrite": "select pg_get_ruledef(oid) from pg_rewrite",
    "pg_proc": "select prosrc from pg_proc",
    "pg_enum": "select enumlabel::text from pg_enum",
}


def in_catalogue(url: str, needles: Iterable[str]) -> set[tuple[str, str]]:
    """Where in the catalogue which of the texts occurs, in whatever case."""
    texts = list(needles)
    seen: set[tuple[str, str]] = set()
    with psycopg.connect(url) as conn:
        for place, query in CATALOGUE.items():
            held = "\n".join(row[0].lower() for row in conn.execute(query.encode()) if row[0])
            seen |= {(place, text) for text in texts if text.lower() in held}
    return seen
