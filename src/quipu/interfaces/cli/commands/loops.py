"""``quipu loops``: what is open, and closing it."""

from __future__ import annotations

from typing import Final

from quipu.interfaces.cli.derived import derived

_HELP: Final = """\
Find and close what was asked, promised, given to do or waited for.

Workers find loops in conversations, and close them when a later exchange resolves them. ID is the id of a
loop or its first digits, at least four.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu loops list --user ana
  quipu loops remind --user ana
  quipu loops close 4f1c2a --evidence 'Sent on Monday.'
  quipu loops reopen 4f1c2a
"""

command = derived("loops", help=_HELP, epilog=_EXAMPLES)
