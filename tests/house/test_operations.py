"""Every operation says the same at each of its doors: parameter by parameter, not only by its name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, get_origin, get_type_hints

import click
import pytest
from curated import CURATED, LEFT_OUT
from tree import ROOT

from quipu.app.operations import OPERATIONS, Operation, declaration, public_names
from quipu.interfaces.cli.main import quipu_command
from quipu.interfaces.declarations import declared, members, read
from quipu.interfaces.server import create_app

# Methods of which the docstring tells the parameters, since they depend on each other.
TOLD_IN_THE_TEXT = {"forget", "rewrite_freed", "check_erasure", "longterm.apply", "longterm.evaluate"}
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
        of = {"anyOf": [schema], **schema}["anyOf"][0].get("$ref")
        if of is not None:  # else it is a file
            names |= document()["components"]["schemas"][of.rpartition("/")[2]]["properties"].keys()
    return names


def command_of(words: str) -> click.Command:
    """The command of these words."""
    group, _, name = words.partition(" ")
    command = quipu_command.get_command(click.Context(quipu_command), group)
    if isinstance(command, click.Group):
        command = command.commands[name]
    assert command is not None
    return command


def names_on_the_command_line(words: str) -> set[str]:
    """What a command takes, by the names of its parameters."""
    return {one.name or "" for one in command_of(words).params}


def left_out(door: str, name: str) -> Iterator[str]:
    """Parameters of an operation that a door written by hand does not take."""
    at_rest = not door.startswith("quipu ")
    taken = names_at_rest(door) if at_rest else names_on_the_command_line(door.removeprefix("quipu "))
    function = declaration(Operation(name))
    hints = get_type_hints(function)
    for one in inspect.signature(function).parameters:
        if one == "self" or any(get_origin(inside) is Callable for inside in members(hints[one])):
            continue
        if one not in taken and (door, one) not in LEFT_OUT:
            yield f"{door} lacks {one}"


def missing(operation: Operation) -> Iterator[str]:
    """Parameters that a door of an operation does not take."""
    declaration = declared(operation)
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
            and name not in names_on_the_command_line(operation.words)
        ):
            yield f"the command lacks {name}"


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_every_door_takes_every_parameter(operation: Operation) -> None:
    assert [*missing(operation)] == []


@pytest.mark.parametrize("name", [one for one in public_names() if one != "aclose"])
def test_the_reference_tells_each_method_with_its_parameters(name: str) -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")
    assert page.count(f"**`{name}(") == 1
    told = page.partition(f"**`{name}(")[2].partition("\n**`")[0]
    parameters = declared(Operation(name), whole=False).parameters
    assert [one for one in parameters if f"- `{one}`: " not in told and name not in TOLD_IN_THE_TEXT] == []
    assert all(f"`{one}`" in told or one in told.partition(")`**")[0] for one in parameters)


@pytest.mark.parametrize("door", [one for one in CURATED if not one.startswith("no ")])
def test_every_door_written_by_hand_takes_every_parameter(door: str) -> None:
    assert [line for name in CURATED[door].does for line in left_out(door, name)] == []


@pytest.mark.parametrize("door", [one for one in CURATED if one.startswith("quipu ") and CURATED[one].does])
def test_an_option_is_called_as_its_parameter_is(door: str) -> None:
    command = command_of(door.removeprefix("quipu "))
    options = {one.name or "": {*one.opts} for one in command.params if isinstance(one, click.Option)}
    for operation in CURATED[door].does:
        for name in inspect.signature(declaration(Operation(operation))).parameters:
            word = "yes" if name == "confirm" else name.replace("_", "-")
            alike = {f"--{word}", f"--{word.removesuffix('s')}"}
            assert alike & options.get(name, alike) or (door, name) in LEFT_OUT, (door, name)


@pytest.mark.parametrize("words", ["recall", "why", "gather", "reminders"])
def test_kinds_are_chosen_alike_everywhere(words: str) -> None:
    (kinds,) = (one for one in command_of(words).params if one.name == "kinds")
    assert isinstance(kinds, click.Option)
    assert (kinds.opts, kinds.metavar, kinds.multiple) == (["--kind"], "KIND", True)
    (declared_once,) = (one for one in command_of("gather").params if one.name == "kinds")
    assert kinds.help == getattr(declared_once, "help", None)


def test_what_is_left_out_on_purpose_is_really_missing() -> None:
    for (door, name), _ in LEFT_OUT.items():
        at_rest = not door.startswith("quipu ")
        taken = names_at_rest(door) if at_rest else names_on_the_command_line(door.removeprefix("quipu "))
        operations = [inspect.signature(declaration(Operation(one))) for one in CURATED[door].does]
        assert any(name in one.parameters for one in operations), (door, name)
        assert name not in taken, (door, name)


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
        for name in ("user", "category", "importance", "text", "since", "until", "state", "ended", "filter")
    ]
