"""``quipu lessons``: what lasts of recorded sessions."""

from __future__ import annotations

from typing import Final

from quipu.interfaces.cli.derived import derived

_HELP: Final = """\
Look up and correct lessons: what lasts of recorded sessions, or is written by hand.

`quipu transcripts extract` draws them from sessions. ID is the id of a lesson or its first digits, at least
four. Confidence falls with time, and rises where a lesson is used or confirmed.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu lessons list --category preferences
  quipu lessons search 'which port'
  quipu lessons edit 4f1c2a 'The API runs on port 9090.'
  quipu lessons prune
"""

command = derived("lessons", help=_HELP, epilog=_EXAMPLES)
