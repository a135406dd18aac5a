"""Read the declaration of an operation: its parameters with their help, its answer, its docstring."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Union, cast

from annotated_types import Interval
from typing_extensions import Doc

from quipu.app.operations import Operation, declaration
from quipu.kernel.base.parameters import Example, Words

REQUIRED: Final = inspect.Parameter.empty
_RAISES: Final = re.compile(r"^Raises:\n(.*)", re.MULTILINE | re.DOTALL)
_ERROR: Final = re.compile(r"^ {4}(\w+): (.+(?:\n {8,}.+)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of an operation.

    ``type`` is its annotation without metadata. ``default`` is ``REQUIRED`` where it has none. ``least`` and
    ``most`` are the bounds of a number, both included. ``words``: a text that may be given word by word.
    """

    name: str
    type: Any
    default: Any
    help: str
    example: object = None
    least: int | None = None
    most: int | None = None
    positional: bool = False
    words: bool = False

    @property
    def required(self) -> bool:
        """True if a caller must give it."""
        return self.default is REQUIRED

    @property
    def choices(self) -> tuple[str, ...]:
        """The words of a closed set; empty where any value may stand."""
        inside = [typing.get_args(one)[0] if _is_list(one) else one for one in members(self.type)]
        if str in inside:
            return ()
        closed = [one for one in inside if typing.get_origin(one) is typing.Literal]
        return tuple(dict.fromkeys(word for one in closed for word in typing.get_args(one)))

    @property
    def local(self) -> bool:
        """True if it is a function of the program, which no door takes."""
        return any(typing.get_origin(one) is Callable for one in members(self.type))

    @property
    def many(self) -> bool:
        """True if it takes a list of values."""
        return any(_is_list(one) for one in members(self.type))

    @property
    def many_in_one(self) -> bool:
        """True if it takes a list of values, or one text that names them all."""
        return self.many and str in members(self.type)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """An operation as its method declares it.

    ``summary`` is the first sentence of the docstring, ``text`` what follows it. ``errors`` tells for each
    class of error when it is raised.
    """

    function: Callable[..., Any]
    parameters: Mapping[str, Parameter]
    returns: Any
    summary: str
    text: str
    errors: Mapping[str, str]

    @property
    def item(self) -> Any:
        """The type of one row where the answer is a list, else None."""
        return (
            typing.get_args(self.returns)[0] if typing.get_origin(self.returns) in (list, Sequence) else None
        )


def declared(operation: Operation, *, whole: bool = True) -> Declaration:
    """Read the declaration of an operation; a method that no door is derived from need not be ``whole``.

    Raises:
        TypeError: a parameter has no help where all must have it, or the docstring is missing.
    """
    function = declaration(operation)
    hints = typing.get_type_hints(function, include_extras=True)
    signature = inspect.signature(function)
    parameters = {
        name: _parameter(operation, one, hints[name], whole=whole)
        for name, one in signature.parameters.items()
        if name != "self"
    }
    summary, text, errors = read(inspect.getdoc(function) or "")
    if not summary:
        raise TypeError(f"{operation.name} has no docstring")
    return Declaration(
        function=function,
        parameters=parameters,
        returns=hints["return"],
        summary=summary,
        text=text,
        errors=errors,
    )


def read(docstring: str) -> tuple[str, str, dict[str, str]]:
    """Split a docstring into its first sentence, the text behind it, and its errors."""
    whole = docstring.replace("``", "`")
    raised = _RAISES.search(whole)
    told = whole[: raised.start()] if raised else whole
    summary, _, text = told.strip().partition("\n\n")
    first, _, more = " ".join(summary.split()).partition(". ")
    errors = _ERROR.findall(raised[1]) if raised else []
    text = "\n\n".join(part for part in (more, text.strip()) if part)
    return first.removesuffix("."), text, {name: " ".join(why.split()) for name, why in errors}


def members(annotation: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the type itself; None is not among them."""
    if typing.get_origin(annotation) in (Union, types.UnionType):
        return tuple(one for one in typing.get_args(annotation) if one is not type(None))
    return (annotation,)


def _is_list(annotation: Any) -> bool:
    return typing.get_origin(annotation) in (list, Sequence)


def optional(annotation: Any) -> bool:
    """Return True if None may stand for it."""
    return type(None) in typing.get_args(annotation)


def _parameter(operation: Operation, one: inspect.Parameter, annotation: Any, *, whole: bool) -> Parameter:
    metadata: Sequence[Any] = ()
    if typing.get_origin(annotation) is Annotated:
        annotation, *metadata = typing.get_args(annotation)
    help_ = next((note.documentation for note in metadata if isinstance(note, Doc)), None)
    if help_ is None and whole:
        raise TypeError(f"{operation.name} says nothing of its parameter {one.name}")
    bounds = next((note for note in metadata if isinstance(note, Interval)), Interval())
    return Parameter(
        name=one.name,
        type=annotation,
        default=one.default,
        help=help_ or "",
        example=next((note.value for note in metadata if isinstance(note, Example)), None),
        least=cast("int | None", bounds.ge),
        most=cast("int | None", bounds.le),
        positional=one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD,
        words=any(isinstance(note, Words) for note in metadata),
    )
