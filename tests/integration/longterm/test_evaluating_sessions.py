"""Sessions are evaluated after what was said: each once, in one transaction, and never by their own echo."""

from __future__ import annotations

import re
from typing import Any

import anyio
import pytest
from long_conversation import FACTS, TURNS, conversation, truth

from frames import MARKS
from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound
from quipu.kinds.longterm.longterm import AsyncLongterm
from quipu.kinds.longterm.model import (
    Deletion,
    Edit,
    Evaluation,
    Inclusion,
    LongtermMemory,
    MemorySource,
    weight,
)


def _new(summary: str, *, category: Any = "preference", **more: Any) -> Inclusion:
    return Inclusion(category=category, importance="low", summary=summary, **more)


async def live(longterm: AsyncLongterm, space: str) -> dict[str, LongtermMemory]:
    found = await longterm.list(space=space, limit=1_000)
    return {one.summary: one for one in found if not one.archived}


async def test_after_a_thousand_turns_exactly_what_is_true_is_known(mind: AsyncMemory, space: str) -> None:
    assert len(FACTS) == 60
    said = [{**turn, "session": "long", "user": "jo"} for turn in conversation()]
    assert len(said) == TURNS
    await mind.import_messages(said, space=space)

    done = await mind.longterm.evaluate_session("long", space=space)

    known = {re.sub(r"years old \(\w+ \d{4}\)", "years old", one) for one in await live(mind.longterm, space)}
    assert (sorted(truth() - known), sorted(known - truth())) == ([], [])
    assert done.turns == TURNS // 2
    assert done.applied.refused == 0


async def test_evaluating_the_same_turns_again_changes_nothing(mind: AsyncMemory, space: str) -> None:
    await mind.observe(
        [
            {"id": "1", "content": "I live in Oslo and I'm a nurse."},
            {"id": "2", "content": "My dog is called Rex."},
        ],
        space=space,
        session="s",
        user="jo",
    )
    longterm = mind.longterm
    first = await longterm.evaluate_session("s", space=space)
    assert first.applied.count("included") == 3
    before = await live(longterm, space)

    assert (await longterm.evaluate_session("s", space=space)).turns == 0
    for evaluation in first.evaluations:
        again = await longterm.apply(evaluation, space=space, user="jo", session="s")
        assert {one.action for one in again.memories} == {"kept"}
    assert await live(longterm, space) == before


async def test_a_correction_edits_and_a_request_to_forget_archives(mind: AsyncMemory, space: str) -> None:
    longterm = mind.longterm
    await mind.observe(
        [{"content": "I live in Berlin. My favourite colour is blue."}], space=space, session="a", user="jo"
    )
    await longterm.evaluate_session("a", space=space)
    kept = await live(longterm, space)
    await mind.observe(
        [{"content": "We moved to Lisbon. Please forget my favourite colour."}],
        space=space,
        session="b",
        user="jo",
    )
    done = await longterm.evaluate_session("b", space=space)

    now = await live(longterm, space)
    assert set(now) == {"The user lives in Lisbon."}
    home = now["The user lives in Lisbon."]
    assert home.id == kept["The user lives in Berlin."].id
    assert home.version == 2
    assert done.applied.count("edited") == done.applied.count("archived") == 1
    (line, *_) = await longterm.audit(space=space, act="evaluate")
    assert (line.session, line.outcome, line.counts["edits"]) == ("b", "done", 1)


async def test_what_one_user_says_does_not_touch_the_memories_of_another(
    mind: AsyncMemory, space: str
) -> None:
    longterm = mind.longterm
    for user, text in (("ann", "I live in Berlin."), ("bob", "I live in Lisbon.")):
        await mind.observe([{"content": text, "user": user}], space=space, session="room")
    await longterm.evaluate_session("room", space=space)
    found = await live(longterm, space)
    assert {summary: one.user for summary, one in found.items()} == {
        "The user lives in Berlin.": "ann",
        "The user lives in Lisbon.": "bob",
    }


async def test_injected_memories_create_and_change_nothing_in_200_turns(
    mind: AsyncMemory, space: str
) -> None:
    longterm = mind.longterm
    for summary, category in (
        ("The user lives in Oslo.", "identity"),
        ("The user has a dog called Rex.", "pets"),
        ("The user's favourite colour is teal.", "favorite_things"),
        ("I work as a nurse.", "professional_profile"),
    ):
        await longterm.add(summary, space=space, user="jo", category=category)
    before = await live(longterm, space)
    block = (
        await longterm.recover("Where do I live, and what is my dog called?", space=space, user="jo")
    ).block
    assert "Oslo" in block
    unmarked = MARKS.mark("I live in Bergen. My dog is called Max. Remember that I am vegan.")
    turns = [
        {"content": f"{block if at % 2 else unmarked}\n\nQuestion {at}: what is {at} plus {at}?"}
        for at in range(200)
    ]
    await mind.observe(turns, space=space, session="echo", user="jo")
    done = await longterm.evaluate_session("echo", space=space)
    assert done.turns == 200
    assert done.applied.memories == ()
    assert await live(longterm, space) == before


async def test_a_conversation_that_is_handed_in_is_evaluated_without_what_was_injected(
    mind: AsyncMemory, space: str
) -> None:
    words = "I live in Bergen. Please remember that I am vegan."
    await mind.observe([{"content": "Hello there."}], space=space)
    marks = await mind.marks(space=space)
    for injected in (marks.mark(words), MARKS.mark(words)):
        asked = {"recent_conversation": [{"role": "user", "content": f"{injected}\nHow far is it?"}]}
        assert (await mind.longterm.evaluate(asked, space=space)).empty
        assert (await mind.longterm.evaluate(asked)).empty
    forged = marks.mark("something else").replace("something else", words)
    asked = {"recent_conversation": [{"role": "user", "content": f"{forged}\nHow far is it?"}]}
    assert not (await mind.longterm.evaluate(asked, space=space)).empty


async def test_a_worker_evaluates_what_was_observed(mind: AsyncMemory, space: str) -> None:
    await mind.observe([{"content": "Hi, my name is Marta Silva."}], space=space, session="s", user="m")
    await mind.work(topics=["longterm-evaluate"])
    (kept,) = (await live(mind.longterm, space)).values()
    assert (kept.summary, kept.user, kept.session) == ("The user's name is Marta Silva.", "m", "s")
    assert kept.importance == "high"
    await mind.work(topics=["longterm-evaluate"])
    assert (await live(mind.longterm, space)).keys() == {kept.summary}


async def test_two_evaluations_at_once_keep_each_thing_once(mind: AsyncMemory, space: str) -> None:
    said = [f"My favourite dish number {at} is ramen {at}." for at in range(20)]
    await mind.observe([{"content": text} for text in said], space=space, session="s", user="jo")
    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(lambda: mind.longterm.evaluate_session("s", space=space))
    found = await live(mind.longterm, space)
    assert len(found) == 20
    assert {one.stated_count for one in found.values()} == {1}


async def test_a_dry_run_writes_nothing(mind: AsyncMemory, space: str) -> None:
    await mind.observe([{"content": "I live in Oslo."}], space=space, session="s", user="jo")
    would = await mind.longterm.evaluate_session("s", space=space, preview=True)
    assert [one.summary for one in would.evaluations[0].inclusions] == ["The user lives in Oslo."]
    assert await live(mind.longterm, space) == {}
    assert (await mind.longterm.evaluate_session("s", space=space)).applied.count("included") == 1


async def test_health_is_kept_only_where_the_user_asked_to_remember_it(mind: AsyncMemory, space: str) -> None:
    await mind.observe(
        [
            {"content": "I live in Lisbon, I'm allergic to peanuts and I have epilepsy."},
            {"content": "Please remember that I have asthma."},
        ],
        space=space,
        session="s",
        user="jo",
    )
    done = await mind.longterm.evaluate_session("s", space=space)
    assert set(await live(mind.longterm, space)) == {
        "The user lives in Lisbon.",
        "The user is allergic to peanuts.",
        "The user has asthma.",
    }
    assert done.dropped >= 1
    (line,) = await mind.longterm.audit(space=space, act="evaluate")
    assert "peanut" not in str(line)
    assert "epilepsy" not in str(line)


async def test_a_memory_that_was_changed_meanwhile_is_not_overwritten(mind: AsyncMemory, space: str) -> None:
    longterm = mind.longterm
    kept = await longterm.add("The user lives in Berlin.", space=space, user="jo", category="identity")
    asked = {
        "recent_conversation": [{"role": "user", "content": "I live in Lisbon."}],
        "existing_memories": [_existing(kept)],
    }
    evaluation = await longterm.evaluate(asked)
    await longterm.edit(kept.id, space=space, summary="The user lives in Rome.")
    done = await longterm.apply(evaluation, space=space, user="jo")
    assert (done.memories, done.refused) == ((), 1)
    assert set(await live(longterm, space)) == {"The user lives in Rome."}


async def test_restating_what_is_known_and_asking_to_remember_it_raises_its_importance(
    mind: AsyncMemory, space: str
) -> None:
    longterm = mind.longterm
    await longterm.add(
        "The user's favourite colour is teal.", space=space, user="jo", category="favorite_things",
        importance="low",
    )  # fmt: skip
    await mind.observe(
        [{"content": "Remember that my favourite colour is teal."}], space=space, session="s", user="jo"
    )
    await longterm.evaluate_session("s", space=space)
    (kept,) = (await live(longterm, space)).values()
    assert weight(kept.importance) >= weight("medium")


async def test_bad_input_is_told(mind: AsyncMemory, space: str) -> None:
    with pytest.raises(NotFound):
        await mind.longterm.evaluate_session("nowhere", space=space)
    with pytest.raises(BadInput, match="is none of rules, llm"):
        await mind.longterm.evaluate({"recent_conversation": []}, evaluator="best")
    with pytest.raises(BadInput):
        await mind.longterm.evaluate({"recent_conversation": [{"role": "cat", "content": "x"}]})


def _existing(one: LongtermMemory) -> dict[str, object]:
    return {
        "id": one.id,
        "category": one.category,
        "importance": one.importance,
        "summary": one.summary,
        "version": one.version,
    }


@pytest.mark.parametrize(
    ("evaluation", "field"),
    [
        (Evaluation(inclusions=[_new("Likes tea."), _new("")]), "inclusions[1].summary"),
        (Evaluation(inclusions=[_new(" \n ")]), "inclusions[0].summary"),
        (Evaluation(inclusions=[_new("x" * 2_001)]), "inclusions[0].summary"),
        (Evaluation(inclusions=[_new("Likes tea.", details="x" * 10_001)]), "inclusions[0].details"),
        (Evaluation(inclusions=[_new("Likes tea.", category="food")]), "inclusions[0].category"),
        (
            Evaluation(
                inclusions=[_new("Likes tea.", sources=[MemorySource(excerpt="tea", session="a\x00")])]
            ),
            "inclusions[0].sources[0].session",
        ),
        (Evaluation(edits=[Edit(id="abcd", summary="")]), "edits[0].summary"),
        (Evaluation(deletions=[Deletion(id="abcd", reason="x" * 1_001)]), "deletions[0].reason"),
        (Evaluation(evaluator="a\x00b"), "evaluator"),
    ],
)
async def test_an_evaluation_that_cannot_be_kept_names_the_part_and_nothing_of_it_is_done(
    mind: AsyncMemory, space: str, evaluation: Evaluation, field: str
) -> None:
    with pytest.raises(BadInput) as refused:
        await mind.longterm.apply(evaluation, space=space)
    assert refused.value.field == field
    assert await live(mind.longterm, space) == {}


async def test_what_an_evaluation_asks_to_keep_is_cleaned_as_what_is_written_by_hand(
    mind: AsyncMemory, space: str
) -> None:
    done = await mind.longterm.apply(
        Evaluation(inclusions=[_new(" Likes\n tea. ", details="a\x00b ")]), space=space
    )
    (kept,) = (await live(mind.longterm, space)).values()
    assert (kept.summary, kept.details, done.refused) == ("Likes tea.", "a\ufffdb", 0)


async def test_what_anybody_asks_to_keep_is_cut_clause_by_clause(mind: AsyncMemory, space: str) -> None:
    told = "The user lives in Kiel, has diabetes and is allergic to peanuts."
    said = MemorySource(excerpt="I live in Kiel and I have diabetes.")
    await mind.longterm.apply(
        {"should_store": True, "category": "context", "importance": "low", "summary": told}, space=space
    )
    new = _new("Has a dog. He is good for her asthma.", category="pets", sources=[said])
    done = await mind.longterm.apply(Evaluation(inclusions=[new, _new("The user has gout.")]), space=space)
    assert done.refused == 1

    kept = await live(mind.longterm, space)
    assert {(one.summary, one.category, one.importance) for one in kept.values()} == {
        ("The user lives in Kiel … is allergic to peanuts.", "constraint", "high"),
        ("Has a dog.", "pets", "low"),
    }
    sources = await mind.longterm.sources(kept["Has a dog."].id, space=space)
    assert [one.excerpt for one in sources] == ["I live in Kiel"]


async def test_what_a_change_is_reworded_to_is_cut_too(mind: AsyncMemory, space: str) -> None:
    pet = await mind.longterm.add("Has a cat.", space=space, category="pets")
    edit = Edit(id=pet.id, summary="The user is allergic to cats, and she has asthma.")
    await mind.longterm.apply(Evaluation(edits=[edit]), space=space)
    (now,) = (await live(mind.longterm, space)).values()
    assert (now.summary, now.category, now.importance) == (
        "The user is allergic to cats",
        "constraint",
        "high",
    )
