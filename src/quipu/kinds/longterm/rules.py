"""Rules for summaries that say the same: when they do, and which is kept. Pure."""

from __future__ import annotations

import unicodedata
from datetime import timedelta
from hashlib import sha256
from typing import Final

from quipu.kinds.longterm.model import Importance, weight

ACCESSES_APART: Final = timedelta(hours=1)
"""Injections that follow each other sooner count as one."""


def normal_form(summary: str) -> str:
    """Return the summary in NFKC, lower case, with single spaces and none around: the form that is hashed.

    Idempotent; two summaries with the same form are one memory.
    """
    # Lower case can undo the composition that NFKC made, and casts a few letters that it would recompose.
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", summary).lower())
    return " ".join(composed.split())


def summary_hash(summary: str) -> str:
    """Return the SHA-256 of the normal form, 64 hexadecimal digits.

    The summary must be clean (``base.text.clean``).
    """
    return sha256(normal_form(summary).encode()).hexdigest()


def more_important(one: Importance, other: Importance) -> Importance:
    """Return the higher of two importances: saying something again never lowers its importance."""
    return max(one, other, key=weight)


def filed_text(summary: str, details: str | None) -> str:
    """Return the text that is filed for recall and shown: the summary, then the details on new lines."""
    return summary if details is None else f"{summary}\n{details}"


SAID: Final = "said of themselves: "
"""Beginning of the reason for a memory that a family of sayings told; the family follows."""


def rule_of(reason: str | None, by: str) -> str:
    """Return the rule behind a memory: the family of sayings of the rules, else the evaluator's name.

    ``by`` is the evaluator with its version, ``reason`` why it keeps the memory. A language model's reasons
    are its own words and no rule.
    """
    name = by.partition(":")[0]
    return reason.removeprefix(SAID) if name == "rules" and reason else name
