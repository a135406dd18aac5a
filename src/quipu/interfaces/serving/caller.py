"""Caller of a server, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass

from quipu.errors import AccessRefused, BadInput
from quipu.kernel.base.scope import check_name
from quipu.upkeep.keys.model import LEVELS, Level


@dataclass(frozen=True, slots=True)
class Caller:
    """Caller: a program with a key, or a person who signed in.

    ``space`` is the one space that they may enter, None for all. ``key_id`` names the key; of a person who
    signed in it is ``session``. ``user`` is the one person of the space whose rows they see and write, None
    for everybody.
    """

    space: str | None
    level: Level
    key_id: str
    user: str | None = None

    def may(self, level: Level) -> None:
        """Raise unless they may do what needs ``level``.

        Raises:
            AccessRefused: they may not.
        """
        if LEVELS.index(self.level) < LEVELS.index(level):
            raise AccessRefused(f"This needs a key with the level {level!r}; yours has {self.level!r}.")

    def space_for(self, name: str | None) -> str:
        """Return the space of a call: the one that is asked for, or the one of the key.

        Raises:
            AccessRefused: the key is for another space.
            BadInput: it names none, and the key opens all.
        """
        if name is not None:
            check_name("space", name)
        if self.space is None:
            if name is None:
                raise BadInput(
                    "say which one; this key opens all of them.", field="space", hint="Add ?space=NAME."
                )
            return name
        if name not in (None, self.space):
            raise AccessRefused("Your key is for another space.")
        return self.space

    def owns_all(self) -> None:
        """Raise unless they may do what concerns the whole database.

        Raises:
            AccessRefused: they may not.
        """
        if self.space is not None:
            raise AccessRefused("This needs a key for all spaces; yours is for one.")
