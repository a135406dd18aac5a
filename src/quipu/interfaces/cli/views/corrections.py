"""Corrections, as people read them."""

from __future__ import annotations

from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows
from quipu.interfaces.cli.views.text import day_and_time, visible
from quipu.record.corrections.model import Correction, RuleCount

table = Rows[Correction](
    {
        "id": lambda one: str(one.id),
        "kind": lambda one: one.kind,
        "rule": lambda one: visible(one.rule),
        "said": lambda one: visible(one.text),
        "reason": lambda one: visible(one.reason or ""),
        "since": lambda one: day_and_time(one.corrected_at),
    },
    none="Nothing is marked as wrong here.",
)
"""Corrections, with how the statement read and the rule that made it."""


counts = Rows[RuleCount](
    {
        "kind": lambda one: one.kind,
        "rule": lambda one: visible(one.rule),
        "wrong": lambda one: f"{one.wrong:,}",
        "of": lambda one: f"{one.statements:,}",
    },
    none="Nothing is marked as wrong here.",
)
"""Rules with how many of their statements were marked as wrong."""


def one(correction: Correction) -> Text:
    """Show one of them."""
    return Text(f"Marked as wrong ({correction.kind}): {visible(correction.text)}")
