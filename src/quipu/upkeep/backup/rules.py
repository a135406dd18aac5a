"""Rules for backups: the base that a restore begins with, and what newer bases make needless. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from quipu.errors import BadInput, NotFound
from quipu.kernel.db.embedded.archive import Timeline
from quipu.upkeep.backup.model import Base


def chosen(bases: Sequence[Base], at: datetime | None, *, now: datetime) -> Base:
    """Return the latest base that was whole at a moment; the latest of all if none is named.

    Raises:
        NotFound: there is no base.
        BadInput: the moment is before all of them, or is yet to come.
    """
    if not bases:
        raise NotFound("There is no base to begin with.", hint="Take one: quipu backup base")
    if at is None:
        return max(bases, key=lambda one: one.ended_at)
    if at > now:
        raise BadInput(f"{at:%Y-%m-%d %H:%M:%S} UTC is yet to come.", field="at")
    before = [one for one in bases if one.ended_at <= at]
    if not before:
        first = min(one.ended_at for one in bases)
        raise BadInput(
            f"{at:%Y-%m-%d %H:%M:%S} UTC is before the first base.",
            field="at",
            hint=f"The first moment that can be restored is {first.isoformat()}.",
        )
    return max(before, key=lambda one: one.ended_at)


def on_timeline(bases: Iterable[Base], ends: Mapping[str, tuple[int, int]], timeline: Timeline) -> list[Base]:
    """Return the bases that a timeline goes back to.

    ``ends`` has for each base, by name, the timeline and the place in its log at which it was whole.
    """
    return [one for one in bases if timeline.passes(*ends[one.name])]


def superseded(bases: Sequence[Base], *, keep: int, taken: str) -> list[Base]:
    """Return the bases that may go where the latest ``keep`` stay, oldest first.

    ``taken`` names the one that was taken just now: it is the latest, whatever the clock says.
    """
    ordered = sorted(bases, key=lambda one: (one.name == taken, one.ended_at))
    return ordered[:-keep]


def unneeded(segments: Iterable[str], bases: Iterable[Base]) -> list[str]:
    """Return files of the log that no base needs: those before the oldest segment of the oldest base.

    A segment is named by timeline, then place: eight and sixteen digits. Files of the history of timelines
    stay: they are small, and later segments cannot be read without them.
    """
    oldest = min((one.first_log[8:24] for one in bases), default="")
    return sorted(name for name in segments if len(name.split(".")[0]) == 24 and name[8:24] < oldest)
