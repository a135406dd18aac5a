"""What a prompt gets for its tokens: the evidence, and the words of the answer, in a block of each budget."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from statistics import fmean

from quality.model import Conversation, Filled, Message, Question, System
from quality.words import terms
from quipu.recall.render import estimate_tokens

BUDGETS = (500, 1_000, 2_000, 4_000, 8_000)
_FEWEST_TOKENS_OF_A_LINE = 16
_FEWEST_OF_A_LIST, _COVERED = 3, 0.8


@dataclass(frozen=True, slots=True)
class Bought:
    """What one system brings for one question within one budget.

    ``evidence`` is the share of the evidence, None where none is known. ``words`` is the share of the gold
    answer's words that stand in the text, the rarer the more; None without an answer.
    """

    system: str
    conversation: str
    question: Question
    budget: int
    tokens: int
    evidence: float | None
    words: float | None


def buy(
    systems: Sequence[System],
    conversations: Sequence[Conversation],
    *,
    budgets: Sequence[int] = BUDGETS,
    progress: Callable[[str], None],
) -> list[Bought]:
    """Return what each system brings for each question that has evidence, in each budget."""
    bought: list[Bought] = []
    for conversation in conversations:
        questions = [question for question in conversation.questions if question.evidence]
        weights = word_weights(conversation)
        for system in systems:
            for budget in budgets:
                progress(f"{conversation.name}: {system.name}, {budget:,} tokens")
                blocks = system.blocks(conversation, questions, budget=budget)
                for question, block in zip(questions, blocks, strict=True):
                    bought.append(_judged(system.name, conversation, question, budget, block, weights))
    return bought


def _judged(
    system: str,
    conversation: Conversation,
    question: Question,
    budget: int,
    block: Filled,
    weights: Mapping[str, float],
) -> Bought:
    evidence = len(block.ids & set(question.evidence)) / len(set(question.evidence))
    words = None
    if question.answer:
        words = share_of_words(question.answer, block.text, weights, conversation.language)
    tokens = estimate_tokens(block.text)
    return Bought(system, conversation.name, question, budget, tokens, evidence, words)


def word_weights(conversation: Conversation) -> Mapping[str, float]:
    """Return the idf of each word of a conversation, by message."""
    count = len(conversation.messages)
    held = Counter(
        word
        for message in conversation.messages
        for word in set(terms(message.spoken, conversation.language))
    )
    return {word: math.log(1 + (count - n + 0.5) / (n + 0.5)) for word, n in held.items()}


def share_of_words(answer: str, text: str, weights: Mapping[str, float], language: str) -> float | None:
    """Return the idf share (0 to 1) of the words of ``answer`` that stand in ``text``; None without words.

    A word that the conversation does not have weighs as much as the rarest one: nothing can bring it.
    """
    wanted = set(terms(answer, language))
    if not wanted:
        return None
    rarest = max(weights.values(), default=1.0)
    held = set(terms(text, language))
    return sum(weights.get(word, rarest) for word in wanted & held) / sum(
        weights.get(word, rarest) for word in wanted
    )


def is_covered(one: Bought) -> float | None:
    """Return 1.0 if more than 80 % of the evidence is there, else 0.0; None for fewer than three messages."""
    if one.evidence is None or len(set(one.question.evidence)) < _FEWEST_OF_A_LIST:
        return None
    return float(one.evidence > _COVERED)


def fill(messages: Sequence[Message], *, budget: int) -> Filled:
    """Fill a block with messages in the order given, a line each, until the next does not fit."""
    ends: list[tuple[int, Message]] = []
    total = 0
    for message in messages:
        total += estimate_tokens(_line(message) + "\n")
        ends.append((total, message))
    taken = [message for _, message in takewhile(lambda pair: pair[0] <= budget, ends)]
    return Filled("\n".join(map(_line, taken)), frozenset(message.id for message in taken))


def most_lines(budget: int) -> int:
    """Return how many messages a block of this budget can hold at most."""
    return budget // _FEWEST_TOKENS_OF_A_LINE


def mean(values: Collection[float | None]) -> float | None:
    """Return the mean of what is known; None if nothing is."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _line(message: Message) -> str:
    at = (message.time or "")[:16].replace("T", " ")
    return f"- {at} {message.speaker or message.role}: {' '.join(message.content.split())} ({message.id})"
