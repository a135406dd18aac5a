"""Reasons why a memory came back, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quipu.recall.model import Hit
from quipu.recall.terms import bag, question_terms

_SENTENCES = {
    "meaning": "It lies near the question in meaning, its neighbours taken into account.",
    "words": "It, or a message beside it, has words of the question.",
    "session": "The whole conversation is about what the question asks.",
    "speaker": "It was said by the person whom the question is about.",
    "people": "Everybody whom the question names takes part in that conversation.",
    "date": "It is of the time that the question names.",
    "when": "The question asks for a time, and it tells one.",
    "tells": "It tells something; among people, a question is seldom the answer.",
    "length": "It is not just a word or two.",
    "activation": "It comes to mind easily: it happened lately, or was used often.",
    "freshness": "It has hardly faded since it happened or was last used.",
    "topic": "The question has words of its topic.",
    "intent": "The question speaks of what was wanted then, such as planning or solving a problem.",
    "half_remembered": "Only half remembered: it has few of the question's words and was not used for long.",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """One signal: what it added to the score (0 to 1), and what that means."""

    signal: str
    amount: float
    sentence: str


@dataclass(frozen=True, slots=True)
class Why:
    """Reasons for a hit, by weight, with the question's words in it and the turns around it.

    ``words`` are empty where the hit shares none with the question. ``before`` and ``after`` are the turns
    beside it in its session, "speaker: text", oldest first.
    """

    hit: Hit
    reasons: tuple[Reason, ...]
    words: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


def explain(hit: Hit, *, languages: Sequence[str], before: Sequence[str], after: Sequence[str]) -> Why:
    """Explain a hit; ``languages`` are those of its space."""
    parts = sorted(hit.parts.items(), key=lambda part: -part[1])
    reasons = tuple(Reason(signal, amount, _SENTENCES[signal]) for signal, amount in parts)
    return Why(hit, reasons, tuple(shared_words(hit, languages)), tuple(before), tuple(after))


def shared_words(hit: Hit, languages: Sequence[str]) -> list[str]:
    """Return the words of the question that the text of the hit has itself, in any form."""
    asked = question_terms(hit.question, languages)
    held = {h for language in languages for h in bag(hit.text, language=language).hashes.tolist()}
    return [word for word, hashes in asked.items() if not held.isdisjoint(hashes)]
