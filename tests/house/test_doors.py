"""Every operation has a route and a command, derived or written by hand, or it is said why it has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import click
from curated import CURATED

from quipu.app.operations import OPERATIONS, ROOMS, Operation, public_names
from quipu.app.rooms import AsyncRooms
from quipu.interfaces.cli.main import quipu_command
from quipu.interfaces.rest.routes import table


def commands(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[str]:
    """All commands by their words, without groups and what is hidden."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(inner, (*words, name))
    elif not command.hidden:
        yield " ".join(words)


def by_hand(sort: str) -> set[str]:
    """The doors of one sort that are written by hand."""
    doors = {one for one in CURATED if not one.startswith("no ")}
    return {one for one in doors if one.startswith("quipu ") == (sort == "command")}


def test_what_is_derived_and_what_is_curated_are_all_routes() -> None:
    derived = [route for one in OPERATIONS for route in (one.route, one.everywhere) if route is not None]
    assert sorted([*derived, *by_hand("route")]) == sorted(
        f"{one.method} {one.path.removeprefix('/v1')}" for one in table()
    )


def test_what_is_derived_and_what_is_curated_are_all_commands() -> None:
    derived = [f"quipu {one.words}" for one in OPERATIONS if one.words is not None]
    assert sorted([*derived, *by_hand("command")]) == sorted(
        f"quipu {one}" for one in commands(quipu_command)
    )


def test_every_public_method_has_each_door_or_a_reason_why_not() -> None:
    names = [*public_names()]
    assert {one.name for one in OPERATIONS} <= {*names}
    assert {name for one in CURATED.values() for name in one.does} <= {*names}
    for sort in ("route", "command"):
        have = {
            one.name
            for one in OPERATIONS
            if (one.words if sort == "command" else one.route or one.everywhere)
        }
        have |= {name for door in by_hand(sort) for name in CURATED[door].does}
        lack = [one.removeprefix(f"no {sort}: ") for one in CURATED if one.startswith(f"no {sort}: ")]
        assert sorted([*have, *lack]) == sorted(names), sort


def test_a_command_is_called_as_its_operation_is() -> None:
    other = {
        door
        for door in by_hand("command")
        if CURATED[door].does and door != f"quipu {Operation(CURATED[door].does[0]).words}"
    }
    assert other == {door for door, one in CURATED.items() if one.word}


def test_every_line_has_a_door_and_stands_once() -> None:
    assert [one.name for one in OPERATIONS if one.route is one.everywhere is one.words is None] == []
    assert [name for name, times in Counter(one.name for one in OPERATIONS).items() if times > 1] == []


def test_every_room_of_a_memory_is_listed() -> None:
    rooms = {name for name, one in vars(AsyncRooms).items() if isinstance(one, property) and name[0] != "_"}
    assert rooms | {""} == ROOMS.keys()
