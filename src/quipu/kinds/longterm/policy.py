"""What is never kept, whoever evaluated it: decided by code, before the write."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

from quipu.errors import ConfigError
from quipu.kernel.redact import redact

Rule = Literal["never", "asked", "always"]
"""When something of a kind is kept: never, if the user asked to remember it, or always."""

USUAL: Final[Mapping[str, Rule]] = {"health": "asked", "money": "never"}
RULES: Final[tuple[Rule, ...]] = ("never", "asked", "always")

_FILE: Final = Path(__file__).with_name("policy.toml")
_CARD = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d])")
_MARK: Final = "[redacted:"


@dataclass(frozen=True, slots=True)
class Policy:
    """``rules``: when each sensitive kind is kept. Secrets and ids of people and accounts never are."""

    rules: Mapping[str, Rule] = field(default_factory=lambda: dict(USUAL))

    def refused(self, text: str, category: str, *, asked: bool) -> str | None:
        """Why the text may not be kept as a memory, in a few words without what it says; None where it may.

        ``asked``: the user asked to remember it.
        """
        never = forbidden(text)
        if never is not None:
            return never
        lower = _plain(text)
        for kind, rule in self.rules.items():
            if rule == "always" or (rule == "asked" and asked):
                continue
            if _sensitive(kind, lower, category):
                return f"{kind}: not asked to remember" if rule == "asked" else kind
        return None


def refused(text: str, category: str, *, asked: bool) -> str | None:
    """The same with the rules as they are without a setting."""
    return _USUAL.refused(text, category, asked=asked)


def forbidden(text: str) -> str | None:
    """Why the text may not be kept even by hand: a secret, a credential, payment data or a government id."""
    if _MARK in text or redact(text).counts:
        return "secret"
    if any(_is_card(found[0]) for found in _CARD.finditer(text)):
        return "payment"
    lower = _plain(text)
    return next(
        (kind.replace("_", " ") for kind, pattern in _lists().never.items() if pattern.search(lower)), None
    )


def policy(setting: str) -> Policy:
    """The policy of a setting such as "health=always, money=asked"; what it does not name stays as usual.

    Raises:
        ConfigError: it names a kind or a rule that there is not.
    """
    rules: dict[str, Rule] = dict(USUAL)
    for part in filter(None, (one.strip() for one in setting.split(","))):
        kind, _, rule = (piece.strip() for piece in part.partition("="))
        chosen: Rule | None = next((one for one in RULES if one == rule), None)
        if kind not in USUAL or chosen is None:
            raise ConfigError(
                f"{part!r} is no rule of what long-term memory keeps.",
                hint="For example 'health=never, money=asked'; the rules are never, asked, always.",
            )
        rules[kind] = chosen
    return Policy(rules)


@dataclass(frozen=True, slots=True)
class _Lists:
    never: Mapping[str, re.Pattern[str]]
    sensitive: Mapping[str, re.Pattern[str]]
    apart: Mapping[str, re.Pattern[str]]


@cache
def _lists() -> _Lists:
    data: dict[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))
    words: dict[str, str] = data["words"]

    def one_of(listed: list[str]) -> re.Pattern[str]:
        filled = [re.sub(r"\{([a-z]+)\}", lambda match: words[match[1]], one) for one in listed]
        return re.compile("|".join(f"(?:{one})" for one in filled))

    return _Lists(
        never={kind: one_of(listed) for kind, listed in data["never"].items()},
        sensitive={kind: one_of(listed) for kind, listed in data["sensitive"].items()},
        apart={kind: re.compile(one) for kind, one in data["apart"].items()},
    )


def _sensitive(kind: str, lower: str, category: str) -> bool:
    if _lists().sensitive[kind].search(lower) is None:
        return False
    apart = category in ("professional_profile", "project") and _lists().apart[kind].search(lower)
    return not apart


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


def _is_card(found: str) -> bool:
    """Whether the digits are a card's: 13 to 19 of them, and the check digit fits (Luhn)."""
    digits = [int(one) for one in found if one.isdigit()]
    doubled = [2 * one if at % 2 else one for at, one in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 19 and sum(one - 9 if one > 9 else one for one in doubled) % 10 == 0


_USUAL = Policy()
