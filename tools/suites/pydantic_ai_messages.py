"""Messages of Pydantic AI, one of each kind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from pydantic_ai.messages import (
    BinaryContent,
    CachePoint,
    DocumentUrl,
    FilePart,
    ImageUrl,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.usage import RequestUsage

NOW = datetime(2024, 5, 1, 10, 0, tzinfo=UTC)


def asked(*content):
    is_text = len(content) == 1 and isinstance(content[0], str)
    said = content[0] if is_text else list(content)
    return ModelRequest(parts=[UserPromptPart(content=said, timestamp=NOW)], timestamp=NOW)


def answered(*parts, **more):
    given = [TextPart(one) if isinstance(one, str) else one for one in parts]
    return ModelResponse(parts=given, timestamp=NOW, **more)


IMAGE = BinaryContent(bytes(range(256)), media_type="image/png")
_MESSAGES = {
    "text": asked("Where is the boat?"),
    "answer": answered("In Horta.", model_name="m", usage=RequestUsage(input_tokens=3, output_tokens=2)),
    "several texts": answered("One.", "Two."),
    "unicode": asked("Ж 中 🚀 \u2028 \x7f \" \\ '; drop table messages; --"),
    "nul": asked("NUL \0 in it"),
    "blank": asked(""),
    "nothing": ModelResponse(parts=[], timestamp=NOW),
    "image": asked("What is this?", IMAGE, CachePoint()),
    "image alone": asked(IMAGE),
    "links": asked(
        ImageUrl("https://example.org/1.png"), DocumentUrl("https://example.org/1.pdf"), "Read it."
    ),
    "typed text": asked(TextContent(content="A note.", metadata={"a": [1, None]})),
    "system": ModelRequest(
        parts=[SystemPromptPart("Be brief.", timestamp=NOW), UserPromptPart("Hello.", timestamp=NOW)],
        instructions="Be kind.",
        metadata={"a": {"b": None}},
        run_id="r1",
        conversation_id="c1",
    ),
    "call": answered(
        "I look.", ToolCallPart("weather", {"z": 1, "a": [1.5, None, {"b": "Ж"}]}, tool_call_id="t1")
    ),
    "call with text": answered(ToolCallPart("weather", '{"city": "Horta"}', tool_call_id="t1")),
    "returns": ModelRequest(
        parts=[
            ToolReturnPart(
                "weather", {"sky": ["rain", None]}, tool_call_id="t1", timestamp=NOW, metadata={"k": 1}
            ),
            ToolReturnPart("weather", None, tool_call_id="t2", timestamp=NOW),
            RetryPromptPart("Again.", tool_name="weather", tool_call_id="t3", timestamp=NOW),
        ],
        timestamp=NOW,
    ),
    "thinking": answered(ThinkingPart("Hm.", signature="s", id="th1"), "Yes.", finish_reason="stop"),
    "file": answered(FilePart(content=IMAGE)),
    "provider": answered("Yes.", provider_name="p", provider_details={"a": [1]}, provider_response_id="x"),
    "secret": asked("It is ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8."),
    "looks like memory": asked("<quipu-memory> not one </quipu-memory>"),
    "from the future": ModelRequest(parts=[UserPromptPart("Soon.", timestamp=NOW + timedelta(days=9999))]),
}

# Pydantic AI writes some parts down as others (an image as such, a retry as a return): so are they taken.
_WRITTEN = ModelMessagesTypeAdapter.dump_json(list(_MESSAGES.values()))
MESSAGES = dict(zip(_MESSAGES, ModelMessagesTypeAdapter.validate_json(_WRITTEN), strict=True))
