"""Standing rules as statements that can be marked as wrong."""

from __future__ import annotations

from typing import ClassVar, Final
from uuid import UUID

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.record.corrections.model import CorrectedKind
from quipu.record.corrections.statements import Act, Statements
from quipu.record.standing import store

_SQL = queries.load("quipu.record.standing")


class RuleStatements(Statements):
    """Standing rules that were found in messages; a rule that is wrong is ended."""

    kind: ClassVar[CorrectedKind] = "rule"

    async def hold(self, tx: SpaceTransaction) -> None:
        """Wait for nobody: a rule is written with its message, of which nothing can be wrong yet."""

    async def find(self, tx: SpaceTransaction, id_: UUID | str) -> UUID:
        """Return the whole id of a rule.

        Raises:
            NotFound: there is none.
        """
        return (await store.rule(tx, id_)).id

    async def withdraw(self, act: Act, id_: UUID) -> None:
        """End a rule."""
        await store.end(act.tx, [id_], at=act.now, ended_by="person", message=None)

    async def restore(self, act: Act, id_: UUID) -> None:
        """Put a rule in force again."""
        await store.begin_again(act.tx, id_)


RULES: Final = RuleStatements(_SQL)
