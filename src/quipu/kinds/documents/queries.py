"""Queries of documents and of paths, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from quipu.kernel.base import scope
from quipu.kinds.documents import rules
from quipu.kinds.documents.model import (
    BEHIND_ALL,
    METRICS,
    ORDERS,
    DocumentFilter,
    DocumentOrder,
    ListQuery,
    Metric,
    PathQuery,
)
from quipu.recall.filters import NO_PARAMETERS, parse

MOST_ROWS: Final = 1_000
_ANY: Final = "*"
_NAME: Final = f"[^{rules.SEPARATOR}]+{rules.SEPARATOR}"


def path_query(
    prefix: Sequence[str] | str | None = None,
    suffix: Sequence[str] | str | None = None,
    *,
    depth: int | None = None,
    limit: int = 100,
    offset: int = 0,
) -> PathQuery:
    """Return a checked query of paths.

    Raises:
        BadInput: An argument is invalid; the error names it.
    """
    begins = [] if prefix is None else rules.names("prefix", prefix)
    ends = [] if suffix is None else rules.names("suffix", suffix)
    # Names before the first * are bounds, which an index helps to find.
    plain = begins[: begins.index(_ANY)] if _ANY in begins else begins
    first, behind = rules.below("prefix", plain or None)
    patterns = [f"^{_pattern(begins)}"] if _ANY in begins else []
    patterns += [f"(^|{rules.SEPARATOR}){_pattern(ends)}$"] if ends else []
    return PathQuery(
        first=first,
        behind=behind,
        patterns=patterns,
        depth=None if depth is None else scope.whole("depth", depth, most=MOST_ROWS),
        limit=scope.whole("limit", limit, most=MOST_ROWS),
        offset=offset_of(offset),
    )


def list_query(
    path: Sequence[str] | str | None = None,
    *,
    filter: Mapping[str, object] | None = None,
    user: str | None = None,
    order: DocumentOrder = "updated",
    vector: Sequence[float] | None = None,
    metric: Metric = "cosine",
    limit: int = 10,
    offset: int = 0,
) -> ListQuery:
    """Return a checked query of documents.

    Raises:
        BadInput: An argument is invalid; the error names it.
    """
    return ListQuery(
        wanted=wanted(path, filter=filter, user=user),
        order=scope.one_of("order", order, ORDERS),
        vector=None if vector is None else rules.vector("vector", vector),
        metric=scope.one_of("metric", metric, METRICS),
        limit=scope.whole("limit", limit, most=MOST_ROWS),
        offset=offset_of(offset),
    )


def wanted(
    path: Sequence[str] | str | None = None,
    *,
    filter: Mapping[str, object] | None = None,
    user: str | None = None,
) -> DocumentFilter:
    """Return checked conditions on documents.

    Raises:
        BadInput: An argument is invalid; the error names it.
    """
    first, behind = rules.below("path", path)
    read = parse(filter)
    return DocumentFilter(
        first=first or "",
        behind=behind or BEHIND_ALL,
        user=scope.optional_name("user", user),
        filter=NO_PARAMETERS if read is None else read.parameters,
    )


def _pattern(names: Sequence[str]) -> str:
    return "".join(_NAME if name == _ANY else re.escape(name) + rules.SEPARATOR for name in names)


def offset_of(offset: int) -> int:
    """Return a checked number of rows to pass over."""
    return scope.whole("offset", offset, least=0, most=10**9)
