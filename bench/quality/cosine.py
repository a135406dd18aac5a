"""Plain vectors of our own embedder: the dense baseline, and what stores without a lexical leg do."""

from __future__ import annotations

from collections.abc import Sequence

import anyio
import numpy as np
from numpy.typing import NDArray

from quality.budgets import fill, most_lines
from quality.model import Conversation, Filled, Question
from quipu.kernel.config import Settings
from quipu.kernel.embedding.choose import choose


class Cosine:
    """Ranks by the cosine between the question and ``Speaker: text``."""

    name = "cosine alone"

    def rank(
        self, conversation: Conversation, questions: Sequence[Question], *, depth: int
    ) -> list[list[str]]:
        """For each question the messages whose vectors are nearest."""
        texts = [message.spoken for message in conversation.messages]
        vectors, asked = anyio.run(_embed, texts, [question.text for question in questions])
        scores = asked @ vectors.T
        return [
            self._one(conversation, question, row, depth)
            for question, row in zip(questions, scores, strict=True)
        ]

    def blocks(
        self, conversation: Conversation, questions: Sequence[Question], *, budget: int
    ) -> list[Filled]:
        """For each question the best messages that fit."""
        by_id = {message.id: message for message in conversation.messages}
        ranked = self.rank(conversation, questions, depth=most_lines(budget))
        return [fill([by_id[id_] for id_ in ids], budget=budget) for ids in ranked]

    @staticmethod
    def _one(
        conversation: Conversation, question: Question, scores: NDArray[np.float32], depth: int
    ) -> list[str]:
        messages = conversation.messages
        order = np.argsort(-scores, kind="stable")
        allowed = (
            messages[i].id for i in order if question.user is None or messages[i].user == question.user
        )
        return [id_ for id_, _ in zip(allowed, range(depth), strict=False)]


async def _embed(
    texts: Sequence[str], questions: Sequence[str]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    embedder = choose(Settings())
    try:
        return await embedder.embed(texts), await embedder.embed(questions, role="query")
    finally:
        await embedder.aclose()
