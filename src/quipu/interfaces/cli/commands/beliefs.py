"""``quipu beliefs``: what people said of themselves, and what contradicts it."""

from __future__ import annotations

from typing import Final

from quipu.interfaces.cli.derived import derived

_HELP: Final = """\
Look up and settle what people said of themselves: facts and traits.

A correction replaces a value; another value without one is a conflict. ID is the id of a belief (or of a
conflict) or its first digits, at least four.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu beliefs list --user ana
  quipu beliefs history 4f1c2a
  quipu beliefs conflicts
  quipu beliefs resolve 81d0 rival
  quipu beliefs correct 4f1c2a Lisbon
"""

command = derived("beliefs", help=_HELP, epilog=_EXAMPLES)
