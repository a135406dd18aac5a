"""Extensions of a database, brought to the version that the server's programs have."""

from __future__ import annotations

import logging

import psycopg
from psycopg import sql

from quipu.kernel.db import queries
from quipu.kernel.db.embedded.basebackup import LONGEST_SECONDS
from quipu.kernel.db.embedded.door import Door, enter

_QUERIES = queries.load("quipu.kernel.db.embedded")
_log = logging.getLogger("quipu")


def update(door: Door, database: str) -> None:
    """Update each extension that is older than the programs; what is new in it is closed to agents.

    One that cannot be updated goes on as it is, with a warning: its functions are those of the programs, and
    `quipu doctor` says so until it is.
    """
    with enter(door, database, answer_seconds=LONGEST_SECONDS) as conn:
        older = [name for (name,) in conn.execute(_QUERIES["older_extensions"]).fetchall()]
        for name in older:
            try:
                conn.execute(sql.SQL("alter extension {} update").format(sql.Identifier(name)))
            except psycopg.Error as error:
                _log.warning("The extension %s could not be updated: %s", name, error)
    if older:
        harden(door, database)


def harden(door: Door, database: str) -> None:
    """Close what a newer PostgreSQL or extension opens to everybody, if the database is one of ours."""
    with enter(door, database, answer_seconds=LONGEST_SECONDS) as conn:
        row = conn.execute(_QUERIES["can_harden"]).fetchone()
        if row is not None and row[0]:
            conn.execute(_QUERIES["harden"])
