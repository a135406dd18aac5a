"""The rules: what the user said that lasts, found by its words, or else by its nearness to prototypes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from quipu.kernel.embedding.embedder import Embedder
from quipu.kernel.embedding.prototypes import embed, listed, prototypes
from quipu.kernel.prose.sentences import LONGEST, Sentence, sentences
from quipu.kinds.transcripts.extract.model import CATEGORIES, Category, Extraction, Finding, SessionTurn
from quipu.kinds.transcripts.extract.rewrite import rewrite
from quipu.kinds.transcripts.extract.rules import CategoryVerdict, is_open, judge
from quipu.kinds.transcripts.extract.sameness import normal_form

MOST_BY_MEANING: Final = 400
"""Sentences of one session that are embedded for the prototypes: it costs about 2 ms for each."""

HEDGED: Final = 0.8
BY_MEANING: Final = 0.55
"""Explicitness of a fact that only the prototypes found."""

VERSION: Final = 1
"""To be raised with every change of the rules that finds more or better."""

_ORDERS: Final[frozenset[Category]] = frozenset(("preferences", "patterns"))
_OPENER_WORDS: Final = 5
_FEWEST_WORDS: Final = 3

NEAR_ENOUGH: Final = 0.4
MARGIN: Final = 0.12
"""A category must be so much nearer than what lasts in no way."""

FEWEST_WORDS: Final = 4


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of a turn, or two that belong together, and what its words say.

    ``seen`` is the text with what must not be judged hidden.
    """

    turn: SessionTurn
    text: str
    seen: str
    verdict: CategoryVerdict


def candidates(turns: Sequence[SessionTurn]) -> Iterator[Candidate]:
    """Yield the user's statements in order of the session, also those that words do not decide."""
    for turn in turns:
        if turn.role == "user":
            yield from _of_turn(turn)


def _of_turn(turn: SessionTurn) -> Iterator[Candidate]:
    told = sentences(turn.text)
    at = 0
    while at < len(told):
        one, verdict = told[at], judge(told[at].seen)
        at += 1
        following = told[at] if at < len(told) else None
        if verdict.category == "corrections" and following and _opens(turn.text, one, following):
            text = turn.text[one.start : following.end]
            one, at = Sentence(one.start, following.end, text, f"{one.seen} {following.seen}"), at + 1
        if (
            verdict.category != "corrections" or len(one.text.split()) >= _FEWEST_WORDS
        ):  # "Wrong." says nothing
            yield Candidate(turn, one.text, one.seen, verdict)


def _opens(text: str, one: Sentence, following: Sentence) -> bool:
    """Return True if the next sentence of the line explains a short correction."""
    near = "\n" not in text[one.end : following.start] and following.end - one.start <= LONGEST
    statement = not following.text.endswith("?") and judge(following.seen).category in {
        None, "knowledge", "context", "corrections",
    }  # fmt: skip
    return near and statement and len(re.findall(r"\w+", one.text)) <= _OPENER_WORDS


class RulesExtractor:
    """Patterns and prototypes; deterministic, offline. It reads English; of other languages it keeps nothing.

    Without an ``embedder`` only the patterns are used.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        self.name = "rules"
        self.version = VERSION
        self._embedder = embedder

    async def extract(self, turns: Sequence[SessionTurn], *, project: str | None = None) -> Extraction:
        """Return the user's facts that are worth keeping, each once, in the order of the session.

        Raises ``EmbeddingError``.
        """
        judged = list(candidates(turns))
        categories: list[Category | None] = [one.verdict.category for one in judged]
        if self._embedder is not None:
            await _decide(judged, categories, self._embedder)
        decided = zip(judged, categories, strict=True)
        findings = [_finding(one, category, project) for one, category in decided if category]
        return Extraction(_once(findings))


async def _decide(judged: Sequence[Candidate], categories: list[Category | None], embedder: Embedder) -> None:
    """Fill in the categories of those that words did not decide."""
    undecided = (at for at, one in enumerate(judged) if categories[at] is None and _tellable(one))
    unsettled = list(islice(undecided, MOST_BY_MEANING))
    if not unsettled:
        return
    known = await prototypes("transcripts", embedder, *listed(__file__, CATEGORIES))
    vectors = await embed(embedder, [judged[at].text for at in unsettled])
    decided = known.decide(vectors, near_enough=NEAR_ENOUGH, margin=MARGIN)
    for at, place in zip(unsettled, decided, strict=True):
        categories[at] = None if place is None else CATEGORIES[place]


def _tellable(one: Candidate) -> bool:
    long_enough = len(one.text.split()) >= FEWEST_WORDS and not one.text.endswith((":", "?"))
    return long_enough and is_open(one.seen)


def _finding(one: Candidate, category: Category, project: str | None) -> Finding:
    verdict = one.verdict
    explicitness = verdict.explicitness if verdict.category else BY_MEANING
    order = category in _ORDERS
    return Finding(
        fact=rewrite(one.text, project=project, order=order, correction=category == "corrections"),
        category=category,
        confidence=explicit(explicitness, hedged=verdict.hedged),
        turn_index=one.turn.index,
        excerpt=one.text,
        message_id=one.turn.message_id,
        happened_at=one.turn.happened_at,
    )


def explicit(explicitness: float, *, hedged: bool) -> float:
    """Return the confidence of one finding: how explicit it was, times 0.8 if the speaker was not sure.

    Both are 0 to 1. Age is no part of it: it counts when a lesson is read (``lessons/decay.py``).
    """
    return round(explicitness * (HEDGED if hedged else 1.0), 4)


def _once(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Merge repeated findings of a session: at the first place, with the highest confidence."""
    kept: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        key = finding.category, normal_form(finding.fact)
        first = kept.get(key)
        if first is None:
            kept[key] = finding
        elif finding.confidence > first.confidence:
            kept[key] = replace(first, confidence=finding.confidence)
    return tuple(kept.values())
