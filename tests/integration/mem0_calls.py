"""Calls of mem0 in the order they were recorded, and their answers without what differs from run to run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
UUID = re.compile(r"(?!00000000)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
HIDDEN = ("id", "score", "hash", "memory")

Row = list[Any]
"""Name, arguments, arguments by name, and the answer: of a method of mem0, or of `found` (the places of the
memories that a search found, in the order in which they were added), `count` and `shape` of what it found."""


class Player:
    """Makes recorded calls of a memory; ``{3}`` in them is the id of the fourth memory that was added."""

    def __init__(self, memory: Any) -> None:
        self._memory = memory
        self._ids: list[str] = []

    def play(self, row: Row) -> dict[str, Any]:
        """Make one call, and return what came of it as it is recorded."""
        name, arguments, named, _ = row
        try:
            return {"answer": self._answered(name, [self._given(one) for one in arguments], named)}
        except Exception as error:  # noqa: BLE001 - every failure is an answer
            return self._failed(error)

    def _answered(self, name: str, arguments: list[Any], named: Mapping[str, Any]) -> Any:
        if name in ("count", "shape"):
            method, *arguments = arguments
        else:
            method = "search" if name == "found" else name
        call: Callable[..., Any] = getattr(self._memory, method)
        made = call(*arguments, **named)
        if isinstance(made, dict) and name == "add":
            self._ids += [one["id"] for one in made["results"]]
        if isinstance(made, dict) and name in ("get_all", "found"):
            made = {**made, "results": sorted(made["results"], key=lambda one: self._ids.index(one["id"]))}
        match name:
            case "found":
                return sorted({self._ids.index(one["id"]) for one in made["results"]})
            case "count":
                return len(made["results"])
            case "shape":
                return sorted(self._shape(one) for one in made["results"])
            case _:
                return self._plain(made)

    def _shape(self, item: Mapping[str, Any]) -> str:
        shown = {name: "…" if name in HIDDEN else value for name, value in self._plain(item).items()}
        return json.dumps(shown, sort_keys=True)

    def _given(self, value: Any) -> Any:
        if isinstance(value, str) and re.fullmatch(r"\{\d+\}", value):
            return self._ids[int(value[1:-1])]
        return value

    def _plain(self, value: Any, name: str | None = None) -> Any:
        match value:
            case Mapping():
                return {key: self._plain(one, key) for key, one in value.items()}
            case list() | tuple():
                return [self._plain(one) for one in value]
            case str():
                for at, one in enumerate(self._ids):
                    value = value.replace(one, f"id {at}")
                return "time" if TIME.match(value) else "uuid" if UUID.fullmatch(value) else value
            case _:
                return "score" if name == "score" and value is not None else value

    def _failed(self, error: Exception) -> dict[str, Any]:
        kinds = [one.__name__ for one in type(error).__mro__]
        kind = next((one for one in ("ValueError", "ValidationError") if one in kinds), kinds[0])
        text = self._plain(str(getattr(error, "message", error)))
        return {"error": kind, "text": re.sub("Unsupported .*", "Unsupported", text)}
