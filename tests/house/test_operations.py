"""Every operation says the same at each of its doors: parameter by parameter, not only by its name."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

import click
import pytest
from tree import ROOT

from quipu.app.operations import OPERATIONS, ROOMS, Operation
from quipu.interfaces.cli.main import quipu_command
from quipu.interfaces.declarations import declared, read
from quipu.interfaces.server import create_app

BY_HAND = {
    "trace.read_reviews": "REST takes reviews without their place, which is said once",
    "trace.signal_run": "it takes values of the program",
    "longterm.apply": "REST takes the design's own document in its place; it takes values of the program",
    "longterm.evaluate": "REST takes the design's own document in its place; it takes values of the program",
}
# Parameters that doors say in their own way, each the same at all routes and commands.
AT_REST = {"limit": "limit", "after": "cursor", "offset": "cursor", "expected_version": "if-match"}


@cache
def document() -> dict[str, Any]:
    return create_app().openapi()


def names_at_rest(where: str) -> set[str]:
    """What a route takes: in its path, its query, its headers and its body."""
    method, _, path = where.partition(" ")
    route = document()["paths"][f"/v1{path}"][method.lower()]
    names = {one["name"].lower() for one in route.get("parameters", [])}
    for content in route.get("requestBody", {}).get("content", {}).values():
        schema = content["schema"]
        name = (schema.get("$ref") or schema["allOf"][0]["$ref"]).rpartition("/")[2]
        names |= document()["components"]["schemas"][name]["properties"].keys()
    return names


def names_on_the_command_line(operation: Operation) -> set[str]:
    group, _, name = (operation.words or "").partition(" ")
    command = quipu_command.get_command(click.Context(quipu_command), group)
    if isinstance(command, click.Group):
        command = command.commands[name]
    assert command is not None
    return {one.name or "" for one in command.params}


def missing(operation: Operation) -> Iterator[str]:
    """Parameters that a door of an operation does not take, or a page does not tell of."""
    declaration = declared(operation)
    page = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")
    told = page.partition(f"**`{operation.name}(")[2].partition("\n**`")[0]
    for name, parameter in declaration.parameters.items():
        for route in (operation.route, operation.everywhere):
            if route is None or parameter.local or (route == operation.everywhere and name == "space"):
                continue
            taken = names_at_rest(route)
            paged = route.startswith("GET") and "cursor" in taken
            word = AT_REST[name] if name == "expected_version" or (paged and name in AT_REST) else name
            if word not in taken:
                yield f"REST lacks {name}"
        if (
            operation.words is not None
            and not parameter.local
            and name not in names_on_the_command_line(operation)
        ):
            yield f"the command lacks {name}"
        if f"- `{name}`: " not in told:
            yield f"python.md lacks {name}"


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_every_door_takes_every_parameter(operation: Operation) -> None:
    assert [*missing(operation)] == []


@pytest.mark.parametrize("room", ROOMS)
def test_every_method_of_a_derived_room_is_an_operation(room: str) -> None:
    module, _, name = ROOMS[room].partition(":")
    made = getattr(import_module(module), name)
    own = inspect.getmembers(made, inspect.iscoroutinefunction) if room else vars(made).items()
    methods = {
        f"{room}.{name}".lstrip(".")
        for name, method in own
        if inspect.iscoroutinefunction(method) and not name.startswith("_")
    }
    listed = [one.name for one in OPERATIONS if one.room == room]
    assert sorted(listed) == sorted(set(listed))
    assert methods - set(listed) == {name for name in BY_HAND if name.rpartition(".")[0] == room}


def test_a_docstring_is_read_into_its_parts() -> None:
    docstring = """Show it, the first.

    Uses ``this``
    line.

    Raises:
        NotFound: There is none; look
            elsewhere.
        Conflict: There are two.
    """
    assert read(inspect.cleandoc(docstring)) == (
        "Show it, the first",
        "Uses `this`\nline.",
        {"NotFound": "There is none; look elsewhere.", "Conflict": "There are two."},
    )


def test_a_parameter_that_a_door_lacks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    (listing,) = (one for one in OPERATIONS if one.name == "longterm.list")
    monkeypatch.setattr(f"{__name__}.names_at_rest", lambda _: {"limit", "cursor", "space"})
    monkeypatch.setattr(f"{__name__}.names_on_the_command_line", lambda _: set(declared(listing).parameters))
    assert [*missing(listing)] == [
        f"REST lacks {name}"
        for name in ("user", "category", "importance", "text", "since", "until", "state", "ended")
    ]
