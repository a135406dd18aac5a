"""Settings that are kept in the database: for a space, and for all of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from fastapi import Path, Query
from pydantic import Field

from quipu.interfaces.rest.door import Administering, OwningAll, Reading, refused, room
from quipu.interfaces.rest.models import Asked, Told
from quipu.interfaces.rest.told.items import Items
from quipu.kernel.base.setting import Type
from quipu.kernel.config import Origin
from quipu.upkeep.settings.model import SettingState, SettingValue

router = room("settings")
engine_router = room("settings", prefix="/engine/settings")

_NONE = refused(_404="There is no such setting.")
_Name = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9_-]{1,100}$", description="Its name.", examples=["session_days"])
]
_Kind = Annotated[
    str | None,
    Query(description='Only those of a kind of memory, or of the "system".', examples=["ledger"]),
]


class SettingTold(Told):
    """One setting and the value that holds here and now.

    `source` says where `value` is from, in this order of precedence: `argument`, `environment`, `space`,
    `database`, `default`. `overridden`: something is stored and something else comes before it. `least` and
    `most` are both allowed. `settable`: it can be kept in the database.
    """

    name: str
    value: SettingValue | None
    source: Origin
    default: SettingValue | None
    stored: SettingValue | None
    stored_in_space: SettingValue | None
    type: Type
    unit: str
    least: float | None
    most: float | None
    meaning: str
    kind: str
    settable: bool
    variable: str
    overridden: bool


class NewValue(Asked):
    """Value that is to hold."""

    value: Annotated[SettingValue, Field(examples=[365])]


def _told(found: Iterable[SettingState]) -> Items[SettingTold]:
    return Items(items=[SettingTold.model_validate(one) for one in found])


@router.get("", summary="What is set for a space")
async def of_space(here: Reading, kind: _Kind = None) -> Items[SettingTold]:
    """Return every setting that can be kept in the database, with the value that holds in the space."""
    found = await here.memory.settings.list(space=here.space, kind=kind)
    return _told(one for one in found if one.settable)  # others tell of the machine


@router.put("/{name}", summary="Set something for a space", responses=_NONE)
async def set_for_space(name: _Name, asked: NewValue, here: Administering) -> SettingTold:
    """Set a value; every program that works with the space follows it within a second."""
    return SettingTold.model_validate(await here.memory.settings.set(name, asked.value, space=here.space))


@router.delete("/{name}", summary="Unset something for a space", responses=_NONE)
async def reset_for_space(name: _Name, here: Administering) -> SettingTold:
    """Let the value of the database hold again for a setting of the space."""
    return SettingTold.model_validate(await here.memory.settings.reset(name, space=here.space))


@engine_router.get("", summary="What is set for the whole database")
async def of_engine(engine: OwningAll, kind: _Kind = None) -> Items[SettingTold]:
    """Return every setting, with the value that holds in this server."""
    return _told(await engine.memory.settings.list(kind=kind))


@engine_router.put("/{name}", summary="Set something for the whole database", responses=_NONE)
async def set_for_engine(name: _Name, asked: NewValue, engine: OwningAll) -> SettingTold:
    """Set a value; every program of the database follows it within a second."""
    return SettingTold.model_validate(await engine.memory.settings.set(name, asked.value))


@engine_router.delete("/{name}", summary="Unset something for the whole database", responses=_NONE)
async def reset_for_engine(name: _Name, engine: OwningAll) -> SettingTold:
    """Let the default of a setting hold again."""
    return SettingTold.model_validate(await engine.memory.settings.reset(name))
