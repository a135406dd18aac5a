"""Changes of memories as one transaction, which begins when all that it files has vectors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from quipu.kernel.base.clock import Clock
from quipu.kernel.db.database import Database, SpaceTransaction
from quipu.kernel.db.space import AsOf
from quipu.kinds.longterm.changes import HAND, Changes
from quipu.kinds.longterm.requests import Refuses
from quipu.recall.generations import Models
from quipu.recall.model import GenerationChanged
from quipu.recall.prepared import Unprepared, prepare

T = TypeVar("T")


async def changed(
    database: Database,
    models: Models,
    work: Callable[[Changes], Awaitable[T]],
    *,
    space: str,
    clock: Clock,
    by: str = HAND,
    texts: Sequence[str] = (),
    refuses: Refuses | None = None,
    transaction: Callable[[], AbstractAsyncContextManager[SpaceTransaction]] | None = None,
    as_of: AsOf | None = None,
) -> T:
    """Make changes in one transaction, all or none, and return the result of ``work``.

    Vectors are made before it begins: of ``texts``, and of whatever else turns out to be filed; then ``work``
    begins again, so it may be called more than once. ``transaction`` is where a job writes (its
    ``context.effect``); without it there is a new one, which makes a missing space. ``as_of`` is the state of
    the space from which the written words were read, if they were.

    Raises:
        ErasedMeanwhile: something was erased in the space since.
    """
    wanted = list(dict.fromkeys(texts))
    while True:
        prepared = await prepare(database, models, space, wanted)
        try:
            async with transaction() if transaction else database.write(space, as_of=as_of) as tx:
                return await work(await Changes.begin(tx, prepared, now=clock.now(), by=by, refuses=refuses))
        except Unprepared as missing:
            wanted.append(missing.text)
        except GenerationChanged:
            continue
