"""What PostgreSQL refuses becomes an error that says what happened."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import errors as pg

from quipu.errors import DatabaseUnavailable, LimitReached
from quipu.kinds.tables.model import StoredSchema
from quipu.kinds.tables.refusals import Request, refusal

ASKED = Request(
    schema=StoredSchema(
        id=1, name="memory", schema_name="memory", description=None, writer="w", reader="r", version=1
    ),
    field="dump",
    seconds=3600,
)


@pytest.mark.parametrize(
    "error",
    [
        pg.AdminShutdown("terminating connection due to administrator command"),
        pg.CrashShutdown("terminating connection because of crash of another server process"),
        pg.CannotConnectNow("the database system is shutting down"),
        psycopg.OperationalError("server closed the connection unexpectedly"),
    ],
)
def test_a_server_that_went_away_is_not_a_statement_that_took_too_long(error: psycopg.Error) -> None:
    assert isinstance(refusal(error, ASKED), DatabaseUnavailable)


def test_a_statement_that_was_ended_took_too_long() -> None:
    refused = refusal(pg.QueryCanceled("canceling statement due to statement timeout"), ASKED)
    assert isinstance(refused, LimitReached)
    assert "longer than 3600 seconds" in str(refused)
