"""``quipu longterm``: what is known of people before an agent answers them."""

from __future__ import annotations

from typing import Final

from quipu.interfaces.cli.derived import derived

_HELP: Final = """\
Look up and change what is known of people.

ID is the id of a memory or its first digits, at least four.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu longterm add 'Is vegetarian.' --user ana --category constraint
  quipu longterm list --user ana --importance high
  quipu longterm recover 'What shall I cook?' --user ana
  quipu longterm edit 4f1c2a 'Is vegan.' --expected-version 1
  quipu longterm archive-many --category context --before 2026-01-01
"""

command = derived("longterm", help=_HELP, epilog=_EXAMPLES)
