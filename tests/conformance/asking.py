"""Tools that speak to the client before they answer: logs, progress, questions to its model or its user."""

from __future__ import annotations

from typing import Any, Final

import anyio
from mcp_types import CallToolResult, SamplingMessage, TextContent
from telling import Call, Context, answer, part

_STEP_SECONDS: Final = 0.05


async def _logs(context: Context, _: dict[str, Any]) -> CallToolResult:
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", line, related_request_id=context.request_id)
        await anyio.sleep(_STEP_SECONDS)
    return answer("Tool with logging executed successfully")


async def _progresses(context: Context, _: dict[str, Any]) -> CallToolResult:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100, f"Completed step {done} of 100")
        await anyio.sleep(_STEP_SECONDS)
    return answer(str((context.meta or {}).get("progress_token", 0)))


async def _asks_the_model(context: Context, given: dict[str, Any]) -> CallToolResult:
    said = await context.session.create_message(
        [SamplingMessage(role="user", content=TextContent(text=given["prompt"]))],
        max_tokens=100,
        related_request_id=context.request_id,
    )
    assert isinstance(said.content, TextContent)
    return answer(f"LLM response: {said.content.text}")


def _asks_the_user(message: str, properties: dict[str, Any], *needed: str) -> Call:
    """Asks for these values, with the argument ``message`` if there is one."""
    schema = {"type": "object", "properties": properties, "required": [*needed]}

    async def call(context: Context, given: dict[str, Any]) -> CallToolResult:
        said = await context.session.elicit_form(given.get("message", message), schema, context.request_id)
        return answer(f"User response: action={said.action}, content={said.content or {}}")

    return call


def _choice(**more: Any) -> dict[str, Any]:
    return {"type": "string", **more}


def _choices(**items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _titled(**titles: str) -> list[dict[str, str]]:
    return [{"const": value, "title": title} for value, title in titles.items()]


_STATES: Final = ["active", "inactive", "pending"]
_DEFAULTS: Final = {
    "name": _choice(default="John Doe"),
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": _choice(enum=_STATES, default="active"),
    "verified": {"type": "boolean", "default": True},
}
_ENUMS: Final = {
    "untitledSingle": _choice(enum=["option1", "option2", "option3"]),
    "titledSingle": _choice(oneOf=_titled(value1="First Option", value2="Second Option")),
    "legacyEnum": _choice(enum=["opt1", "opt2"], enumNames=["Option One", "Option Two"]),
    "untitledMulti": _choices(type="string", enum=["option1", "option2", "option3"]),
    "titledMulti": _choices(anyOf=_titled(value1="First Choice", value2="Second Choice")),
}

TOOLS: Final = (
    part("test_tool_with_logging", _logs),
    part("test_tool_with_progress", _progresses),
    part("test_sampling", _asks_the_model, "prompt"),
    part("test_elicitation", _asks_the_user("", {"response": _choice()}, "response"), "message"),
    part("test_elicitation_sep1034_defaults", _asks_the_user("What holds?", _DEFAULTS)),
    part("test_elicitation_sep1330_enums", _asks_the_user("Which ones?", _ENUMS)),
)
