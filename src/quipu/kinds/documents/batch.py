"""Many operations on documents at once: done together, and answered each in its place."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, cast

from quipu.errors import BadInput
from quipu.kinds.documents import rules
from quipu.kinds.documents.model import BatchAnswer, DocumentDraft, FoundDocument, ListQuery, PathQuery
from quipu.kinds.documents.queries import list_query, path_query
from quipu.kinds.documents.work import Address, Result, Work

MOST_OPERATIONS: Final = 1_000
_LOCATION: Final = frozenset({"path", "key"})
_PUT: Final = _LOCATION | {
    "value", "body", "metadata", "user", "index", "ttl_seconds", "actor", "verbatim", "vectors",
    "expected_version", "expected_sha256",
}  # fmt: skip
_LIST: Final = frozenset({"path", "filter", "user", "order", "limit", "offset"})
_SEARCH: Final = _LIST - {"order"} | {"question", "relevant", "vector", "metric"}
_PATHS: Final = frozenset({"prefix", "suffix", "depth", "limit", "offset"})
_TAKES: Final[Mapping[str, frozenset[str]]] = {
    "put": _PUT,
    "get": _LOCATION,
    "touch": _LOCATION,
    "delete": _LOCATION,
    "list": _LIST,
    "search": _SEARCH,
    "list_paths": _PATHS,
}


Draft = Callable[..., Awaitable[DocumentDraft]]
"""Checks what is to be written: ``await draft(path, key, value, **more)``."""

Search = Callable[..., Awaitable[Sequence[FoundDocument]]]
"""Finds what answers a question: ``await search(question, **conditions)``."""


class DocumentBatch:
    """Operations on their way to their answers."""

    def __init__(self, operations: object, *, draft: Draft, search: Search) -> None:
        self._given = _listed(operations)
        self._draft = draft
        self._search = search
        self._gets: dict[Address, None] = {}
        self._refreshed: dict[Address, None] = {}
        self._lists: list[ListQuery] = []
        self._paths: list[PathQuery] = []
        self._writes: dict[Address, DocumentDraft | None] = {}
        self._questions: dict[int, Mapping[str, Any]] = {}
        self._answers: list[Callable[[Result], BatchAnswer]] = []

    async def answer(self, do: Callable[[Work], Awaitable[Result]]) -> Sequence[BatchAnswer]:
        """Answer each operation; ``do`` does the work of all that ask no question."""
        for number, (act, parameters) in enumerate(self._given):
            with _named(number):
                await self._add(number, act, parameters)
        found = {number: await self._search(**one) for number, one in self._questions.items()}
        work = self._work()
        done = await do(work) if work != Work() else Result()
        answers = [answer(done) for answer in self._answers]
        for number, documents in found.items():
            answers[number] = BatchAnswer(documents=documents)
        return answers

    def _work(self) -> Work:
        written = [one for one in self._writes.values() if one is not None]
        removed = [at for at, one in self._writes.items() if one is None]
        return Work(
            gets=list(self._gets),
            lists=self._lists,
            paths=self._paths,
            refreshed=list(self._refreshed),
            removed=removed,
            written=written,
        )

    async def _add(self, number: int, act: str, parameters: Mapping[str, Any]) -> None:
        match act:
            case "put":
                where = (parameters.get("path"), parameters.get("key"), parameters.get("value"))
                draft = await self._draft(*where, **_without(parameters, "path", "key", "value"))
                at = draft.place, draft.key
                self._writes[at] = draft
                self._answers.append(lambda done: BatchAnswer(document=done.written.get(at)))
            case "delete":
                at = rules.address(parameters.get("path"), parameters.get("key"))
                self._writes[at] = None
                self._answers.append(lambda done: BatchAnswer(removed=at in done.removed))
            case "list_paths":
                place = len(self._paths)
                self._paths.append(path_query(**parameters))
                self._answers.append(lambda done: BatchAnswer(paths=done.paths[place]))
            case "search" if parameters.get("question") is not None and parameters.get("vector") is None:
                list_query(**_without(parameters, "question", "relevant"))
                self._questions[number] = parameters
                self._answers.append(lambda _: BatchAnswer())
            case "list" | "search":
                place = len(self._lists)
                self._lists.append(list_query(**_without(parameters, "question", "relevant")))
                self._answers.append(lambda done: BatchAnswer(documents=done.lists[place]))
            case _:
                at = rules.address(parameters.get("path"), parameters.get("key"))
                self._gets[at] = None
                if act == "touch":
                    self._refreshed[at] = None
                self._answers.append(lambda done: BatchAnswer(document=done.gets.get(at)))


def _without(parameters: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in parameters.items() if name not in names}


def _listed(operations: object) -> list[tuple[str, Mapping[str, Any]]]:
    if isinstance(operations, str) or not isinstance(operations, Sequence):
        raise BadInput("a list of operations is needed.", field="operations")
    given = cast(Sequence[object], operations)
    if len(given) > MOST_OPERATIONS:
        raise BadInput(f"{len(given):,} are too many; {MOST_OPERATIONS:,} are the most.", field="operations")
    return [_one(number, one) for number, one in enumerate(given)]


def _one(number: int, given: object) -> tuple[str, Mapping[str, Any]]:
    field = f"operations[{number}]"
    operation = dict(cast(Mapping[str, Any], given)) if isinstance(given, Mapping) else dict[str, Any]()
    act = operation.get("do")
    takes = _TAKES.get(act) if isinstance(act, str) else None
    if takes is None:
        raise BadInput(f"it needs `do`: one of {', '.join(_TAKES)}.", field=field)
    parameters = _without(operation, "do")
    if unknown := [name for name in parameters if name not in takes]:
        raise BadInput(
            f"{act} takes no {unknown[0]!r}.", field=field, hint=f"It takes {', '.join(sorted(takes))}."
        )
    return cast(str, act), parameters


@contextmanager
def _named(number: int) -> Generator[None]:
    """Name the operation in an error inside the block."""
    try:
        yield
    except BadInput as error:
        raise error.at(f"operations[{number}].{error.field}") from error
