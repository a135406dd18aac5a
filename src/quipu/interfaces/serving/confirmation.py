"""Confirmation of destructive acts: the preview comes with a token, and only that token does it.

The token is a digest of what was shown: it proves that somebody saw what will go, and that it is still that.
Nothing is kept for it, so it holds for every process and door.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, Literal, Protocol, TypeVar

from quipu.errors import Outdated
from quipu.upkeep.erasure.model import Erasure

_DIGITS: Final = 32


def shown(preview: Erasure, names: Sequence[str], *, everywhere: bool) -> dict[str, object]:
    """Return the part of a preview that counts, without waiting jobs: workers may do those at any moment."""
    what = preview.what
    return {
        "space": preview.space,
        "what": [what.session, what.user, what.message],
        "counts": {table: rows for table, rows in preview.counts.items() if table != "jobs"},
        "left": [(one.place, one.count) for one in preview.left if not one.place.startswith("core.outbox")],
        "names": list(names),
        "everywhere": everywhere,
    }


class Trial(Protocol):
    """Result or preview: ``undone`` if nothing was changed."""

    @property
    def undone(self) -> bool:
        """Nothing was changed."""
        ...


Tried = TypeVar("Tried", bound=Trial)


def token(act: str, shown: Mapping[str, object]) -> str:
    """Return the token of a preview: ``act`` names the act (``forget``), ``shown`` is all that counts."""
    content = json.dumps([act, shown], sort_keys=True, default=str, ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def confirmed(answer: str | None, act: str, shown: Mapping[str, object]) -> bool:
    """Return True if what is shown now was confirmed; False if nobody confirms yet.

    Raises:
        Outdated: something else was confirmed: what would go has changed since.
    """
    if answer is None:
        return False
    if answer != token(act, shown):
        raise Outdated(
            "What would be done is not what was shown.",
            hint="Look at the preview again, and confirm that one.",
        )
    return True


async def unless_lossy(
    act: str,
    answer: str | None,
    do: Callable[[Tried | Literal[False]], Awaitable[Tried]],
    *,
    shown: Callable[[Tried], Mapping[str, object]],
) -> tuple[Tried, str | None]:
    """Do what takes nothing away; else return what it would take, with the token that has it done.

    ``do(False)`` undoes it if anything is lost; ``do(tried)`` does it, and refuses if by then it takes other
    away: what `confirm` of an operation takes. ``shown`` is all that counts of the preview.

    Raises:
        Outdated: something else was confirmed: what would go has changed since.
    """
    tried = await do(False)
    if not tried.undone:
        return tried, None
    counts = shown(tried)
    if not confirmed(answer, act, counts):
        return tried, token(act, counts)
    return await do(tried), None
