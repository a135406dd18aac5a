"""Memories that people write, change, confirm, use, archive and bring back."""

from __future__ import annotations

from datetime import timedelta

import anyio
import pytest
from scripted_extractor import rows

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict, NotFound
from quipu.interfaces.hooks.daemon.answers import Answers
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.lessons.lessons import AsyncLessons

pytestmark = pytest.mark.anyio
SPACE = "acme"


async def recalled(opened: AsyncMemory, question: str) -> list[str]:
    return [hit.text for hit in await opened.recall(question, space=SPACE, kinds=["lesson"])]


async def test_a_memory_written_by_hand_is_recalled_at_once(
    memories: AsyncLessons, opened: AsyncMemory
) -> None:
    made = await memories.add("The queue is RabbitMQ.", space=SPACE, category="context", project="/shop")
    assert (made.origin, made.session, made.confidence, made.sources) == ("manual", None, 1.0, 0)
    (hit,) = await opened.recall("rabbitmq", space=SPACE)
    assert (hit.kind, hit.text, hit.source.message) == ("lesson", made.fact, str(made.id))


async def test_hardly_any_confidence_is_taken_as_none(memories: AsyncLessons) -> None:
    for place, told in enumerate((5e-324, 3e-183, 1e-9, 0.1)):
        made = await memories.add(f"The queue is RabbitMQ {place}.", space=SPACE, confidence=told)
        assert made.confidence == round(told, 4)


async def test_the_same_is_not_written_twice(memories: AsyncLessons) -> None:
    first = await memories.add("The queue is RabbitMQ.", space=SPACE)
    with pytest.raises(Conflict, match=str(first.id)):
        await memories.add("the queue is rabbitmq", space=SPACE)
    await memories.add("The queue is RabbitMQ.", space=SPACE, project="/other")


async def test_a_secret_is_cut_out_unless_secrets_are_kept(
    memories: AsyncLessons, with_secrets: AsyncLessons
) -> None:
    key = "ghp_" + "a1B2" * 9
    assert key not in (await memories.add(f"The token is {key}.", space=SPACE)).fact
    assert key in (await with_secrets.add(f"The token is {key}.", space=SPACE)).fact


async def test_an_edit_changes_what_is_recalled_and_keeps_how_it_read_before(
    memories: AsyncLessons, opened: AsyncMemory, database: Database
) -> None:
    made = await memories.add("The queue is RabbitMQ.", space=SPACE)
    edited = await memories.edit(made.id, space=SPACE, fact="The broker is Kafka.", category="context")
    assert (edited.id, edited.fact, edited.category) == (made.id, "The broker is Kafka.", "context")
    assert edited.edited_at is not None
    assert await recalled(opened, "kafka") == ["The broker is Kafka."]
    assert "The queue is RabbitMQ." not in await recalled(opened, "rabbitmq")
    before = [row for row in await rows(database, SPACE) if "The queue is RabbitMQ." in str(row)]
    assert len(before) == 1


async def test_an_edit_cannot_make_two_memories_say_the_same(memories: AsyncLessons) -> None:
    await memories.add("The queue is RabbitMQ.", space=SPACE)
    other = await memories.add("The broker is Kafka.", space=SPACE)
    with pytest.raises(Conflict):
        await memories.edit(other.id, space=SPACE, fact="The queue is RabbitMQ")
    assert (await memories.get(other.id, space=SPACE)).fact == "The broker is Kafka."


async def test_archived_is_out_of_recall_and_restored_is_back(
    memories: AsyncLessons, opened: AsyncMemory
) -> None:
    made = await memories.add("The queue is RabbitMQ.", space=SPACE)
    assert (await memories.archive(made.id, space=SPACE)).state == "archived"
    assert (await memories.archive(made.id, space=SPACE)).state == "archived"
    assert await recalled(opened, "rabbitmq") == []
    assert await memories.search("rabbitmq", space=SPACE) == []
    with pytest.raises(BadInput, match="archived"):
        await memories.edit(made.id, space=SPACE, fact="The broker is Kafka.")
    assert (await memories.unarchive(made.id, space=SPACE)).state == "live"
    assert await recalled(opened, "rabbitmq") == ["The queue is RabbitMQ."]


async def test_what_was_written_anew_meanwhile_is_not_restored_beside_it(memories: AsyncLessons) -> None:
    made = await memories.add("The queue is RabbitMQ.", space=SPACE)
    await memories.archive(made.id, space=SPACE)
    await memories.add("The queue is RabbitMQ.", space=SPACE)
    with pytest.raises(Conflict):
        await memories.unarchive(made.id, space=SPACE)


async def test_time_takes_confidence_and_use_or_confirmation_gives_it_back(
    memories: AsyncLessons, clock: FrozenClock
) -> None:
    made = await memories.add("The queue is RabbitMQ.", space=SPACE, confidence=0.8)
    clock.advance(timedelta(days=70))
    assert (await memories.get(made.id, space=SPACE)).confidence == pytest.approx(0.4)
    assert await memories.reinforce([made.id, made.id], space=SPACE) == 1
    assert await memories.reinforce([made.id], space=SPACE) == 0
    used = await memories.get(made.id, space=SPACE)
    assert used.uses == 1
    assert used.confidence == pytest.approx(0.82)
    confirmed = await memories.confirm(made.id, space=SPACE)
    assert confirmed.confidence == pytest.approx(0.91)
    assert confirmed.judged == pytest.approx(0.8)


async def test_being_found_is_no_use(memories: AsyncLessons, opened: AsyncMemory) -> None:
    made = await memories.add("The queue is RabbitMQ.", space=SPACE)
    await memories.search("rabbitmq", space=SPACE)
    await recalled(opened, "rabbitmq")
    assert (await memories.get(made.id, space=SPACE)).uses == 0


async def test_what_is_put_before_an_agent_is_a_use_once_an_hour(
    memories: AsyncLessons, opened: AsyncMemory, clock: FrozenClock
) -> None:
    made = await memories.add("The queue is RabbitMQ.", space=SPACE)
    other = await memories.add("Never deploy on a Friday.", space=SPACE)
    for _ in range(3):
        shown = await opened.recall_block("What is the queue?", space=SPACE, budget_tokens=80, limit=1)
        assert "RabbitMQ" in shown.text
        clock.advance(timedelta(minutes=30))
    used = await memories.get(made.id, space=SPACE)
    assert (used.uses, used.used_at) == (2, clock.now() - timedelta(minutes=30))
    assert (await memories.get(other.id, space=SPACE)).uses == 0


async def test_what_does_not_fit_into_the_block_is_not_used(
    memories: AsyncLessons, opened: AsyncMemory
) -> None:
    made = await memories.add("The queue is RabbitMQ.", space=SPACE)
    assert (await opened.recall_block("What is the queue?", space=SPACE, budget_tokens=1)).text == ""
    assert (await memories.get(made.id, space=SPACE)).uses == 0


async def test_what_a_hook_tells_an_agent_is_a_use(
    memories: AsyncLessons, opened: AsyncMemory, clock: FrozenClock
) -> None:
    made = await memories.add("The queue is RabbitMQ.", space=SPACE)
    hooks = Answers(opened)
    asked = {"space": SPACE, "session": "now"}
    assert "RabbitMQ" in await hooks.answer({**asked, "do": "session-start"})
    clock.advance(timedelta(hours=2))
    prompt = {**asked, "do": "prompt", "prompt": "What is the queue, please?"}
    assert "RabbitMQ" in await hooks.answer(prompt)
    assert await hooks.answer(prompt) == ""  # it was told that already
    assert (await memories.get(made.id, space=SPACE)).uses == 2


async def test_what_has_faded_is_not_recalled_and_comes_back_when_it_is_confirmed(
    memories: AsyncLessons, opened: AsyncMemory, clock: FrozenClock
) -> None:
    made = await memories.add("The queue is RabbitMQ.", space=SPACE, confidence=0.8)
    clock.advance(timedelta(days=209))  # 3 half-lives less a day
    assert await recalled(opened, "rabbitmq") == ["The queue is RabbitMQ."]
    clock.advance(timedelta(days=2))
    assert await recalled(opened, "rabbitmq") == []
    assert (await opened.transcripts.bootstrap(space=SPACE)).memories == ()
    await memories.confirm(made.id, space=SPACE)
    assert await recalled(opened, "rabbitmq") == ["The queue is RabbitMQ."]


async def test_what_lasts_is_recalled_and_told_however_old_it_is(
    memories: AsyncLessons, opened: AsyncMemory, clock: FrozenClock
) -> None:
    wish = await memories.add("Always use RabbitMQ.", space=SPACE, category="preferences", confidence=0.8)
    rule = await memories.add(
        "Queues of RabbitMQ are named in capitals.", space=SPACE, category="patterns", project="boats"
    )
    passing = await memories.add("Every Sunday somebody empties RabbitMQ.", space=SPACE, category="patterns")
    clock.advance(timedelta(days=3_000))
    live = await memories.list(space=SPACE, state="live")
    assert {one.id: one.confidence for one in live} == {wish.id: 0.8, rule.id: 1.0}
    assert {*await recalled(opened, "rabbitmq")} == {wish.fact, rule.fact}
    told = (await opened.transcripts.bootstrap(space=SPACE, project="boats")).memories
    assert {one.fact for one in told} == {wish.fact, rule.fact}
    assert [one.id for one in await memories.list(space=SPACE, state="faded")] == [passing.id]


async def test_pruning_shows_what_it_would_archive_before_it_does(
    memories: AsyncLessons, clock: FrozenClock, opened: AsyncMemory
) -> None:
    old = await memories.add("The queue is RabbitMQ.", space=SPACE, confidence=0.8)
    clock.advance(timedelta(days=250))
    await memories.add("The cache is Redis.", space=SPACE)
    preview = await memories.prune(space=SPACE)
    assert ([one.id for one in preview.lessons], preview.archived) == ([old.id], False)
    assert [one.state for one in await memories.list(space=SPACE, state="faded")] == ["faded"]
    done = await memories.prune(space=SPACE, confirm=True)
    assert ([one.id for one in done.lessons], done.archived) == ([old.id], True)
    assert await recalled(opened, "rabbitmq") in ([], ["The cache is Redis."])
    assert (await memories.prune(space=SPACE, confirm=True)).lessons == ()
    assert (await memories.unarchive(old.id, space=SPACE)).state == "live"


async def test_search_keeps_to_a_category_and_a_project(memories: AsyncLessons) -> None:
    await memories.add("The queue is RabbitMQ.", space=SPACE, category="context", project="/a")
    await memories.add("Never restart the queue.", space=SPACE, category="preferences", project="/b")
    everything = await memories.search("queue", space=SPACE)
    assert len(everything) == 2
    assert all(
        0 <= one.score <= 1 and sum(one.parts.values()) == pytest.approx(one.score) for one in everything
    )
    (context,) = await memories.search("queue", space=SPACE, category="context")
    (of_b,) = await memories.search("queue", space=SPACE, project="/b")
    assert (context.lesson.project, of_b.lesson.category) == ("/a", "preferences")


async def test_the_surest_come_first_and_pages_do_not_overlap(memories: AsyncLessons) -> None:
    for number in range(4):
        await memories.add(f"Service {number} is fine here.", space=SPACE, confidence=0.2 + number / 10)
    first = await memories.list(space=SPACE, limit=2)
    second = await memories.list(space=SPACE, limit=2, offset=2)
    assert [one.judged for one in [*first, *second]] == pytest.approx([0.5, 0.4, 0.3, 0.2])


async def test_a_memory_is_named_by_the_beginning_of_its_id(memories: AsyncLessons) -> None:
    made = await memories.add("The queue is RabbitMQ.", space=SPACE)
    assert (await memories.get(str(made.id)[:8], space=SPACE)).id == made.id
    with pytest.raises(NotFound):
        await memories.get("00000000", space=SPACE)
    with pytest.raises(BadInput, match="no id"):
        await memories.get("%", space=SPACE)


async def test_nothing_is_seen_from_another_space(memories: AsyncLessons) -> None:
    made = await memories.add("The queue is RabbitMQ.", space=SPACE)
    assert await memories.list(space="other") == []
    assert await memories.search("rabbitmq", space="other") == []
    for change in (memories.get, memories.archive, memories.unarchive, memories.confirm):
        with pytest.raises(NotFound):
            await change(made.id, space="other")
    assert (await memories.prune(space="other")).lessons == ()


async def test_two_who_write_the_same_at_once_make_one_memory(memories: AsyncLessons) -> None:
    refused: list[Conflict] = []

    async def write() -> None:
        try:
            await memories.add("The queue is RabbitMQ.", space=SPACE)
        except Conflict as error:
            refused.append(error)

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(write)
    assert (len(await memories.list(space=SPACE)), len(refused)) == (1, 3)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"fact": " "}, "fact"),
        ({"fact": "x" * 5_000}, "fact"),
        ({"fact": "x", "category": "Big Words!"}, "category"),
        ({"fact": "x", "confidence": 1.5}, "confidence"),
        ({"fact": "x", "confidence": float("nan")}, "confidence"),
    ],
)
async def test_what_cannot_be_taken_is_refused_by_its_name(
    memories: AsyncLessons, given: dict[str, object], field: str
) -> None:
    with pytest.raises(BadInput) as refused:
        await memories.add(space=SPACE, **given)  # pyright: ignore[reportArgumentType]
    assert refused.value.field == field
