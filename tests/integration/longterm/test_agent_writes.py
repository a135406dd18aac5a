"""An agent writes its own memory: each claim by the words it rests on, and nothing is kept twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from quipu import AsyncMemory, acting_for
from quipu.errors import BadInput
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.longterm import AgentClaim, ClaimOutcome, LongtermMemory

RULES_FIRST = "what the rules kept comes first"
AGENT_FIRST = "what the agent kept comes first"

PHRASINGS = [
    ("I live in Lisbon.", "Lisbon is where the user lives.", "identity"),
    ("I live in Lisbon.", "The user is based in Lisbon.", "personal_data"),
    ("I'm a nurse.", "The user works as a nurse.", "professional_profile"),
    ("I work at Siemens.", "Siemens employs the user.", "professional_profile"),
    ("I'm vegetarian.", "The user follows a vegetarian diet.", "preference"),
    ("I'm vegetarian.", "The user sticks to vegetarian food.", "constraint"),
    ("I have a dog called Rex.", "A dog named Rex lives with the user.", "pets"),
    ("I have a dog called Rex.", "The user's dog goes by the name of Rex.", "pets"),
    ("My daughter is called Ida.", "Ida is the name of the user's daughter.", "relationships"),
    ("I don't eat meat.", "The user eats no meat at all.", "preference"),
    ("I speak Portuguese and German.", "The user has command of Portuguese and German.", "languages"),
    ("I prefer short answers.", "Short answers suit the user best.", "preference"),
    ("I'm allergic to peanuts.", "A peanut allergy troubles the user.", "constraint"),
    ("My favourite colour is teal.", "Teal is the colour the user likes best.", "favorite_things"),
    ("I'm working on a sailing app, Ferryboard.", "The user builds Ferryboard, a sailing app.", "project"),
    ("I'm learning the cello.", "The user is a beginner at the cello.", "context"),
]  # fmt: skip


@pytest.fixture(scope="module")
def address(copy_of: Callable[[str], AbstractContextManager[str]]) -> Iterator[str]:
    """A new database, which takes the model that compares meanings."""
    with copy_of("template1") as url:
        yield url


@pytest.fixture
def shared(shared: Settings) -> Settings:
    return replace(shared, embedding_model=Settings(home=shared.home).embedding_model)


def claim(statement: str, words: str, category: Any = "context", **more: Any) -> AgentClaim:
    return AgentClaim(statement=statement, category=category, words=words, **more)


async def remember(
    mind: AsyncMemory, space: str, *claims: AgentClaim, user: str | None = "jo", session: str | None = "s"
) -> Sequence[ClaimOutcome]:
    return (await mind.longterm.remember(claims, space=space, user=user, session=session)).claims


async def say(mind: AsyncMemory, space: str, *texts: str, user: str | None = "jo", **more: Any) -> None:
    messages = [{"content": text, **more} for text in texts]
    await mind.observe(messages, space=space, session="s", user=user)


async def live(mind: AsyncMemory, space: str) -> dict[str, LongtermMemory]:
    return {one.summary: one for one in await mind.longterm.list(space=space)}


@pytest.mark.parametrize("order", [AGENT_FIRST, RULES_FIRST])
async def test_what_agent_and_rules_both_read_is_kept_once(mind: AsyncMemory, space: str, order: str) -> None:
    twice: list[tuple[str, list[str]]] = []
    for number, (said, statement, category) in enumerate(PHRASINGS):
        own = f"{space} {number}"
        await say(mind, own, said)
        if order == RULES_FIRST:
            await mind.longterm.evaluate_session("s", space=own)
        (outcome,) = await remember(mind, own, claim(statement, said, category))
        assert outcome.action != "left out", (statement, outcome.reason)
        await mind.longterm.evaluate_session("s", space=own)
        await say(mind, own, f"As I said: {said}")
        await mind.longterm.evaluate_session("s", space=own)
        if len(kept := await live(mind, own)) != 1:
            twice.append((statement, [*kept]))
    assert twice == []


async def test_the_same_call_again_changes_nothing(mind: AsyncMemory, space: str) -> None:
    await say(mind, space, "I live in Lisbon, and I never drink coffee.")
    claims = (
        claim("The user lives in Lisbon.", "I live in Lisbon", "identity", importance="high"),
        claim("The user never drinks coffee.", "I never drink coffee", "preference"),
        claim("The user likes them.", "I never drink coffee"),
    )
    first = await remember(mind, space, *claims)
    assert [one.action for one in first] == ["included", "included", "left out"]
    before = await live(mind, space), await mind.longterm.audit(space=space)
    again = await remember(mind, space, *claims)
    assert [one.action for one in again] == ["kept", "kept", "left out"]
    assert [one.memories for one in again] == [one.memories for one in first]
    assert (await live(mind, space), await mind.longterm.audit(space=space)) == before


async def test_a_memory_of_the_agent_shows_its_words_and_its_author(mind: AsyncMemory, space: str) -> None:
    await mind.observe([{"id": "m7", "content": "I live  in LISBON, you know."}], space=space, user="jo")
    (done,) = await remember(
        mind, space, claim("Jo lives in Lisbon.", "I live in Lisbon", "identity", message="m7"), session=None
    )
    assert done.summary == "The user lives in Lisbon."
    (source,) = await mind.longterm.sources(done.memories[0], space=space)
    assert (source.message, source.excerpt) == ("m7", "I live in Lisbon")
    assert source.number is not None
    (line,) = await mind.longterm.audit(space=space)
    assert (line.evaluator, line.counts) == ("agent:1", {"claims": 1, "dropped": 0})
    assert (await mind.longterm.search("Where is home?", space=space, user="jo"))[
        0
    ].memory.id == done.memories[0]
    await mind.forget(space=space, message="m7", confirm=True)
    assert await live(mind, space) == {}


async def test_a_new_home_takes_the_place_of_the_old_one_and_not_the_other_way_round(
    mind: AsyncMemory, space: str, clock: FrozenClock
) -> None:
    await say(mind, space, "I live in Lisbon.", id="old")
    await mind.longterm.evaluate_session("s", space=space)
    clock.advance(timedelta(days=1))
    await say(mind, space, "We moved to Porto.", id="new")
    (edited,) = await remember(
        mind, space, claim("The user lives in Porto.", "We moved to Porto", "identity")
    )
    assert edited.action == "edited"
    old = claim("The user's home is Lisbon.", "I live in Lisbon", "identity", message="old")
    (late,) = await remember(mind, space, old)
    assert (late.action, late.reason) == ("left out", "something that was said later is known")
    assert set(await live(mind, space)) == {"The user lives in Porto."}


async def test_what_is_over_is_archived_and_claims_of_one_call_know_each_other(
    mind: AsyncMemory, space: str
) -> None:
    await say(mind, space, "I work at Siemens. I left Siemens. Yes, Siemens, where I worked.")
    done = await remember(
        mind,
        space,
        claim("The user works at Siemens.", "I work at Siemens", "professional_profile"),
        claim("Siemens employs the user.", "I work at Siemens", "professional_profile"),
        claim("The user no longer works at Siemens.", "I left Siemens", "professional_profile"),
    )
    assert [one.action for one in done] == ["included", "kept", "archived"]
    assert len({one.memories for one in done}) == 1
    assert await live(mind, space) == {}


async def test_the_policy_holds_for_the_agent(mind: AsyncMemory, space: str) -> None:
    key = "sk-proj-Ab3dEf6hIj9kLmN0pQrStUvWxYz12345"
    await say(mind, space, f"I take insulin, I earn 5000 euros, my key is {key}, I am allergic to nuts.")
    done = await remember(
        mind,
        space,
        claim("The user takes insulin.", "I take insulin"),
        claim("The user earns 5000 euros.", "I earn 5000 euros"),
        claim(f"The user's key is {key}.", "I take insulin"),
        claim("The user is allergic to nuts.", "I am allergic to nuts"),
    )
    assert [one.action for one in done] == ["left out"] * 3 + ["included"]
    assert [one.reason.partition(": ")[2] for one in done[:3]] == [
        "health: not asked to remember", "money", "secret",
    ]  # fmt: skip
    assert key not in repr(done)
    (kept,) = (await live(mind, space)).values()
    assert (kept.category, kept.importance) == ("constraint", "high")


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"words": "I live in Porto"}, "claims[1].words"),
        ({"words": "I am the assistant"}, "claims[1].words"),
        ({"words": "I live in Rome"}, "claims[1].words"),
        ({"message": "nowhere"}, "claims[1].message"),
        ({"session": "nowhere"}, "claims[1].session"),
        ({"statement": "x" * 10_000}, "claims[1].statement"),
        ({"category": "secret"}, "claims[1].category"),
    ],
)
async def test_a_claim_whose_words_are_not_there_is_named_and_nothing_is_written(
    mind: AsyncMemory, space: str, more: dict[str, Any], field: str
) -> None:
    await say(mind, space, "I live in Lisbon.")
    await say(mind, space, "I am the assistant.", role="assistant")
    await say(mind, space, "I live in Rome.", user="bob")
    good = {"statement": "The user lives in Lisbon.", "category": "identity", "words": "I live in Lisbon"}
    with pytest.raises(BadInput) as refused:
        await remember(mind, space, AgentClaim(**good), AgentClaim(**{**good, **more}))
    assert refused.value.field == field
    assert await live(mind, space) == {}


async def test_claims_need_a_place_where_their_words_are(mind: AsyncMemory, space: str) -> None:
    with pytest.raises(BadInput, match=r"claims\[0\]\.words.*hand in the whole text"):
        await remember(mind, space, claim("The user lives in Lisbon.", "I live in Lisbon"), session=None)
    with pytest.raises(BadInput, match=r"claims\[0\]\.message: there is no such message"):
        await remember(mind, space, claim("The user lives in Lisbon.", "Lisbon", message="m"), session=None)


async def test_other_spaces_and_other_people_are_out_of_reach(mind: AsyncMemory, space: str) -> None:
    await mind.observe([{"id": "m", "content": "I live in Lisbon."}], space=f"{space} other", user="jo")
    await mind.observe([{"id": "b", "content": "I live in Rome."}], space=space, session="s", user="bob")
    for message, words in (("m", "I live in Lisbon"), ("b", "I live in Rome")):
        with pytest.raises(BadInput):
            await remember(mind, space, claim("The user lives there now, in it.", words, message=message))
    with acting_for("bob"):
        with pytest.raises(BadInput):
            await remember(mind, space, claim("The user lives in Lisbon.", "I live", message="m"), user=None)
        done = await remember(mind, space, claim("The user lives in Rome.", "I live in Rome"), user=None)
    assert [one.action for one in done] == ["included"]
    (kept,) = (await live(mind, space)).values()
    assert kept.user == "bob"


async def test_what_was_written_by_hand_and_may_not_be_kept_stays_as_it_is(
    mind: AsyncMemory, space: str
) -> None:
    by_hand = await mind.longterm.add("The user takes insulin.", space=space, user="jo")
    await say(mind, space, "Remember that I live in Lisbon. I take insulin.")
    await remember(mind, space, claim("The user takes insulin.", "I take insulin"))
    now = (await live(mind, space))["The user takes insulin."]
    assert (now.id, now.version) == (by_hand.id, 1)


async def test_times_of_sources_are_those_of_the_messages(mind: AsyncMemory, space: str) -> None:
    await say(mind, space, "I live in Lisbon.", time="2025-05-04T10:00:00Z")
    await remember(mind, space, claim("The user lives in Lisbon.", "I live in Lisbon", "identity"))
    (kept,) = (await live(mind, space)).values()
    assert kept.happened_at == datetime(2025, 5, 4, 10, tzinfo=UTC)


async def test_what_was_marked_as_wrong_is_not_written_again(mind: AsyncMemory, space: str) -> None:
    await say(mind, space, "We moved to Porto.")
    told = claim("The user lives in Porto.", "We moved to Porto", "identity")
    (first,) = await remember(mind, space, told)
    await mind.corrections.add(first.memories[0], space=space)
    (again,) = await remember(mind, space, told)
    assert (again.action, again.memories) == ("left out", ())
    assert "wrong" in again.reason
    assert not [one for one in (await live(mind, space)).values() if not one.archived]
