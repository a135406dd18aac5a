"""Quipu through its public interface only: import, then ask in batches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from time import perf_counter

from quality.model import Conversation, Question
from quipu import Memory


class Ours:
    """Imports each conversation into a space of its own and asks there. Counts the seconds of both."""

    name = "Quipu"

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.import_seconds = 0.0
        self.recall_seconds = 0.0
        self.parts: dict[tuple[str, str], list[dict[str, object]]] = {}

    def rank(
        self, conversation: Conversation, questions: Sequence[Question], *, depth: int
    ) -> list[list[str]]:
        """For each question the caller's ids of the hits; their scores and parts are kept in ``parts``."""
        space = f"bench-{conversation.name}"
        self._take_in(conversation, space)
        ranked: list[list[str]] = [[] for _ in questions]
        started = perf_counter()
        for user, numbers in _by_user(questions).items():
            texts = [questions[number].text for number in numbers]
            answers = self._memory.recall_many(texts, space=space, user=user, kinds=("message",), limit=depth)
            for number, hits in zip(numbers, answers, strict=True):
                ranked[number] = [str(hit.source.message) for hit in hits]
                self.parts[conversation.name, questions[number].text] = [
                    {"id": hit.source.message, "score": hit.score, "parts": dict(hit.parts)} for hit in hits
                ]
        self.recall_seconds += perf_counter() - started
        return ranked

    def _take_in(self, conversation: Conversation, space: str) -> None:
        started = perf_counter()
        report = self._memory.import_messages((m.as_dict() for m in conversation.messages), space=space)
        self.import_seconds += perf_counter() - started
        if report.refused:
            raise RuntimeError(f"{conversation.name}: messages were refused: {report.refused}")


def _by_user(questions: Sequence[Question]) -> dict[str | None, list[int]]:
    numbers: dict[str | None, list[int]] = defaultdict(list)
    for number, question in enumerate(questions):
        numbers[question.user].append(number)
    return numbers
