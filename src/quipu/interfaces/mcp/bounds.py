"""Answers within bounds: a model pays for each token of them. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar, cast

from pydantic import BaseModel

MOST_TOKENS: Final = 6_000
LONGEST_TEXT: Final = 2_000
_CUT: Final = " …"

Item = TypeVar("Item")


def tokens(text: str) -> int:
    """Estimate the tokens of a text, rather more than less."""
    # Not at the top: it brings numpy along, and a client waits for this server to start.
    from quipu.recall.render import estimate_tokens  # noqa: PLC0415

    return estimate_tokens(text)


def fitting(items: Iterable[Item], *, most_tokens: int = MOST_TOKENS) -> tuple[list[Item], int]:
    """Return the first items that fit into a budget as JSON, at least one, and how many were left out."""
    kept: list[Item] = []
    left, spent = 0, 0
    for item in items:
        cost = tokens(_json(item))
        if left or (kept and spent + cost > most_tokens):
            left += 1
            continue
        kept.append(item)
        spent += cost
    return kept, left


def shortened(value: Any, *, longest: int = LONGEST_TEXT) -> Any:
    """Return the JSON value with each text cut to ``longest`` characters; a cut ends in an ellipsis."""
    match value:
        case str() if len(value) > longest:
            return value[: longest - len(_CUT)] + _CUT
        case Mapping():
            cells = cast("Mapping[str, Any]", value).items()
            return {name: shortened(cell, longest=longest) for name, cell in cells}
        case list() | tuple():
            return [shortened(cell, longest=longest) for cell in cast("list[Any]", value)]
        case _:
            return value


def more(left_out: int, narrower: str) -> str:
    """Return a line about what was left out, and how to ask for less; empty if nothing was."""
    return f"\n({left_out} more did not fit; {narrower})" if left_out else ""


def compact(value: object) -> str:
    """Return the value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "), default=str)


def _json(item: object) -> str:
    return item.model_dump_json() if isinstance(item, BaseModel) else compact(item)
