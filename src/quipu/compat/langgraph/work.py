"""Operations of LangGraph's stores as operations on documents, and their answers as items."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from langgraph.store.base import (
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
)

Operation = dict[str, Any]
_MOST: Final = 1_000  # rows, and operations, at once
_OPERATORS: Final = {f"${name}": name for name in ("eq", "ne", "gt", "gte", "lt", "lte")}
_WRITES: Final = frozenset({"put", "delete"})


class Work:
    """Operations of LangGraph on their way through batches of documents."""

    def __init__(self, ops: Sequence[Op], *, fields: Sequence[str], metric: str | None) -> None:
        self._ops = ops
        self._fields = fields
        self._metric = metric
        self._waiting: list[tuple[int | None, Operation]] = [
            (place, self._operation(op)) for place, op in enumerate(ops)
        ]
        self._found: list[list[Any]] = [[] for _ in ops]

    @property
    def texts(self) -> list[str]:
        """The texts of the items that are to be embedded, in order."""
        return [text for op in self._ops if isinstance(op, PutOp) for text in self._texts(op)]

    @property
    def queries(self) -> list[str]:
        """The queries that are to be embedded, in order."""
        return [op.query for op in self._ops if isinstance(op, SearchOp) and op.query]

    def embedded(self, texts: Sequence[Sequence[float]], queries: Sequence[Sequence[float]]) -> None:
        """Take the vectors of ``texts`` and ``queries``: the caller's own rank instead of ours."""
        items, asked = iter(texts), iter(queries)
        for (_, operation), op in zip(self._waiting, self._ops, strict=True):
            if isinstance(op, PutOp) and op.value is not None:
                operation["vectors"] = [list(next(items)) for _ in self._texts(op)]
            elif isinstance(op, SearchOp) and op.query:
                del operation["question"], operation["relevant"]
                operation |= {"vector": list(next(asked)), "metric": self._metric}

    def following(self) -> list[Operation]:
        """Return the operations to do next, at most 1,000, reads before writes; none once all is done."""
        if len(self._waiting) > _MOST:
            self._waiting.sort(key=lambda one: one[1]["do"] in _WRITES)
        return [operation for _, operation in self._waiting[:_MOST]]

    def take(self, answers: Sequence[Any]) -> None:
        """Take the answers to ``following``; further pages, and times to live that begin anew, come next."""
        asked, self._waiting = self._waiting[: len(answers)], self._waiting[len(answers) :]
        for (place, operation), answer in zip(asked, answers, strict=True):
            if place is None:
                continue
            op, found = self._ops[place], self._found[place]
            if isinstance(op, ListNamespacesOp):
                page = [tuple(one.path) for one in answer.paths]
            elif isinstance(op, SearchOp):
                known = {one.document.id for one in found}
                page = [one for one in answer.documents if one.document.id not in known][
                    : _wanted(op) - len(found)
                ]
                self._refresh([one.document for one in page], wanted=op.refresh_ttl)
            else:
                page = [] if answer.document is None else [answer.document]
                self._refresh(page, wanted=isinstance(op, GetOp) and op.refresh_ttl)
            found += page
            self._ask_further(place, operation, op, len(page), _wanted(op) - len(found))

    def _ask_further(self, place: int, operation: Operation, op: Op, got: int, rest: int) -> None:
        """Ask for the next page of a full one; where a search has ranked all, for items without a rank."""
        if rest <= 0 or "limit" not in operation:
            return
        if got == operation["limit"]:
            further = {"offset": operation["offset"] + got, "limit": min(_MOST, rest)}
            self._waiting.append((place, {**operation, **further}))
        elif (
            isinstance(op, SearchOp) and op.offset == 0 and ("question" in operation or "vector" in operation)
        ):
            plain = {name: operation[name] for name in ("do", "path", "filter", "offset")}
            self._waiting.append((place, {**plain, "limit": min(_MOST, op.limit)}))

    def results(self) -> list[Result]:
        """Return the results, in the order of the operations."""
        return [self._result(op, found) for op, found in zip(self._ops, self._found, strict=True)]

    def _refresh(self, documents: Sequence[Any], *, wanted: bool) -> None:
        for one in documents if wanted else ():
            if one.ttl_seconds is not None:
                self._waiting.append((None, {"do": "touch", "path": one.path, "key": one.key}))

    def _operation(self, op: Op) -> Operation:
        match op:
            case PutOp():
                return self._put(op)
            case GetOp():
                return {"do": "get", "path": list(op.namespace), "key": op.key}
            case SearchOp():
                page = {"offset": op.offset, "limit": min(op.limit, _MOST)}
                where = {"path": list(op.namespace_prefix) or None, "filter": _filter(op.filter or {})}
                asks = {"question": op.query, "relevant": False} if self._fields and op.query else {}
                return {"do": "search", **where, **page, **asks}
            case ListNamespacesOp():
                return _listing(op)

    def _put(self, op: PutOp) -> Operation:
        where: Operation = {"path": list(op.namespace), "key": op.key}
        if op.value is None:
            return {"do": "delete", **where}
        ttl = None if op.ttl is None else op.ttl * 60
        index = self._paths(op)
        return {
            "do": "put",
            **where,
            "value": dict(op.value),
            "index": index,
            "ttl_seconds": ttl,
            "verbatim": True,
        }

    def _paths(self, op: PutOp) -> list[str]:
        """Return the paths that an item is found by; none if it is kept out of the index."""
        if not self._fields or op.index is False:
            return []
        return list(self._fields) if op.index is None else op.index

    def _texts(self, op: PutOp) -> list[str]:
        return (
            []
            if op.value is None
            else [t for path in self._paths(op) for t in get_text_at_path(op.value, path)]
        )

    def _result(self, op: Op, found: list[Any]) -> Result:
        match op:
            case PutOp():
                return None
            case GetOp():
                return Item(**_item(found[0])) if found else None
            case SearchOp():
                return [SearchItem(**_item(one.document), score=one.score) for one in found]
            case ListNamespacesOp():
                return _namespaces(op, found)


def _item(document: Any) -> dict[str, Any]:
    return {
        "namespace": tuple(document.path),
        "key": document.key,
        "value": document.value,
        "created_at": document.created_at,
        "updated_at": document.updated_at,
    }


def _filter(conditions: Mapping[str, Any], prefix: str = "value") -> dict[str, Any]:
    """Return LangGraph's conditions on an item as a filter of documents.

    Raises:
        ValueError: an operator is none of LangGraph's.
    """
    made: dict[str, Any] = {}
    for name, operand in conditions.items():
        field = f"{prefix}.{name.replace(chr(92), chr(92) * 2).replace('.', chr(92) + '.')}"
        if not isinstance(operand, Mapping) or not operand:
            made[field] = {"eq": operand}
        elif any(str(one).startswith("$") for one in cast(Mapping[Any, Any], operand)):
            ordered = cast(Mapping[str, Any], operand).items()
            made[field] = {_operator(one): _finite(value) for one, value in ordered}
        else:
            made |= _filter(cast(Mapping[str, Any], operand), field)
    return made


def _operator(name: str) -> str:
    if name not in _OPERATORS:
        raise ValueError(f"Unsupported operator: {name}")
    return _OPERATORS[name]


def _finite(operand: Any) -> Any:
    """Return the operand, an infinite number as the largest or the least that there is."""
    if isinstance(operand, float) and math.isinf(operand):
        return math.copysign(sys.float_info.max, operand)
    return operand


def _wanted(op: Op) -> int:
    """Return the number of rows that an operation asks for."""
    if isinstance(op, ListNamespacesOp):
        return op.limit if _is_plain(op) else 10**9
    return op.limit if isinstance(op, SearchOp) else 1


def _is_plain(op: ListNamespacesOp) -> bool:
    """Return True if the database can list the namespaces: with one condition of each kind at most."""
    kinds = [one.match_type for one in op.match_conditions or () if one.path]
    return len(kinds) == len(set(kinds))


def _listing(op: ListNamespacesOp) -> Operation:
    if not _is_plain(op):
        return {"do": "list_paths", "offset": 0, "limit": _MOST}
    ends = {one.match_type: list(one.path) for one in op.match_conditions or () if one.path}
    return {
        "do": "list_paths",
        **ends,
        "depth": op.max_depth,
        "offset": op.offset,
        "limit": min(op.limit, _MOST),
    }


def _namespaces(op: ListNamespacesOp, found: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    if _is_plain(op):
        return list(found)
    matching = [path for path in found if all(_matches(one, path) for one in op.match_conditions or ())]
    cut = sorted({path[: op.max_depth] for path in matching})
    return cut[op.offset : op.offset + op.limit]


def _matches(condition: MatchCondition, path: tuple[str, ...]) -> bool:
    names = condition.path
    part = path[: len(names)] if condition.match_type == "prefix" else path[-len(names) :] if names else ()
    return len(part) == len(names) and all(name in ("*", one) for name, one in zip(names, part, strict=True))
