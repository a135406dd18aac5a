"""The conditions of a call, checked, and the memories that a filter over metadata lets through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, cast

from quipu.app.kinds import KINDS
from quipu.errors import BadInput
from quipu.kernel.base.scope import optional_name, time
from quipu.kernel.db.database import SpaceTransaction
from quipu.recall.filters import Filter
from quipu.recall.model import Filters

BY_NAME: Final = {kind.name: kind for kind in KINDS}


def listed(field: str, values: object) -> Sequence[object]:
    """Return several values.

    Raises:
        BadInput: it is one, or none.
    """
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise BadInput("give a list.", field=field)
    return list(cast("Iterable[object]", values))


def filters_of(
    *,
    user: str | None,
    kinds: Sequence[str] | None,
    since: datetime | str | None,
    until: datetime | str | None,
) -> Filters:
    """Return the filters of a call.

    Raises:
        BadInput: one of them cannot be taken; names which.
    """
    codes = None
    if kinds is not None:
        unknown = [
            kind for kind in listed("kinds", kinds) if not isinstance(kind, str) or kind not in BY_NAME
        ]
        if unknown:
            raise BadInput(f"{unknown[0]!r} is none of {', '.join(BY_NAME)}.", field="kinds")
        codes = tuple(sorted({BY_NAME[kind].code for kind in kinds}))
        codes = None if len(codes) == len(KINDS) else codes  # every kind: that filters nothing
    return Filters(
        kinds=codes,
        user=optional_name("user", user),
        since=time("since", since),
        until=time("until", until),
    )


async def selected(tx: SpaceTransaction, filters: Filters, by: Filter | None) -> Filters:
    """Add the entries that a filter over metadata lets through; kinds without metadata have none."""
    if by is None:
        return filters
    asked = [kind for kind in KINDS if filters.kinds is None or kind.code in filters.kinds]
    ids = [id_ for kind in asked if kind.matching is not None for id_ in await kind.matching(tx, by)]
    return replace(filters, ids=tuple(ids))
