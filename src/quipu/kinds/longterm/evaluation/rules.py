"""The evaluator by rules: deterministic, offline, and without a model unless an embedder is at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from quipu.kernel.embedding.embedder import Embedder
from quipu.kernel.embedding.prototypes import embed, listed, prototypes
from quipu.kernel.policy.policy import Policy
from quipu.kinds.longterm.evaluation.conversation import Conversation
from quipu.kinds.longterm.evaluation.known import KnownMemory, known
from quipu.kinds.longterm.model import CATEGORIES, Category, Evaluation

if TYPE_CHECKING:
    from quipu.kinds.longterm.sati import SatiEvaluationInput

VERSION: Final = 3
"""To be raised with every change of the rules that finds more or better."""


NEAR_ENOUGH: Final = 0.45
MARGIN: Final = 0.12
"""A category must be so much nearer than what lasts in no way."""

MOST: Final = 400
"""Clauses of one evaluation that are embedded: it costs about 2 ms for each."""


async def by_meaning(embedder: Embedder, clauses: Mapping[str, bool]) -> dict[str, Category]:
    """Return the categories of clauses that seem to last; True marks those asked to be remembered.

    Raises ``EmbeddingError``.
    """
    texts = list(clauses)[:MOST]
    known = await prototypes("longterm", embedder, *listed(__file__, CATEGORIES))
    vectors = await embed(embedder, texts)
    decided = known.decide(
        vectors, near_enough=NEAR_ENOUGH, margin=MARGIN, settled=[clauses[text] for text in texts]
    )
    pairs = zip(texts, decided, strict=True)
    return {text: CATEGORIES[place] for text, place in pairs if place is not None}


class RulesEvaluator:
    """Reads English; of other languages it keeps nothing. ``embedder`` decides where words do not."""

    def __init__(self, embedder: Embedder | None = None, *, policy: Policy | None = None) -> None:
        self.name = "rules"
        self.version = VERSION
        self._embedder = embedder
        self._policy = policy or Policy()

    async def evaluate(self, conversation: SatiEvaluationInput, *, since: int = 0) -> Evaluation:
        """Evaluate the user's turns from the turn ``since`` on: what to keep, change or forget.

        The turns before them were evaluated already; they show what an answer answers. Raises
        ``EmbeddingError``.
        """
        existing = [
            known(
                id=one.id,
                category=one.category,
                importance=one.importance,
                summary=one.summary,
                version=one.version,
            )
            for one in conversation.existing_memories
        ]
        existing += [
            known(id="?", category="context", importance="low", summary=one)
            for one in conversation.existing_memory_summaries
        ]
        read = self._read(conversation, existing, since=since, meanings={})
        if self._embedder is not None and read.undecided:
            meanings = await by_meaning(self._embedder, read.undecided)
            if meanings:
                read = self._read(conversation, existing, since=since, meanings=meanings)
        return read.evaluation(f"{self.name}:{self.version}")

    def _read(
        self,
        conversation: SatiEvaluationInput,
        existing: list[KnownMemory],
        *,
        since: int,
        meanings: Mapping[str, Category],
    ) -> Conversation:
        read = Conversation(existing, policy=self._policy, meanings=meanings)
        for at, turn in enumerate(conversation.recent_conversation):
            text = turn.content
            if turn.role == "assistant":
                read.heard(text)
            else:
                read.said(
                    text, turn=at, judged=at >= since, message=turn.id, session=turn.session, time=turn.time
                )
        return read
