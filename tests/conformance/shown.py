"""Tools that answer at once: texts, pictures, sound, files, an error; and one that is only listed."""

from __future__ import annotations

from typing import Any, Final

from mcp_types import (
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
    TextResourceContents,
)
from telling import Call, Context, answer, part

PICTURE: Final = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
)
_SOUND: Final = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
_SCHEMA: Final = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}


def picture() -> ImageContent:
    """A picture of one pixel."""
    return ImageContent(data=PICTURE, mime_type="image/png")


def file(uri: str, text: str, *, mime_type: str = "text/plain") -> EmbeddedResource:
    """A file within an answer."""
    return EmbeddedResource(resource=TextResourceContents(uri=uri, mime_type=mime_type, text=text))


def _always(*content: ContentBlock | str) -> Call:
    async def call(_: Context, __: dict[str, Any]) -> CallToolResult:
        return answer(*content)

    return call


async def _fails(_: Context, __: dict[str, Any]) -> CallToolResult:
    text = "This tool intentionally returns an error for testing"
    return CallToolResult(content=[TextContent(text=text)], is_error=True)


TOOLS: Final = (
    part("test_simple_text", _always("This is a simple text response for testing.")),
    part("test_image_content", _always(picture())),
    part("test_audio_content", _always(AudioContent(data=_SOUND, mime_type="audio/wav"))),
    part(
        "test_embedded_resource",
        _always(file("test://embedded-resource", "This is an embedded resource content.")),
    ),
    part(
        "test_multiple_content_types",
        _always(
            "Multiple content types test:",
            picture(),
            file(
                "test://mixed-content-resource",
                '{"test":"data","value":123}',
                mime_type="application/json",
            ),
        ),
    ),
    part("test_error_handling", _fails),
    part("json_schema_2020_12_tool", _always("Only its schema matters."), schema=_SCHEMA),
)
