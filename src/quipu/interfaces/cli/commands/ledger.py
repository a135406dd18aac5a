"""``quipu ledger``: facts and assumptions."""

from __future__ import annotations

from typing import Final

from quipu.interfaces.cli.derived import derived

_HELP: Final = """\
Set, correct and take back facts and assumptions, and see what was believed when.

Every write is an event that is never changed. VALUE is JSON, a text, or NAME=VALUE pairs of an object.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu ledger open-session --session s-1 --user ana
  quipu ledger assume baseline.scope value=all --session s-1
  quipu ledger correct baseline.scope value=single locationLabel=Lisbon --session s-1
  quipu ledger set ui.response_depth value=verbose --user ana
  quipu ledger set favourite-boat 'the green one' --user ana
  quipu ledger state --session s-1 --as-of 2026-05-01T10:00Z
"""

command = derived("ledger", help=_HELP, epilog=_EXAMPLES)
