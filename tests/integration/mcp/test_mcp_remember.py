"""An agent that keeps its own memory: claims through the tool, each by the words that it rests on."""

from __future__ import annotations

from typing import Any

import pytest
from mcp_answers import Call, text

from quipu import AsyncMemory
from quipu.interfaces.mcp.model import Caller

pytestmark = pytest.mark.anyio

HOME = {"statement": "The user lives in Lisbon.", "category": "identity", "words": "I live in Lisbon"}


def claim(statement: str, words: str, category: str = "context", **more: Any) -> dict[str, Any]:
    return {"statement": statement, "category": category, "words": words, **more}


async def memories(memory: AsyncMemory, request: pytest.FixtureRequest, **more: Any) -> list[str]:
    return [one.summary for one in await memory.longterm.list(space=request.node.name, **more)]


async def test_claims_are_kept_by_the_words_of_the_text(
    call: Call, memory: AsyncMemory, request: pytest.FixtureRequest
) -> None:
    said = "I live in Lisbon and I take insulin. My dog Rex is afraid of thunder."
    claims = [
        HOME,
        claim("The user's dog Rex is afraid of thunder.", "my dog Rex is afraid of  thunder", "pets"),
        claim("The user takes insulin.", "I take insulin", "personal_data"),
        claim("It likes them.", "My dog Rex"),
    ]
    first = await call("remember", text=said, claims=claims)
    again = await call("remember", text=said, claims=claims)
    content, repeated = first.structured_content, again.structured_content
    assert content is not None
    assert repeated is not None
    (home, dog) = await memory.longterm.list(space=request.node.name)
    assert [line.split(" (")[0] for line in content["claims"]] == [
        "claims[0] included: The user lives in Lisbon.",
        "claims[1] included: The user's dog Rex is afraid of thunder.",
        "claims[2] left out: it must not be kept: health: not asked to remember",
        "claims[3] left out: nobody is named of whom it speaks",
    ]
    assert home.id in content["claims"][0]
    assert dog.id in content["claims"][1]
    assert [line.split(":")[0] for line in repeated["claims"]] == [
        "claims[0] kept", "claims[1] kept", "claims[2] left out", "claims[3] left out",
    ]  # fmt: skip
    assert (content["stored"], repeated["stored"]) == (True, False)
    assert text(first).splitlines() == [content["note"], *content["claims"]]
    (source,) = await memory.longterm.sources(home.id, space=request.node.name)
    assert (source.message, source.excerpt) == (content["id"], "I live in Lisbon")


async def test_claims_may_rest_on_what_is_recorded(
    call: Call, memory: AsyncMemory, request: pytest.FixtureRequest
) -> None:
    await memory.observe(
        [{"id": "m1", "content": "I live in Lisbon."}, {"id": "m2", "content": "I never drink coffee."}],
        space=request.node.name,
        session="s1",
    )
    coffee = claim("The user never drinks coffee.", "I never drink coffee", "preference", session="s1")
    done = await call("remember", claims=[{**HOME, "message": "m1"}, coffee])
    assert text(done).count("included") == 2
    assert done.structured_content is not None
    assert (done.structured_content["id"], done.structured_content["stored"]) == ("", False)
    assert sorted(await memories(memory, request)) == [
        "The user lives in Lisbon.", "The user never drinks coffee.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"text": "I like tea.", "claims": [claim("The user likes tea.", "I like tea"), HOME]},
         "claims[1].words: these words are not in the text"),
        ({"claims": [HOME]}, "claims[0].words: these words are not in the text"),
        ({"text": "I live in Lisbon", "claims": [HOME], "said_by": "assistant"}, "said_by: claims rest on"),
        ({"text": "I live in Lisbon", "claims": [HOME] * 21}, "claims: give 1 to 20 claims"),
        ({"text": "I live in Lisbon", "claims": [{**HOME, "statement": "x" * 10_000}]},
         "claims[0].statement: it has 10,000 characters"),
        ({"text": "I live in Lisbon", "claims": [{**HOME, "category": "hobby"}]}, "claims.0.category"),
        ({"text": "I live in Lisbon", "claims": [{**HOME, "user": "bob"}]}, "claims.0.user"),
        ({"claims": [{**HOME, "message": "nowhere"}]}, "claims[0].message: there is no such message"),
        ({"claims": []}, "give a text, or claims"),
        ({}, "give a text, or claims"),
    ],
)  # fmt: skip
async def test_what_cannot_be_taken_is_named_and_nothing_is_stored(
    call: Call, memory: AsyncMemory, request: pytest.FixtureRequest, arguments: dict[str, Any], why: str
) -> None:
    refused = await call("remember", **arguments)
    assert refused.is_error
    assert why in text(refused)
    assert await memories(memory, request) == []
    assert await memory.sessions(space=request.node.name) == []
    assert not await memory.recall("Lisbon tea", space=request.node.name)


async def test_secrets_are_neither_kept_nor_told(call: Call, memory: AsyncMemory) -> None:
    key = "sk-proj-Ab3dEf6hIj9kLmN0pQrStUvWxYz12345"
    done = await call(
        "remember", text=f"My key is {key}.", claims=[claim(f"The user's key is {key}.", f"My key is {key}")]
    )
    assert "claims[0] left out: it must not be kept" in text(done)
    assert key not in repr(done)


async def test_recalled_memory_bears_no_claim(
    call: Call, memory: AsyncMemory, request: pytest.FixtureRequest
) -> None:
    await call("remember", text="I live in Lisbon.")
    recalled = text(await call("recall", question="Where do I live?"))
    refused = await call("remember", text=recalled, claims=[HOME])
    assert refused.is_error
    assert await memories(memory, request) == []


async def test_a_person_writes_of_themselves_alone(
    call: Call, memory: AsyncMemory, request: pytest.FixtureRequest
) -> None:
    space = request.node.name
    await memory.observe([{"id": "b1", "content": "I live in Rome.", "user": "bob"}], space=space)
    ana = Caller(space=space, user="ana", level="write", bound=True)
    foreign = claim("The user lives in Rome.", "I live in Rome", "identity", message="b1")
    refused = await call("remember", by=ana, claims=[foreign])
    assert refused.is_error
    assert "Rome" not in text(refused)
    done = await call("remember", by=ana, text="I live in Lisbon.", claims=[HOME])
    assert "claims[0] included" in text(done)
    assert await memories(memory, request, user="ana") == ["The user lives in Lisbon."]
    assert await memories(memory, request, user="bob") == []
    nobody = Caller(space=space, level="read")
    assert (await call("remember", by=nobody, text="I live in Lisbon.", claims=[HOME])).is_error


async def test_what_the_rules_find_later_is_not_kept_twice(
    call: Call, memory: AsyncMemory, request: pytest.FixtureRequest
) -> None:
    space = request.node.name
    said = "I live in Lisbon. My dog is called Rex. I am vegetarian."
    await call(
        "remember",
        text=said,
        claims=[
            claim("The user is based in Lisbon.", "I live in Lisbon", "identity"),
            claim("The user's dog is called Rex.", "My dog is called Rex", "pets"),
            claim("The user is a vegetarian.", "I am vegetarian", "preference"),
        ],
    )
    before = sorted(await memories(memory, request))
    assert len(before) == 3
    await memory.observe([{"content": said}], space=space, session="s")
    await memory.work()
    now = sorted(await memories(memory, request))
    assert now == before, now
