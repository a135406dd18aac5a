"""Outcome, actions, open ends, limits and intent of a conversation. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, get_args

import numpy as np

from quipu.kernel.base.text import count_words
from quipu.kernel.embedding.embedder import Vectors
from quipu.kinds.episodes import cues
from quipu.kinds.episodes.building.model import Utterance
from quipu.kinds.episodes.building.prototypes import Ending
from quipu.kinds.episodes.building.sentences import asks, sentences, worth
from quipu.kinds.episodes.shapes import Chunk, Circumstances, Direction, GistType, Intent, IntentType

MOST_LOOPS: Final = 5
MOST_CONSTRAINTS: Final = 4
FEWEST_WORDS: Final = 4
"""A gist of fewer words (\"Agreed!\") does not stand alone."""

_ENDED: Final[Mapping[Ending, str]] = {"failed": "Unsolved", "solved": "Solved"}
_PARTS: Final = ((5, "night"), (12, "morning"), (18, "afternoon"), (22, "evening"), (24, "night"))

_DAYS: Final = {
    "yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "this morning": 0, "tomorrow": 1,
    "gestern": -1, "heute": 0,
}  # fmt: skip
_DAY = re.compile(rf"\b(?:{'|'.join(_DAYS)})\b(?! \()", re.IGNORECASE)


TYPES: Final[tuple[IntentType, ...]] = get_args(IntentType)
WORDS, MEANING = 1.0, 2.0
"""A cue in every sentence weighs as much as half of the nearness that there can be."""

OPEN: Final = 0.3
"""From this share of questions on, what is not decided is open."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, who said it in which role, and when; ``message`` is the id of the message that it is of."""

    text: str
    who: str
    role: str
    at: datetime
    message: int

    def told(self) -> str:
        """Return the sentence so that it stands alone: with its speaker, and the day that "yesterday" was."""
        return f"{self.who}: {dated(self.text, self.at)}"


def dated(text: str, at: datetime) -> str:
    """Add the date to each yesterday, today and tomorrow in the text."""
    return _DAY.sub(
        lambda match: f"{match[0]} ({at + timedelta(days=_DAYS[match[0].lower()]):%Y-%m-%d})", text
    )


def spoken(utterances: Sequence[Utterance]) -> list[Sentence]:
    """Return all sentences in order; output of tools is no speech."""
    return [
        Sentence(text, one.who, one.role, one.at, one.id)
        for one in utterances
        if one.role != "tool"
        for text in sentences(one.text)
    ]


def outcome(said: Sequence[Sentence], chunks: Sequence[Chunk], endings: Mapping[str, Ending]) -> str:
    """Return the end: solved or failed, else the decision, else the most telling sentence of the last third.

    Solved and failed are told by the words of the last third, or by what these mean (``endings``, by
    sentence).
    """
    last = [one for one in said[-max(3, len(said) // 3) :] if not asks(one.text)]
    for name, word in _ENDED.items():
        cued = [one for one in last if cues.matches(one.text, section="outcome", name=name)]
        if cued:
            return f"{word}. {cued[-1].told()}"
    meant = [one for one in last if one.told() in endings]
    if meant:
        return f"{_ENDED[endings[meant[-1].told()]]}. {meant[-1].told()}"
    decided = _gists(chunks, ("decision", "commitment"))
    if decided:
        return decided[-1]
    return max(reversed(last), key=lambda one: worth(one.text)).told() if last else "No result was told."


def action(said: Sequence[Sentence], chunks: Sequence[Chunk], *, topic: str) -> str:
    """Return the deeds and promises; if there are none, the subjects of the talk."""
    done = _gists(chunks, ("commitment", "decision"))[:2]
    if not done:
        named = [
            one.told()
            for one in said
            if any(
                cues.matches(one.text, section="commitment", name=name) for name in ("decided", "promised")
            )
        ]
        done = named[:2]
    return " ".join(done) if done else f"Talked about {topic or 'this and that'}."


def open_loops(utterances: Sequence[Utterance], said: Sequence[Sentence]) -> tuple[str, ...]:
    """Return the open ends: a last question without an answer, what somebody waits for or will check."""
    loops = [
        one.told()
        for one in said
        if cues.matches(one.text, section="open", name="waits") and not asks(one.text)
    ]
    heard = [one for one in utterances if one.role != "tool"]
    if heard:
        left = [text for text in sentences(heard[-1].text) if asks(text)]
        loops += [f"{heard[-1].who} asked: {text}" for text in left[-1:]]
    return tuple(dict.fromkeys(loops))[-MOST_LOOPS:]


def circumstances(utterances: Sequence[Utterance], said: Sequence[Sentence], *, topic: str) -> Circumstances:
    """Return the time, the persons, the subject and the limits that were named."""
    first, last = utterances[0].at, utterances[-1].at
    people = list(dict.fromkeys(one.who for one in utterances if one.role != "tool"))
    minutes = round((last - first).total_seconds() / 60)
    part = next(name for hour, name in _PARTS if first.hour < hour)
    limits = [one.told() for one in said if cues.matches(one.text, section="constraint", name="limits")]
    return Circumstances(
        situational=f"{first:%A} {part}, {first:%Y-%m-%d}; {' and '.join(people[:4])}; "
        f"{len(utterances)} messages" + (f" over {minutes} minutes" if minutes else ""),
        conversational=f"About {topic}." if topic else "",
        constraints=tuple(limits[:MOST_CONSTRAINTS]),
    )


def commitment(said: Sequence[Sentence], chunks: Sequence[Chunk]) -> float:
    """Return the weight of decisions (1 each), promises (0.5) and dates (0.25), 0 to 3."""
    counts = cues.counts([one.text for one in said if not asks(one.text)], section="commitment")
    decided = max(counts["decided"], len(_gists(chunks, ("decision",))))
    promised = max(counts["promised"], len(_gists(chunks, ("commitment",))))
    return min(3.0, decided + 0.5 * promised + 0.25 * counts["dated"])


def _gists(chunks: Sequence[Chunk], types: Sequence[GistType]) -> list[str]:
    return [
        gist.content
        for chunk in chunks
        for gist in chunk.gists
        if gist.type in types and count_words(gist.content) >= FEWEST_WORDS
    ]


def intent(spoken: Sequence[str], nearness: Mapping[str, float]) -> Intent:
    """Return the intent of the sentences; ``nearness`` is the mean cosine to each type's prototypes."""
    if not spoken:
        return Intent(type="recreational", direction="open-ended")
    counts = cues.counts(spoken, section="intent")
    weights = {
        name: WORDS * counts[name] / len(spoken) + MEANING * max(0.0, nearness.get(name, 0.0))
        for name in TYPES
    }
    return Intent(type=max(TYPES, key=lambda name: weights[name]), direction=direction(spoken))


def direction(spoken: Sequence[str]) -> Direction:
    """Return the direction: a decision wins, then a narrowed choice, then asking or making sense."""
    counts = cues.counts(spoken, section="direction")
    if counts["decision-making"]:
        return "decision-making"
    if counts["narrowing"] > max(1, len(spoken) // 5):
        return "narrowing"
    questions = sum(map(asks, spoken)) / max(1, len(spoken))
    return "sense-making" if counts["sense-making"] and questions < OPEN else "open-ended"


def nearness(vectors: Vectors, prototypes: Vectors, names: Sequence[str]) -> dict[str, float]:
    """Return, for each name, the sentences' mean cosine to its nearest prototype, less that of all names.

    ``vectors``: shape (n, d) of the sentences; ``prototypes``: shape (m, d), of the names (m of them).
    """
    if not len(vectors):
        return {}
    cosines = vectors @ prototypes.T
    of = np.array(names)
    means = {name: float(cosines[:, of == name].max(axis=1).mean()) for name in dict.fromkeys(names)}
    usual = sum(means.values()) / len(means)
    return {name: value - usual for name, value in means.items()}
