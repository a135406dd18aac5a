"""Reading sessions for open loops and beliefs: topic ``episodes-extraction``."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import uuid4

from quipu.errors import BadInput
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.queue import outbox
from quipu.kernel.queue.model import Payload
from quipu.kinds.episodes.extraction import store
from quipu.kinds.episodes.extraction.beliefs import claims, indexing
from quipu.kinds.episodes.extraction.beliefs import store as beliefs
from quipu.kinds.episodes.extraction.beliefs.claims import ClaimExchange
from quipu.kinds.episodes.extraction.beliefs.derived import uncorrected
from quipu.kinds.episodes.extraction.beliefs.settlement import settle
from quipu.kinds.episodes.extraction.beliefs.writer import BeliefWriter
from quipu.kinds.episodes.extraction.loops import store as loops
from quipu.kinds.episodes.extraction.loops.derived import is_wrong
from quipu.kinds.episodes.extraction.loops.progress import Exchange, follow
from quipu.kinds.episodes.extraction.turns import SpokenTurn
from quipu.kinds.episodes.queues import EXTRACTION
from quipu.kinds.episodes.settings import CONFLICT_DAYS
from quipu.kinds.plug import Context
from quipu.recall.generations import NOTHING, PreparedVectors, Unprepared, prepare
from quipu.recall.model import GenerationChanged

_MOST_EXCHANGES: Final = 40


class _Stale(Exception):
    """Somebody else has read the session meanwhile."""


@dataclass(frozen=True, slots=True)
class _Page:
    """Exchanges of a session that are to be read, each with the turns of the one before it."""

    session: int
    mark: int
    heard: Sequence[ClaimExchange]
    before: Sequence[Sequence[SpokenTurn]]
    last: int
    more: bool


async def extract(context: Context, payload: Payload) -> None:
    """Read the exchanges of a session that are new: what they leave open or resolve, and what they claim.

    A page at a time; what is left is another job. All of a page and how far the session was read are one
    transaction, so each exchange counts once.

    Raises:
        BadInput: the payload names no session.
    """
    name = payload.get("session")
    if not isinstance(name, str):
        raise BadInput("the job names no session.", field="session", hint='{"session": "s1"}')
    missed: set[str] = set()
    while True:
        page, texts = await _page(context, name)
        if page is None:
            return
        prepared = await prepare(context.database, context.models, context.space, [*texts, *missed])
        try:
            async with context.effect() as tx:
                await _write(tx, context, page, prepared)
                if page.more:
                    key = _other_key(context.job.key, name)
                    await outbox.put(tx, EXTRACTION, {"session": name}, key=key, session=name)
        except Unprepared as lacking:
            missed.add(lacking.text)
            continue
        except (_Stale, GenerationChanged):
            continue
        return


async def _page(context: Context, name: str) -> tuple[_Page | None, list[str]]:
    """Return the next exchanges to read, and the texts that may become entries of the index."""
    async with context.database.snapshot_read(context.space) as tx:
        row = None if tx is None else await store.session(tx, name)
        if tx is None or row is None:
            return None, []
        session, mark = row
        listed = await store.exchanges(tx, session, mark=mark, limit=_MOST_EXCHANGES + 1)
        if not listed:
            return None, []
        exchanges = listed[:_MOST_EXCHANGES]
        page = await _turned(tx, session, mark, exchanges, more=len(listed) > len(exchanges))
        return page, await _texts(tx, page)


async def _turned(
    tx: SpaceTransaction, session: int, mark: int, exchanges: Sequence[store.StoredExchange], *, more: bool
) -> _Page:
    begin = await store.exchange_before(tx, session, first=exchanges[0].first)
    turns = await store.turns(tx, session, first=begin, last=exchanges[-1].last)
    voices = {turn.voice for turn in turns if not turn.by_agent and turn.voice != "user"}
    heard: list[ClaimExchange] = []
    before: list[Sequence[SpokenTurn]] = []
    earlier: Sequence[SpokenTurn] = [turn for turn in turns if turn.message < exchanges[0].first]
    for one in exchanges:
        said = [turn for turn in turns if one.first <= turn.message <= one.last]
        last = earlier[-1] if earlier else None
        heard.append(ClaimExchange(said, one.chunk, one.user, last, is_of_several=len(voices) > 1))
        before.append(earlier)
        earlier = said
    return _Page(session, mark, heard, before, exchanges[-1].last, more)


async def _texts(tx: SpaceTransaction, page: _Page) -> list[str]:
    texts: list[str] = []
    for heard in page.heard:
        new = claims.claimed(heard)
        if new or heard.turns:
            held = await beliefs.held(tx, heard.person)
            new += claims.corrections(heard, held, new)
        texts += [indexing.text_of(one.person, one.key, one.value, one.nature) for one in new]
    return texts


async def _write(tx: SpaceTransaction, context: Context, page: _Page, prepared: PreparedVectors) -> None:
    await store.hold(tx)
    if not await store.is_there(tx, page.session):
        return
    if await store.mark(tx, page.session) != page.mark:
        raise _Stale
    prepared.check(tx)
    keeping = BeliefWriter(tx, prepared, now=context.clock.now())
    for heard, before in zip(page.heard, page.before, strict=True):
        await _follow(tx, page, heard, before)
        await _believe(tx, keeping, heard)
    await tx.execute(
        store.SQL["advance"], session=page.session, topic=EXTRACTION, mark=page.last, now=context.clock.now()
    )


async def _follow(
    tx: SpaceTransaction, page: _Page, heard: ClaimExchange, before: Sequence[SpokenTurn]
) -> None:
    """Write the loops that an exchange opens, repeats or resolves."""
    if not heard.turns:
        return
    first = (before or heard.turns)[0].message
    at = {turn.message: turn.at for turn in heard.turns}
    followed = follow(
        Exchange(heard.turns, page.mark),
        before=before,
        standing=await loops.standing(tx, session=page.session, user=heard.user),
        known=await loops.known(tx, session=page.session, first=first),
        new_id=uuid4,
    )
    for id_, one in followed.opened:
        if not await is_wrong(tx, one):
            await loops.write(tx, id_, one, session=page.session, user=heard.user)
    for again in followed.mentioned:
        await tx.execute(
            loops.SQL["mention"], id=again.id, at=at.get(again.message, heard.turns[-1].at), due=again.due
        )
    for done in followed.resolved:
        await loops.resolve(tx, done, at=at.get(done.message, heard.turns[-1].at))
    await loops.lapse(tx, session=page.session, user=heard.user, at=heard.turns[-1].at)


async def _believe(tx: SpaceTransaction, keeping: BeliefWriter, heard: ClaimExchange) -> None:
    """Settle what an exchange claims against what stands."""
    said = claims.claimed(heard)
    held = await beliefs.held(tx, heard.person)
    for claim in await uncorrected(tx, [*said, *claims.corrections(heard, held, said)]):
        settled = settle(claim, [one for one in held if one.key == claim.key])
        if settled is not None:
            await keeping.keep(settled)
            held = await beliefs.held(tx, heard.person)


def _other_key(key: str, session: str) -> str:
    """Return a key for the rest: not that of the current job, which goes with its effect."""
    digest = hashlib.sha256(session.encode()).hexdigest()[:32]
    first, second = f"rest:{digest}", f"more:{digest}"
    return second if key == first else first


async def settle_stale(context: Context) -> None:
    """Settle the conflicts of a space of which nothing was heard for long: what stands goes on."""
    days = context.settings.of(CONFLICT_DAYS)
    async with context.database.write(context.space) as tx:
        await store.hold(tx)
        keeping = BeliefWriter(tx, NOTHING, now=context.clock.now())
        for belief, rival in await beliefs.stale(tx, before=context.clock.now() - timedelta(days=days)):
            await keeping.decay(belief, rival)
