"""What servers really do, in each dialect: forms that they lack, streams, thinking, refusals, being busy."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from purse import Purse
from pydantic import BaseModel

from language_server import KEY, LanguageServer, Reply, called, refused, said, spoke, streamed, text
from quipu.errors import LanguageFailed
from quipu.kernel.language.endpoint import Endpoint
from quipu.kernel.language.remote import TRIAL, RemoteLanguage, wait_seconds
from quipu.kernel.language.servers import find
from quipu.testing import FrozenClock

CALM = '{"mood": "calm"}'
CLOCK = FrozenClock(datetime(2026, 3, 1, 12, tzinfo=UTC))


class Mood(BaseModel):
    mood: str


@dataclass(frozen=True)
class Speech:
    """A dialect as a server speaks it: words, words that were cut off, a call of a tool, a refusal."""

    name: str
    words: Callable[[str], Reply]
    cut_off: Callable[[str], Reply]
    call: Callable[[Any], Reply]
    refusal: Reply
    thought: Reply
    in_events: Reply


def delta(finish: str | None = None, **fields: Any) -> Any:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


OPENAI = Speech(
    name="openai",
    words=said,
    cut_off=lambda words: said(words, cut_off=True),
    call=lambda value: called(json.dumps(value)),
    refusal=said(None, refusal="I will not."),
    thought=said(CALM, reasoning_content="Is it {calm}?"),
    in_events=streamed(
        delta(reasoning_content="hm"), delta(content=CALM[:5]), delta(content=CALM[5:]), delta("stop")
    ),
)
ANTHROPIC = Speech(
    name="anthropic",
    words=lambda words: spoke(text(words)),
    cut_off=lambda words: spoke(text(words), ended="max_tokens"),
    call=lambda value: spoke({"type": "tool_use", "id": "1", "name": "answer", "input": value}),
    refusal=spoke(ended="refusal"),
    thought=spoke({"type": "thinking", "thinking": "Is it {calm}?"}, text(CALM)),
    in_events=streamed(
        {"type": "message_start", "message": {"usage": {"input_tokens": 99}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": CALM[:5]}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": CALM[5:]}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        end="",
    ),
)


@pytest.fixture(params=[OPENAI, ANTHROPIC], ids=["openai", "anthropic"])
def speech(request: pytest.FixtureRequest) -> Speech:
    return request.param


@asynccontextmanager
async def asked(
    speech: Speech, *script: Reply, takes: Any = lambda body: None, form: Any = None, **options: Any
) -> AsyncIterator[tuple[RemoteLanguage, LanguageServer, Purse]]:
    purse = Purse()
    with LanguageServer(script, takes=takes, speaks=speech.name) as server:
        endpoint = Endpoint("m", server.url, KEY, speech.name, form)
        async with RemoteLanguage(endpoint, budget=purse, clock=CLOCK, **options) as language:
            yield language, server, purse


async def mood(language: RemoteLanguage) -> str:
    shape = await language.structured(
        instructions="How is she?", text="Ana shrugged.", shape=Mood, purpose="test.mood"
    )
    return shape.mood


def form_of(request: dict[str, Any]) -> str:
    if "tools" in request:
        return "tools"
    return "json_schema" if {"response_format", "output_config"} & set(request) else "plain"


async def test_a_model_is_called_by_its_dialect_and_name(speech: Speech) -> None:
    async with asked(speech, speech.words(CALM)) as (language, _, purse):
        assert language.name == f"{speech.name}:m"
        assert await mood(language) == "calm"
        assert purse.used == [100]


async def test_an_answer_as_the_call_of_a_tool_is_read(speech: Speech) -> None:
    async with asked(speech, speech.call({"mood": "calm"}), form="tools") as (language, server, _):
        assert await mood(language) == "calm"
    assert [form_of(request) for request in server.requests] == ["tools"]


async def test_arguments_that_do_not_fit_are_sent_back_once(speech: Speech) -> None:
    script = (speech.call({"weather": "rain"}), speech.call({"mood": "calm"}))
    async with asked(speech, *script, form="tools") as (language, server, _):
        assert await mood(language) == "calm"
    assert "mood: Field required" in server.requests[1]["messages"][-1]["content"]


async def test_a_server_that_lacks_a_form_is_asked_in_the_next(speech: Speech) -> None:
    def takes(body: dict[str, Any]) -> Reply | None:
        return None if form_of(body) == "plain" else refused(400, "Unknown field.")

    async with asked(speech, speech.words(CALM), takes=takes, form="json_schema") as (language, server, _):
        assert (await mood(language), await mood(language)) == ("calm", "calm")
    assert [form_of(one) for one in server.requests] == ["json_schema", "tools", "plain", "plain"]


async def test_an_answer_that_was_cut_off_is_repaired_once(speech: Speech) -> None:
    async with asked(speech, speech.cut_off('{"mood": "ca'), speech.words(CALM)) as (language, server, purse):
        assert await mood(language) == "calm"
    assert len(server.requests) == 2
    assert purse.used == [100, 100]


async def test_an_answer_that_is_cut_off_twice_is_a_failure(speech: Speech) -> None:
    async with asked(speech, speech.cut_off('{"mood": "ca')) as (language, server, _):
        with pytest.raises(LanguageFailed, match=r"twice.*cut off.*llm_answer_tokens"):
            await mood(language)
    assert len(server.requests) == 2


async def test_a_refusal_is_told_and_not_repaired(speech: Speech) -> None:
    async with asked(speech, speech.refusal) as (language, server, purse):
        with pytest.raises(LanguageFailed, match="refused to answer"):
            await mood(language)
        with pytest.raises(LanguageFailed, match="refused to answer"):
            await language.say(instructions="How?", text="Ana", purpose="test")
    assert len(server.requests) == 2
    assert purse.used == [100, 100]


async def test_a_filter_is_a_refusal() -> None:
    filtered = said("")
    filtered.body["choices"][0]["finish_reason"] = "content_filter"
    async with asked(OPENAI, filtered) as (language, server, _):
        with pytest.raises(LanguageFailed, match="filter of its server"):
            await mood(language)
    assert len(server.requests) == 1


async def test_thinking_is_not_part_of_the_answer(speech: Speech) -> None:
    script = (
        speech.thought,
        speech.words(f"<think>Is it {{calm}}?</think>{CALM}"),
        speech.words(f"Is it {{calm}}? She shrugged.\n</think>\n\n{CALM}"),
    )
    async with asked(speech, *script) as (language, server, _):
        for _ in script:
            assert await mood(language) == "calm"
    assert len(server.requests) == 3


async def test_thinking_that_takes_the_whole_answer_is_sent_back(speech: Speech) -> None:
    async with asked(speech, speech.cut_off("<think>Well, well"), speech.words(CALM)) as (
        language,
        server,
        _,
    ):
        assert await mood(language) == "calm"
    assert len(server.requests) == 2


async def test_a_server_that_streams_without_being_asked_is_read(speech: Speech) -> None:
    async with asked(speech, speech.in_events) as (language, server, purse):
        assert await mood(language) == "calm"
    assert len(server.requests) == 1
    assert purse.used[0] > 0


async def test_a_stream_that_calls_itself_json_is_read(speech: Speech) -> None:
    disguised = Reply(200, speech.in_events.body, content_type="application/json")
    async with asked(speech, disguised) as (language, _, _):
        assert await mood(language) == "calm"


async def test_a_server_that_only_streams_is_asked_to(speech: Speech) -> None:
    def takes(body: dict[str, Any]) -> Reply | None:
        return None if body.get("stream") else refused(400, "Only stream=true is supported.")

    async with asked(speech, speech.in_events, takes=takes) as (language, server, _):
        assert (await mood(language), await mood(language)) == ("calm", "calm")
    assert [request.get("stream") for request in server.requests] == [None, True, True]


async def test_an_error_in_a_stream_is_a_failure_with_its_words(speech: Speech) -> None:
    broken = streamed({"type": "error", "error": {"message": "the engine is cold"}})
    async with asked(speech, broken) as (language, _, _):
        with pytest.raises(LanguageFailed, match="the engine is cold"):
            await mood(language)


@pytest.mark.parametrize("status", [429, 503, 529])
async def test_a_server_that_says_when_is_asked_again_then(speech: Speech, status: int) -> None:
    soon = format_datetime(CLOCK.now() - timedelta(seconds=1), usegmt=True)
    script = (refused(status, wait="0"), refused(status, wait=soon), speech.words(CALM))
    async with asked(speech, *script) as (language, server, purse):
        assert await mood(language) == "calm"
    assert len(server.requests) == 3
    assert purse.used == [100]


@pytest.mark.parametrize("status", [429, 503])
async def test_a_wait_that_is_longer_than_there_is_time_ends_it_at_once(speech: Speech, status: int) -> None:
    async with asked(speech, refused(status, "slow down", wait="86400")) as (language, server, purse):
        with pytest.raises(LanguageFailed, match=r"slow down.*wait 86,400 s"):
            await mood(language)
    assert len(server.requests) == 1
    assert (purse.used, purse.left) == ([0], 10**6)


def test_a_wait_is_seconds_milliseconds_or_a_date() -> None:
    now = CLOCK.now()
    date = format_datetime(now + timedelta(seconds=30), usegmt=True)
    for headers, seconds in (
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "7", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "-7"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ):
        assert wait_seconds(headers, now=now) == seconds
    assert wait_seconds({"retry-after": date}, now=now) == 30


async def test_a_wrong_key_is_not_shown(speech: Speech) -> None:
    with LanguageServer([speech.words(CALM)], speaks=speech.name) as server:
        endpoint = Endpoint("m", server.url, "wrong-key-of-mine", speech.name)
        async with RemoteLanguage(endpoint, budget=Purse()) as language:
            with pytest.raises(LanguageFailed, match="QUIPU_LLM_API_KEY") as failed:
                await mood(language)
    assert "wrong-key-of-mine" not in str(failed.value)


def holding(speech: Speech, *forms: str) -> Callable[[dict[str, Any]], Reply | None]:
    """A server that holds answers to a shape in some forms, and talks in the others."""

    def takes(body: dict[str, Any]) -> Reply | None:
        if (form := form_of(body)) not in forms:
            return speech.words("That is Tuesday.")
        day = {"weekday": "tuesday"}
        return speech.call(day) if form == "tools" else speech.words(json.dumps(day))

    return takes


@pytest.mark.parametrize(
    ("forms", "found"),
    [
        (("json_schema", "tools"), "json_schema"),
        (("json_schema",), "json_schema"),
        (("tools",), "tools"),
        ((), "plain"),
    ],
)
async def test_the_best_form_that_a_server_holds_to_is_found(
    speech: Speech, forms: tuple[str, ...], found: str
) -> None:
    takes = holding(speech, *forms)
    async with asked(speech, takes=takes, form="json_schema") as (language, server, purse):
        assert await language.find_form() == found
        before = len(server.requests)
        server.takes = lambda body: speech.words(CALM)
        await mood(language)
    assert form_of(server.requests[before]) == found
    assert {one.purpose for one in purse.reserved} == {TRIAL, "test.mood"}


async def test_a_form_that_is_refused_is_not_the_one_that_is_found(speech: Speech) -> None:
    def takes(body: dict[str, Any]) -> Reply | None:
        if form_of(body) == "json_schema":
            return refused(400, "Unknown field.")
        return holding(speech, "tools")(body)

    async with asked(speech, takes=takes, form="json_schema") as (language, _, _):
        assert await language.find_form() == "tools"


async def test_an_empty_answer_where_a_tool_was_asked_for_is_not_held() -> None:
    def takes(body: dict[str, Any]) -> Reply | None:
        return said("") if form_of(body) == "tools" else said("It is Tuesday.")

    async with asked(OPENAI, takes=takes) as (language, _, _):
        assert await language.find_form() == "plain"


@pytest.mark.parametrize("below", ["", "/"])
async def test_a_server_is_found_at_the_address_where_its_models_are(speech: Speech, below: str) -> None:
    with LanguageServer(models=["m", "nomic-embed-text"], speaks=speech.name) as server:
        root = server.url.removesuffix("/v1")
        found = await find(Endpoint("", f"{root}{below}", KEY, speech.name))
    assert found.endpoint.url == f"{root}/v1"
    assert (found.models, found.talkers) == (["m", "nomic-embed-text"], ["m"])


async def test_a_server_that_lists_no_models_is_taken_where_it_is(speech: Speech) -> None:
    with LanguageServer(speaks=speech.name) as server:
        found = await find(Endpoint("", server.url, KEY, speech.name))
    assert (found.endpoint.url, found.models, found.talkers) == (server.url, None, [])
