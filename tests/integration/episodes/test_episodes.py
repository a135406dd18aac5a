"""Conversations become episodes that are found, used, put away, rewritten and forgotten."""

from __future__ import annotations

from datetime import timedelta

import pytest
from talk import BUILD, GARDEN, THEN, TRIP, told

from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.db.database import Database
from quipu.kinds.episodes.decay.model import Episode

SPACE = "home"

pytestmark = pytest.mark.anyio


async def condensed(memory: AsyncMemory, *talks: tuple[str, ...]) -> list[Episode]:
    """The episodes of conversations, one a session, condensed in their order."""
    for number, texts in enumerate(talks):
        await memory.import_messages(
            told(texts, session=f"s{number}", at=THEN + timedelta(hours=number)), space=SPACE
        )
        done = await memory.work(concurrency=1)
        assert (done.failed, done.dead) == (0, 0)
    return list(reversed(await memory.episodes.list(space=SPACE)))


async def test_a_conversation_becomes_an_episode_with_all_that_the_seed_names(memory: AsyncMemory) -> None:
    trip, build = await condensed(memory, TRIP, BUILD)
    assert (trip.session, trip.user, trip.messages) == ("s0", "ana", len(TRIP))
    assert (trip.started_at, trip.happened_at) == (THEN, THEN + timedelta(minutes=len(TRIP) - 1))
    assert "Lisbon" in trip.gist or "Madrid" in trip.gist
    assert trip.intent["type"] == "planning"
    assert trip.intent["direction"] == "decision-making"
    assert trip.emotion["valence"] == "positive"
    assert trip.open_loops == ("assistant: I'll send you a list of hotels tomorrow. (due 2025-03-04)",)
    assert trip.salience_factors["unresolved"] is True
    assert trip.salience_factors["commitment"] > 1
    assert build.intent["type"] == "problem-solving"
    assert build.outcome.startswith("Solved. ")
    assert build.emotion["valence"] in ("negative", "mixed")
    assert build.salience_factors["unresolved"] is False
    assert "Monday morning, 2025-03-03" in build.context["situational"]
    assert build.builder == "rules"


async def test_the_topic_is_that_of_the_conversation(memory: AsyncMemory) -> None:
    (trip,) = await condensed(memory, TRIP)
    (talk,) = await memory.conversations.list(space=SPACE)
    assert trip.topic == talk.topic != ""


async def test_what_an_episode_leaves_open_is_what_is_open_of_its_loops(
    memory: AsyncMemory, database: Database
) -> None:
    (trip,) = await condensed(memory, TRIP)
    (loop,) = await memory.loops.list(space=SPACE)
    told = (f"{loop.by}: {loop.text} (due 2025-03-04)",)
    assert await _left_open(memory, database, trip.id) == told
    assert (await memory.episodes.stats(space=SPACE)).unresolved == 1
    await memory.loops.close(loop.id, space=SPACE)
    assert await _left_open(memory, database, trip.id) == ()
    assert (await memory.episodes.stats(space=SPACE)).unresolved == 0
    await memory.loops.reopen(loop.id, space=SPACE)
    await memory.episodes.rebuild(space=SPACE, again=True)
    assert await _left_open(memory, database, trip.id) == told


async def test_open_loops_that_sql_writes_stay_and_what_else_it_writes_leaves_them(
    memory: AsyncMemory, database: Database
) -> None:
    (trip,) = await condensed(memory, TRIP)
    (loop,) = await memory.loops.list(space=SPACE)
    async with database.write(SPACE) as tx:
        await tx.conn.execute("update episodes.episodes set gist = 'A trip.'")
    await memory.loops.close(loop.id, space=SPACE)
    assert await _left_open(memory, database, trip.id) == ()
    async with database.write(SPACE) as tx:
        await tx.conn.execute("""update episodes.episodes set open_loops = '["Who packs?"]'""")
    assert await _left_open(memory, database, trip.id) == ("Who packs?",)


async def _left_open(memory: AsyncMemory, database: Database, episode: str) -> tuple[str, ...]:
    """What Python says is open, which is what the view says."""
    async with database.write(SPACE) as tx:
        row = await (await tx.conn.execute("select open_loops from episodes.episodes")).fetchone()
    assert row is not None
    told = tuple((await memory.episodes.get(episode, space=SPACE)).open_loops)
    assert told == tuple(row[0])
    return told


async def test_an_episode_tells_what_it_was_made_of(memory: AsyncMemory) -> None:
    (trip,) = await condensed(memory, TRIP)
    said = await memory.episodes.messages(trip.id[:8], space=SPACE)
    assert [one.content for one in said] == list(TRIP)
    assert said[0].id == "s0-0"


async def test_something_new_weighs_more_than_the_same_again(memory: AsyncMemory) -> None:
    first, again = await condensed(memory, TRIP, TRIP)
    assert first.salience_factors["novelty"] == 2  # nothing was known yet
    assert again.salience_factors["novelty"] == 0
    assert again.base_salience < first.base_salience


async def test_what_may_go_on_waits_and_is_condensed_when_it_rested(
    memory: AsyncMemory, clock: FrozenClock
) -> None:
    clock.advance(timedelta(days=-1, minutes=10))
    await memory.observe(told(TRIP, session="s"), space=SPACE)
    await memory.work()
    assert await memory.episodes.list(space=SPACE) == []
    assert (await memory.episodes.stats(space=SPACE)).waiting > 0
    clock.advance(timedelta(minutes=40))
    await memory.work()
    assert len(await memory.episodes.list(space=SPACE)) == 1
    assert (await memory.episodes.stats(space=SPACE)).waiting == 0


async def test_what_waits_can_be_condensed_at_once_and_only_once(
    memory: AsyncMemory, clock: FrozenClock
) -> None:
    clock.advance(timedelta(days=-1, minutes=10))
    await memory.observe(told(TRIP, session="s"), space=SPACE)
    await memory.work()
    done = await memory.episodes.condense(space=SPACE)
    assert len(done.episodes) == 1
    assert (await memory.episodes.condense(space=SPACE)).episodes == ()
    clock.advance(timedelta(hours=5))
    await memory.work()
    assert len(await memory.episodes.list(space=SPACE)) == 1


async def test_recall_finds_episodes_with_parts_that_are_explained(memory: AsyncMemory) -> None:
    await condensed(memory, TRIP, BUILD, GARDEN)
    hits = await memory.recall("When did we plan the trip to Lisbon?", space=SPACE, kinds=("episodes",))
    trip = hits[0]
    assert "Lisbon" in trip.text or "Madrid" in trip.text
    assert trip.parts["activation"] > 0
    assert trip.parts["freshness"] > 0
    assert trip.parts["intent"] > 0
    assert trip.score == pytest.approx(sum(trip.parts.values()), abs=1e-4)
    why = await memory.why(trip)
    assert {reason.signal for reason in why.reasons} == set(trip.parts)
    assert trip.source.session == "s0"
    found = await memory.episodes.search("When did we plan the trip to Lisbon?", space=SPACE)
    assert (found[0].episode.id, found[0].score) == (trip.source.message, trip.score)


async def test_looking_changes_nothing_and_use_does(memory: AsyncMemory, clock: FrozenClock) -> None:
    (build,) = await condensed(memory, BUILD)
    await memory.recall("parser", space=SPACE)
    await memory.episodes.search("parser", space=SPACE)
    await memory.episodes.curve(build.id, space=SPACE)
    assert await memory.episodes.get(build.id, space=SPACE) == build
    assert await memory.episodes.reinforce([build.id], space=SPACE) == 1
    assert await memory.episodes.reinforce([build.id], space=SPACE) == 0
    used = await memory.episodes.get(build.id, space=SPACE)
    assert (used.uses, used.used_at) == (1, clock.now())
    assert (used.freshness, used.base_salience) == (1, build.base_salience)
    assert used.activation > build.activation
    assert used.salience > build.salience


async def test_a_block_for_a_prompt_counts_as_a_use(memory: AsyncMemory) -> None:
    (trip,) = await condensed(memory, TRIP)
    block = await memory.recall_block("Lisbon trip", budget_tokens=500, space=SPACE, kinds=("episodes",))
    assert [hit.source.message for hit in block.hits] == [trip.id]
    assert (await memory.episodes.get(trip.id, space=SPACE)).uses == 1


async def test_a_faint_match_in_part_is_said_to_be_half_remembered(
    memory: AsyncMemory, clock: FrozenClock
) -> None:
    await condensed(memory, GARDEN)
    question = "Which compost did the neighbour in Berlin recommend against snails last winter?"
    clock.advance(timedelta(days=200))
    (found,) = await memory.episodes.search(question, space=SPACE)
    assert found.half_remembered
    assert found.parts["half_remembered"] < 0
    block = await memory.recall_block(question, budget_tokens=500, space=SPACE, kinds=("episodes",))
    assert "half remembered" in block.text
    (again,) = await memory.episodes.search("compost for tomatoes", space=SPACE)
    assert not again.half_remembered


async def test_put_away_it_is_not_found_and_restored_it_is_as_it_was(memory: AsyncMemory) -> None:
    (trip,) = await condensed(memory, TRIP)
    await memory.episodes.reinforce([trip.id], space=SPACE)
    gone = await memory.episodes.archive(trip.id, space=SPACE)
    assert gone.deleted_at is not None
    assert await memory.recall("Lisbon", space=SPACE, kinds=("episodes",)) == []
    assert await memory.episodes.list(space=SPACE) == []
    assert [one.id for one in await memory.episodes.list(space=SPACE, state="archived")] == [trip.id]
    assert await memory.episodes.reinforce([trip.id], space=SPACE) == 0
    back = await memory.episodes.unarchive(trip.id, space=SPACE)
    assert (back.deleted_at, back.uses, back.gist) == (None, 1, trip.gist)
    assert len(await memory.recall("Lisbon", space=SPACE, kinds=("episodes",))) == 1


async def test_erased_it_is_gone_for_good_while_what_was_said_stays(memory: AsyncMemory) -> None:
    (trip,) = await condensed(memory, TRIP)
    preview = await memory.episodes.erase(trip.id, space=SPACE)
    assert (preview.receipt, dict(preview.counts)) == (None, {"episodes": 1})
    assert (await memory.episodes.erase(trip.id, space=SPACE, confirm=True)).receipt is not None
    with pytest.raises(NotFound):
        await memory.episodes.get(trip.id, space=SPACE)
    assert (await memory.episodes.condense(space=SPACE)).episodes == ()
    assert await memory.recall("Lisbon", space=SPACE, kinds=("episodes",)) == []
    assert len(await memory.recall("Lisbon", space=SPACE)) > 0


async def test_rebuilding_keeps_ids_uses_and_how_it_read_before(memory: AsyncMemory) -> None:
    trip, build = await condensed(memory, TRIP, BUILD)
    await memory.episodes.reinforce([trip.id], space=SPACE)
    assert (await memory.episodes.rebuild(space=SPACE)).episodes == ()  # as the rules of today wrote them
    done = await memory.episodes.rebuild(space=SPACE, again=True)
    assert set(done.episodes) == {trip.id, build.id}
    rewritten = await memory.episodes.get(trip.id, space=SPACE)
    assert (rewritten.gist, rewritten.uses, rewritten.version) == (trip.gist, 1, 2)
    (before,) = await memory.episodes.history(trip.id, space=SPACE)
    assert (before.gist, before.version) == (trip.gist, 1)
    assert before.said["outcome"] == trip.outcome
    (hit,) = await memory.recall("Lisbon", space=SPACE, kinds=("episodes",))
    assert hit.source.message == trip.id


async def test_the_most_of_something_comes_first(memory: AsyncMemory) -> None:
    trip, build, garden = await condensed(memory, TRIP, BUILD, GARDEN)
    await memory.episodes.reinforce([build.id], space=SPACE)
    for order in ("freshness", "activation"):
        (first, *_) = await memory.episodes.list(space=SPACE, order=order)
        assert first.id == build.id
    by_salience = await memory.episodes.list(space=SPACE, order="salience")
    assert [one.salience for one in by_salience] == sorted(
        (one.salience for one in by_salience), reverse=True
    )
    assert [one.id for one in await memory.episodes.list(space=SPACE, session="s2")] == [garden.id]
    assert [one.id for one in await memory.episodes.list(space=SPACE, topic=trip.topic)][-1] == trip.id
    assert await memory.episodes.list(space=SPACE, user="bob") == []


async def test_other_spaces_and_what_is_not_there_are_told_apart(memory: AsyncMemory) -> None:
    (trip,) = await condensed(memory, TRIP)
    for call in (
        memory.episodes.get,
        memory.episodes.messages,
        memory.episodes.archive,
        memory.episodes.curve,
    ):
        with pytest.raises(NotFound):
            await call(trip.id, space="elsewhere")
    assert await memory.episodes.list(space="elsewhere") == []
    assert (await memory.episodes.stats(space="elsewhere")).episodes == 0


async def test_what_cannot_be_meant_is_refused(memory: AsyncMemory) -> None:
    episodes = memory.episodes
    with pytest.raises(BadInput, match="order"):
        await episodes.list(space=SPACE, order="best")  # pyright: ignore[reportArgumentType]
    with pytest.raises(BadInput, match="limit"):
        await episodes.list(space=SPACE, limit=0)
    with pytest.raises(BadInput, match="id"):
        await episodes.get("x", space=SPACE)
    with pytest.raises(BadInput, match="question"):
        await episodes.search("  ", space=SPACE)
    with pytest.raises(BadInput, match="points"):
        await episodes.curve("abcd", space=SPACE, points=1)


@pytest.mark.parametrize("message", ["s0-2", "s0-3"])
async def test_a_forgotten_message_takes_its_words_out_of_the_episode(
    memory: AsyncMemory, database: Database, message: str
) -> None:
    (trip,) = await condensed(memory, TRIP)
    await memory.episodes.rebuild(space=SPACE, again=True)
    done = await memory.forget(space=SPACE, message=message, confirm=True)
    assert done.counts["episodes_emptied"] == 1
    emptied = await memory.episodes.get(trip.id, space=SPACE)
    assert (emptied.emptied, emptied.gist) == (True, "")
    assert await memory.episodes.history(trip.id, space=SPACE) == []
    assert await memory.recall("Madrid", space=SPACE, kinds=("episodes",)) == []
    work = await memory.work()
    assert (work.failed, work.dead) == (0, 0)
    now = await memory.episodes.get(trip.id, space=SPACE)
    assert not now.emptied
    assert now.messages == len(TRIP) - 1
    said = TRIP[int(message[-1])]
    assert said not in f"{now.gist} {now.outcome} {now.action} {now.context} {now.open_loops}"


async def test_episodes_go_with_their_session_and_their_person(memory: AsyncMemory) -> None:
    trip, build = await condensed(memory, TRIP, BUILD)
    preview = await memory.forget(space=SPACE, session="s0")
    assert preview.counts["episodes"] == 1
    await memory.forget(space=SPACE, session="s0", confirm=True)
    with pytest.raises(NotFound):
        await memory.episodes.get(trip.id, space=SPACE)
    await memory.forget(space=SPACE, user="ana", confirm=True)
    with pytest.raises(NotFound):
        await memory.episodes.get(build.id, space=SPACE)
