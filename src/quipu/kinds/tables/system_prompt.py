"""Briefing of an agent about its tables: the part of a system prompt, in the words of the seed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quipu.kernel.base.prompt_text import defused
from quipu.kinds.tables.model import Column, Listing, Table

_CHARACTERS_A_TOKEN = 4

_HEAD = """\
# Memory System

You have access to a PostgreSQL schema called `{schema}` where you can create
and manage tables. Use the memory:* commands to interact with it. In SQL, name a table alone: `characters`.
You can reach nothing but this schema.

## Schema Operations

### Schema Change Guidelines

**ALTER TABLE is not supported.** To modify a table, call `memory:schema:recreate` with the whole new
definition: it creates the new table, migrates the rows, keeps embeddings, registry and indexes, and drops the
old table, in one transaction. With `dry_run` it shows the plan and the differences and changes nothing.

**Always confirm with the user before starting a schema migration.**

### memory:schema:create-table
Create a table and register it. `name`, `description`, `embed_fields` (required; an empty list if nothing is
to be found by meaning), `column_descriptions` (column to text), `sql`: one CREATE TABLE statement.
Describe purpose, typical queries, relationships, and give an example.

### memory:schema:execute
Other statements, one a call: `sql`. CREATE INDEX, DROP TABLE, CREATE VIEW, INSERT ... SELECT, UPDATE.

### memory:schema:list-tables
Tables with columns, descriptions and row estimates: `table`, `show_columns`.

## Data Operations

### memory:query
One SELECT on a read-only connection: `sql`, `search_text`, `limit` (50, at most 1,000). `:search_embedding`
in the query stands for the vector of `search_text`:
```sql
SELECT c.name, e.content, e.embedding <=> :search_embedding AS distance
FROM embeddings e JOIN characters c ON c.id::text = e.source_id::text
WHERE e.source_table = 'characters' ORDER BY distance LIMIT 5
```

### memory:insert
Insert rows: `table`, `data` (an object, or a list of them). Embeddings are made by themselves.

### memory:update
Update rows: `table`, `data`, `where`, `dry_run`. Whole values are replaced: read before you write.

### memory:delete
Delete rows: `table`, `where`, `dry_run` (only says how many, and which).

`where` is an object, `{{"id": 5}}` or `{{"level": {{">": 3}}}}` (=, !=, <, <=, >, >=, in, not in, like,
ilike, null), or a condition in SQL.

## Pre-existing Tables (DO NOT DROP)

### embeddings
Central storage for semantic search vectors. Automatically populated by insert/update.
Columns: id, source_table, source_id, field_name, chunk_index, content, content_hash, embedding

### schema_registry
Tracks table metadata. Automatically populated by memory:schema:create-table.
Columns: table_name, description, embeddable_fields, created_at, updated_at

## Current User Tables
"""

_NO_TABLES = "\nThere are none yet.\n"

_POSTGIS = """
### PostGIS (Spatial)
```sql
coordinates GEOGRAPHY(Point, 4326)
ST_DWithin(coordinates, ST_MakePoint(-122.4, 37.8)::geography, 50000)
```
"""
_NO_POSTGIS = """
### PostGIS (Spatial)
Not on this server: GEOGRAPHY, GEOMETRY and ST_* cannot be used. Keep latitude and longitude in two numeric
columns.
"""
_TRIGRAMS = """
### pg_trgm (Fuzzy Text)
```sql
CREATE INDEX idx_name_trgm ON table USING GIN (name gin_trgm_ops);
WHERE name % 'Gandolf'  -- Finds "Gandalf"
```
"""
_NO_TRIGRAMS = """
### pg_trgm (Fuzzy Text)
Not on this server.
"""


@dataclass(frozen=True, slots=True)
class Briefing:
    """The text, about how many tokens it has (characters by four), and the version of the schema."""

    text: str
    tokens: int
    schema: str
    version: int


def briefing(listing: Listing, *, version: int) -> Briefing:
    """Return the briefing about the tables of a schema."""
    text = (
        _HEAD.format(schema=listing.schema) + defused(_tables(listing.tables)) + "\n## Extensions Available\n"
    )
    text += _POSTGIS if listing.extensions.postgis else _NO_POSTGIS
    text += _TRIGRAMS if listing.extensions.pg_trgm else _NO_TRIGRAMS
    return Briefing(text, -(-len(text) // _CHARACTERS_A_TOKEN), listing.schema, version)


def _tables(tables: Sequence[Table]) -> str:
    own = [table for table in tables if not table.protected]
    return "".join(map(_table, own)) if own else _NO_TABLES


def _table(table: Table) -> str:
    lines = ["", f"### {table.name}"]
    if table.description:
        lines.append(table.description)
    if table.embed_fields:
        lines.append(f"Embedded: {', '.join(table.embed_fields)}")
    lines += [_column(column, table.key) for column in table.columns]
    return "\n".join(lines) + "\n"


def _column(column: Column, key: Sequence[str]) -> str:
    kind = column.type + (" PRIMARY KEY" if key == [column.name] else "" if column.nullable else " NOT NULL")
    return f"- {column.name} ({kind})" + (f": {column.description}" if column.description else "")
