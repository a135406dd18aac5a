"""BM25 alone over single messages: the lexical baseline."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from quality.budgets import fill, most_lines
from quality.model import Conversation, Filled, Question
from quality.words import terms

K1 = 0.9
B = 0.4


class Bm25Index:
    """An index of texts; k1 and b as Anserini's defaults, idf as Lucene's."""

    def __init__(self, texts: Sequence[str], language: str) -> None:
        self._language = language
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        bags = [Counter(terms(text, language)) for text in texts]
        lengths = [sum(bag.values()) for bag in bags]
        mean_length = sum(lengths) / max(1, len(lengths)) or 1.0
        for number, (bag, length) in enumerate(zip(bags, lengths, strict=True)):
            norm = K1 * (1 - B + B * length / mean_length)
            for term, count in bag.items():
                self._postings[term].append((number, count * (K1 + 1) / (count + norm)))
        self._size = len(bags)

    def scores(self, query: str) -> dict[int, float]:
        """Text number to score, for the texts that share a term with the query."""
        scores: dict[int, float] = defaultdict(float)
        for term in dict.fromkeys(terms(query, self._language)):
            postings = self._postings.get(term, [])
            idf = math.log(1 + (self._size - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, weight in postings:
                scores[number] += idf * weight
        return scores


class Bm25:
    """Ranks by BM25 over ``Speaker: text``, each message by itself."""

    name = "BM25 alone"

    def rank(
        self, conversation: Conversation, questions: Sequence[Question], *, depth: int
    ) -> list[list[str]]:
        """For each question the messages with the highest scores, the earlier first among equals."""
        index = Bm25Index([message.spoken for message in conversation.messages], conversation.language)
        return [self._one(conversation, index, question, depth) for question in questions]

    def blocks(
        self, conversation: Conversation, questions: Sequence[Question], *, budget: int
    ) -> list[Filled]:
        """For each question the best messages that fit."""
        by_id = {message.id: message for message in conversation.messages}
        ranked = self.rank(conversation, questions, depth=most_lines(budget))
        return [fill([by_id[id_] for id_ in ids], budget=budget) for ids in ranked]

    @staticmethod
    def _one(conversation: Conversation, index: Bm25Index, question: Question, depth: int) -> list[str]:
        messages = conversation.messages
        scores = index.scores(question.text)
        order = sorted(scores, key=lambda number: (-scores[number], number))
        if question.user is not None:
            order = [number for number in order if messages[number].user == question.user]
        return [messages[number].id for number in order[:depth]]
