"""A setting as it stands, and which settings there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.setting import Secret, Setting, Type
from quipu.kernel.config import Origin, described

SYSTEM: Final = "system"
_HIDDEN: Final = "(set, not shown)"

SettingValue = int | float | bool | str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingState:
    """One setting and the value that holds here and now.

    ``source`` says where ``value`` is from: "argument" of this program, "environment", "space", "database"
    or "default", in this order of precedence. ``stored`` and ``stored_in_space`` are what is kept in the
    database, which holds only where nothing comes before it; ``overridden`` says that something does, in this
    process. ``settable``: it can be kept there; others are
    needed before the database is open, and are set by ``variable`` in the environment. ``least`` and ``most``
    are both allowed. ``kind`` is the kind of memory that it is about, or "system".
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


class Register:
    """Every setting by name, with the kind of memory that it is about."""

    def __init__(self, kinds: Iterable[tuple[str, Iterable[Setting[Any]]]]) -> None:
        owned = {one.name: (kind, one) for kind, settings in kinds for one in settings}
        system = {name: (SYSTEM, one) for name, one in described().items() if name not in owned}
        self._all: Mapping[str, tuple[str, Setting[Any]]] = {**system, **owned}

    def __iter__(self) -> Iterator[tuple[str, Setting[Any]]]:
        """Yield kind and setting, those of the system first, then kind by kind."""
        return iter(self._all.values())

    def named(self, name: str) -> tuple[str, Setting[Any]]:
        """Return the setting of a name, also written as its variable, with its kind.

        Raises:
            NotFound: there is none; the message names the nearest.
        """
        plain = name.strip().lower().removeprefix("quipu_").replace("-", "_")
        if plain in self._all:
            return self._all[plain]
        near = get_close_matches(plain, self._all, n=1, cutoff=0.5)
        hint = f"Did you mean {near[0]}?" if near else "The list of settings shows them."
        raise NotFound(f"There is no setting {name!r}.", hint=hint)


def stated(setting: Setting[Any], value: Any) -> SettingValue | None:
    """Return a value as it is shown: one that may hold a password is not."""
    if value is None:
        return None
    if isinstance(value, Secret) or not setting.shown:
        return _HIDDEN
    return value if isinstance(value, int | float | bool | str) else str(value)


def check_kept(setting: Setting[Any], *, of_space: bool) -> None:
    """Check that a setting is kept in the database, or in a space of it.

    Raises:
        BadInput: it is not; says where it is set.
    """
    if setting.command:
        raise BadInput(
            "it says where texts go, so it is kept only after a trial, by whoever runs the program.",
            field=setting.name,
            hint=f"Call `{setting.command}`, or set {setting.variable} in the environment.",
        )
    if not setting.stored:
        raise BadInput(
            "it is needed before the database is open, so it is not kept there.",
            field=setting.name,
            hint=f"Set {setting.variable} in the environment.",
        )
    if of_space and not setting.of_space:
        raise BadInput("it is for the whole database.", field=setting.name, hint="Set it without a space.")


def checked(setting: Setting[Any], value: object) -> SettingValue:
    """Check a value to be kept in the database.

    Raises:
        BadInput: it cannot be taken; names the setting and what it can be.
    """
    try:
        return setting.form.read(value)
    except ValueError as error:
        raise BadInput(f"it {error}.", field=setting.name, hint=setting.meaning) from None
