"""``quipu episodes``: conversations condensed, and how they fade."""

from __future__ import annotations

from typing import Final

from quipu.interfaces.cli.derived import derived

_HELP: Final = """\
Look up and tend episodes: conversations condensed, which fade unless they are used.

Workers make episodes when a conversation rests: `quipu worker`. ID is the id of an episode or its first
digits, at least four. Salience, freshness and activation are those of now.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu episodes list --order activation
  quipu episodes curve 4f1c2a
  quipu episodes recall 'what did we plan for May?'
  quipu episodes rebuild --session monday
"""

command = derived("episodes", help=_HELP, epilog=_EXAMPLES)
