"""Keeping the standing rules of messages, in the transaction that writes these down."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.prose.standing import Instruction
from quipu.record.standing import store
from quipu.record.standing.decisions import ended, replaced
from quipu.record.standing.model import Draft, Known


@dataclass(frozen=True, slots=True)
class MessageRules:
    """Instructions of a message; ``message`` is its number, ``vector`` of unit length, None if unknown."""

    message: int
    user: str | None
    content: str
    at: datetime
    instructions: Sequence[Instruction]
    vector: NDArray[np.float32] | None = None


async def keep(
    tx: SpaceTransaction, every: Sequence[MessageRules], *, now: datetime, generation: int | None = None
) -> None:
    """Keep the rules that messages tell, and end those that they take back, in order of time.

    ``generation`` is that of the vectors; without vectors, an end ends only what it has words in common with.
    """
    known: defaultdict[str | None, list[Known]] = defaultdict(list)
    for one in await store.in_force(tx, {told.user for told in every if told.user is not None}):
        known[one.user].append(one)
    for told in sorted(every, key=lambda told: told.at):
        for instruction in told.instructions:
            await _follow(tx, told, instruction, known[told.user], generation=generation, now=now)


async def _follow(
    tx: SpaceTransaction,
    told: MessageRules,
    instruction: Instruction,
    known: list[Known],
    *,
    generation: int | None,
    now: datetime,
) -> None:
    """Do what an instruction says; ``known`` are the rules of the same person, and are kept up to date."""
    past = [one for one in known if one.since <= told.at and one.message != told.message]
    over: list[Known] = []
    if instruction.is_end and past:
        near: Mapping[int, float] = {}
        if told.vector is not None and generation is not None:
            messages = [one.message for one in past if one.message is not None]
            near = await store.nearness(tx, messages, told.vector, generation=generation)
        over = ended(instruction.text, past, near)
    is_rule = instruction.is_rule or (instruction.is_instead and bool(over))
    if is_rule:
        over = [
            *over,
            *(one for one in replaced(instruction.text, instruction.scope, past) if one not in over),
        ]
    if over:
        ids = [one.id for one in over]
        await store.end(tx, ids, at=told.at, ended_by="rule", message=told.message)
        known[:] = [one for one in known if one not in over]
    if is_rule:
        await _add(tx, told, instruction, known, now=now)


async def _add(
    tx: SpaceTransaction, told: MessageRules, instruction: Instruction, known: list[Known], *, now: datetime
) -> None:
    """Keep a rule; as history where one that was said later, and written before it, took its place."""
    later = [one for one in known if one.since > told.at]
    over = min(replaced(instruction.text, instruction.scope, later), key=lambda one: one.since, default=None)
    draft = Draft(
        id=uuid4(),
        user=told.user,
        text=instruction.text,
        scope=instruction.scope,
        message=told.message,
        made_by="rule",
        since=told.at,
        ended_at=over and over.since,
        ended_in=over and over.message,
    )
    await store.add(tx, draft, now=now)
    if over is None:
        known.insert(0, Known(draft.id, draft.user, draft.text, draft.scope, draft.message, draft.since))
