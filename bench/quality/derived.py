"""Messages alone beside all kinds of memory together, once a worker has derived what it can from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from quality.model import Conversation, Question
from quality.ours import Ours

CUTS = (1, 5, 10)
Places = Sequence[Collection[str]]
"""For each hit, best first, the ids of the messages that it shows, folded ones too."""


@dataclass(frozen=True, slots=True)
class Beside:
    """One question: the shares of its evidence among the first hits, of messages alone and of all kinds."""

    conversation: str
    question: Question
    alone: tuple[float, ...]
    together: tuple[float, ...]


def compare(
    ours: Ours, conversations: Sequence[Conversation], *, progress: Callable[[str], None]
) -> list[Beside]:
    """Ask of messages alone, have everything derived, and ask all kinds."""
    compared: list[Beside] = []
    for conversation in conversations:
        questions = [question for question in conversation.questions if question.evidence]
        alone = ours.places(conversation, questions, kinds=("message",), depth=CUTS[-1])
        progress(f"{conversation.name}: deriving")
        ours.derive(conversation)
        together = ours.places(conversation, questions, kinds=None, depth=CUTS[-1])
        compared += [
            Beside(conversation.name, question, _shares(before, question), _shares(after, question))
            for question, before, after in zip(questions, alone, together, strict=True)
        ]
    return compared


def _shares(places: Places, question: Question) -> tuple[float, ...]:
    wanted = set(question.evidence)
    return tuple(len(wanted & set().union(*places[:k])) / len(wanted) for k in CUTS)
