"""Standing rules: kept as they are said, ended by their negation, listed, gone with their message."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from everywhere import found

from quipu import AsyncMemory, acting_for
from quipu.errors import BadInput, NotFound
from quipu.record.standing.model import StandingRule

pytestmark = pytest.mark.anyio

METRIC, IMPERIAL = "Always answer in metric units.", "From now on use imperial units."
DAYS = ("2026-01-05", "2026-02-05", "2026-03-05", "2026-04-05")


async def say(
    memory: AsyncMemory,
    *texts: str,
    user: str | None = "ana",
    space: str = "home",
    days: Sequence[str] = DAYS,
) -> None:
    """Say texts to an assistant, each on a day of its own, with ids ``0``, ``1``, …"""
    for number, (text, day) in enumerate(zip(texts, days, strict=False)):
        said = [
            {"id": f"{number}", "content": text, "time": f"{day}T10:00:00Z"},
            {"role": "assistant", "content": "Very well.", "time": f"{day}T10:00:10Z"},
        ]
        await memory.observe(said, space=space, session=f"{user} {day}", user=user)


async def rules(memory: AsyncMemory, **filters: str) -> list[str]:
    return [one.text for one in await memory.rules.list(space="home", **filters)]  # type: ignore[arg-type]


async def only(memory: AsyncMemory, **filters: str) -> StandingRule:
    (one,) = await memory.rules.list(space="home", **filters)  # type: ignore[arg-type]
    return one


async def test_a_rule_is_kept_with_the_message_that_it_was_said_in(memory: AsyncMemory) -> None:
    await say(memory, "My sister visits. When I ask for recipes, leave out mushrooms.", "What a day!")
    one = await only(memory)
    assert (one.user, one.text, one.scope) == (
        "ana",
        "When I ask for recipes, leave out mushrooms.",
        "recipes",
    )
    assert (one.message, one.session, one.made_by, one.ended_at) == ("0", "ana 2026-01-05", "rule", None)
    assert f"{one.since:%Y-%m-%d}" == "2026-01-05"
    (source,) = await memory.rules.sources(one.id, space="home")
    assert (source.message, source.ends) == ("0", False)
    assert await memory.rules.get(str(one.id)[:8], space="home") == one


async def test_its_negation_ends_a_rule_and_the_history_stays(memory: AsyncMemory) -> None:
    await say(memory, METRIC, "Never use emojis.", "Forget the rule about emojis.")
    assert await rules(memory) == [METRIC]
    ended = await only(memory, state="archived")
    assert (ended.text, ended.ended_by, ended.ended_in) == ("Never use emojis.", "rule", "2")
    assert f"{ended.ended_at:%Y-%m-%d}" == "2026-03-05"
    sources = await memory.rules.sources(ended.id, space="home")
    assert [(one.message, one.ends) for one in sources] == [("2", True), ("1", False)]


async def test_a_newer_rule_on_one_matter_takes_the_place_of_the_older(memory: AsyncMemory) -> None:
    await say(memory, METRIC, "Answer in German.", IMPERIAL, "Never use emojis.")
    assert await rules(memory) == ["Never use emojis.", IMPERIAL, "Answer in German."]
    assert await rules(memory, state="archived") == [METRIC]


async def test_rules_that_come_in_late_are_put_where_they_belong(memory: AsyncMemory) -> None:
    await say(memory, IMPERIAL, days=("2026-05-05",))
    await say(memory, METRIC)
    assert await rules(memory) == [IMPERIAL]
    assert (await only(memory, state="archived")).text == METRIC


async def test_an_import_keeps_rules_and_people_tell_each_other_none(memory: AsyncMemory) -> None:
    chat = [{"content": METRIC, "speaker": who, "session": "chat"} for who in ("Ana", "Bob")]
    asked = [
        {"content": "Call me Sam.", "session": "s"},
        {"content": "Hi!", "role": "assistant", "session": "s"},
    ]
    await memory.import_messages([*chat, *asked], space="home")
    one = await only(memory)
    assert (one.text, one.user) == ("Call me Sam.", None)
    await memory.observe([{"role": "assistant", "content": "Always answer in metric units."}], space="home")
    assert await rules(memory) == ["Call me Sam."]


async def test_one_person_ends_no_rule_of_another(memory: AsyncMemory) -> None:
    await say(memory, "Never use emojis.")
    await say(memory, "Forget the rule about emojis.", IMPERIAL, user="bob")
    assert await rules(memory, user="ana") == ["Never use emojis."]
    assert await rules(memory, user="bob") == [IMPERIAL]


async def test_rules_are_added_ended_and_erased_by_hand(memory: AsyncMemory) -> None:
    added = await memory.rules.add("Be brief.", space="home", user="ana", scope="mails")
    assert (added.made_by, added.message, added.scope) == ("person", None, "mails")
    everybody = await memory.rules.add("No spoilers.", space="home")
    ended = await memory.rules.archive(added.id, space="home")
    assert ended.ended_by == "person"
    assert await memory.rules.archive(added.id, space="home") == ended
    assert await rules(memory) == ["No spoilers."]
    assert await rules(memory, state="all") == ["No spoilers.", "Be brief."]
    assert await memory.rules.unarchive(added.id, space="home") == added
    assert await memory.rules.erase(everybody.id, space="home") == everybody
    assert await rules(memory) == ["No spoilers.", "Be brief."] or await rules(memory) == [
        "Be brief.",
        "No spoilers.",
    ]
    await memory.rules.erase(everybody.id, space="home", confirm=True)
    assert await rules(memory) == ["Be brief."]
    with pytest.raises(NotFound):
        await memory.rules.get(everybody.id, space="home")
    for wrong in ("", " ", "x" * 401, "the key is AKIA" + "QWERTYUIOPASDFGH"):
        with pytest.raises(BadInput, match="text"):
            await memory.rules.add(wrong, space="home")


async def test_forgetting_takes_rules_along(memory: AsyncMemory, url: str) -> None:
    await say(memory, "Never suggest kedgeree to me.", METRIC, "Forget the rule about metric.")
    await memory.rules.add("Call her Theodora.", space="home", user="ana")
    await memory.rules.add("Greet Theodora.", space="home")
    preview = await memory.forget(space="home", message="0")
    assert preview.counts["standing_rules"] == 1
    await memory.forget(space="home", message="0", confirm=True)
    assert found(url, ["kedgeree"]) == set()
    await memory.forget(space="home", message="2", confirm=True)
    ended = await only(memory, state="archived")
    assert (ended.text, ended.ended_in) == (METRIC, None)
    await memory.forget(space="home", user="ana", confirm=True)
    assert await rules(memory, state="all") == ["Greet Theodora."]
    await memory.observe([{"content": "Hello.", "user": "Theodora"}], space="home")
    await memory.forget(space="home", user="Theodora", everywhere=True, confirm=True)
    assert found(url, ["Theodora"]) == set()
    await memory.forget(space="home", confirm=True)
    assert await memory.rules.list(space="home", state="all") == []


async def test_a_person_sees_and_changes_only_their_own_rules_and_those_of_the_space(
    memory: AsyncMemory,
) -> None:
    await say(memory, METRIC)
    await say(memory, "Answer in German.", user="eve")
    await memory.rules.add("No spoilers.", space="home")
    hers = (await memory.rules.list(space="home", user="eve"))[0].id
    with acting_for("ana"):
        assert sorted(await rules(memory)) == [METRIC, "No spoilers."]
        for change in (memory.rules.archive, memory.rules.get, memory.rules.sources):
            with pytest.raises(NotFound):
                await change(hers, space="home")
        mine = await memory.rules.add("Be brief.", space="home")
        assert mine.user == "ana"
    assert await rules(memory, user="eve") == ["Answer in German."]


QUESTION = "How far is it from Lyon to Nice?"


async def crowded(memory: AsyncMemory) -> None:
    """Have a rule, and a dozen messages that are nearer to the question."""
    await say(memory, METRIC)
    near = [f"From Lyon to Nice it is far, by road {n}." for n in range(12)]
    await memory.observe([{"content": text} for text in near], space="home", user="ana", session="roads")


async def test_a_rule_has_a_place_among_the_first_ten_and_says_why(memory: AsyncMemory) -> None:
    await crowded(memory)
    for kinds in (None, ("message",)):
        hits = await memory.recall(QUESTION, space="home", user="ana", kinds=kinds)
        assert (len(hits), hits[9].text) == (10, METRIC)
        assert hits[9].parts["rule"] > 0
        assert hits[9].score == pytest.approx(sum(hits[9].parts.values()), abs=1e-5)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    reasons = {one.signal: one.sentence for one in (await memory.why(hits[9])).reasons}
    assert "standing rule" in reasons["rule"]
    deep = await memory.recall(QUESTION, space="home", user="ana", limit=50)
    assert [hit.text for hit in deep].index(METRIC) == 9
    assert [hit.text for hit in deep].count(METRIC) == 1
    few = await memory.recall(QUESTION, space="home", user="ana", limit=3)
    assert METRIC not in [hit.text for hit in few]


async def test_filters_hold_for_rules_and_ended_ones_have_no_place(memory: AsyncMemory) -> None:
    await crowded(memory)
    await memory.observe([{"content": "Nice is nice."}], space="home", user="bob")
    for filters in ({"user": "bob"}, {"session": "roads"}, {"since": "2026-05-01"}, {"kinds": ("longterm",)}):
        block = await memory.recall_block(QUESTION, space="home", budget_tokens=400, **filters)  # type: ignore[arg-type]
        assert "Rules:" not in block.text
        assert METRIC not in [hit.text for hit in await memory.recall(QUESTION, space="home", **filters)]  # type: ignore[arg-type]
    await memory.rules.archive((await only(memory)).id, space="home")
    assert METRIC not in [hit.text for hit in await memory.recall(QUESTION, space="home", user="ana")]
    assert "Rules:" not in (await memory.recall_block(QUESTION, space="home", budget_tokens=400)).text


async def test_a_block_begins_with_the_rules_and_says_nothing_twice(memory: AsyncMemory) -> None:
    await crowded(memory)
    await memory.rules.add("No spoilers.", space="home")
    block = await memory.recall_block(QUESTION, space="home", user="ana", budget_tokens=2_000)
    lines = block.text.splitlines()
    start = lines.index("Rules:")
    assert sorted(lines[start + 1 : start + 3])[0].startswith(f"- {METRIC}")
    assert block.text.count(METRIC) == 1
    assert METRIC not in [hit.text for hit in block.hits]
    assert block.tokens <= 2_000


async def test_the_answering_middleware_begins_with_the_rules(memory: AsyncMemory) -> None:
    await say(memory, METRIC)
    assert (await memory.longterm.recover(QUESTION, space="home", user="bob")).block == ""
    recovered = await memory.longterm.recover(QUESTION, space="home", user="ana")
    assert (recovered.outcome, METRIC in recovered.block) == ("found", True)
    await memory.longterm.add("Lives in Lyon.", space="home", user="ana")
    both = (await memory.longterm.recover("Where is Lyon?", space="home", user="ana")).block
    assert both.index("Rules:") < both.index(METRIC) < both.index("Lives in Lyon.")
