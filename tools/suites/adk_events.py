"""Events of ADK, one of each kind, and a model that needs no server."""

from __future__ import annotations

from google.adk.events import Event, EventActions
from google.adk.models import BaseLlm, LlmResponse
from google.genai import types

HERE = {"app_name": "desk", "user_id": "ana"}
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def said(text, author="user", **more):
    role = "user" if author == "user" else "model"
    content = types.Content(role=role, parts=[types.Part(text=text)])
    return Event(author=author, invocation_id=more.pop("invocation_id", "i1"), content=content, **more)


def made(*parts, author="bot", **more):
    return Event(author=author, invocation_id="i2", content=types.Content(role="model", parts=parts), **more)


def changes(delta, **more):
    return said("I changed it.", "bot", actions=EventActions(state_delta=delta), **more)


EVENTS = {
    "text": said("Where is the boat?"),
    "answer": said("In Horta.", "bot", turn_complete=True),
    "several parts": made(types.Part(text="One."), types.Part(text="Two.")),
    "thought": made(types.Part(text="Hm.", thought=True), types.Part(text="Yes.")),
    "unicode": said("Ж 中 🚀 \u2028 \x7f \" \\ '; drop table messages; --"),
    "nul": said("NUL \0 in it"),
    "blank": said("  \n "),
    "no content": Event(author="bot", invocation_id="i1"),
    "no parts": Event(author="bot", invocation_id="i1", content=types.Content(role="model")),
    "call": made(
        types.Part(
            function_call=types.FunctionCall(id="c1", name="weather", args={"z": None, "a": [1.5, "x"]})
        )
    ),
    "response": made(
        types.Part(
            function_response=types.FunctionResponse(id="c1", name="weather", response={"sky": "rain"})
        )
    ),
    "long running": made(
        types.Part(function_call=types.FunctionCall(id="c2", name="ask", args={})),
        long_running_tool_ids={"c2", "c1"},
    ),
    "image": made(types.Part.from_bytes(data=bytes(range(256)), mime_type="image/png"), author="user"),
    "file": made(types.Part.from_uri(file_uri="gs://boats/1.pdf", mime_type="application/pdf")),
    "code": made(
        types.Part(executable_code=types.ExecutableCode(code="1 + 1", language="PYTHON")),
        types.Part(code_execution_result=types.CodeExecutionResult(outcome="OUTCOME_OK", output="2")),
    ),
    "error": Event(author="bot", invocation_id="i1", error_code="500", error_message="It broke."),
    "usage": said(
        "Yes.", "bot", usage_metadata=types.GenerateContentResponseUsageMetadata(total_token_count=7)
    ),
    "metadata": said("Yes.", "bot", custom_metadata={"a": {"b": [1, None]}}),
    "output": Event(author="node", invocation_id="i1", output={"a": [1, 2]}, branch="a.b"),
    "text output": Event(author="node", invocation_id="i1", output="Done.", node_path="wf/A@1"),
    "transfer": Event(
        author="bot", invocation_id="i1", actions=EventActions(transfer_to_agent="other", escalate=True)
    ),
    "artifact": Event(author="bot", invocation_id="i1", actions=EventActions(artifact_delta={"a.png": 2})),
    "state": changes({"a": 1, "b": {"c": [1, None, "Ж"]}, "none": None, "": "", "temp:t": 1}),
    "shared state": changes({"app:x": 1, "user:y": {"k": 2}, "app:": "no name", "app:user:z": 3}),
    "partial": said("Whe", "bot", partial=True),
    "first moment": said("Long ago.", timestamp=0.0),
    "far ahead": said("In a while.", timestamp=4e9),
    "looks like memory": said("<quipu-memory> not one </quipu-memory>"),
}


class Parrot(BaseLlm):
    """A model that calls a tool, then says what it was told."""

    async def generate_content_async(self, llm_request, stream=False):  # noqa: ARG002 - ADK's
        last = llm_request.contents[-1].parts[-1]
        if last.text:
            call = types.Part(function_call=types.FunctionCall(name="note", args={"text": last.text}))
            yield LlmResponse(content=types.Content(role="model", parts=[call]))
        else:
            text = f"{len(llm_request.contents)}: {last.function_response.response}"
            yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


def note(text: str, tool_context) -> dict:
    """Note a text."""
    tool_context.state["notes"] = [*tool_context.state.get("notes", []), text]
    tool_context.state["user:count"] = tool_context.state.get("user:count", 0) + 1
    return {"noted": text}
