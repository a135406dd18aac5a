"""Reading a session: its new messages become exchanges, each with what it yields."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from quipu.errors import BadInput
from quipu.kernel.db.arrays import Float4s, Int4s, Int8s, Moments, Texts
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.embedding.embedder import Vectors
from quipu.kernel.queue import outbox
from quipu.kernel.queue.model import Payload
from quipu.kinds.episodes.chunking.chunkers import RemoteChunker, RulesChunker
from quipu.kinds.episodes.chunking.model import Chunked, Chunker, Talk, Turn
from quipu.kinds.episodes.conversations import store
from quipu.kinds.episodes.conversations.exchanges import form, mode_of
from quipu.kinds.episodes.conversations.model import Message, Run
from quipu.kinds.episodes.conversations.placement import Placed, Placing
from quipu.kinds.episodes.policy import Retold, allowed, policy_of
from quipu.kinds.episodes.queues import CHUNKER, EPISODES, EXTRACTION
from quipu.kinds.plug import Context

_MOST_MESSAGES: Final = 300
_MOST_REREAD: Final = 40
_LONGEST_KEY: Final = 400


_LONG: Final = 100
_MIDDLING: Final = 50
_URGENT = re.compile(
    r"(?i)\b(?:urgent(?:ly)?|asap|immediately|emergency|critical|deadline|right away|right now|important"
    r"|crucial|hurry|must)\b"
)


def salience(said: str) -> float:
    """Return 0.5 to 1: longer, asking and urgent words stand out (the constants of the origin of seed 3)."""
    length = 0.2 if len(said) > _LONG else 0.1 if len(said) > _MIDDLING else 0.0
    return round(0.5 + length + 0.15 * ("?" in said) + 0.15 * bool(_URGENT.search(said)), 3)


def chunker_of(context: Context) -> Chunker:
    """Return the chunker for a job."""
    return RulesChunker() if context.language is None else RemoteChunker(context.language)


class _Stale(Exception):
    """Somebody else has read the session meanwhile, or condensed the end of it."""


@dataclass(frozen=True, slots=True)
class _Page:
    """Page of a session to read, and exchanges to be read again, by their number."""

    session: store.ReadSession
    messages: Sequence[Message]
    vectors: Mapping[int, Vectors]
    again: Mapping[int, Run]
    more: bool


async def read(context: Context, payload: Payload) -> None:
    """Read the new messages of the session that the payload names (topic ``memory_chunker``).

    A page at a time: what is left is another job. ``{"session": …, "again": true}`` reads its exchanges again
    where they were read by others than who would read them now. Exchanges and what follows from them are one
    transaction.

    Raises:
        BadInput: the payload names no session.
    """
    name = payload.get("session")
    if not isinstance(name, str):
        raise BadInput("the job names no session.", field="session", hint='{"session": "s1"}')
    chunker = chunker_of(context)
    while True:
        page = await _page(context, name, payload, chunker)
        if page is None:
            return
        formed = form(page.messages, now=context.clock.now(), more=page.more)
        runs = _grown(formed.runs, page.session)
        page = replace(
            page, again={n: run for n, run in page.again.items() if run.first not in _firsts(runs)}
        )
        talks = [_talk(run) for run in (*runs, *page.again.values())]
        held = policy_of(context.settings)
        chunked = [
            replace(one, chunk=allowed(one.chunk, Retold(held, (t.text for t in talk.turns if t.began))))
            for one, talk in zip(await chunker.read(talks), talks, strict=True)
        ]
        try:
            async with context.effect() as tx:
                await _hold(tx, page)
                await _write(tx, context, name, page, runs, chunked)
                read_any = bool(runs or page.again)
                await _follow_up(tx, context, name, page, formed.waits_until, read_any=read_any)
        except _Stale:
            continue
        return


async def _hold(tx: SpaceTransaction, page: _Page) -> None:
    """Lock the session until the transaction ends: nobody else reads it, or condenses what may change.

    Raises:
        _Stale: somebody has done so meanwhile.
    """
    session = page.session
    if await store.hold(tx, session.id) != session.mark:
        raise _Stale
    is_open = await store.is_open(tx, session.id, session.open_from, page.again)
    if session.open_from is not None and not is_open:
        raise _Stale


async def _page(context: Context, name: str, payload: Payload, chunker: Chunker) -> _Page | None:
    """Return the messages to read; None if the session is gone, or was deleted."""
    async with context.database.snapshot_read(context.space) as tx:
        session = (
            None
            if tx is None
            else await tx.fetch_one(store.ReadSession, store.SQL["session"], session=name, topic=CHUNKER)
        )
        if tx is None or session is None or session.status == "deleted":
            return None
        messages, vectors = await store.messages(
            tx, first=session.first, last=session.last, limit=_MOST_MESSAGES + 1
        )
        again: dict[int, Run] = {}
        for number, first, last in await store.unread(
            tx,
            session.id,
            after=int(payload.get("after", 0)),
            chunker=chunker.name,
            version=chunker.version,
            again=payload.get("again") is True,
            limit=_MOST_REREAD,
        ):
            left, _ = await store.messages(tx, first=first, last=last, limit=_MOST_MESSAGES)
            again[number] = _whole(left, first)
        return _Page(session, messages[:_MOST_MESSAGES], vectors, again, more=len(messages) > _MOST_MESSAGES)


def _grown(runs: Sequence[Run], session: store.ReadSession) -> list[Run]:
    """Return exchanges that are new, or have grown; the first may have lost the message it began with."""
    if runs and session.open_from is not None:
        runs = [replace(runs[0], begins=session.open_from), *runs[1:]]
    return [run for run in runs if run.last > session.mark]


def _firsts(runs: Sequence[Run]) -> set[int]:
    return {run.first for run in runs}


def _whole(messages: Sequence[Message], first: int) -> Run:
    """Return the rest of an exchange, as one run."""
    kept = [one for one in messages if one.role != "system"]
    requests = tuple(one for one in kept if not one.is_reply)
    return Run(requests, tuple(one for one in kept if one.is_reply), begins=first)


async def _write(
    tx: SpaceTransaction,
    context: Context,
    name: str,
    page: _Page,
    runs: Sequence[Run],
    chunked: Sequence[Chunked],
) -> None:
    session, now = page.session, context.clock.now()
    placed: list[Placed] = []
    if runs:
        placing = Placing(tx, session, name)
        await placing.begin(runs)
        placed = [
            await placing.place(run, page.vectors, is_new=run.first != session.open_from) for run in runs
        ]
        await placing.write()
        fresh = chunked[: len(runs)]
        await tx.execute(store.SQL["write_exchanges"], session=session.id, now=now, **_columns(placed, fresh))
        await tx.execute(store.SQL["write_modes"], **_modes(runs))
        user = next((run.user for run in runs if run.user), session.user_name)
        await tx.execute(
            store.SQL["follow"],
            session=session.id,
            user=user,
            thread=placed[-1].thread,
            topic=placed[-1].topic,
        )
        await tx.execute(
            store.SQL["advance"],
            session=session.id,
            topic=CHUNKER,
            mark=runs[-1].last,
            skipped=sum(one.trouble is not None and not one.chunk.gists for one in fresh),
            now=now,
        )
    if page.again:
        columns = _chunk_columns(chunked[len(runs) :])
        await tx.execute(store.SQL["reread"], ids=Int8s(list(page.again)), now=now, **columns)


async def _follow_up(
    tx: SpaceTransaction,
    context: Context,
    name: str,
    page: _Page,
    waits: datetime | None,
    *,
    read_any: bool,
) -> None:
    """Put what comes next: episodes and loops of what was read; the rest of the session; what waits."""
    for topic in (EPISODES, EXTRACTION) if read_any else ():
        await outbox.put(tx, topic, {"session": name}, key=name[:_LONGEST_KEY], session=name)
    rest: dict[str, object] = {"session": name}
    full = len(page.again) == _MOST_REREAD
    if full:
        rest |= {"again": context.job.payload.get("again") is True, "after": max(page.again)}
    if page.more or full:
        await outbox.put(tx, CHUNKER, rest, key=_other_key(context.job.key, name), session=name)
    elif waits is not None:
        key = _other_key(context.job.key, name)
        await outbox.put(tx, CHUNKER, {"session": name}, key=key, due=waits, session=name)


def _other_key(key: str, session: str) -> str:
    """Return a key for the rest: not that of the current job, which goes with its effect."""
    digest = hashlib.sha256(session.encode()).hexdigest()[:32]
    first, second = f"rest:{digest}", f"more:{digest}"
    return second if key == first else first


def _talk(run: Run) -> Talk:
    return Talk(
        [Turn(one.speaker, one.kept, one in run.requests) for one in run.messages if one.role != "tool"]
    )


def _columns(placed: Sequence[Placed], chunked: Sequence[Chunked]) -> dict[str, object]:
    runs = [one.run for one in placed]
    return {
        "threads": Int8s([one.thread for one in placed]),
        "topics": Int8s([one.topic for one in placed]),
        "first": Int8s([run.first for run in runs]),
        "last": Int8s([run.last for run in runs]),
        "users": Texts([run.user for run in runs]),
        "started_at": Moments([run.started_at for run in runs]),
        "ended_at": Moments([run.ended_at for run in runs]),
        "salience": Float4s([salience(" ".join(said.content for said in run.requests)) for run in runs]),
        **_chunk_columns(chunked),
    }


def _chunk_columns(chunked: Sequence[Chunked]) -> dict[str, object]:
    return {
        "chunks": Texts([one.chunk.model_dump_json() for one in chunked]),
        "chunkers": Texts([one.chunker for one in chunked]),
        "versions": Int4s([one.version for one in chunked]),
        "troubles": Texts([one.trouble for one in chunked]),
    }


def _modes(runs: Sequence[Run]) -> dict[str, object]:
    """Return the mode of each reply of an agent; a tool that answered, or was called, makes it an act."""
    ids: list[int] = []
    modes: list[str] = []
    for run in runs:
        acted = False
        for one in run.replies:
            acted = acted or one.role == "tool" or one.tools
            if one.role == "assistant":
                ids.append(one.id)
                modes.append(mode_of(one.content, used_tools=acted))
    return {"ids": Int8s(ids), "modes": Texts(modes)}
