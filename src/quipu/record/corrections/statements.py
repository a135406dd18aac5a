"""Statements that a kind of memory derives from messages, as corrections look at them and take them out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, LiteralString
from uuid import UUID

from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.recall.generations import PreparedVectors
from quipu.record.corrections.model import CorrectedKind, Derived


@dataclass(frozen=True, slots=True)
class Act:
    """A correction at work: its transaction, the vectors at hand, the time, and why."""

    tx: SpaceTransaction
    prepared: PreparedVectors
    now: datetime
    reason: str


class Statements(ABC):
    """Statements of one kind. ``sql`` has the queries ``derived`` and ``count_of_rule``.

    ``is_of_everybody``: a key that is bound to a person may not see them.
    """

    kind: ClassVar[CorrectedKind]
    is_of_everybody: ClassVar[bool] = False

    def __init__(self, sql: Mapping[str, LiteralString]) -> None:
        self._sql = sql

    async def of_ids(self, tx: SpaceTransaction, ids: Sequence[UUID]) -> list[Derived]:
        """Return statements by their ids, those that are there."""
        return await tx.fetch(Derived, self._sql["derived"], ids=list(ids), messages=None)

    async def of_messages(self, tx: SpaceTransaction, messages: Sequence[int]) -> list[Derived]:
        """Return the statements that rest on one of some messages."""
        return await tx.fetch(Derived, self._sql["derived"], ids=None, messages=Int8s(messages))

    async def count(self, tx: SpaceTransaction, rule: str) -> int:
        """Count the stored statements that a rule made."""
        ((found,),) = await tx.rows(self._sql["count_of_rule"], rule=rule)
        return found

    @abstractmethod
    async def hold(self, tx: SpaceTransaction) -> None:
        """Wait until nobody else changes statements of the space."""

    @abstractmethod
    async def find(self, tx: SpaceTransaction, id_: UUID | str) -> UUID:
        """Return the whole id of a statement.

        Raises:
            NotFound: there is none.
            BadInput: several begin so, or it is no id.
        """

    @abstractmethod
    async def withdraw(self, act: Act, id_: UUID) -> None:
        """Take a statement out of recall.

        Raises:
            Unprepared: there is no vector for what is found instead.
        """

    @abstractmethod
    async def restore(self, act: Act, id_: UUID) -> None:
        """Bring a statement back, unless another says so by now or stands in its place.

        Raises:
            Unprepared: there is no vector for its text.
        """
