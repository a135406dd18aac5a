"""The index of a store as LangGraph describes it, checked: what is found, and how it is ranked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from quipu.errors import BadInput

METRICS: Final = ("cosine", "inner_product", "l2")
_ALL: Final = ("$",)
_HINT: Final = 'Such as {"dims": 1536, "embed": embeddings, "fields": ["text"], "distance_type": "cosine"}.'


@dataclass(frozen=True, slots=True)
class StoreIndex:
    """An index: paths into an item that are found, none if it is off; the metric, and the caller's model."""

    fields: Sequence[str] = _ALL
    metric: str = METRICS[0]
    embed: Any = None


def store_index(index: object) -> StoreIndex:
    """Return an index as LangGraph's configuration describes it; True and None are all of an item.

    Raises:
        BadInput: it is no such configuration; the error names the part.
    """
    if index is None or isinstance(index, bool):
        return StoreIndex(() if index is False else _ALL)
    if not isinstance(index, Mapping):
        raise BadInput(f"it is a {type(index).__name__}, not a configuration.", field="index", hint=_HINT)
    parts = cast(Mapping[str, object], index)
    dims = parts.get("dims")
    if dims is not None and (isinstance(dims, bool) or not isinstance(dims, int) or dims < 1):
        raise BadInput("a whole number above 0 is needed.", field="index.dims", hint=_HINT)
    return StoreIndex(_fields(parts.get("fields")), _metric(parts.get("distance_type")), _embed(parts))


def _fields(fields: object) -> Sequence[str]:
    if fields is None:
        return _ALL
    if isinstance(fields, str):
        return [fields]
    listed = list(cast(Sequence[object], fields)) if isinstance(fields, list | tuple) else [None]
    if not all(isinstance(one, str) for one in listed):
        raise BadInput("a path or a list of paths is needed.", field="index.fields", hint=_HINT)
    return cast(list[str], listed)


def _metric(name: object) -> str:
    if name is None:
        return METRICS[0]
    if name not in METRICS:
        raise BadInput(f"{name!r} is none of {', '.join(METRICS)}.", field="index.distance_type")
    return cast(str, name)


def _embed(parts: Mapping[str, object]) -> object:
    embed = parts.get("embed")
    if embed is None or isinstance(embed, str) or callable(embed) or hasattr(embed, "embed_documents"):
        return embed
    raise BadInput("a model, a function or the name of a model is needed.", field="index.embed", hint=_HINT)
