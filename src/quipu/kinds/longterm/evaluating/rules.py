"""The evaluator by rules: deterministic, offline, and without a model unless an embedder is at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from quipu.kernel.embedding.model import Embedder
from quipu.kernel.policy.policy import Policy
from quipu.kinds.longterm.evaluating.conversation import Conversation
from quipu.kinds.longterm.evaluating.known import Known, known
from quipu.kinds.longterm.evaluating.prototypes import by_meaning
from quipu.kinds.longterm.model import Category, Evaluation

if TYPE_CHECKING:
    from quipu.kinds.longterm.sati import SatiEvaluationInput

VERSION: Final = 3
"""To be raised with every change of the rules that finds more or better."""


class RulesEvaluator:
    """Reads English; of other languages it keeps nothing. ``embedder`` decides where words do not."""

    def __init__(self, embedder: Embedder | None = None, *, policy: Policy | None = None) -> None:
        self.name = "rules"
        self.version = VERSION
        self._embedder = embedder
        self._policy = policy or Policy()

    async def evaluate(self, asked: SatiEvaluationInput, *, since: int = 0) -> Evaluation:
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
            for one in asked.existing_memories
        ]
        existing += [
            known(id="?", category="context", importance="low", summary=one)
            for one in asked.existing_memory_summaries
        ]
        conversation = self._read(asked, existing, since=since, meanings={})
        if self._embedder is not None and conversation.undecided:
            meanings = await by_meaning(self._embedder, conversation.undecided)
            if meanings:
                conversation = self._read(asked, existing, since=since, meanings=meanings)
        return conversation.evaluation(f"{self.name}:{self.version}")

    def _read(
        self,
        asked: SatiEvaluationInput,
        existing: list[Known],
        *,
        since: int,
        meanings: Mapping[str, Category],
    ) -> Conversation:
        conversation = Conversation(existing, policy=self._policy, meanings=meanings)
        for at, turn in enumerate(asked.recent_conversation):
            text = turn.content
            if turn.role == "assistant":
                conversation.heard(text)
            else:
                conversation.said(
                    text, turn=at, judged=at >= since, message=turn.id, session=turn.session, time=turn.time
                )
        return conversation
