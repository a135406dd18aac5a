"""The main job: taking in, recalling with reason and source, forgetting."""

from __future__ import annotations

import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, Conflict

pytestmark = pytest.mark.anyio


async def test_what_was_observed_is_recalled_with_its_source_and_parts(memory: AsyncMemory) -> None:
    await memory.observe(
        [{"id": "m1", "role": "user", "content": "I moved to Lisbon in May."}], space="ana", session="s1"
    )
    (hit,) = await memory.recall("When did she move to Lisbon?", space="ana")
    assert hit.text == "I moved to Lisbon in May."
    assert (hit.source.message, hit.source.session, hit.kind) == ("m1", "s1", "message")
    assert hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-4)
    assert 0 < hit.score <= 1


async def test_the_same_message_twice_is_a_duplicate_and_other_words_a_conflict(memory: AsyncMemory) -> None:
    message = {"id": "m1", "content": "The cat is called Miso."}
    assert (await memory.observe([message], space="ana", session="s")).imported == 1
    assert (await memory.observe([message], space="ana", session="s")).duplicates == 1
    with pytest.raises(Conflict, match="stored already"):
        await memory.observe(
            [{"id": "m2", "content": "New."}, message | {"content": "Other."}], space="ana", session="s"
        )
    assert [s.messages for s in await memory.sessions(space="ana")] == [1]


async def test_an_import_reports_what_it_refuses_and_takes_the_rest(memory: AsyncMemory) -> None:
    lines = [{"content": f"Line {n} is about ships."} for n in range(900)]
    lines[450] = {"content": ""}
    lines[700] = {"content": "x", "role": 7}
    report = await memory.import_messages(lines, space="ana")
    assert (report.imported, [r.line for r in report.refused]) == (898, [451, 701])
    again = await memory.import_messages(lines, space="ana")
    assert (again.imported, again.duplicates) == (0, 898)


async def test_one_space_never_sees_another(memory: AsyncMemory) -> None:
    await memory.observe([{"content": "The safe is behind the mirror."}], space="ana")
    await memory.observe([{"content": "The safe is under the stairs."}], space="bob")
    assert [h.text for h in await memory.recall("Where is the safe?", space="bob")] == [
        "The safe is under the stairs."
    ]
    assert await memory.recall("Where is the safe?", space="eve") == []


async def test_forgetting_previews_first_then_erases_and_proves_it(memory: AsyncMemory) -> None:
    for session in ("s1", "s2"):
        await memory.observe([{"content": f"The boat of {session} is green."}], space="ana", session=session)
    preview = await memory.forget(space="ana", session="s1")
    assert (preview.counts, preview.receipt) == ({"jobs": 2, "messages": 1}, None)
    done = await memory.forget(space="ana", session="s1", confirm=True)
    assert done.receipt is not None
    assert [h.source.session for h in await memory.recall("boat green", space="ana")] == ["s2"]


async def test_what_we_recalled_is_not_taken_in_again(memory: AsyncMemory) -> None:
    await memory.observe([{"content": "The password of the boat club is changed in June."}], space="ana")
    block = await memory.recall_block("boat club", space="ana", budget_tokens=200)
    report = await memory.observe([{"content": block.text}], space="ana")
    assert (report.imported, report.echoes) == (0, 1)


@pytest.mark.parametrize("limit", [0, -1, 1001, 10**9])
async def test_a_limit_out_of_range_is_refused_by_name(memory: AsyncMemory, limit: int) -> None:
    with pytest.raises(BadInput, match="limit"):
        await memory.recall("anything", space="ana", limit=limit)


async def test_what_was_said_often_comes_back_once_and_a_question_asked_before_comes_last(
    memory: AsyncMemory,
) -> None:
    for day in range(1, 7):
        await memory.observe(
            [{"content": "Where does Emi live?", "time": f"2026-03-0{day}T10:00:00Z"}],
            space="ana",
            session=f"s{day}",
        )
    for day in (2, 4):
        said = [{"content": "Emi lives in Oslo.", "time": f"2026-02-0{day}T10:00:00Z"}]
        await memory.observe(said, space="ana", session=f"t{day}")
    first, last = await memory.recall("where does Emi live", space="ana", limit=2)
    assert (first.text, len(first.repeats)) == ("Emi lives in Oslo.", 1)
    assert first.said_again == "said 2 times, last on 2026-02-04"
    assert (last.text, len(last.repeats)) == ("Where does Emi live?", 5)
    assert last.parts["echo"] < 0
    assert last.score == pytest.approx(sum(last.parts.values()), abs=1e-5)
    assert (await memory.why(last)).reasons[-1].signal == "echo"
    block = await memory.recall_block("where does Emi live", space="ana", budget_tokens=200)
    assert "said 2 times, last on 2026-02-04" in block.text


async def test_a_block_takes_as_many_memories_as_its_budget_holds(memory: AsyncMemory) -> None:
    await memory.observe(
        [{"content": f"Boat {n} is green, and boat {n + 500} is not."} for n in range(200)], space="ana"
    )
    small = await memory.recall_block("Which boat is green?", space="ana", budget_tokens=500)
    large = await memory.recall_block("Which boat is green?", space="ana", budget_tokens=2_000)
    whole = await memory.recall_block("Which boat is green?", space="ana", budget_tokens=20_000)
    few = await memory.recall_block("Which boat is green?", space="ana", budget_tokens=4_000, limit=3)
    assert 300 < small.tokens <= 500
    assert 1_900 < large.tokens <= 2_000
    assert len(small.hits) < len(large.hits) < len(whole.hits) == 200
    assert len(few.hits) == 3
