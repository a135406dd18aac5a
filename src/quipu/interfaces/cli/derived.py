"""Derive the commands of a room from the declarations of its operations.

Parameters without a default that may be given by place become arguments, all others options; ``space`` has a
default where one is needed, ``confirm`` is ``--yes``. A text to look for may be given word by word. What is
any JSON is given as words: ``NAME=VALUE`` pairs of an object, JSON, or a text; an option may be ``-``, which
reads standard input. A text that may be a document instead may come from a file or a pipe, as
``--document``. With ``--json`` a command prints what REST answers: an object, or ``{"items": [...]}``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import click
from pydantic import BaseModel

from quipu.app.operations import OPERATIONS, Operation
from quipu.interfaces.cli.call import Call, common_options, in_space
from quipu.interfaces.cli.input import FilePath, document_of, text_of
from quipu.interfaces.cli.last_recall import drop
from quipu.interfaces.cli.lazy import WarmGroup
from quipu.interfaces.cli.memory import opened, settings_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.values import value_of
from quipu.interfaces.declarations import Declaration, Parameter, declared, members

Documents = Mapping[type, Callable[[Any], object]]
_VIEWS: Final = "quipu.interfaces.cli.views"
_DOCUMENT: Final = "document"
_PIPED: Final = frozenset({"body"})
"""Texts that may be too long for a command line."""
_TRIED: Final = "Do it whatever it takes away; without it, that is shown."
_MOST_CHOICES: Final = 5
_MOST_SHOWN: Final = 1_000_000
_SHORT: Final[Mapping[str, str]] = MappingProxyType({"limit": "-n", "turns": "-c", "space": "-s"})
# What stands for a value in the help, where the type alone says less.
_METAVARS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "space": "NAME",
        "user": "NAME",
        "schema": "NAME",
        "agent": "NAME",
        "table": "NAME",
        "name": "NAME",
        "sql": "SQL",
        "data": "JSON",
        "where": "JSON|SQL",
        "embed_fields": "A,B",
        "session": "ID",
        "newer_session": "ID",
        "older_session": "ID",
        "id": "ID",
        "after": "ID",
        "expected_version": "N",
    }
)


def derived(
    name: str,
    *,
    help: str,
    epilog: str | None = None,
    beside: Sequence[click.Command] = (),
    embed: Collection[str] = (),
    documents: Documents = MappingProxyType({}),
    notes: Mapping[str, str] = MappingProxyType({}),
) -> click.Group:
    """Make the group of a room: its derived commands, and those that are written by hand, by name.

    ``embed`` names the commands that embed, where not all of the room do. ``documents`` make the JSON of
    values that has a form of its own. ``notes`` stand below the answer of a command, if it is not empty.
    """
    group = WarmGroup(name, no_args_is_help=False, help=help, epilog=epilog, embed=embed)
    own = [
        _command(one, documents, notes)
        for one in OPERATIONS
        if one.words is not None and one.words.startswith(f"{name} ")
    ]
    for command in sorted((*own, *beside), key=lambda one: one.name or ""):
        group.add_command(command)
    return group


def command(name: str) -> click.Command | None:
    """Return the command of an operation of the memory itself; None if there is none of that name."""
    operation = next((one for one in OPERATIONS if one.words == name), None)
    return None if operation is None else _command(operation, {}, {})


def _command(operation: Operation, documents: Documents, notes: Mapping[str, str]) -> click.Command:
    """Make one command."""
    declaration = declared(operation)
    name = (operation.words or "").rpartition(" ")[2]
    command = click.Command(
        name,
        callback=click.pass_obj(_callback(operation, declaration, documents, notes.get(name))),
        params=[*_parameters(operation, declaration.parameters.values())],
        help="\n\n".join(part for part in _help(operation, declaration) if part),
    )
    if any(_is_number_or_text(one) and one.positional for one in declaration.parameters.values()):
        command.context_settings["ignore_unknown_options"] = True  # -1 is a value
    return common_options(in_space(command) if _needs_space(declaration) else command)


_JSON_FORMS: Final = "It is JSON, a text, or NAME=VALUE pairs of an object; - is standard input."


def _needs_space(declaration: Declaration) -> bool:
    space = declaration.parameters.get("space")
    return space is not None and space.required


def _help(operation: Operation, declaration: Declaration) -> Iterable[str]:
    yield f"{declaration.summary}."
    yield declaration.text
    for one in declaration.parameters.values():
        if _by_place(operation, one) and one.name != "id":
            words = f" {_JSON_FORMS}" if _is_json(one) else ""
            yield f"{_argument(one)}: {one.help}{words}"


def _callback(
    operation: Operation, declaration: Declaration, documents: Documents, note: str | None
) -> Callable[..., None]:
    def callback(call: Call, **options: Any) -> None:
        if operation.level == "admin" and options.get("confirm"):
            drop(home=settings_of(call).home)  # the last question may name what is to be erased
        for one in declaration.parameters.values():
            if _is_json(one):
                piped = options[one.name] == ("-",)
                words = (text_of("-", field=one.name),) if piped else options[one.name]
                options[one.name] = value_of(words, field=one.name) if words else None
            elif one.name in _PIPED and options[one.name] == "-":
                options[one.name] = text_of("-", field=one.name)
            elif one.words:
                options[one.name] = " ".join(options[one.name])
            elif one.many_in_one and not _by_place(operation, one):
                texts = options[one.name]
                options[one.name] = texts[0] if len(texts) == 1 else texts or None
            elif one.many and one.default is None:
                options[one.name] = options[one.name] or None
        document = options.pop(_DOCUMENT, None)
        by_place = [
            _said(one, options.pop(one.name), document) if _takes_document(one) else options.pop(one.name)
            for one in declaration.parameters.values()
            if one.positional
        ]
        with opened(call) as (screen, memory), _watched(screen, operation) as steps:
            answer = operation.of(memory)(*by_place, **options, **steps)
        made = documents.get(declaration.item or declaration.returns)
        plain = answer if made is None else [made(one) for one in answer]
        screen.answer(_document(operation, declaration, options, plain), _view(operation)(answer))
        if note and answer:
            screen.note(f"\n{note}")
        _say_more(screen, declaration, options, answer)

    return callback


@contextmanager
def _watched(screen: Screen, operation: Operation) -> Generator[Mapping[str, Any]]:
    """Show that an operation goes on; yield the function for its progress where it counts something."""
    if not operation.unit:
        with screen.busy(operation.busy):
            yield {}
        return
    with screen.progress(operation.busy, total=None, unit=operation.unit) as steps:
        yield {"progress": steps.advance}


def _said(one: Parameter, value: Any, document: str | None) -> Any:
    """Return the value on the command line, or the document in its place."""
    if (value is None) == (document is None):
        raise click.UsageError(f"Give {_argument(one)} or --document, one of them.")
    return value if document is None else document_of(document, field=_DOCUMENT)


def _document(
    operation: Operation, declaration: Declaration, options: Mapping[str, Any], answer: Any
) -> object:
    """Return the answer as REST gives it; if a preview comes first, with whether it was done."""
    if declaration.item is not None:
        return {"items": answer}
    if isinstance(answer, int | str):
        return {operation.named: answer}
    document = answer.model_dump(mode="json") if isinstance(answer, BaseModel) else answer
    is_preview_first = "confirm" in options and not hasattr(answer, "undone")
    return {"done": options["confirm"], "shown": document} if is_preview_first else document


def _say_more(screen: Screen, declaration: Declaration, options: Mapping[str, Any], answer: Any) -> None:
    """Say how to see the rest of a list, or how to carry out a preview."""
    if declaration.item is not None and "offset" in options and len(answer) == options["limit"]:
        screen.note(f"\nThere may be more: --offset {options['offset'] + options['limit']}")
    if hasattr(answer, "undone"):
        if answer.undone:
            screen.note("\nNothing was changed. To do it, add --yes.")
    elif "confirm" in options:
        screen.note("\nDone." if options["confirm"] else "\nNothing was changed. To do it, add --yes.")


def _view(operation: Operation) -> Callable[[Any], Any]:
    module, _, name = operation.view.partition(".")
    return getattr(import_module(f"{_VIEWS}.{module}"), name)


def _parameters(operation: Operation, parameters: Iterable[Parameter]) -> Iterable[click.Parameter]:
    for one in parameters:
        if (one.name == "space" and one.required) or one.local:
            continue
        if _by_place(operation, one):
            yield click.Argument(
                [one.name],
                metavar=_argument(one),
                required=one.required and not _takes_document(one),
                type=_type(one),
                nargs=-1 if _is_repeated(one) or one.words else 1,
            )
            if _takes_document(one):
                text = f"A JSON document in place of {_argument(one)}; - is standard input."
                yield click.Option([f"--{_DOCUMENT}"], type=FilePath(), metavar="FILE", help=text)
        else:
            yield _option(one)


def _by_place(operation: Operation, one: Parameter) -> bool:
    by_place = one.positional and one.required and one.name not in operation.options
    return by_place or one.name in operation.arguments


def _takes_document(one: Parameter) -> bool:
    """Return True if it is a text, or a document in its place."""
    inside = [_origin(member) for member in members(one.type)]
    return str in inside and Mapping in inside


def _is_many(one: Parameter) -> bool:
    return _is_json(one) or one.many


def _is_repeated(one: Parameter) -> bool:
    """Return True if several words by place are one argument."""
    return _is_many(one) and not one.many_in_one


def _is_json(one: Parameter) -> bool:
    """Return True if it is a value of any shape, or an object of any."""
    inside = {_origin(member) for member in members(one.type)}
    return bool(inside & {object, Any, Mapping}) and not _takes_document(one)


def _argument(one: Parameter) -> str:
    name = f"{one.name.removesuffix('s').upper()}..." if _is_repeated(one) else one.name.upper()
    return name if one.required else f"[{name}]"


def _option(one: Parameter) -> click.Option:
    if one.name == "confirm":
        text = one.help if one.type is bool else _TRIED
        return click.Option(["--yes", "confirm"], is_flag=True, help=text)
    spelled = [f"--{_word(one)}", one.name]
    if one.default is False:
        return click.Option(spelled, is_flag=True, help=one.help)
    if one.default is True:
        return click.Option([f"{spelled[0]}/--no-{spelled[0][2:]}", one.name], default=True, help=one.help)
    many = _is_many(one)
    text = one.help
    if _is_json(one) or one.name in _PIPED:
        text = f"{text.removesuffix('.')}; - is standard input."
    if len(one.choices) > _MOST_CHOICES:
        text = f"{text.removesuffix('.')}: {', '.join(one.choices)}."
    if one.name in _SHORT:
        spelled.insert(1, _SHORT[one.name])
    # An option with a default, be it None, is never missing for click: a required one is given none.
    default: dict[str, Any] = {} if one.required or many else {"default": one.default}
    return click.Option(
        spelled,
        type=_type(one),
        required=one.required,
        show_default=one.default not in (None, 0, ()) and not one.required,
        multiple=many,
        metavar=_metavar(one),
        help=text,
        **default,
    )


def _word(one: Parameter) -> str:
    """Return the word of an option; one that is repeated, once for each value, is in the singular."""
    name = one.name.removesuffix("s") if one.many and one.name not in _METAVARS else one.name
    return name.replace("_", "-")


def _metavar(one: Parameter) -> str | None:
    if one.name in _METAVARS:
        return _METAVARS[one.name]
    if _is_json(one):
        return "NAME=VALUE"
    if one.choices:
        return "NAME" if len(one.choices) > _MOST_CHOICES else None
    if one.name == "kinds":
        return "KIND"
    inside = members(one.type)
    if {int, float} & {*inside}:
        return "N"
    if datetime in inside:
        return "TIME"
    return "FILE" if _is_path(one) else "TEXT"


def _type(one: Parameter) -> click.ParamType[Any]:
    inside = members(one.type)
    if one.choices:
        return click.Choice(one.choices)
    if _is_number_or_text(one):
        return click.STRING
    if float in inside:
        return click.FLOAT if one.least is one.most is None else click.FloatRange(one.least, one.most)
    if _is_path(one):
        return FilePath(path_type=Path)
    if int in inside:
        most = one.most if (one.most or 0) <= _MOST_SHOWN else None  # a larger bound tells a reader nothing
        return click.IntRange(one.least, most)
    return click.STRING


def _is_number_or_text(one: Parameter) -> bool:
    """Return True if the operation itself reads the text as what it may be."""
    return {int, str} <= {*members(one.type)}


def _is_path(one: Parameter) -> bool:
    return any(_origin(inside) is os.PathLike for inside in members(one.type))


def _origin(annotation: Any) -> Any:
    return getattr(annotation, "__origin__", annotation)
