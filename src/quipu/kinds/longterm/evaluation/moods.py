"""Clauses that are meant as statements, and those that are not: guesses, words of others, irony, orders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from quipu.kinds.longterm.evaluation.grammar import grammar

QUIET: Final = ("hypothetical", "quoted", "fiction", "sarcasm")
PLAYFUL: Final = ("fiction", "sarcasm")
_CONDITION: Final = re.compile(r"(?i)(?:if|unless|suppose|supposing|imagine|say|what if)\b")


def is_condition(clause: str) -> bool:
    """Return True if a clause is a condition alone, of which the next one tells what would be."""
    return _CONDITION.match(clause) is not None and _WOULD.search(clause) is None


_WOULD: Final = re.compile(r"(?i)\b(?:would|could|might)\b|'d\b")


_REASONS: Final[Mapping[str, str]] = {
    "hypothetical": "it is a condition, a wish or a guess",
    "quoted": "somebody else's words",
    "fiction": "a story or a role",
    "sarcasm": "it is not meant",
}


def quiet(clause: str) -> str:
    """Return why a clause is not read as a statement; empty if it is one."""
    return next((_REASONS[guard] for guard in QUIET if grammar().guarded((guard,), clause)), "")


def reported(clause: str) -> bool:
    """Return True if what follows a clause may go on with what somebody else said."""
    return grammar().guarded(("quoted",), clause) and "qx" not in clause


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


def is_order(clause: str) -> bool:
    """Return True if a clause begins as what is said to the assistant does: "add", "please check"."""
    return _ORDERING.match(clause) is not None


def tellable(clause: str, told: str) -> bool:
    """Return True if a clause states something present about the speaker, as far as its form tells."""
    if len(clause.split()) < _FEWEST_WORDS or clause.endswith((":", "?")) or not _OF_SELF.search(clause):
        return False
    return not (
        _OVER.match(told)
        or is_order(clause)
        or grammar().guarded(("moment", "this", "trouble", "question"), told)
    )
