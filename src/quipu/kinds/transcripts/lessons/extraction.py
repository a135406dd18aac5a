"""Reading sessions with an extractor; what it finds is kept in one transaction for each session."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from typing import Final

from anyio import to_thread

from quipu.errors import BadInput, ConfigError, QuipuError
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.db.space import AsOf, ErasedMeanwhile
from quipu.kernel.language.budget import DailyBudget
from quipu.kernel.language.choose import UNNAMED, choose
from quipu.kernel.policy.policy import Policy, asks
from quipu.kernel.redact import redact
from quipu.kinds.transcripts.extract.extractor import RulesExtractor
from quipu.kinds.transcripts.extract.model import Extractor, Finding, SessionTurn
from quipu.kinds.transcripts.lessons import index, store
from quipu.kinds.transcripts.lessons.findings import FORGOTTEN, Findings, SessionFindings
from quipu.kinds.transcripts.lessons.model import SessionExtraction
from quipu.kinds.transcripts.lessons.store import Due
from quipu.recall.generations import Models, prepare
from quipu.recall.model import GenerationChanged

_LONGEST_EXCERPT: Final = 1_000
_LONGEST_ERROR: Final = 1_000
NAMES = ("rules", "llm")


@asynccontextmanager
async def named(
    name: Extractor | str, *, database: Database, models: Models, settings: Settings, clock: Clock
) -> AsyncGenerator[Extractor]:
    """Open ``rules``, ``llm``, or the given extractor itself; it is closed with the block.

    Raises:
        BadInput: there is none of that name.
        ConfigError: the settings name no language model.
        MissingExtra: what talks to it is not installed.
    """
    if not isinstance(name, str):
        yield name
    elif name == "rules":
        async with models.lent() as embedder:
            yield RulesExtractor(embedder)
    elif name == "llm":
        async with _asking(database, settings, clock) as extractor:
            yield extractor
    else:
        raise BadInput(f"{name!r} is none of {', '.join(NAMES)}.", field="extractor")


@asynccontextmanager
async def _asking(database: Database, settings: Settings, clock: Clock) -> AsyncGenerator[Extractor]:
    # Not at the top: it brings pydantic along, and the rules need none of it.
    from quipu.kinds.transcripts.extract.remote import RemoteExtractor  # noqa: PLC0415

    budget = DailyBudget(database, clock=clock)
    language = await to_thread.run_sync(lambda: choose(settings, budget=budget))
    if language is None:
        raise ConfigError("No language model is named.", hint=UNNAMED)
    try:
        yield RemoteExtractor(language)
    finally:
        await language.aclose()


class SessionReader:
    """Reads sessions of one database with one extractor. ``redacted`` counts the secrets cut out, by kind."""

    def __init__(
        self,
        *,
        database: Database,
        models: Models,
        extractor: Extractor,
        clock: Clock,
        secrets: bool,
        policy: Policy,
    ) -> None:
        self._database = database
        self._models = models
        self._extractor = extractor
        self._clock = clock
        self._secrets = secrets
        self._policy = policy
        self.redacted: Counter[str] = Counter()

    async def read(self, session: Due, *, space: str) -> SessionExtraction:
        """Read a session and keep what is found. What goes wrong with it is noted, not raised.

        Where something was erased in the space meanwhile, what is left is read again.
        """
        while True:
            began_at = self._clock.now()
            async with self._database.snapshot_read(space) as tx:
                if tx is None:
                    return SessionExtraction(session=session.name, status="failed", error=FORGOTTEN)
                turns, as_of = await store.turns(tx, session.number), tx.space.as_of
            with suppress(ErasedMeanwhile):
                return await self._read(session, turns, began_at, space=space, as_of=as_of)

    async def _read(
        self, session: Due, turns: Sequence[SessionTurn], began_at: datetime, *, space: str, as_of: AsOf
    ) -> SessionExtraction:
        try:
            extraction = await self._extractor.extract(turns, project=_name(session.project))
            findings = [self._bare(kept) for one in extraction.findings if (kept := self._allowed(one))]
            dropped = extraction.dropped + len(extraction.findings) - len(findings)
            error = self._reason(extraction.error)
            return await self._keep(
                SessionFindings(session, findings, dropped, began_at, error), space=space, as_of=as_of
            )
        except QuipuError as failure:
            return await self._failed(session, failure, began_at, space=space, as_of=as_of)

    async def _keep(self, read: SessionFindings, *, space: str, as_of: AsOf) -> SessionExtraction:
        facts = [one.fact for one in read.findings]
        while True:
            prepared = await prepare(self._database, self._models, space, facts)
            try:
                async with index.writing(self._database, space, prepared, as_of=as_of) as tx:
                    now = self._clock.now()
                    return await Findings(tx, self._extractor, prepared, now=now).keep(read)
            except GenerationChanged:
                continue

    async def _failed(
        self, session: Due, error: QuipuError, at: datetime, *, space: str, as_of: AsOf
    ) -> SessionExtraction:
        reason = self._reason(str(error))
        async with self._database.write(space, as_of=as_of) as tx:
            if await store.is_there(tx, session.number):
                await store.mark(tx, session, self._extractor, "failed", at=at, error=reason)
        return SessionExtraction(session=session.name, status="failed", error=reason)

    def _reason(self, error: str | None) -> str | None:
        return None if error is None else redact(error).text[:_LONGEST_ERROR]

    def _allowed(self, one: Finding) -> Finding | None:
        """Return a finding without clauses that the policy refuses; None if nothing else is left.

        Of its excerpt, the longest run that may be kept stays: it stands in the turn as it is.
        """
        requested = asks(one.excerpt)
        fact = self._policy.cut(one.fact, requested=requested, work=True, source=one.excerpt)
        words = self._policy.left(one.excerpt, requested=requested, work=True)
        return replace(one, fact=fact, excerpt=max(words, key=len)) if fact and words else None

    def _bare(self, one: Finding) -> Finding:
        """Return a finding without secrets, its excerpt short enough to be kept."""
        if not self._secrets:
            return replace(one, excerpt=one.excerpt[:_LONGEST_EXCERPT])
        fact, excerpt = redact(one.fact), redact(one.excerpt)
        self.redacted.update(fact.counts)
        return replace(one, fact=fact.text, excerpt=excerpt.text[:_LONGEST_EXCERPT])


def _name(project: str) -> str | None:
    """Return the name of a project: the last part of its path."""
    parts = [part for part in re.split(r"[\\/]", project) if part]
    return parts[-1] if parts else None
