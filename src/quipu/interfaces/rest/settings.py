"""Settings: their derived routes, and the list for a space, which shows nothing of the machine."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from quipu.app.operations import OPERATIONS
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.door import Reading
from quipu.interfaces.rest.models import Items
from quipu.upkeep.settings.model import SettingState

router = derived("settings", OPERATIONS)
engine_router = derived("settings", OPERATIONS, everywhere=True)

_Kind = Annotated[
    str | None,
    Query(description='Only of this kind of memory; "system" for those of none.', examples=["ledger"]),
]


@router.get("", summary="List what can be set for a space")
async def of_space(here: Reading, kind: _Kind = None) -> Items[SettingState]:
    """Return every setting that can be kept in the database, with the value that holds in the space."""
    states = await here.memory.settings.list(space=here.space, kind=kind)
    return Items(items=[one for one in states if one.settable])
