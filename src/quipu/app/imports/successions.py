"""Words that a source ended: where it says that one thing about somebody replaced another."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from quipu.app.imports.found import Stated
from quipu.app.imports.origins import SQL, Origins
from quipu.record import relations
from quipu.record.relations import Link

_MOST: Final = 200_000
_DAY: Final = timedelta(days=1)  # some sources tell days alone
_REASON: Final = "the source ended it"


class Successions:
    """Statements of an import about one subject, of which one follows the other.

    What follows is the next one of the same predicate, or of any other that began as this one ended.
    The words that an ended statement rests on were replaced by those of the next one: a link between the
    messages says so, as where somebody tells here that something changed.
    """

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self._about: defaultdict[tuple[str, str | None], list[Stated]] = defaultdict(list)
        self._noted = 0

    def note(self, stated: Sequence[Stated]) -> None:
        """Remember statements that name subject and predicate and rest on words, the first 200,000."""
        for one in stated:
            subject, predicate = one.metadata.get("subject"), one.metadata.get("predicate")
            if (
                isinstance(subject, str)
                and isinstance(predicate, str)
                and one.sources
                and self._noted < _MOST
            ):
                self._about[subject, one.user].append(one)
                self._noted += 1

    async def link(self) -> None:
        """Link the words of each ended statement with those of the one that followed it."""
        pairs = [pair for about in self._about.values() for pair in _pairs(about)]
        if not pairs:
            return
        place, means = self._origins.place, self._origins.means
        ids = sorted({id_ for pair in pairs for id_ in pair})
        async with means.database.write(place.space) as tx:
            numbers = dict(await tx.rows(SQL["numbers"], source=place.source, ids=ids))
            links = [
                Link(newer=numbers[newer], older=numbers[older], reason=_REASON)
                for older, newer in dict.fromkeys(pairs)
                if older in numbers and newer in numbers
            ]
            await relations.add(tx, links, now=means.clock.now(), made_by="source")


def _pairs(about: Sequence[Stated]) -> Iterator[tuple[str, str]]:
    """Yield the ids of words that were replaced, with those that replaced them."""
    standing = {source for one in about if one.valid_until is None for source in one.sources}
    begun = sorted(
        ((one.valid_from, one) for one in about if one.valid_from is not None), key=lambda pair: pair[0]
    )
    beginnings: defaultdict[str, list[tuple[datetime, Stated]]] = defaultdict(list)
    for since, one in begun:
        beginnings[_predicate(one)].append((since, one))
    for one in about:
        if (ended := one.valid_until) is None:
            continue
        following = _next(one, ended, beginnings[_predicate(one)])
        if following is None and (other := _next(one, ended, begun)) is not None:
            since, _ = other
            following = other if since <= ended else None
        if following is not None:
            newest = following[1].sources[-1]
            yield from ((source, newest) for source in one.sources if source not in standing)


def _predicate(one: Stated) -> str:
    return str(one.metadata["predicate"])


def _next(
    one: Stated, ended: datetime, begun: Sequence[tuple[datetime, Stated]]
) -> tuple[datetime, Stated] | None:
    """Return the first of others, sorted by when they began, that began when one ended, or later."""
    after = max(ended - _DAY, one.valid_from or ended - _DAY)
    first = bisect_right(begun, after, key=lambda pair: pair[0])
    return begun[first] if first < len(begun) else None
