"""Our values as the protocol has them."""

from __future__ import annotations

from typing import Any, Final, cast

from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, Prompt, Resource, Tool, ToolAnnotations
from pydantic import BaseModel, ValidationError

from quipu.errors import BadInput, NotFound, QuipuError
from quipu.interfaces.mcp import model, resources
from quipu.interfaces.mcp.resources import in_our_words
from quipu.interfaces.problems import Problem
from quipu.kernel.base.prompt_text import defused
from quipu.kernel.base.text import rule_of
from quipu.kernel.redact import redact

_MOST_FAULTS: Final = 5


def tool(one: model.Tool) -> Tool:
    """Describe a tool for the list: the schemas of its input and answer, and how careful to be with it."""
    return Tool(
        name=one.name,
        title=one.title,
        description=one.about,
        input_schema=schema(one.arguments, mode="validation"),
        output_schema=schema(one.answer, mode="serialization"),
        annotations=ToolAnnotations(
            title=one.title,
            read_only_hint=one.level == "read",
            destructive_hint=one.destructive,
            idempotent_hint=one.repeatable,
            open_world_hint=False,
        ),
    )


def resource(one: resources.Resource) -> Resource:
    """Describe a resource for the list."""
    return Resource(
        uri=one.uri, name=one.name, title=one.title, description=one.about, mime_type="text/markdown"
    )


def prompt(one: resources.Resource) -> Prompt:
    """Describe a resource as a prompt without arguments."""
    return Prompt(name=one.name, title=one.title, description=one.about)


def schema(of: type[BaseModel], *, mode: Any) -> dict[str, Any]:
    """Return the JSON schema of a model, without what costs tokens and tells a model nothing.

    Left out are titles, docstrings, and that an optional argument may also be null.
    """
    lean = cast("dict[str, Any]", _lean(of.model_json_schema(mode=mode), named=False, top=True))
    if mode == "validation":
        for part in (lean, *lean.get("$defs", {}).values()):
            properties = cast("dict[str, dict[str, Any]]", part.get("properties", {}))
            part["properties"] = {name: _without_null(one) for name, one in properties.items()}
    return lean


def _without_null(one: dict[str, Any]) -> dict[str, Any]:
    """Return a property whose default is null as one that is simply left out."""
    if "default" not in one or one["default"] is not None:
        return one
    kept = {name: cell for name, cell in one.items() if name != "default"}
    forms = [form for form in kept.pop("anyOf", []) if form != {"type": "null"}]
    return {**forms[0], **kept} if len(forms) == 1 else {**kept, **({"anyOf": forms} if forms else {})}


def _lean(value: Any, *, named: bool, top: bool = False) -> Any:
    """Return a schema without titles and docstrings.

    With ``named`` the keys are names of properties or definitions, and stay whatever they are.
    """
    if isinstance(value, list):
        return [_lean(item, named=False) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    items = cast("dict[str, Any]", value)
    is_object = not named and "properties" in items
    dropped: set[str] = set() if named else {"title"}
    if is_object or top:
        dropped.add("description")
    return {
        name: _lean(cell, named=not named and name in {"properties", "$defs"})
        for name, cell in items.items()
        if name not in dropped
    }


def harmless(value: Any) -> Any:
    """Return the JSON value with each text made safe: no model takes one for the frame of its prompt."""
    match value:
        case str():
            return defused(value)
        case dict():
            items = cast("dict[str, Any]", value).items()
            return {defused(name): harmless(cell) for name, cell in items}
        case list():
            return [harmless(cell) for cell in cast("list[Any]", value)]
        case _:
            return value


def failure(problem: Problem) -> str:
    """Describe what went wrong, and what to do, for a model to read."""
    return in_our_words(problem.message + (f"\n{problem.hint}" if problem.hint else ""))


def code(error: QuipuError) -> int:
    """Return the code of an error outside of tools."""
    return INVALID_PARAMS if isinstance(error, BadInput | NotFound) else INTERNAL_ERROR


def wrong_argument(one: model.Tool, error: ValidationError) -> str:
    """Describe which arguments do not fit and how, and which there are; do not repeat the input."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [
        f"{'.'.join(str(part) for part in fault['loc']) or 'arguments'}: {rule_of(fault['msg'])}."
        for fault in faults
    ]
    fields = one.arguments.model_fields
    known = ", ".join(f"{name}{' (needed)' if field.is_required() else ''}" for name, field in fields.items())
    return redact("\n".join([*lines[:_MOST_FAULTS], f"{one.name} takes {known}."])).text
