"""The evaluator by rules: deterministic, offline, and without a model unless an embedder is at hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from quipu.kernel.embedding.embedder import Embedder
from quipu.kernel.policy.policy import Policy
from quipu.kinds.longterm.evaluation.conversation import Conversation
from quipu.kinds.longterm.evaluation.known import KnownMemory, known
from quipu.kinds.longterm.evaluation.meaning import by_meaning
from quipu.kinds.longterm.model import Category, Evaluation

if TYPE_CHECKING:
    from quipu.kinds.longterm.sati import SatiEvaluationInput

VERSION: Final = 5
"""To be raised with every change of the rules that finds more or better."""


class RulesEvaluator:
    """Reads English, German and Spanish; of other languages it keeps nothing.

    ``embedder`` decides where words do not, in English.
    """

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
