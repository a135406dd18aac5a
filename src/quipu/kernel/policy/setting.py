"""Setting ``policy``: when each sensitive kind of thing is kept of people. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from quipu.errors import ConfigError
from quipu.kernel.base.setting import TEXT, Form

Rule = Literal["never", "requested", "always"]
"""When something of a kind is kept: never, if the user asked to remember it, or always."""

USUAL: Final[Mapping[str, Rule]] = {"allergies": "always", "health": "requested", "money": "never"}
_RULES: Final[tuple[Rule, ...]] = ("never", "requested", "always")


def rules(setting: str) -> dict[str, Rule]:
    """Read the rules of a setting, say "health=always, money=requested"; other kinds keep the usual rule.

    Raises:
        ConfigError: it names a kind or a rule that there is not.
    """
    merged: dict[str, Rule] = dict(USUAL)
    for part in filter(None, (one.strip() for one in setting.split(","))):
        kind, _, rule = (piece.strip() for piece in part.partition("="))
        chosen: Rule | None = next((one for one in _RULES if one == rule), None)
        if kind not in USUAL or chosen is None:
            raise ConfigError(
                f"{part!r} is no rule of what is kept of people.",
                hint="For example 'health=never, money=requested'; the rules are never, requested, always.",
            )
        merged[kind] = chosen
    return merged


def _read(value: Any) -> str:
    setting = TEXT.read(value)
    try:
        rules(setting)
    except ConfigError as error:
        raise ValueError(f"is {setting!r}: {error.message} {error.hint}".rstrip(".")) from None
    return setting


POLICY: Final = Form("text", _read)
