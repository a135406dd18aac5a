"""Resources and prompts of the suite."""

from __future__ import annotations

import json
import re
from typing import Final

from mcp_types import (
    BlobResourceContents,
    ContentBlock,
    Prompt,
    PromptArgument,
    PromptMessage,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)
from shown import PICTURE, file, picture

_STILL: Final = {
    "test://static-text": "This is the content of the static text resource.",
    "test://watched-resource": "Watched resource content",
}
_BINARY: Final = "test://static-binary"
_FILLED: Final = re.compile(r"test://template/(?P<id>[^/]+)/data")
RESOURCES: Final = (
    *(Resource(uri=uri, name=uri.rpartition("/")[2], mime_type="text/plain") for uri in _STILL),
    Resource(uri=_BINARY, name="static-binary", mime_type="image/png"),
)
TEMPLATE: Final = ResourceTemplate(
    uri_template="test://template/{id}/data", name="template", mime_type="application/json"
)


def _prompt(name: str, *needed: str) -> Prompt:
    arguments = [PromptArgument(name=one, required=True) for one in needed]
    return Prompt(name=name, description="Asked for by the suite.", arguments=arguments)


PROMPTS: Final = (
    _prompt("test_simple_prompt"),
    _prompt("test_prompt_with_arguments", "arg1", "arg2"),
    _prompt("test_prompt_with_embedded_resource", "resourceUri"),
    _prompt("test_prompt_with_image"),
)


def read(uri: str) -> TextResourceContents | BlobResourceContents | None:
    """What stands there; None where it is none of the suite."""
    if uri == _BINARY:
        return BlobResourceContents(uri=uri, mime_type="image/png", blob=PICTURE)
    if uri in _STILL:
        return TextResourceContents(uri=uri, mime_type="text/plain", text=_STILL[uri])
    if filled := _FILLED.fullmatch(uri):
        told = {"id": filled["id"], "templateTest": True, "data": f"Data for ID: {filled['id']}"}
        return TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(told))
    return None


def messages(name: str, given: dict[str, str]) -> list[PromptMessage] | None:
    """The messages of a prompt; None where it is none of the suite."""
    match name:
        case "test_simple_prompt":
            return _said(TextContent(text="This is a simple prompt for testing."))
        case "test_prompt_with_arguments":
            told = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
            return _said(TextContent(text=told))
        case "test_prompt_with_embedded_resource":
            enclosed = file(given["resourceUri"], "Embedded resource content for testing.")
            return _said(enclosed, TextContent(text="Please process the embedded resource above."))
        case "test_prompt_with_image":
            return _said(picture(), TextContent(text="Please analyze the image above."))
        case _:
            return None


def _said(*content: ContentBlock) -> list[PromptMessage]:
    return [PromptMessage(role="user", content=one) for one in content]
