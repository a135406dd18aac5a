"""``quipu evidence``: recommendations and what they rest on."""

from __future__ import annotations

from typing import Final

from quipu.interfaces.cli.derived import derived

_HELP: Final = """\
Show recommendations and their evidence: "show me the reviews".

ID is the number of a recommendation. A theme may be written as "wait time", too.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu evidence list --session s-1
  quipu evidence get 12
  quipu evidence sources 12 --theme wait_time
  quipu evidence search "wait time" --place p1
  quipu evidence themes
"""

command = derived("evidence", help=_HELP, epilog=_EXAMPLES)
