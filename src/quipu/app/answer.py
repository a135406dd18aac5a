"""Recall across all kinds: find, let each kind tell of its own, and hand back hits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import datetime

from quipu.app import entries
from quipu.app.entries import BY_CODE, Rules, Standing, Used, arrange, depth, nearest, with_rule
from quipu.app.kinds import BEHIND, KINDS
from quipu.app.narrowing import BY_NAME, filters_of, listed, selected
from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.prompt_text import defused
from quipu.kernel.base.scope import (
    bound_person,
    check_known_name,
    check_name,
    optional_name,
    reads_only,
    whole,
)
from quipu.kernel.base.text import Marks, excerpt
from quipu.kernel.db import queries
from quipu.kernel.db.database import Ask, Database, SpaceTransaction
from quipu.kernel.prose.enumeration import asks_for_many
from quipu.kernel.prose.signs import time_asked
from quipu.kernel.telemetry.spans import stage, staged
from quipu.kinds.plug import Kind
from quipu.recall.filters import Filter, parse
from quipu.recall.generations import Models
from quipu.recall.model import Cited, Filters, Folded, Hit
from quipu.recall.question import Question
from quipu.recall.ranking import Answer, Distinct, fold, judged, once
from quipu.recall.render import PRESENT, RANKED, Block, Origin, Why, block, explain
from quipu.recall.rerank import Reranking
from quipu.recall.search import Search, filed
from quipu.recall.terms import DEFAULT, best_passage
from quipu.recall.timeline import LISTED, LISTED_TOKENS, of_block, own_first
from quipu.record import store
from quipu.record.model import MESSAGE

_MOST = 1_000
_MOST_USED = 200
_MESSAGES = BY_CODE[MESSAGE]
_AROUND = 2
_MOST_CHARACTERS = 100_000
_FOLDED_CHARACTERS = 360
_FEWEST_OF_A_BLOCK = 20
_TOKENS_OF_A_LINE = 30  # of a short one
_SPARE = 10  # ranked beyond what is asked for: they move up where others are not to come back


@dataclass(frozen=True, slots=True)
class Understood:
    """A question as it was understood, its answer, and the standing rules for it, the nearest first.

    ``question`` is None where the space holds nothing.
    """

    question: Question | None
    answer: Answer
    rules: Sequence[Standing] = ()

    @property
    def terms(self) -> Mapping[str, tuple[int, ...]]:
        """The terms of the question."""
        return {} if self.question is None else self.question.terms


class Answering:
    """Answers questions from one database."""

    def __init__(
        self,
        database: Database,
        search: Search,
        models: Models,
        *,
        clock: Clock,
        reranking: Reranking | None = None,
    ) -> None:
        self._database = database
        self._search = search
        self._models = models
        self._clock = clock
        self._reranking = reranking

    async def answer(
        self,
        questions: Sequence[str],
        *,
        space: str,
        user: str | None,
        session: str | None,
        kinds: Sequence[str] | None,
        since: datetime | str | None,
        until: datetime | str | None,
        limit: int,
        filter: object = None,
    ) -> list[Answer]:
        """Return the hits of each question, best first, and whether it is known."""
        answered = await self.understood(
            questions,
            space=space,
            user=user,
            session=session,
            kinds=kinds,
            since=since,
            until=until,
            limit=limit,
            filter=filter,
        )
        return [one.answer for one in answered]

    async def understood(
        self,
        questions: Sequence[str],
        *,
        space: str,
        user: str | None,
        session: str | None,
        kinds: Sequence[str] | None,
        since: datetime | str | None,
        until: datetime | str | None,
        limit: int,
        filter: object = None,
    ) -> list[Understood]:
        """Answer each question, and tell how it was understood."""
        filters, by = filters_of(user=user, kinds=kinds, since=since, until=until), parse(filter)
        whole("limit", limit, least=1, most=_MOST)
        session = optional_name("session", session)
        return await self.among(
            listed("questions", questions),
            space=check_name("space", space),
            filters=filters,
            by=by,
            session=session,
            limit=limit,
        )

    @reads_only
    @staged("recall")
    async def among(
        self,
        questions: Sequence[object],
        *,
        space: str,
        filters: Filters,
        by: Filter | None,
        session: str | None,
        limit: int,
    ) -> list[Understood]:
        """Answer each question from what checked filters let through, and tell how it was understood."""
        texts = [_checked(question) for question in questions]
        in_force = Rules(filters)
        async with self.filed(space, ask=in_force.ask) as tx:
            thread = None if tx is None or session is None else await store.session_id(tx, session)
            if tx is None or (session is not None and thread is None):
                return [Understood(None, judged([])) for _ in texts]
            filters = await selected(tx, replace(filters, thread=thread), by)
            depth = limit if self._reranking is None else self._reranking.depth(limit)
            found, cited = await self._best(tx, texts, filters=filters, limit=depth)
            rules = await in_force.standing(tx, [question for question, _ in found], filters)
            near, cited_rules = await nearest(tx, rules)
        answers = [judged([_hit(space, question, hit, cited) for hit in hits]) for question, hits in found]
        if self._reranking is not None:
            with stage("recall.rerank"):
                reordered = await self._reranking.reorder(answers, limit=limit)
            answers = [one.of(hits) for one, hits in zip(answers, reordered, strict=True)]
        reserved = [one and _hit(space, q, one, cited_rules) for (q, _), one in zip(found, near, strict=True)]
        return [
            Understood(question, answer.of(with_rule(answer, rule, limit=limit)), every)
            for (question, _), answer, rule, every in zip(found, answers, reserved, rules, strict=True)
        ]

    async def _best(
        self, tx: SpaceTransaction, questions: Sequence[str], *, filters: Filters, limit: int
    ) -> tuple[list[tuple[Question, list[Distinct]]], Mapping[int, Cited]]:
        """Return the best entries of each question, and their texts.

        What was said more than once counts as one; if it took the place of others, more entries are ranked.
        """
        with stage("recall.embed"):
            embedded = await self._search.understood(tx, questions)
        now, room = self._clock.now(), depth(embedded.questions, limit + _SPARE)
        while True:
            with stage("recall.search"):
                found = await self._search.rank(tx, embedded, filters=filters, limit=room)
            with stage("recall.rank"):
                gone = await entries.faded(tx, now, [hit for _, hits in found for hit in hits])
                left = [(q, [hit for hit in hits if hit.id not in gone]) for q, hits in found]
                ranked = [(q, await entries.weighed(tx, q, now, hits)) for q, hits in left]
                linked = await entries.cite_linked(tx, [hit for _, hits in ranked for hit in hits])
                sources = await entries.sources(tx, [hit for _, hits in ranked for hit in hits])
                best = [(q, fold(once(q.text, hits, linked.cited), sources)) for q, hits in ranked]
                short = any(
                    len(hits) < limit and len(hits) < len(all_) and len(of) == room
                    for (_, hits), (_, all_), (_, of) in zip(best, ranked, found, strict=True)
                )
                if not short or room > 2 * _MOST:
                    best, cited = await arrange(tx, best, linked, filters, limit=limit)
                    return best, {**await entries.cite_sources(tx, best, cited), **cited}
                room *= 4

    def filed(
        self, space: str, *, ask: Ask | None = None
    ) -> AbstractAsyncContextManager[SpaceTransaction | None]:
        """Open the space for reading, after filing what a kind of memory has left unindexed."""
        return filed(self._database, self._models, space, BEHIND, ask=ask)

    async def used(self, hits: Iterable[Hit]) -> int:
        """Note that hits, and what is folded under them, were put before an agent; how many uses count."""
        places: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        for hit in hits:
            for one in (hit, *hit.folded):
                if one.kind in BY_NAME and BY_NAME[one.kind].used is not None:
                    places[hit.space, one.kind].add(int(one.id))
        counted = 0
        for (space, kind), ids in places.items():
            used = BY_NAME[kind].used
            async with self._database.transaction(space) as tx:
                if tx is not None and used is not None:
                    counted += await used(tx, sorted(ids), self._clock.now())
        return counted

    async def used_lately(self, space: str, *, limit: int) -> list[Used]:
        """Return the memories that were used last, latest first, if they are still found."""
        whole("limit", limit, most=_MOST_USED)
        async with self._database.list_read(check_name("space", space)) as tx:
            found = [] if tx is None else [one for kind in KINDS for one in await _used(tx, kind, limit)]
        return sorted(found, key=lambda one: one.used_at, reverse=True)[:limit]

    @reads_only
    async def reminders(
        self, space: str, *, user: str | None, session: str | None, kinds: Sequence[str] | None
    ) -> list[str]:
        """Return the open loops of a person or a session, a line each, most urgent first."""
        chosen = filters_of(user=user, kinds=kinds, since=None, until=None)
        asked = [one for one in KINDS if one.remind and (chosen.kinds is None or one.code in chosen.kinds)]
        session = optional_name("session", session)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            now = self._clock.now()
            return [
                defused(line)
                for kind in asked
                if kind.remind is not None
                for line in await kind.remind(tx, chosen.user, session, now)
            ]

    @staged("recall.block")
    async def block(
        self,
        question: str,
        *,
        space: str,
        budget_tokens: int,
        user: str | None = None,
        session: str | None = None,
        kinds: Sequence[str] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        limit: int | None = None,
        besides: str | None = None,
        filter: object = None,
    ) -> Block:
        """Return text for a prompt, and note that what is in it was used.

        ``besides`` is the id of a message that stays out of it: the one that is to be answered.
        """
        whole("budget_tokens", budget_tokens, least=1, most=10**9)
        question = _checked(question)
        # Open loops have no metadata: a filter lets none through.
        reminders = [] if filter else await self.reminders(space, user=user, session=session, kinds=kinds)
        marks = await self.marks(space)
        is_list = asks_for_many(question)
        line = LISTED_TOKENS if is_list else _TOKENS_OF_A_LINE
        layout = LISTED if is_list else PRESENT if time_asked(question) == "present" else RANKED
        fit = min(_MOST, max(_FEWEST_OF_A_BLOCK, budget_tokens // line))
        most = fit if limit is None else limit
        while True:
            (understood,) = await self.understood(
                [question],
                space=space,
                user=user,
                session=session,
                kinds=kinds,
                since=since,
                until=until,
                limit=most,
                filter=filter,
            )
            near = of_block(understood.answer, is_list=is_list)
            shown = [hit for hit in near if besides is None or hit.source.message != besides]
            if is_list and understood.question is not None:
                shown = own_first(shown, understood.question, user=user)
            made = block(
                shown,
                budget_tokens=budget_tokens,
                marks=marks,
                terms=understood.terms,
                reminders=reminders,
                notice=understood.answer.notice,
                known=understood.answer.known,
                layout=layout,
                rules=[one.shown for one in understood.rules],
            )
            is_full = made.left_out or len(understood.answer) < most
            if limit is not None or is_full or most == _MOST:
                await self.used(made.hits)
                return made
            most = min(_MOST, 4 * most)  # the lines were shorter than lines usually are

    async def marks(self, space: str) -> Marks:
        """Return the marks that a space puts into prompts."""
        return await self._database.marks(check_known_name("space", space))

    @reads_only
    async def why(self, hit: Hit) -> Why:
        """Explain a hit."""
        async with self._database.snapshot_read(hit.space) as tx:
            languages = list(tx.space.languages) if tx else []
            turns: list[store.Message] = []
            origin: Origin | None = None
            place = int(hit.id) if hit.kind == "message" else -1
            if tx is not None and place > 0:
                turns = await store.around(tx, place, before=_AROUND, after=_AROUND)
            if tx is not None and bound_person() is None:
                query = queries.load("quipu.app.imports")["origin_of"]
                origin = await tx.fetch_one(Origin, query, entry=int(hit.id), id=None)
        told = [(m.id, f"{m.speaker or m.role}: {m.content}") for m in turns]
        before = [turn for id_, turn in told if id_ < place]
        after = [turn for id_, turn in told if id_ > place]
        return explain(hit, languages=languages or [DEFAULT], before=before, after=after, origin=origin)

    async def sessions(self, space: str, *, limit: int, offset: int) -> list[store.Session]:
        """Return the sessions, latest first."""
        whole("limit", limit, least=1, most=_MOST)
        whole("offset", offset, least=0, most=2**62)
        async with self._database.list_read(space) as tx:
            return [] if tx is None else await store.sessions(tx, limit=limit, offset=offset)


def _checked(question: object) -> str:
    if not isinstance(question, str) or not question.strip():
        raise BadInput("ask something.", field="question")
    if len(question) > _MOST_CHARACTERS:
        raise BadInput(
            f"it has {len(question):,} characters; {_MOST_CHARACTERS:,} are the most.", field="question"
        )
    return question.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


async def _used(tx: SpaceTransaction, kind: Kind, limit: int) -> Sequence[Used]:
    if kind.lately is None:
        return []
    times = await kind.lately(tx, limit)
    cited = await kind.cite(tx, [entry for entry, _ in times])
    return [
        Used(kind.name, cited[entry].text, at, cited[entry].source) for entry, at in times if entry in cited
    ]


def _hit(space: str, question: Question, one: Distinct, cited: Mapping[int, Cited]) -> Hit:
    found, told = one.found, cited[one.found.id]
    folded = [(BY_CODE[other.kind], other.id) for other in one.folded]
    folded += [(_MESSAGES, id_) for id_ in one.rests_on if id_ in cited]
    span = best_passage(told.text, question.terms)
    return Hit(
        kind=BY_CODE[found.kind].name,
        id=str(found.id),
        text=told.text if span is None else told.text[span[0] : span[1]].strip(),
        score=found.score,
        parts=found.parts,
        happened_at=told.happened_at,
        recorded_at=told.recorded_at,
        source=told.source if span is None else replace(told.source, span=span),
        repeats=one.repeats,
        cosine=found.cosine,
        coverage=found.coverage,
        supersedes=one.supersedes,
        superseded_by=one.superseded_by,
        folded=tuple(_folded(kind, id_, cited[id_]) for kind, id_ in folded),
        space=space,
        question=question.text,
        metadata=told.metadata,
    )


def _folded(kind: Kind, id_: int, told: Cited) -> Folded:
    text = excerpt(told.text, _FOLDED_CHARACTERS)
    return Folded(kind.name, str(id_), text, told.happened_at, told.source)
