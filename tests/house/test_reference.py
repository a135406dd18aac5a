"""The reference says what the code says: nothing undocumented, nothing documented that is not there."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from tree import PACKAGE, ROOT, module_name

import quipu
from quipu import Memory, errors, sync, testing
from quipu.app.kinds import REGISTER
from quipu.kernel.base.setting import Setting

REFERENCE = ROOT / "docs" / "reference"


def sections(name: str) -> dict[str, str]:
    """What stands in back quotes in each heading of a reference page -> the text below it."""
    text = (REFERENCE / name).read_text("utf-8")
    parts = re.split(r"^#+ `([^`]+)`.*$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def table(name: str) -> dict[str, tuple[str, ...]]:
    """The rows of a page's table by their first cell."""
    lines = (REFERENCE / name).read_text("utf-8").splitlines()
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in lines
        if line.startswith("| `")
    ]
    return {row[0].strip("`"): tuple(row[1:]) for row in rows}


def own_errors() -> dict[str, type[errors.QuipuError]]:
    return {
        name: found
        for name, found in inspect.getmembers(errors, inspect.isclass)
        if issubclass(found, errors.QuipuError)
    }


def test_every_error_is_documented_with_its_message() -> None:
    documented = sections("errors.md")
    assert set(documented) == set(own_errors())
    for name, error in own_errors().items():
        assert inspect.cleandoc(error.__doc__ or "").splitlines()[0] in documented[name], name


def test_every_error_stands_in_the_tree_that_opens_its_module() -> None:
    drawn = re.findall(r"^[ │├└─]*([A-Z]\w+)(?:  |$)", inspect.cleandoc(errors.__doc__ or ""), re.MULTILINE)
    assert set(drawn) == set(own_errors())


def default_of(setting: Setting[Any]) -> str:
    default = setting.default
    if default is None:
        return "none"
    return f"`{str(default).lower() if isinstance(default, bool) else default}`"


def mentioned_in_code() -> set[str]:
    """Every QUIPU_… variable that the package speaks of."""
    texts = (path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
    return {name for text in texts for name in re.findall(r"\bQUIPU_[A-Z_]+[A-Z]\b", text)}


def test_every_setting_is_documented_with_its_default_and_meaning() -> None:
    documented = table("settings.md")
    for _, setting in REGISTER:
        assert documented.get(setting.variable) == (default_of(setting), setting.meaning), setting.name


def test_the_documented_variables_are_those_of_the_code() -> None:
    settings = {setting.variable for _, setting in REGISTER}
    assert set(table("settings.md")) == settings | mentioned_in_code()


def test_the_public_names_are_the_documented_ones() -> None:
    assert set(sections("python.md")) == set(quipu.__all__)
    for name in quipu.__all__:
        assert getattr(quipu, name) is not None


def test_what_is_public_for_tests_is_documented() -> None:
    assert set(sections("testing.md")) == set(testing.__all__)
    assert all(inspect.getdoc(getattr(testing, name)) for name in testing.__all__)


def test_the_public_names_have_docstrings() -> None:
    for name in quipu.__all__:
        found = getattr(quipu, name)
        if inspect.isclass(found):
            assert inspect.getdoc(found), name
            undocumented = [
                attribute
                for attribute, value in vars(found).items()
                if not attribute.startswith("_")
                and (inspect.isfunction(value) or isinstance(value, property))
                and not value.__doc__
            ]
            assert undocumented == [], name


def command_line() -> click.Group:
    """The outermost group of the command line, wherever in its package it is defined."""
    folder = PACKAGE / "interfaces" / "cli"
    groups: dict[int, click.Group] = {}
    for path in sorted(folder.rglob("*.py")):
        module = importlib.import_module(module_name(path))
        groups |= {id(value): value for value in vars(module).values() if isinstance(value, click.Group)}
    inner = {
        id(command)
        for group in groups.values()
        for name in group.list_commands(click.Context(group))
        if (command := group.get_command(click.Context(group), name)) is not None
    }
    outermost = [group for key, group in groups.items() if key not in inner]
    assert len(outermost) == 1, f"one command line expected, found {outermost}"
    return outermost[0]


def commands(command: click.Command, path: str = "quipu") -> Iterator[tuple[str, click.Command]]:
    """Every command with the words that call it, groups included."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None, f"{path} lists {name} but does not have it"
            yield from commands(inner, f"{path} {name}")


def test_every_command_is_documented() -> None:
    visible = {path for path, command in commands(command_line()) if not command.hidden}
    assert set(sections("cli.md")) == visible


def words(parameter: click.Parameter) -> list[str]:
    """What a page must say of a parameter: the long forms of an option, the name of an argument."""
    if isinstance(parameter, click.Option):
        return [word for word in [*parameter.opts, *parameter.secondary_opts] if word.startswith("--")]
    return [(parameter.metavar or parameter.name or "").strip("[].").upper()]


def test_every_option_and_argument_is_documented_with_its_command() -> None:
    """Options that the outermost command has too are documented there, once for all."""
    documented = sections("cli.md")
    everywhere = {word for parameter in command_line().params for word in words(parameter)}
    missing = [
        f"{path} {word}"
        for path, command in commands(command_line())
        for parameter in command.params
        for word in words(parameter)
        if not command.hidden and not getattr(parameter, "hidden", False)
        if word not in documented["quipu" if word in everywhere else path]
    ]
    assert missing == []


def test_every_command_says_what_it_does() -> None:
    assert [
        path for path, command in commands(command_line()) if not (command.help or command.short_help)
    ] == []


LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(#[^)]*)?\)")


@pytest.mark.parametrize(
    "page", sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]), ids=lambda p: p.name
)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = [match[1] for match in LINK.finditer(page.read_text("utf-8"))]
    relative = [target for target in targets if "://" not in target and not target.startswith("mailto:")]
    assert [target for target in relative if not (page.parent / target).exists()] == []


def method_exists(room: str, method: str) -> bool:
    """True if a memory has the room, and the room the method."""
    opened = inspect.getattr_static(Memory, room, None)
    if not isinstance(opened, property) or opened.fget is None:
        return False
    return hasattr(getattr(sync, opened.fget.__annotations__["return"]), method)


def test_every_method_of_a_room_that_the_docs_name_exists() -> None:
    named = {
        (room, method)
        for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
        for room, method in re.findall(r"(?<![\w/.])memory\.(\w+)\.(\w+)", path.read_text("utf-8"))
    }
    assert ("evidence", "recommend") in named
    assert sorted(one for one in named if not method_exists(*one)) == []
