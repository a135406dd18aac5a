"""Words of which nothing holds any more, by what a source drew from them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

_NEVER: Final = datetime.min.replace(tzinfo=UTC)
_FOREVER: Final = datetime.max.replace(tzinfo=UTC)


class Ends:
    """When the statements that rest on words ended, as all of them are met."""

    def __init__(self) -> None:
        self._until: dict[str, datetime] = {}
        self._latest = _NEVER

    def written(self, *times: datetime | None) -> None:
        """Note when a statement was written; the latest such time stands for now."""
        self._latest = max(self._latest, *(at for at in times if at is not None), _NEVER)

    def note(self, words: Iterable[str], until: datetime | None) -> None:
        """Note when a statement that rests on these words ended; None if it has not."""
        ended = until or _FOREVER
        for id_ in words:
            self._until[id_] = max(self._until.get(id_, ended), ended)

    def cited(self) -> set[str]:
        """Return the ids of the words on which any statement rests."""
        return set(self._until)

    def over(self) -> set[str]:
        """Return the ids of the words of which every statement had ended when the last one was written."""
        return {id_ for id_, ended in self._until.items() if ended <= self._latest}
