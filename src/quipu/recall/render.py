"""Hits as they are shown: a block for a prompt, and the reasons for a hit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quipu.kernel.base import echo
from quipu.kernel.base.echo import Marks
from quipu.kernel.base.prompt_text import defused
from quipu.kernel.base.text import excerpt
from quipu.recall.model import Hit
from quipu.recall.terms import bag, question_terms

_FEWEST_CHARACTERS = 40
_HEAD = "Open:"
_OF_BUDGET = 4  # reminders get a quarter of it


@dataclass(frozen=True, slots=True)
class Block:
    """A prompt block: its text, an estimate of its tokens that errs upwards, and the hits that are in it.

    The text is marked as memory, so that it is never taken in again, and holds nothing that a model could
    take for the frame of its prompt; it is empty where nothing fits or nothing is known.
    """

    text: str
    tokens: int
    hits: tuple[Hit, ...]


def block(hits: Sequence[Hit], *, budget_tokens: int, marks: Marks, reminders: Sequence[str] = ()) -> Block:
    """Put the best hits that fit into a block: best first, one line each with time and source.

    The last may be cut short. Before them stand the ``reminders`` that fit into a quarter of the budget.
    ``marks`` are those of the space.
    """
    taken: list[Hit] = []
    lines = _open(reminders, budget_tokens=budget_tokens // _OF_BUDGET)
    if _cost(lines) > budget_tokens:  # the marks alone fill a small budget
        lines = []
    for hit in hits:
        line = _line(hit, hit.text)
        if _cost([*lines, line]) <= budget_tokens:
            lines.append(line)
            taken.append(hit)
            continue
        shorter = _shortened(hit, lines, budget_tokens)
        if shorter is not None:
            lines.append(shorter)
            taken.append(hit)
        break
    text = marks.mark("\n".join(lines))
    return Block(text, estimate_tokens(text), tuple(taken))


def estimate_tokens(text: str) -> int:
    """Estimate the tokens that a model sees, rather more than less: 3.5 Latin letters or one other each."""
    latin = sum(c < "\u0250" for c in text)
    return -(-latin * 2 // 7) + len(text) - latin


def _open(reminders: Sequence[str], *, budget_tokens: int) -> list[str]:
    """Return the paragraph of open reminders, as far as it fits."""
    lines: list[str] = []
    for reminder in reminders:
        longer = [*(lines or [_HEAD]), defused(f"- {' '.join(reminder.split())}")]
        if estimate_tokens("\n".join(longer)) > budget_tokens:
            break
        lines = longer
    return [*lines, ""] if lines else []


def _cost(lines: Sequence[str]) -> int:
    return estimate_tokens(echo.sized("\n".join(lines).strip()))


def _line(hit: Hit, text: str) -> str:
    who = hit.source.speaker or hit.source.role or "somebody"
    said = " ".join(text.split())
    where = f"{hit.source.session or hit.kind}/{hit.source.message}"
    half = "half remembered, " if "half_remembered" in hit.parts else ""
    return defused(f"- {hit.happened_at:%Y-%m-%d %H:%M} {half}{who}: {said} ({where})")


def _shortened(hit: Hit, lines: Sequence[str], budget_tokens: int) -> str | None:
    """Return the line of a hit cut to fit; None if too little of it would be left to be of use."""
    low, high = 0, len(hit.text)
    while low < high:
        middle = (low + high + 1) // 2
        fits = _cost([*lines, _line(hit, excerpt(hit.text, middle))]) <= budget_tokens
        low, high = (middle, high) if fits else (low, middle - 1)
    return _line(hit, excerpt(hit.text, low)) if low >= _FEWEST_CHARACTERS else None


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


@dataclass(frozen=True, slots=True)
class Reason:
    """One signal: what it added to the score (0 to 1), and what that means."""

    signal: str
    amount: float
    sentence: str


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
