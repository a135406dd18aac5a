"""Time of a job's next try, and the record of its failure."""

from __future__ import annotations

import traceback
from datetime import datetime
from typing import Final

from croniter import croniter

from quipu.errors import ConfigError, QuipuError
from quipu.kernel.redact import redact

LONGEST_PAUSE_SECONDS: Final = 3600.0
_MOST_CHARACTERS: Final = 4_000


def pause_seconds(attempts: int, *, first_seconds: float, chance: float) -> float:
    """Return the pause after a job's ``attempts``-th try: twice as long each time, an hour at most.

    ``chance`` (0 to 1) spreads the tries of jobs that failed together over the last half of the pause.
    """
    doubled = first_seconds * 2.0 ** min(attempts - 1, 60)
    return min(LONGEST_PAUSE_SECONDS, doubled) * (0.5 + 0.5 * chance)


def next_time(cron: str, *, after: datetime) -> datetime:
    """Return the first moment after ``after`` that a schedule names.

    Raises:
        ConfigError: ``cron`` is not minute, hour, day of the month, month, weekday.
    """
    try:
        return croniter(cron, after).get_next(datetime)
    except ValueError as error:
        raise ConfigError(f"{cron!r} is no time of a schedule: {error}.") from error


def told(error: BaseException) -> str:
    """Describe a failure: its message, the way out, where it happened; without secrets."""
    what = f"{type(error).__name__}: {error}"
    if isinstance(error, QuipuError):
        return redact(what[:_MOST_CHARACTERS]).text
    where = "".join(traceback.format_tb(error.__traceback__)[-5:])
    return redact(f"{what[: _MOST_CHARACTERS // 2]}\n{where[-_MOST_CHARACTERS // 2 :]}").text
