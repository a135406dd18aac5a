"""Quipu through its public interface only: import, then ask in batches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from time import perf_counter

from quality.model import Conversation, Filled, Question
from quipu import Memory


class Ours:
    """Imports each conversation into a space of its own and asks there. Counts the seconds of both."""

    name = "Quipu"

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._taken_in: set[str] = set()
        self.import_seconds = 0.0
        self.recall_seconds = 0.0
        self.parts: dict[tuple[str, str], list[dict[str, object]]] = {}

    def rank(
        self, conversation: Conversation, questions: Sequence[Question], *, depth: int
    ) -> list[list[str]]:
        """For each question the caller's ids of the hits; their scores and parts are kept in ``parts``."""
        space = self.take_in(conversation)
        ranked: list[list[str]] = [[] for _ in questions]
        started = perf_counter()
        for user, numbers in by_user(questions).items():
            texts = [questions[number].text for number in numbers]
            answers = self._memory.recall_many(texts, space=space, user=user, kinds=("message",), limit=depth)
            for number, hits in zip(numbers, answers, strict=True):
                ranked[number] = [str(hit.source.message) for hit in hits]
                self.parts[conversation.name, questions[number].text] = [
                    {"id": hit.source.message, "score": hit.score, "parts": dict(hit.parts)} for hit in hits
                ]
        self.recall_seconds += perf_counter() - started
        return ranked

    def blocks(
        self, conversation: Conversation, questions: Sequence[Question], *, budget: int
    ) -> list[Filled]:
        """For each question the block that `recall_block` gives, of messages alone."""
        space = self.take_in(conversation)
        blocks = (
            self._memory.recall_block(
                question.text, budget_tokens=budget, space=space, user=question.user, kinds=("message",)
            )
            for question in questions
        )
        return [
            Filled(block.text, frozenset(str(hit.source.message) for hit in block.hits)) for block in blocks
        ]

    def derive(self, conversation: Conversation) -> None:
        """Derive all that the rules can: episodes, beliefs, long-term memories, lessons."""
        space = self.take_in(conversation)
        self._memory.work()
        for session in dict.fromkeys(conversation.sessions().values()):
            self._memory.lessons.extract(space=space, session=session)

    def places(
        self,
        conversation: Conversation,
        questions: Sequence[Question],
        *,
        kinds: Sequence[str] | None,
        depth: int,
    ) -> list[list[frozenset[str]]]:
        """For each question, hit by hit, the ids of the messages that it shows, those folded under it too."""
        space = self.take_in(conversation)
        places: list[list[frozenset[str]]] = [[] for _ in questions]
        for user, numbers in by_user(questions).items():
            texts = [questions[number].text for number in numbers]
            answers = self._memory.recall_many(texts, space=space, user=user, kinds=kinds, limit=depth)
            for number, hits in zip(numbers, answers, strict=True):
                places[number] = [
                    frozenset(str(one.source.message) for one in (hit, *hit.folded) if one.kind == "message")
                    for hit in hits
                ]
        return places

    def take_in(self, conversation: Conversation) -> str:
        """Import a conversation into a space of its own, once; returns the name of the space."""
        space = f"bench-{conversation.name}"
        if space in self._taken_in:
            return space
        started = perf_counter()
        report = self._memory.import_messages((m.as_dict() for m in conversation.messages), space=space)
        self.import_seconds += perf_counter() - started
        if report.refused:
            raise RuntimeError(f"{conversation.name}: messages were refused: {report.refused}")
        self._taken_in.add(space)
        return space


def by_user(questions: Sequence[Question]) -> dict[str | None, list[int]]:
    numbers: dict[str | None, list[int]] = defaultdict(list)
    for number, question in enumerate(questions):
        numbers[question.user].append(number)
    return numbers
