"""Statements as spans: each by its name in our files, never by its text, and without its parameters."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    ExitStack,
    asynccontextmanager,
    nullcontext,
)
from typing import Any, Final

from psycopg import AsyncCursor, AsyncPipeline
from psycopg.abc import Params, QueryNoTemplate
from psycopg.rows import TupleRow

from quipu.kernel.db.connection import Connection
from quipu.kernel.db.queries import name_of
from quipu.kernel.telemetry import spans
from quipu.kernel.telemetry.groups import STATEMENT

_UNRECORDED: Final[AbstractContextManager[object]] = nullcontext()


class RecordedConnection(Connection):
    """A connection whose statements are recorded, where they have a name and belong to something larger.

    SQL of agents and readers has no name.
    """

    _sent: ExitStack | None = None
    """In a pipeline: ends the spans of its statements when their answers have come."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.record = self._recorded

    async def execute(  # pyright: ignore[reportIncompatibleMethodOverride] - templates need Python 3.14
        self,
        query: QueryNoTemplate,
        params: Params | None = None,
        *,
        prepare: bool | None = None,
        binary: bool = False,
    ) -> AsyncCursor[TupleRow]:
        """Run a query and return a cursor to read its results."""
        with self._recorded(query):
            return await super().execute(query, params, prepare=prepare, binary=binary)

    def _recorded(self, query: QueryNoTemplate) -> AbstractContextManager[object]:
        """Record the block as the statement ``query``; in a pipeline it lasts until the answers come."""
        if not spans.is_on() or not isinstance(query, str) or (name := name_of(query)) is None:
            return _UNRECORDED
        attributes = {"db.system.name": "postgresql", "db.query.summary": name}
        if self._sent is None:
            return spans.span(STATEMENT, f"sql {name}", attributes)
        self._sent.push(spans.begin(STATEMENT, f"sql {name}", attributes))
        return _UNRECORDED

    def pipeline(self) -> AbstractAsyncContextManager[AsyncPipeline]:  # pyright: ignore[reportIncompatibleMethodOverride] - it hides its class
        """Send the statements of the block without waiting for the answer of each."""
        return self._recorded_pipeline() if spans.is_on() and self._sent is None else super().pipeline()

    @asynccontextmanager
    async def _recorded_pipeline(self) -> AsyncGenerator[AsyncPipeline]:
        with ExitStack() as self._sent:
            try:
                async with super().pipeline() as pipeline:
                    yield pipeline
            finally:
                self._sent = None
