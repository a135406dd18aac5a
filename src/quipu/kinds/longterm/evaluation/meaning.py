"""Clauses that no saying fits: which of them state something, and of which category that is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from quipu.kernel.embedding.embedder import Embedder
from quipu.kernel.embedding.prototypes import embed, listed, prototypes
from quipu.kinds.longterm.evaluation.grammar import grammar
from quipu.kinds.longterm.model import CATEGORIES, Category

NEAR_ENOUGH: Final = 0.45
MARGIN: Final = 0.12
"""A category must be so much nearer than what lasts in no way."""

MOST: Final = 400
"""Clauses of one evaluation that are embedded: it costs about 2 ms for each."""


async def by_meaning(embedder: Embedder, clauses: Mapping[str, bool]) -> dict[str, Category]:
    """Return the categories of clauses that seem to last; True marks those asked to be remembered.

    Raises ``EmbeddingError``.
    """
    texts = list(clauses)[:MOST]
    known = await prototypes("longterm", embedder, *listed(__file__, CATEGORIES))
    vectors = await embed(embedder, texts)
    decided = known.decide(
        vectors, near_enough=NEAR_ENOUGH, margin=MARGIN, settled=[clauses[text] for text in texts]
    )
    pairs = zip(texts, decided, strict=True)
    return {text: CATEGORIES[place] for text, place in pairs if place is not None}


_ORDERING = re.compile(
    r"(?i)^(?:please |just |also |then |now )*(?:add|answer|ask|book|call|change|check|compare"
    r"|convert|create|delete|describe|draw|draft|edit|explain|find|fix|format|generate|give|go"
    r"|help|ignore|keep|let|list|look"
    r"|make|move|name|open|order|pick|plan|play|put|read|recommend|remind|remove|rename|repeat"
    r"|replace|reply|rewrite|run|say|search|send|set|shorten|show|skip|sort|start|stop|suggest"
    r"|summari[sz]e|take"
    r"|tell|test|thank|translate|try|turn|use|wait|write|you|your)\b"
)
_OF_SELF = re.compile(r"\b(?:I|I'm|I've|my|me|we|we're|our|us|mine)\b", re.IGNORECASE)
_OVER = re.compile(
    r"(?i)^(?:the user|it|that|this|they|he|she|there)(?:'s [\w ]{1,20})? (?:just |already |also "
    r"|only )*(?:had|went|saw|ate|did|made|met|found|lost|heard|said|came|took"
    r"|bought|told|asked|tried|forgot|missed|got|was|were|will|could|should|has (?:\w+ )?\w+ed"
    r"|\w+ed|needs? (?:to|a|an|some|help)|wants? (?:to|a|an|the)|would like"
    r"|has (?:a|an|some|no|the)|thinks?|means?|guess\w*|hopes?|wonders?|agrees?|sees?|knows?|understands?)\b"
)
_FEWEST_WORDS: Final = 4


def tellable(clause: str, told: str) -> bool:
    """Return True if a clause states something present about the speaker, as far as its form tells."""
    if len(clause.split()) < _FEWEST_WORDS or clause.endswith((":", "?")) or not _OF_SELF.search(clause):
        return False
    return not (
        _OVER.match(told)
        or _ORDERING.match(clause)
        or grammar().guarded(("moment", "this", "trouble", "question"), told)
    )
