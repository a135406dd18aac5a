"""When two summaries say the same, and what is chosen where they do. Pure."""

from __future__ import annotations

import unicodedata
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from quipu.kinds.longterm.model import Importance, weight

ACCESSES_APART: Final = timedelta(hours=1)
"""Injections that follow each other sooner count as one."""


def normal_form(summary: str) -> str:
    """The summary in NFKC, lower case, with single spaces and none around: what its hash is taken of.

    Idempotent; two summaries with the same form are one memory.
    """
    # Lower case can undo the composition that NFKC made, and casts a few letters that it would recompose.
    composed = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", summary).lower())
    return " ".join(composed.split())


def summary_hash(summary: str) -> str:
    """SHA-256 of the normal form, 64 hexadecimal digits. The summary must be clean (``base.text.clean``)."""
    return sha256(normal_form(summary).encode()).hexdigest()


def more_important(one: Importance, other: Importance) -> Importance:
    """The higher of two importances: to be said again never lowers one."""
    return max(one, other, key=weight)


def counts_as_access(last: datetime | None, now: datetime) -> bool:
    """Whether an injection counts, or follows the last one too soon."""
    return last is None or now - last >= ACCESSES_APART


def filed_text(summary: str, details: str | None) -> str:
    """What is filed for recall, and told of a hit: the summary, and the details on the lines after it."""
    return summary if details is None else f"{summary}\n{details}"
