"""What is particular to a language model behind a server: failures, dialects, time limits, what is paid."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from purse import Purse
from pydantic import BaseModel

from language_server import KEY, LanguageServer, Reply, refused, said
from quipu.errors import BudgetSpent, LanguageFailed
from quipu.kernel.language.endpoint import Endpoint
from quipu.kernel.language.remote import RemoteLanguage
from quipu.kernel.language.servers import reach


class Mood(BaseModel):
    mood: str


GOOD = said('{"mood": "calm"}')


@asynccontextmanager
async def client(
    server: LanguageServer, *, purse: Purse | None = None, key: str | None = KEY, **options: Any
) -> AsyncIterator[RemoteLanguage]:
    made = RemoteLanguage(Endpoint("m", server.url, key), budget=purse or Purse(), **options)
    try:
        yield made
    finally:
        await made.aclose()


async def mood(language: RemoteLanguage, text: str = "Ana shrugged.") -> Mood:
    return await language.structured(instructions="How is she?", text=text, shape=Mood, purpose="test.mood")


async def test_the_request_names_model_and_schema_and_bounds_the_answer() -> None:
    with LanguageServer([GOOD]) as server:
        async with client(server, answer_tokens=77) as language:
            assert language.name == "openai:m"
            await mood(language)
    (request,) = server.requests
    assert (request["model"], request["temperature"], request["max_tokens"]) == ("m", 0, 77)
    assert request["response_format"]["json_schema"]["schema"] == Mood.model_json_schema()


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_what_may_pass_is_asked_again_a_few_times(status: int) -> None:
    purse = Purse()
    with LanguageServer([refused(status), refused(status), GOOD]) as server:
        async with client(server, purse=purse) as language:
            assert (await mood(language)).mood == "calm"
    assert len(server.requests) == 3
    assert purse.used == [100]


@pytest.mark.parametrize(
    ("status", "hint"), [(429, "try again later"), (500, "quipu doctor"), (404, "QUIPU_LLM_MODEL")]
)
async def test_what_does_not_pass_is_a_failure_with_the_words_of_the_server(status: int, hint: str) -> None:
    purse = Purse()
    with LanguageServer([refused(status, "the engine is cold")]) as server:
        async with client(server, purse=purse) as language:
            with pytest.raises(LanguageFailed, match=rf"the engine is cold.*{hint}"):
                await mood(language)
    assert len(server.requests) == (1 if status == 404 else 3)
    assert (purse.used, purse.left) == ([0], 10**6)


async def test_a_wrong_key_is_not_tried_again_and_not_shown() -> None:
    with LanguageServer([GOOD]) as server:
        async with client(server, key="wrong-key-of-mine") as language:
            with pytest.raises(LanguageFailed, match=r"Incorrect API key.*QUIPU_LLM_API_KEY") as failed:
                await mood(language)
    assert len(server.requests) == 1
    assert "wrong-key-of-mine" not in str(failed.value)


async def test_nobody_at_the_address_is_a_failure_that_names_it_and_costs_nothing() -> None:
    with LanguageServer([GOOD]) as server:
        pass
    purse = Purse()
    async with client(server, purse=purse, retries=0) as language:
        with pytest.raises(LanguageFailed, match=rf"{server.url}.*QUIPU_LLM_BASE_URL"):
            await mood(language)
    assert purse.left == 10**6


async def test_a_password_in_the_address_is_not_shown() -> None:
    with LanguageServer([GOOD]) as server:
        pass
    url = server.url.replace("//", "//user:Xk29vLq81zRt@")
    async with client(server, retries=0) as _:
        language = RemoteLanguage(Endpoint("m", url), budget=Purse(), retries=0)
        with pytest.raises(LanguageFailed) as failed:
            await mood(language)
        await language.aclose()
    assert "Xk29vLq81zRt" not in f"{failed.value}{Endpoint('m', url, 'Xk29vLq81zRt')!r}"


async def test_an_answer_that_takes_too_long_is_given_up_and_stays_paid() -> None:
    purse = Purse()
    with LanguageServer([Reply(hangs=True)]) as server:
        async with client(server, purse=purse, timeout_seconds=0.2) as language:
            with pytest.raises(LanguageFailed, match=r"within 0.2 s.*QUIPU_LLM_TIMEOUT_SECONDS"):
                await mood(language)
    assert purse.used == []
    assert purse.left < 10**6


async def test_the_time_limit_holds_for_repeated_requests_together() -> None:
    with LanguageServer([refused(500)]) as server:
        async with client(server, retries=1000, timeout_seconds=0.3) as language:
            with pytest.raises(LanguageFailed, match=r"within 0.3 s"):
                await mood(language)


async def test_an_answer_that_was_cut_off_is_sent_back_even_if_it_reads_well() -> None:
    with LanguageServer([said('{"mood": "calm"}', cut_off=True), said('{"mood": "cross"}')]) as server:
        async with client(server) as language:
            assert (await mood(language)).mood == "cross"
    assert "cut off" in server.requests[1]["messages"][-1]["content"]


async def test_free_words_that_were_cut_off_are_a_failure() -> None:
    with LanguageServer([said("She is", cut_off=True)]) as server:
        async with client(server) as language:
            with pytest.raises(LanguageFailed, match="cut off"):
                await language.say(instructions="How?", text="Ana", purpose="test")


def without_schema(body: dict[str, Any]) -> Reply | None:
    unknown = {"response_format", "tools"} & set(body)
    return refused(400, "grammar is not supported") if unknown else None


def of_the_new_name(body: dict[str, Any]) -> Reply | None:
    """As OpenAI's reasoning models, one complaint at a time."""
    if "max_tokens" in body:
        return refused(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    if "temperature" in body:
        return refused(400, "Unsupported value: 'temperature' does not support 0.")
    return None


async def test_a_server_without_schemas_and_tools_is_asked_in_plain_words_from_then_on() -> None:
    purse = Purse()
    answer = said('```json\n{"mood": "calm"}\n```')
    with LanguageServer([answer], takes=without_schema) as server:
        async with client(server, purse=purse) as language:
            assert (await mood(language)).mood == "calm"
            assert (await mood(language)).mood == "calm"
    forms = [{"response_format", "tools"} & set(request) for request in server.requests]
    assert forms == [{"response_format"}, {"tools"}, set(), set()]
    assert purse.used == [100, 100]


async def test_a_server_that_renamed_an_argument_is_understood_and_keeps_its_schema() -> None:
    with LanguageServer([GOOD], takes=of_the_new_name) as server:
        async with client(server, answer_tokens=77) as language:
            await mood(language)
            await mood(language)
    assert len(server.requests) == 4
    last = server.requests[-1]
    assert last["max_completion_tokens"] == 77
    assert "response_format" in last
    assert not {"temperature", "max_tokens"} & set(last)


async def test_a_text_that_is_refused_changes_nothing_for_the_next() -> None:
    def short(body: dict[str, Any]) -> Reply | None:
        long = len(body["messages"][-1]["content"]) > 1000
        return refused(400, "maximum context length exceeded") if long else None

    with LanguageServer([GOOD], takes=short) as server:
        async with client(server) as language:
            with pytest.raises(LanguageFailed, match=r"context length.*Shorten the text"):
                await mood(language, "word " * 400)
            await mood(language)
    assert "response_format" in server.requests[-1]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(200, b"<html>Welcome</html>", content_type="text/html"),
        Reply(200, b"<html>Welcome</html>"),
        Reply(200, {"error": {"message": "no provider"}}),
        Reply(200, {"choices": []}),
        Reply(200, []),
        Reply(200, None),
    ],
    ids=["page", "page called json", "error called success", "no choice", "list", "null"],
)
async def test_an_answer_that_is_none_is_a_failure_that_asks_for_the_address(reply: Reply) -> None:
    with LanguageServer([reply]) as server:
        async with client(server, retries=0) as language:
            with pytest.raises(LanguageFailed, match="QUIPU_LLM_BASE_URL"):
                await mood(language)


async def test_where_the_server_does_not_count_we_do() -> None:
    purse = Purse()
    with LanguageServer([said('{"mood": "calm"}', used=None)]) as server:
        async with client(server, purse=purse) as language:
            await mood(language, "word " * 3000)
    assert 3000 < purse.used[0] < 10_000


async def test_the_most_that_a_request_may_cost_is_set_aside_first() -> None:
    purse = Purse()
    with LanguageServer([GOOD]) as server:
        async with client(server, purse=purse, answer_tokens=500) as language:
            await mood(language, "word " * 3000)
    (reserved,) = purse.reserved
    assert reserved.purpose == "test.mood"
    assert reserved.tokens > 500 + 3000


async def test_nothing_is_asked_when_the_budget_is_spent() -> None:
    with LanguageServer([GOOD]) as server:
        async with client(server, purse=Purse(1000)) as language:
            with pytest.raises(BudgetSpent):
                await mood(language)
    assert server.requests == []


async def test_a_repair_is_paid_as_well() -> None:
    purse = Purse(6000)
    with LanguageServer([said("no", used=5000), GOOD]) as server:
        async with client(server, purse=purse) as language:
            with pytest.raises(BudgetSpent):
                await mood(language)
    assert len(server.requests) == 1
    assert purse.left == 1000


@pytest.mark.parametrize(
    ("models", "found"),
    [(["a", "m"], "served"), (["m:latest"], "served"), (["a"], "not served"), (None, "unlisted")],
)
async def test_whether_a_model_is_there_is_found_out_without_asking_it(
    models: list[str] | None, found: str
) -> None:
    with LanguageServer([GOOD], models=models) as server:
        assert await reach(Endpoint("m", server.url, KEY)) == found
    assert server.requests == []


@pytest.mark.parametrize("body", [b"<html>", b"[]", b"null"])
@pytest.mark.parametrize("content_type", ["text/html", "application/json"])
async def test_an_address_of_something_else_is_told(body: bytes, content_type: str) -> None:
    with LanguageServer([GOOD]) as server:
        server.listed = lambda path, key: Reply(200, body, content_type)
        with pytest.raises(LanguageFailed, match="QUIPU_LLM_BASE_URL"):
            await reach(Endpoint("m", server.url, KEY))


async def test_a_key_that_is_refused_is_told_without_the_key() -> None:
    with (
        LanguageServer([GOOD], models=["m"]) as server,
        pytest.raises(LanguageFailed, match="QUIPU_LLM_API_KEY") as failed,
    ):
        await reach(Endpoint("m", server.url, "wrong-key-of-mine"))
    assert "wrong-key-of-mine" not in str(failed.value)
