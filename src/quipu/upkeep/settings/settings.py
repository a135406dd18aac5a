"""Settings as a program sees them: ``memory.settings``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from psycopg.types.json import Jsonb
from typing_extensions import Doc

from quipu.errors import BadInput
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Example
from quipu.kernel.base.scope import check_name, optional_name, refuse_secret
from quipu.kernel.base.setting import Setting
from quipu.kernel.config import Origin
from quipu.kernel.db import queries
from quipu.kernel.db.database import Database, stored_settings
from quipu.upkeep.settings.model import Register, SettingState, SettingValue, check_kept, checked, stated

_Stored = Mapping[tuple[Origin, str], Any]
_SQL = queries.load("quipu.upkeep.settings")

SettingSpace = Annotated[str | None, Doc("For this space; without it, for all."), Example("ana")]
SettingName = Annotated[str, Doc("The name of the setting, or of its variable."), Example("session_days")]


class AsyncSettings:
    """Settings and their values: of the whole database, or of a space if ``space`` is named.

    Values given to a program (``Memory(settings=…)``, ``QUIPU_*``) come before those stored for a space,
    those before the ones stored for the database, and those before the default. Every process of the database
    follows a change within a second.
    """

    def __init__(self, database: Database, register: Register, *, clock: Clock) -> None:
        self._database = database
        self._register = register
        self._clock = clock

    async def list(
        self,
        *,
        space: SettingSpace = None,
        kind: Annotated[
            str | None, Doc('Only of this kind of memory; "system" for those of none.'), Example("ledger")
        ] = None,
    ) -> Sequence[SettingState]:
        """List every setting with its value and where that is from.

        Raises:
            BadInput: There is no such kind.
        """
        space, kinds = optional_name("space", space), {of for of, _ in self._register}
        if kind is not None and kind not in kinds:
            raise BadInput(f"{kind!r} is none of {', '.join(sorted(kinds))}.", field="kind")
        stored = await self._stored(space)
        wanted = [(of, one) for of, one in self._register if kind in (None, of)]
        return [await self._state(of, one, stored, space) for of, one in wanted]

    async def get(self, name: SettingName, *, space: SettingSpace = None) -> SettingState:
        """Get one setting: what it means, what it can be, its value and where that is from.

        Raises:
            NotFound: There is none of that name; the nearest is named.
        """
        kind, setting = self._register.named(name)
        space = optional_name("space", space)
        return await self._state(kind, setting, await self._stored(space), space)

    async def set(
        self,
        name: SettingName,
        value: Annotated[SettingValue, Doc("The new value."), Example(365)],
        *,
        space: SettingSpace = None,
    ) -> SettingState:
        """Keep a value in the database. Every process follows within a second.

        A process that was given another value keeps to that: ``overridden`` says so.

        Raises:
            NotFound: There is none of that name; the nearest is named.
            BadInput: The value cannot be taken, or is not kept in the database.
        """
        _, setting = self._register.named(name)
        if isinstance(value, str):
            refuse_secret("value", value)
        check_kept(setting, of_space=space is not None)
        return await self._keep(setting, checked(setting, value), space)

    async def reset(self, name: SettingName, *, space: SettingSpace = None) -> SettingState:
        """Forget the value that was kept. What comes after it holds again.

        Raises:
            NotFound: There is none of that name; the nearest is named.
            BadInput: It is not kept in the database, or not in a space.
        """
        _, setting = self._register.named(name)
        check_kept(setting, of_space=space is not None)
        return await self._keep(setting, None, space)

    async def _keep(
        self, setting: Setting[Any], value: SettingValue | None, space: str | None
    ) -> SettingState:
        """Store a value, or forget the stored one if it is None, and return the state after it."""
        values = {"name": setting.name, "value": Jsonb(value), "now": self._clock.now()}
        act = "reset" if value is None else "set"
        if space is None:
            async with self._database.owner() as conn:
                await conn.execute(_SQL[f"{act}_for_all"], values)
        else:
            async with self._database.write(check_name("space", space)) as tx:
                await tx.execute(_SQL[f"{act}_for_space"], **values)
        self._database.settings_changed()
        return await self.get(setting.name, space=space)

    async def _stored(self, space: str | None) -> _Stored:
        self._database.settings_changed()  # another process may have changed some: read what holds again too
        if space is not None:
            async with self._database.transaction(space) as tx:
                if tx is not None:
                    return {(origin, name): value for name, value, origin in await stored_settings(tx.conn)}
        async with self._database.unscoped() as conn:
            return {(origin, name): value for name, value, origin in await stored_settings(conn)}

    async def _state(
        self, kind: str, setting: Setting[Any], stored: _Stored, space: str | None
    ) -> SettingState:
        holds = await self._database.settings(space)
        source = holds.origin(setting.name)
        in_database = stored.get(("database", setting.name))
        in_space = stored.get(("space", setting.name))
        return SettingState(
            name=setting.name,
            value=stated(setting, holds.of(setting)),
            source=source,
            default=stated(setting, setting.default),
            stored=stated(setting, in_database),
            stored_in_space=stated(setting, in_space),
            type=setting.form.type,
            unit=setting.unit,
            least=setting.form.least,
            most=setting.form.most,
            meaning=setting.meaning,
            kind=kind,
            settable=setting.stored,
            variable=setting.variable,
            overridden=(in_database, in_space) != (None, None) and source in ("argument", "environment"),
        )


async def keep_after_trial(
    database: Database, values: Mapping[str, SettingValue | None], *, clock: Clock
) -> None:
    """Keep settings for the whole database, all or none; a value of None forgets what was kept."""
    async with database.owner() as conn, conn.transaction():
        for name, value in values.items():
            act = "reset" if value is None else "set"
            await conn.execute(
                _SQL[f"{act}_for_all"], {"name": name, "value": Jsonb(value), "now": clock.now()}
            )
    database.settings_changed()
