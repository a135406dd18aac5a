"""The answer of a server as one JSON document, also where it came as a stream of events.

Some servers stream although nobody asked, and some do nothing else; both dialects are put together here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

_DATA: Final = "data:"
_END: Final = "[DONE]"
Document: TypeAlias = dict[str, Any]


def at(node: object, *path: str | int) -> object:
    """Return the value at a path of names and places in a document of any form; None if it has none."""
    for step in path:
        if isinstance(node, dict) and isinstance(step, str):
            node = cast(Mapping[str, object], node).get(step)
        elif isinstance(node, list) and isinstance(step, int) and step < len(cast(list[object], node)):
            node = cast(list[object], node)[step]
        else:
            return None
    return node


def text_at(node: object, *path: str | int) -> str:
    """Return the text that stands at a path; empty if there is none."""
    found = at(node, *path)
    return found if isinstance(found, str) else ""


def document(body: str) -> object:
    """Return the document of an answer; None if it is neither JSON nor a stream of it."""
    try:
        return json.loads(body)
    except ValueError:
        events = list(_events(body))
    failed = next((one for one in events if "error" in one), None)
    if failed is not None or not events:
        return failed
    if any("choices" in one for one in events):
        return _completion(events, ended=body.rstrip().endswith(_END))
    return _message(events)


def _events(body: str) -> Iterator[Document]:
    """Yield what stands in the lines of data; other lines are names and signs of life."""
    for line in body.splitlines():
        if line.startswith(_DATA):
            try:
                event = json.loads(line.removeprefix(_DATA))
            except ValueError:
                continue
            if isinstance(event, dict):
                yield cast(Document, event)


def _completion(events: Sequence[Document], *, ended: bool) -> Document:
    """Put a streamed chat completion together; one that breaks off counts as cut off."""
    content, refusal, arguments = "", "", ""
    finish: object = "stop" if ended else "length"
    usage: object = None
    for event in events:
        usage = event.get("usage") or usage
        delta = at(event, "choices", 0, "delta") or at(event, "choices", 0, "message")
        content += text_at(delta, "content")
        refusal += text_at(delta, "refusal")
        if not at(delta, "tool_calls", 0, "index"):
            arguments += text_at(delta, "tool_calls", 0, "function", "arguments")
        finish = at(event, "choices", 0, "finish_reason") or finish
    calls = [{"function": {"arguments": arguments}}] if arguments else []
    message = {"content": content, "refusal": refusal or None, "tool_calls": calls}
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": usage}


def _message(events: Sequence[Document]) -> Document | None:
    """Put a streamed Anthropic message together; None if these are no events of one."""
    kinds: dict[str, str] = {}
    streamed: dict[str, str] = {}
    usage: Document = {}
    stop: object = None
    for event in events:
        place = str(event.get("index"))
        match event.get("type"):
            case "message_start":
                usage |= _fields(at(event, "message", "usage"))
            case "content_block_start":
                kinds[place] = text_at(event, "content_block", "type")
                streamed[place] = text_at(event, "content_block", "text")
            case "content_block_delta":
                more = text_at(event, "delta", "text") or text_at(event, "delta", "partial_json")
                streamed[place] = streamed.get(place, "") + more
            case "message_delta":
                stop = at(event, "delta", "stop_reason") or stop
                usage |= _fields(event.get("usage"))
            case _:
                pass
    if not streamed and stop is None:
        return None
    content = [_block(kinds.get(place, "text"), text) for place, text in streamed.items()]
    return {"content": content, "stop_reason": stop or "max_tokens", "usage": usage}


def _block(kind: str, streamed: str) -> Document:
    """Return a block with what was streamed into it; arguments stay as they came."""
    return {"type": kind, "input" if kind == "tool_use" else "text": streamed}


def _fields(node: object) -> Document:
    return cast(Document, node) if isinstance(node, dict) else {}
