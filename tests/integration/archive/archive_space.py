"""The space of these tests, and rows in it that no door writes."""

from __future__ import annotations

import psycopg

SPACE = "ana"

JSON_NULL = """
update tool_calls set result_json = 'null' where space_id = current_space();
insert into documents.documents (place, key, value, index_paths) values (E'n\\x1f', 'null', 'null', '{}')
"""


def add(url: str, rows: str, *, schema: str) -> None:
    with psycopg.connect(url) as conn:
        conn.execute("select core.enter(%s)", [SPACE])
        conn.execute(f"set search_path = {schema}".encode())
        conn.execute(rows.encode())
