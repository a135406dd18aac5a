"""Request of a hook, as values: its space, its question, and what the session was told already."""

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
    """Return the space of a project: the name of its directory, as a sync calls it; None without one."""
    parts = [part for part in re.split(r"[\\/]", project) if part] if isinstance(project, str) else []
    return parts[-1] if parts else None


def asked_space(request: Mapping[str, object]) -> str | None:
    """Return the space of a request: the one that it names, else that of its project."""
    given = request.get("space")
    return given if isinstance(given, str) and given else space_of(request.get("project"))


def question(prompt: object) -> str | None:
    """Return the question to look for: the beginning of a prompt; None for commands and under three words."""
    if not isinstance(prompt, str):
        return None
    said = prompt.strip()
    if said.startswith(_COMMANDS) or count_words(said[:_MOST_CHARACTERS]) < _FEWEST_WORDS:
        return None
    return said[:_MOST_CHARACTERS]


class Told:
    """Hits that each session was told already, so that they are not repeated; of the latest sessions."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, OrderedDict[tuple[str, str], None]] = OrderedDict()

    def forget(self, session: str) -> None:
        """Forget what a session was told: it begins anew, and its context is empty."""
        self._sessions.pop(session, None)

    def new(self, session: str, hits: Sequence[Hit]) -> list[Hit]:
        """Return the hits that the session was not told, and did not say itself."""
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
