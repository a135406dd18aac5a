"""What a hook asks for, as values: which space, which question, and what was told already."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Final

from quipu.kernel.base.text import count_words
from quipu.recall.model import Hit

_FEWEST_WORDS: Final = 3
_MOST_CHARACTERS: Final = 2_000
_COMMANDS: Final = ("/", "!", "#")
_SESSIONS, _OF_ONE_SESSION = 64, 500


def space_of(project: object) -> str | None:
    """The space of a project: the name of its directory, as a sync calls it; None where there is none."""
    parts = [part for part in re.split(r"[\\/]", project) if part] if isinstance(project, str) else []
    return parts[-1] if parts else None


def asked_space(request: Mapping[str, object]) -> str | None:
    """The space that a request is about: the one that it names, else that of its project."""
    given = request.get("space")
    return given if isinstance(given, str) and given else space_of(request.get("project"))


def question(prompt: object) -> str | None:
    """What to look for: the beginning of a prompt, or None for commands and for less than three words."""
    if not isinstance(prompt, str):
        return None
    said = prompt.strip()
    if said.startswith(_COMMANDS) or count_words(said[:_MOST_CHARACTERS]) < _FEWEST_WORDS:
        return None
    return said[:_MOST_CHARACTERS]


class Told:
    """What each session was told already, so that it is not told twice; of the latest sessions."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, OrderedDict[tuple[str, str], None]] = OrderedDict()

    def forget(self, session: str) -> None:
        """The session begins anew: nothing of what it was told is left in its context."""
        self._sessions.pop(session, None)

    def new(self, session: str, hits: Sequence[Hit]) -> list[Hit]:
        """The hits that it was not told, and did not say itself."""
        known = self._sessions.get(session, OrderedDict())
        return [hit for hit in hits if (hit.kind, hit.id) not in known and hit.source.session != session]

    def tell(self, session: str, hits: Sequence[Hit]) -> None:
        """Note that it was told these."""
        known = self._sessions.setdefault(session, OrderedDict())
        self._sessions.move_to_end(session)
        known.update(dict.fromkeys((hit.kind, hit.id) for hit in hits))
        while len(known) > _OF_ONE_SESSION:
            known.popitem(last=False)
        while len(self._sessions) > _SESSIONS:
            self._sessions.popitem(last=False)
