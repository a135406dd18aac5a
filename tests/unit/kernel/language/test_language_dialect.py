"""How a server wants to be asked, and where in its answers the words stand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, RootModel

from quipu.kernel.language.dialects import FORMS, Anthropic, Dialect, OpenAI, closed, dialect
from quipu.kernel.language.model import Reply
from quipu.kernel.language.prompt import Turn

WORDS = ["max_completion_tokens", "temperature", "response_format", "stream", "context length", ""]
DIALECTS = [OpenAI(), Anthropic()]
TURNS = [Turn("system", "Say it."), Turn("user", "x")]


class Named(RootModel[dict[str, "list[int]"]]):
    pass


class Numbers(RootModel[list[int]]):
    pass


class Note(BaseModel):
    text: str = Field(min_length=1)
    minimum: list[Named] = Field(default_factory=list[Named], max_length=9)


def asked(of: Dialect, shape: type[BaseModel] | None = Note) -> dict[str, Any]:
    return of.request(TURNS, model="m", shape=shape, answer_tokens=9)


@pytest.mark.parametrize("first", DIALECTS)
@settings(max_examples=50)
@given(refusals=st.lists(st.sampled_from(WORDS), min_size=6), shaped=st.booleans())
def test_there_is_an_end_to_trying_another_way(first: Dialect, refusals: list[str], shaped: bool) -> None:
    tried: list[Dialect] = []
    current: Dialect | None = first
    for refusal in refusals:
        if current is None:
            break
        tried.append(current)
        current = current.lesser(refusal, shaped=shaped)
    assert len(set(tried)) == len(tried) <= 6


@pytest.mark.parametrize("first", DIALECTS)
def test_what_was_not_sent_is_not_left_out(first: Dialect) -> None:
    assert first.lesser("context length", shaped=False) is None
    assert dialect(first.name, "plain").lesser("context length", shaped=True) is None


def test_forms_come_from_the_best_to_the_least() -> None:
    forms = ["json_schema"]
    current: Dialect | None = OpenAI()
    while current := current.lesser("no", shaped=True):
        forms.append(current.form)
    assert tuple(forms) == FORMS


def test_the_name_of_a_schema_has_only_letters_that_servers_take() -> None:
    class Page(BaseModel):
        word: str

    Page.__name__ = "Page[list[Wörter]]" * 9
    name = asked(OpenAI(), Page)["response_format"]["json_schema"]["name"]
    assert name.startswith("Page_list_W_rter__")
    assert len(name) == 64


def test_an_answer_has_a_ceiling_in_every_dialect() -> None:
    for one in (OpenAI(), OpenAI(old_ceiling=False), OpenAI("plain", False, True, False), Anthropic()):
        request = asked(one, None)
        assert [request.get("max_tokens"), request.get("max_completion_tokens")].count(9) == 1


def test_each_form_stands_where_the_dialect_has_it() -> None:
    assert asked(OpenAI("tools"))["tool_choice"] == "required"
    assert asked(OpenAI("tools"))["tools"][0]["function"]["parameters"] == Note.model_json_schema()
    assert asked(Anthropic("tools"))["tool_choice"] == {"type": "tool", "name": "Note"}
    assert asked(Anthropic("tools"))["tools"][0]["input_schema"] == Note.model_json_schema()
    assert asked(Anthropic("json_schema"))["output_config"]["format"]["type"] == "json_schema"
    for plain in (OpenAI("plain"), Anthropic("plain")):
        assert not {"tools", "response_format", "output_config"} & set(asked(plain))


def test_only_an_object_is_asked_for_as_the_arguments_of_a_tool() -> None:
    for one in (OpenAI("tools"), Anthropic("tools")):
        assert "tools" not in asked(one, Numbers)


def test_anthropic_has_instructions_apart_from_what_was_said() -> None:
    request = asked(Anthropic())
    assert (request["system"], request["messages"]) == ("Say it.", [{"role": "user", "content": "x"}])


def test_a_closed_schema_has_no_bounds_and_keeps_fields_that_are_called_like_one() -> None:
    made = closed(Note.model_json_schema())
    assert made["properties"]["text"] == {"title": "Text", "type": "string"}
    assert made["properties"]["minimum"]["type"] == "array"
    assert "maxItems" not in made["properties"]["minimum"]
    assert made["additionalProperties"] is False


def openai(ended: str = "stop", **message: Any) -> object:
    return {"choices": [{"finish_reason": ended, "message": message}]}


def called(arguments: object) -> list[Any]:
    return [{"id": "1", "type": "function", "function": {"name": "Note", "arguments": arguments}}]


@pytest.mark.parametrize(
    ("document", "reply"),
    [
        (openai(content="a"), Reply("a")),
        (openai(content=None), Reply("")),
        (openai("length", content="a"), Reply("a", cut_off=True)),
        (openai(content="a", reasoning_content="hm"), Reply("a")),
        (openai(content=None, refusal="No."), Reply("", refused=True)),
        (openai("content_filter", content="a"), Reply("a", refused=True)),
        (openai("tool_calls", content=None, tool_calls=called('{"a": 1}')), Reply('{"a": 1}')),
        (openai("tool_calls", content="", tool_calls=called({"a": 1})), Reply('{"a": 1}')),
        (
            openai(content=[{"type": "thinking", "thinking": []}, {"type": "text", "text": "a"}]),
            Reply("a"),
        ),
        ({"choices": []}, None),
        ({"error": {}}, None),
        ([], None),
        (None, None),
    ],
)
def test_words_are_found_in_an_answer_of_openai_s_kind(document: object, reply: Reply | None) -> None:
    assert OpenAI().reply(document) == reply


def anthropic(*content: object, ended: str = "end_turn") -> object:
    return {"type": "message", "content": list(content), "stop_reason": ended}


TEXT = {"type": "text", "text": "a"}


@pytest.mark.parametrize(
    ("document", "reply"),
    [
        (anthropic(TEXT, TEXT), Reply("aa")),
        (anthropic({"type": "thinking", "thinking": "hm"}, {"type": "redacted_thinking"}, TEXT), Reply("a")),
        (anthropic(TEXT, {"type": "tool_use", "input": {"a": 1}}, ended="tool_use"), Reply('{"a": 1}')),
        (anthropic(TEXT, ended="max_tokens"), Reply("a", cut_off=True)),
        (anthropic(ended="refusal"), Reply("", refused=True)),
        (anthropic(), Reply("")),
        ({"type": "error", "error": {}}, None),
        (None, None),
    ],
)
def test_words_are_found_in_an_answer_of_anthropic_s_kind(document: object, reply: Reply | None) -> None:
    assert Anthropic().reply(document) == reply


def test_tokens_are_those_that_the_server_counted() -> None:
    assert OpenAI().used({"usage": {"total_tokens": 7}}) == 7
    assert (
        Anthropic().used({"usage": {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 1}})
        == 8
    )
    for one in DIALECTS:
        assert one.used({}) is None
        assert one.used({"usage": None}) is None
