"""The families of patterns and the guards against them, as ``patterns.toml`` has them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from quipu.kinds.transcripts.extract.model import Category

_FILE: Final = Path(__file__).with_name("patterns.toml")


@dataclass(frozen=True, slots=True)
class Family:
    """One way to say something that lasts. ``explicitness``: 0 to 1, how surely it is meant to."""

    name: str
    category: Category
    explicitness: float
    guards: tuple[str, ...]
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Patterns:
    """All families, in the order in which they are tried, and the guards by name."""

    families: tuple[Family, ...]
    guards: Mapping[str, re.Pattern[str]]


@cache
def patterns() -> Patterns:
    """The patterns, read from their file the first time."""
    data: dict[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))
    words: dict[str, str] = data["words"]
    guards = {name: _any(listed, words) for name, listed in data["guards"].items()}
    return Patterns(tuple(_family(one, words) for one in data["family"]), guards)


def _family(one: Mapping[str, Any], words: Mapping[str, str]) -> Family:
    category = cast(Category, one["category"])
    pattern = _any(one["any"], words)
    return Family(one["name"], category, one["explicitness"], tuple(one["unless"]), pattern)


def _any(listed: Sequence[str], words: Mapping[str, str]) -> re.Pattern[str]:
    """One expression for all; ``{name}`` stands for the entry ``name`` of the words."""
    filled = [re.sub(r"\{([a-z]+)\}", lambda match: words[match[1]], one) for one in listed]
    return re.compile("|".join(f"(?:{one})" for one in filled))
