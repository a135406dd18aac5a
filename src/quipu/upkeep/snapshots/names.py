"""Names of snapshot files: ``memory_20260314_150000.sql``, of the schema and the second in UTC. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Final

from quipu.errors import BadInput

_FORM: Final = "%Y%m%d_%H%M%S"
_NAME: Final = re.compile(r"(memory(?:_[a-z0-9_]+)?)_([0-9]{8}_[0-9]{6})\.sql")


def name_of(schema: str, taken_at: datetime, *, taken: Collection[str] = ()) -> str:
    """Return the name of a snapshot; of the next free second if others have that name."""
    first = "memory" if schema == "memory" else f"memory_{schema}"
    second = taken_at.astimezone(UTC)
    while (name := f"{first}_{second.strftime(_FORM)}.sql") in taken:
        second += timedelta(seconds=1)
    return name


def check_name(value: object) -> str:
    """Return a name of a snapshot.

    Raises:
        BadInput: it is none. So no name leads out of the directory of snapshots.
    """
    if isinstance(value, str) and (match := _NAME.fullmatch(value)) is not None:
        try:
            datetime.strptime(match[2], _FORM).replace(tzinfo=UTC)
        except ValueError:
            pass
        else:
            return value
    raise BadInput(
        f"{value!r} is no name of a snapshot.",
        field="name",
        hint="They look like memory_20260314_150000.sql; the list of snapshots shows them.",
    )
