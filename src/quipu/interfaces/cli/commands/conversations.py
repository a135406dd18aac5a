"""``quipu conversations``: sessions with their topic, thread and status."""

from __future__ import annotations

from typing import Final

from quipu.interfaces.cli.derived import derived

_HELP: Final = """\
Look up conversations: sessions with their topic, thread and status, and what each exchange yields.

A worker reads what was taken in: `quipu worker`, or `quipu worker --burst`.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu conversations list --user ana
  quipu conversations get monday
  quipu conversations edit monday --title 'The garden'
  quipu conversations topics
"""

command = derived("conversations", help=_HELP, epilog=_EXAMPLES)
