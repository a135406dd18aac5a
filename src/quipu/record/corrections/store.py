"""The queries of corrections, one short function each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from quipu.kernel.db import queries
from quipu.kernel.db.arrays import Int8s
from quipu.kernel.db.database import SpaceTransaction
from quipu.record.corrections.model import CorrectedKind, Correction, Derived, Told
from quipu.record.corrections.sameness import same_claim
from quipu.record.ids import row_of
from quipu.upkeep.erasure.derived_text import repeats, words

_SQL = queries.load("quipu.record.corrections")
_ALL: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Removed:
    """A statement whose correction was taken back; ``was_live``: the correction took it out of recall."""

    kind: CorrectedKind
    id: UUID
    was_live: bool


async def add(tx: SpaceTransaction, one: Derived, *, marked: UUID, reason: str | None, now: datetime) -> None:
    """Note that a statement is wrong; what is noted already stays as it is."""
    await tx.execute(
        _SQL["add"],
        kind=one.kind,
        id=one.id,
        messages=Int8s(one.messages),
        marked=marked,
        text=one.text,
        rule=one.rule,
        reader=one.reader,
        reason=reason,
        was_live=one.live,
        now=now,
    )


async def corrected(tx: SpaceTransaction, told: Sequence[Told]) -> set[int]:
    """Return the places of what claims the same as something that is wrong of the same message."""
    messages = sorted({one.message for one in told})
    rows = await tx.rows(_SQL["of_messages"], messages=Int8s(messages)) if messages else []
    wrong: defaultdict[int, list[str]] = defaultdict(list)
    for message, text in rows:
        wrong[message].append(text)
    return {
        place
        for place, one in enumerate(told)
        if any(same_claim(text, one.text) for text in wrong.get(one.message, ()))
    }


async def stand(tx: SpaceTransaction, statements: Sequence[Derived]) -> list[Derived]:
    """Return the statements that a message still tells which nobody corrected."""
    told = [Told(message, one.text) for one in statements for message in one.messages]
    wrong = {told[place] for place in await corrected(tx, told)}
    return [
        one for one in statements if any(Told(message, one.text) not in wrong for message in one.messages)
    ]


async def listed(
    tx: SpaceTransaction,
    *,
    kind: CorrectedKind | None = None,
    rule: str | None = None,
    id: UUID | None = None,
    limit: int = _ALL,
    offset: int = 0,
) -> list[Correction]:
    """Return corrections, latest first; of one kind, rule or statement."""
    return await tx.fetch(Correction, _SQL["listed"], kind=kind, rule=rule, id=id, limit=limit, offset=offset)


async def correction(tx: SpaceTransaction | None, id_: UUID | str) -> Correction:
    """Return the correction of the statement with an id, or with the only id that begins so.

    Raises:
        NotFound: there is none.
        BadInput: several begin so, or it is no id.
    """
    return await row_of(
        tx,
        id_,
        like=_SQL["ids_like"],
        fetch=lambda tx, ids: listed(tx, id=ids[0], limit=1),
        what="correction of a memory",
        hint="The list of corrections shows them.",
    )


async def remove(tx: SpaceTransaction, marked: UUID) -> list[Removed]:
    """Take back the corrections that were made when a statement was marked; return what they had taken."""
    return await tx.fetch(Removed, _SQL["remove"], marked=marked)


async def counts(tx: SpaceTransaction) -> list[tuple[CorrectedKind, str, int]]:
    """Return kinds and rules with the number of their corrected statements."""
    return [(kind, rule, wrong) for kind, rule, wrong in await tx.rows(_SQL["counts"])]


async def count_of_erasure(tx: SpaceTransaction, messages: Sequence[int]) -> int:
    """Count the corrections that go with messages."""
    ((found,),) = await tx.rows(_SQL["count_of_erasure"], messages=Int8s(messages))
    return found


async def erase_beside(tx: SpaceTransaction, messages: Sequence[int]) -> None:
    """Erase what corrections say of messages that go, where other messages keep the correction.

    One that has a word only these messages said goes as a whole, and so do the reasons of the others.
    """
    for kind, id_, text, erased, kept in await tx.rows(_SQL["beside"], messages=Int8s(messages)):
        if kept is None or repeats(text, erased=words(erased), remaining=words(kept)):
            await tx.execute(_SQL["erase"], kind=kind, id=id_)
        else:
            await tx.execute(_SQL["erase_reason"], kind=kind, id=id_)


async def disown(tx: SpaceTransaction, user: str) -> None:
    """Erase the name of a person who is forgotten from the corrections that they made."""
    await tx.execute(_SQL["disown"], user=user)
