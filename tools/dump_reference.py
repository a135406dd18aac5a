"""Write the parts of docs/reference that are derived from the declarations of operations.

python tools/dump_reference.py           rewrite cli.md and python.md
python tools/dump_reference.py --check   fail when one is stale

In cli.md that is the section of each command of a derived group; in python.md all public methods
of the memory and of each room.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import click

from quipu.app.operations import OPERATIONS, Operation, public_names
from quipu.interfaces.cli.main import quipu_command
from quipu.interfaces.declarations import Declaration, declared

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"
COMMON = {"space", "home", "url", "json", "quiet", "help"}
ALSO = "- Also `--space`, `--home`, `--url`, `--json`, `--quiet`."
ALSO_NO_SPACE = ALSO.replace("`--space`, ", "")
BEGIN, END = "<!-- Derived from the declarations: do not edit. -->", "<!-- End of what is derived. -->"


def command_sections(text: str) -> str:
    """The text of cli.md with the sections of derived commands written anew, behind their group's."""
    for group in dict.fromkeys(one.words.partition(" ")[0] for one in OPERATIONS if one.words):
        made = quipu_command.get_command(click.Context(quipu_command), group)
        head = f"## `quipu {group}`\n"
        if isinstance(made, click.Group):
            sections = [_section(f"{group} {name}", one) for name, one in sorted(made.commands.items())]
            begin = text.index("\n## ", text.index(head)) + 1
        else:  # of the memory itself: the section is its own
            sections = [_section(group, cast("click.Command", made))]
            begin = text.index(head)
        text = _between(text, begin, rf"^## `quipu (?!{group}[ `])", "\n\n".join(sections))
    return text


def _between(text: str, begin: int, end: str, new: str) -> str:
    """The text with what stands between a place and the next group replaced."""
    stop = re.compile(end, re.MULTILINE).search(text, begin)
    return f"{text[:begin]}{new}\n\n{text[stop.start() if stop else len(text) :]}"


def _section(words: str, command: click.Command) -> str:
    context = click.Context(command, info_name=f"quipu {words}")
    usage = " ".join(context.command.collect_usage_pieces(context)).replace("[OPTIONS]", "").split()
    lines = [
        f"## `quipu {words}`",
        inspect.cleandoc(command.help or ""),
        f"`quipu {' '.join([words, *usage])}`",
    ]
    options = [
        _option(one) for one in command.params if isinstance(one, click.Option) and not _is_common(one)
    ]
    also = ALSO if any(_is_common(one) and one.name == "space" for one in command.params) else ALSO_NO_SPACE
    return "\n\n".join([*lines, "\n".join([*options, also])])


def _is_common(one: click.Parameter) -> bool:
    """Say whether it is the same for all commands; a few have a ``--space`` of their own."""
    return one.name in COMMON and (one.name != "space" or one.default == "default")


def _option(option: click.Option) -> str:
    choices = "|".join(getattr(option.type, "choices", ())) or "N"
    metavar = "" if option.is_flag else f" {option.metavar or choices}"
    name = "`, `".join(
        f"{word}{metavar}" for word in (*option.opts, *option.secondary_opts) if word.startswith("--")
    )
    many = " May be repeated." if option.multiple else ""
    default = f" `{option.default}` if not given." if option.show_default else ""
    required = " Required." if option.required else ""
    return f"- `{name}`: {option.help}{many}{default}{required}".replace("|", "\\|")


def methods(text: str) -> str:
    """The text of python.md with the methods of the memory and its rooms between its marks."""
    listed = {one.name: one for one in OPERATIONS}
    names = [*listed, *(one for one in public_names() if one not in listed and one != "aclose")]
    operations = [listed.get(name) or Operation(name) for name in names]
    parts = [
        _room(room, [one for one in operations if one.room == room])
        for room in dict.fromkeys(one.room for one in operations)
    ]
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n" + "\n\n".join(parts) + f"\n{END}{after}"


def _room(name: str, operations: Sequence[Operation]) -> str:
    where = f"memory.{name}" if name else "memory"
    return "\n\n".join([f"## Methods of {where}", *(_method(one) for one in operations)])


def _method(operation: Operation) -> str:
    declaration = declared(operation, whole=False)
    lines = [
        f"**`{operation.name}({_signature(declaration)})`**  ",
        f"{declaration.summary}. {declaration.text}".strip(),
    ]
    told = [f"- `{one.name}`: {one.help}" for one in declaration.parameters.values() if one.help]
    told += [f"- raises `{name}`: {why}" for name, why in declaration.errors.items()]
    return "\n".join([*lines, "", *told])


def _signature(declaration: Declaration) -> str:
    signature = inspect.signature(declaration.function)
    return ", ".join(_places(signature))


def _places(signature: inspect.Signature) -> Iterator[str]:
    keyword = False
    for one in signature.parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and not keyword:
            keyword = True
            yield "*"
        yield one.name if one.default is one.empty else f"{one.name}={one.default!r}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="Fail when a page is stale.")
    check = parser.parse_args(arguments).check
    stale = 0
    for name, written in (("cli.md", command_sections), ("python.md", methods)):
        page = FOLDER / name
        text = page.read_text("utf-8")
        new = written(text)
        if check and new != text:
            print(f"docs/reference/{name} is stale: run tools/dump_reference.py", file=sys.stderr)
            stale = 1
        elif new != text:
            page.write_text(new, "utf-8")
    return stale


if __name__ == "__main__":
    raise SystemExit(main())
