"""An answer that came in events is the document that would have come at once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kernel.language.dialects import Anthropic, OpenAI
from quipu.kernel.language.events import at, document
from quipu.kernel.language.model import Reply


def lines(*events: Any, end: str = "") -> str:
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + end


def delta(finish: str | None = None, **fields: Any) -> Any:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


DONE = "data: [DONE]\n\n"


def test_an_answer_that_did_not_stream_is_read_as_it_is() -> None:
    assert document('\n\n {"a": 1}') == {"a": 1}
    assert document("<html>") is None
    assert document("") is None


def test_a_streamed_completion_is_put_together() -> None:
    body = ": still thinking\n\n" + lines(
        delta(role="assistant", content=""),
        delta(reasoning_content="hm"),
        delta(content='{"a"'),
        delta(content=": 1}"),
        delta("stop"),
        {"choices": [], "usage": {"total_tokens": 9}},
        end=DONE,
    )
    made = document(body)
    assert OpenAI().reply(made) == Reply('{"a": 1}')
    assert OpenAI().used(made) == 9


def test_streamed_arguments_of_the_first_tool_are_put_together() -> None:
    def call(index: int, arguments: str) -> Any:
        return delta(tool_calls=[{"index": index, "function": {"arguments": arguments}}])

    body = lines(call(0, '{"a"'), call(0, ": 1}"), call(1, "{}"), delta("tool_calls"), end=DONE)
    assert OpenAI().reply(document(body)) == Reply('{"a": 1}')


def test_a_stream_that_breaks_off_is_cut_off() -> None:
    assert OpenAI().reply(document(lines(delta(content="a")))) == Reply("a", cut_off=True)
    assert OpenAI().reply(document(lines(delta(content="a"), end=DONE))) == Reply("a")
    started = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}
    assert Anthropic().reply(document(lines(started))) == Reply("a", cut_off=True)


def test_a_streamed_message_is_put_together_without_its_thinking() -> None:
    body = lines(
        {"type": "message_start", "message": {"usage": {"input_tokens": 5, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"partial_json": '{"a"'}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 1, "delta": {"partial_json": ": 1}"}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    )
    made = document(body)
    assert Anthropic().reply(made) == Reply('{"a": 1}')
    assert Anthropic().used(made) == 9


def test_an_error_in_a_stream_is_the_answer() -> None:
    body = lines(delta(content="a"), {"type": "error", "error": {"message": "overloaded"}})
    assert at(document(body), "error", "message") == "overloaded"


NAMES = st.sampled_from(
    ["choices", "delta", "message", "content", "tool_calls", "function", "arguments", "usage", "type",
     "index", "finish_reason", "stop_reason", "content_block", "content_block_start", "error"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=200)
@given(st.lists(JSON, max_size=5))
def test_no_stream_is_too_odd_to_be_read(events: list[Any]) -> None:
    made = document(lines(*events))
    for reply in (OpenAI().reply(made), Anthropic().reply(made)):
        assert reply is None or isinstance(reply, Reply)


@pytest.mark.parametrize("path", [(), ("a",), ("a", 0), ("a", 1), ("a", "b"), (0,)])
def test_a_path_that_leads_nowhere_leads_to_none(path: tuple[str | int, ...]) -> None:
    found = at({"a": [7]}, *path)
    assert found == {(): {"a": [7]}, ("a",): [7], ("a", 0): 7}.get(path)
