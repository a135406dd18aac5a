"""``quipu settings``: what can be set, and setting it."""

from __future__ import annotations

from typing import Final

from quipu.interfaces.cli.derived import derived

_HELP: Final = """\
See and change what can be set, in the whole database or in a space.

QUIPU_* in the environment comes first, then what is set for the space, then what is set for all, then the
default. Every process of the database follows a change within a second.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu settings list --kind episodes
  quipu settings get memory_snapshot_retention_days
  quipu settings set memory_snapshot_retention_days 60
  quipu settings set episode_decay_per_hour 0.01 --space ana
  quipu settings reset episode_decay_per_hour --space ana
"""

command = derived(
    "settings", help=_HELP, epilog=_EXAMPLES, notes={"list": "One in full: quipu settings get NAME"}
)
