"""Pairs of statements, of which it is known whether the newer replaced the older, and numbers that fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from quality.certain import logistic
from quality.model import Conversation, Question
from quality.ours import Ours
from quipu import Memory
from quipu.app import entries
from quipu.kernel.prose.signs import wants_one_value
from quipu.recall.changes import Grounds, Numbers, Statements

_WRONG_VALUE = 3.0  # the answer, or a memory of the older value, taken for what replaces it
_RIGHT = 6.0
_NO_ANSWER = 0.3
_NO_QUESTION = 0.1
_ENOUGH = 0.25


@dataclass(frozen=True, slots=True)
class Seen:
    """A pair that recall looked at: whether the newer replaced the older, and how much that counts."""

    grounds: Grounds
    is_right: bool
    weight: float


def look(
    memory: Memory, conversations: Sequence[Conversation], *, half: str, progress: Callable[[str], None]
) -> list[Seen]:
    """Ask every question for one value in its conversation, and return the pairs that recall looked at."""
    ours, seen = Ours(memory), list[Seen]()
    for conversation in conversations:
        progress(conversation.name)
        space = ours.take_in(conversation)
        for question in conversation.questions:
            if question.half == half and question.was_told and wants_one_value(question.text):
                seen += _pairs(memory, space, question)
    return seen


def _pairs(memory: Memory, space: str, question: Question) -> list[Seen]:
    seen: list[Seen] = []

    class Recorded(Statements):
        """Statements that note the pairs they are asked for."""

        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            messages = {one.id: str(given[2][one.id].source.message) for one in given[1]}
            for older, newer in self.pairs():
                judged = _judged(question, messages[older.id], messages[newer.id])
                if judged is not None:
                    seen.append(Seen(self.grounds(older, newer), *judged))

    with patch.object(entries, "Statements", Recorded):
        memory.recall(question.text, space=space, user=question.user, kinds=("message",), limit=10)
    return seen


def _judged(question: Question, older: str, newer: str) -> tuple[bool, float] | None:
    """Return whether the newer of two replaced the older, and how much that counts; else None."""
    if older in question.outdated and newer in question.newest:
        return True, _RIGHT
    if older in question.outdated and newer in question.outdated:
        return False, _WRONG_VALUE
    if newer in (*question.evidence, *question.newest):
        return None
    if older in (*question.evidence, *question.newest):
        return False, _WRONG_VALUE
    return False, _NO_ANSWER if older in question.outdated else _NO_QUESTION


def fit(seen: Sequence[Seen]) -> Numbers:
    """The numbers that fit best."""
    grounds = np.array([astuple(one.grounds) for one in seen])
    right = np.array([one.is_right for one in seen], dtype=float)
    weights = np.array([one.weight for one in seen])
    return Numbers(tuple(logistic(grounds, right, weights, pull=3.0).tolist()), _ENOUGH)


def write(path: Path, numbers: Numbers) -> None:
    """Write the numbers as data, with the command that fits them."""
    path.write_text(
        "# Written by `python bench/changes.py`; what they are is said in `recall/changes.py`.\n"
        f"weights = [{', '.join(f'{n:.3g}' for n in numbers.weights)}]\nenough = {numbers.enough}\n",
        encoding="utf-8",
    )
