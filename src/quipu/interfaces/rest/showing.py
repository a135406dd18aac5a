"""Acts that are shown first: the preview with its token, or the act where the token came back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from quipu.interfaces.rest.told.items import Confirmable
from quipu.interfaces.serving import confirming

Found = TypeVar("Found")
Item = TypeVar("Item")


async def shown_first(
    act: str,
    confirm: str | None,
    do: Callable[[bool], Awaitable[Found]],
    *,
    tell: Callable[[Found], Item],
    counts: Callable[[Found], Mapping[str, object]],
) -> Confirmable[Item]:
    """Return what ``do(False)`` shows, or with the token of that in ``confirm``, what ``do(True)`` did.

    ``act`` names the act, and ``counts`` returns the part of the preview that must not have changed.

    Raises:
        Outdated: what would be done is no longer what was shown.
    """
    preview = await do(False)
    shown = counts(preview)
    if not confirming.confirmed(confirm, act, shown):
        return Confirmable(confirm=confirming.token(act, shown), shown=tell(preview))
    return Confirmable(confirm=None, shown=tell(await do(True)))
