"""The rules: what the user said that lasts, found by its words, or else by its nearness to prototypes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from quipu.kernel.embedding.model import Embedder
from quipu.kinds.transcripts.extract.candidates import Candidate, candidates
from quipu.kinds.transcripts.extract.confidence import BY_MEANING, explicit
from quipu.kinds.transcripts.extract.model import Category, Extraction, Finding, Turn
from quipu.kinds.transcripts.extract.prototypes import FEWEST_WORDS, embed, prototypes
from quipu.kinds.transcripts.extract.rewriting import rewrite
from quipu.kinds.transcripts.extract.rules import is_open
from quipu.kinds.transcripts.extract.sameness import normal_form

MOST_BY_MEANING: Final = 400
"""Sentences of one session that are embedded for the prototypes: it costs about 2 ms for each."""

VERSION: Final = 1
"""To be raised with every change of the rules that finds more or better."""

_ORDERS: Final[frozenset[Category]] = frozenset(("preferences", "patterns"))


class RulesExtractor:
    """Patterns and prototypes; deterministic, offline. It reads English; of other languages it keeps nothing.

    Without an ``embedder`` only the patterns are used.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        self.name = "rules"
        self.version = VERSION
        self._embedder = embedder

    async def extract(self, turns: Sequence[Turn], *, project: str | None = None) -> Extraction:
        """Return what the user said that is worth keeping, each fact once, in the order of the session.

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
    known = await prototypes(embedder)
    vectors = await embed(embedder, [judged[at].text for at in unsettled])
    for at, category in zip(unsettled, known.decide(vectors), strict=True):
        categories[at] = category


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
