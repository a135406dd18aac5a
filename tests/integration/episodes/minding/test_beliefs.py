"""Beliefs from end to end: told, settled when they are written, corrected, contested, forgotten."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

import psycopg
import pytest

from quipu import AsyncMemory
from quipu.errors import BadInput, NotFound
from quipu.kernel.config import Settings
from quipu.kinds.episodes.extraction.beliefs.model import Belief

pytestmark = pytest.mark.anyio

BEGIN = datetime(2026, 3, 2, 10, tzinfo=UTC)
NUMBERS = count()


async def say(memory: AsyncMemory, *lines: str, session: str = "s", user: str | None = "ana") -> None:
    """Lines of "U: …" and "A: …", each call a day after the one before, and the work that follows."""
    day = next(NUMBERS)
    messages = [
        {
            "id": f"{session}-{day}-{place}",
            "role": "user" if line.startswith("U: ") else "assistant",
            "content": line[3:],
            "time": BEGIN + timedelta(days=day, minutes=place),
        }
        for place, line in enumerate(lines)
    ]
    await memory.observe(messages, space="a", session=session, user=user)
    await memory.work()


async def of(memory: AsyncMemory, key: str, *, state: str = "standing") -> list[tuple[str, str]]:
    """Values and states of what is held of a key."""
    found = await memory.beliefs.list(space="a", key=key, state=state)
    return sorted((one.value, one.state) for one in found)


async def found(memory: AsyncMemory, question: str) -> list[str]:
    """What recall finds among episodes and beliefs."""
    return [hit.text for hit in await memory.recall(question, space="a", kinds=["episodes"])]


async def standing(memory: AsyncMemory, key: str) -> Belief:
    (one,) = await memory.beliefs.list(space="a", key=key)
    return one


async def test_what_is_told_stands_and_is_found(memory: AsyncMemory) -> None:
    await say(memory, "U: I live in Berlin.", "A: Nice city.")
    one = await standing(memory, "home")
    assert (one.person, one.value, one.nature, one.category) == ("ana", "Berlin", "trait", "core")
    (source,) = await memory.beliefs.sources(one.id, space="a")
    assert (source.excerpt, source.session) == ("I live in Berlin.", "s")
    (hit,) = [hit for hit in await memory.recall("Where is home?", space="a") if hit.source.role == "belief"]
    assert (hit.kind, hit.text, hit.source.message) == ("episodes", "ana, home: Berlin", str(one.id))


async def test_the_same_again_makes_surer_by_less_each_time(memory: AsyncMemory) -> None:
    await say(memory, "U: I live in Berlin.", "A: Nice.")
    first = (await standing(memory, "home")).confidence
    await say(memory, "U: As you know, I live in Berlin.", "A: Yes.", session="t")
    one = await standing(memory, "home")
    assert (one.times, one.confidence) == (2, pytest.approx(first + 0.05, abs=1e-6))


async def test_a_correction_supersedes_and_the_old_leaves_recall(memory: AsyncMemory) -> None:
    await say(memory, "U: I live in Berlin.", "A: Nice.")
    await say(memory, "U: Not Berlin, Lisbon.", "A: Noted.", session="t")
    assert await of(memory, "home") == [("Lisbon", "standing")]
    assert await of(memory, "home", state="superseded") == [("Berlin", "superseded")]
    texts = await found(memory, "Where does Ana live, home?")
    assert "ana, home: Lisbon" in texts
    assert "ana, home: Berlin" not in texts
    now = await standing(memory, "home")
    new, old = await memory.beliefs.history(now.id, space="a")
    assert (old.value, old.ending, old.successor) == ("Berlin", "corrected", now.id)
    assert (new.id, new.source) == (now.id, "explicit_correction")


async def test_who_moved_is_believed_at_once(memory: AsyncMemory) -> None:
    await say(memory, "U: I live in Berlin.", "A: Nice.")
    await say(memory, "U: I moved to Lisbon.", "A: How is it?", session="t")
    assert await of(memory, "home") == [("Lisbon", "standing")]
    assert await memory.beliefs.conflicts(space="a") == []


async def test_no_it_is_answers_an_agent_that_named_the_old_value(memory: AsyncMemory) -> None:
    await say(memory, "U: My favorite color is green.", "A: Noted.")
    await say(
        memory, "U: Order me a scarf.", "A: In green?", "U: No, it's blue.", "A: Sorry, blue.", session="t"
    )
    assert await of(memory, "favorite_color") == [("blue", "standing")]


async def test_another_value_without_a_correction_is_a_conflict_with_both_sources(
    memory: AsyncMemory,
) -> None:
    await say(memory, "U: I live in Berlin.", "A: Nice.")
    await say(memory, "U: I live in Lisbon.", "A: Nice.", session="t")
    assert await of(memory, "home", state="all") == [("Berlin", "standing"), ("Lisbon", "contested")]
    (conflict,) = await memory.beliefs.conflicts(space="a")
    assert conflict.severity == "critical"
    assert conflict.question == "Which is right (ana, home): Berlin or Lisbon?"
    texts = await found(memory, "Where is home?")
    assert "ana, home: Berlin" in texts
    assert "ana, home: Lisbon" not in texts
    for side, session in ((conflict.belief, "s"), (conflict.rival, "t")):
        (source,) = await memory.beliefs.sources(side.id, space="a")
        assert source.session == session


async def test_asking_again_and_again_stops_by_itself(memory: AsyncMemory) -> None:
    await say(memory, "U: I live in Berlin.", "A: Nice.")
    await say(memory, "U: I live in Lisbon.", "A: Nice.", session="t")
    asked = [await memory.beliefs.ask(space="a", user="ana") for _ in range(6)]
    assert [one.severity for one in asked if one] == ["high", "medium", "low", "low"]
    (conflict,) = await memory.beliefs.conflicts(space="a")
    assert (conflict.state, conflict.surfaced) == ("surfaced", 4)


@pytest.mark.parametrize(("keep", "value"), [("rival", "Lisbon"), ("belief", "Berlin"), ("Porto", "Porto")])
async def test_a_conflict_is_settled_by_whoever_knows(memory: AsyncMemory, keep: str, value: str) -> None:
    await say(memory, "U: I live in Berlin.", "A: Nice.")
    await say(memory, "U: I live in Lisbon.", "A: Nice.", session="t")
    (conflict,) = await memory.beliefs.conflicts(space="a")
    stands = await memory.beliefs.resolve(conflict.id, keep, space="a")
    assert (stands.value, stands.state) == (value, "standing")
    assert await of(memory, "home") == [(value, "standing")]
    assert [text for text in await found(memory, "home?") if "home" in text] == [f"ana, home: {value}"]
    (settled,) = await memory.beliefs.conflicts(space="a", settled=True)
    assert (settled.state, settled.strategy) == ("resolved", "user_clarified")
    with pytest.raises(BadInput, match="settled already"):
        await memory.beliefs.resolve(conflict.id, keep, space="a")


async def test_saying_a_contested_value_twice_more_settles_the_conflict(memory: AsyncMemory) -> None:
    await say(memory, "U: I live in Berlin.", "A: Nice.")
    for session in ("t", "u", "v"):
        await say(memory, "U: I live in Lisbon.", "A: Nice.", session=session)
    assert await of(memory, "home") == [("Lisbon", "standing")]
    (settled,) = await memory.beliefs.conflicts(space="a", settled=True)
    assert settled.strategy == "evidence_resolved"


async def test_correcting_by_hand_settles_the_conflicts(memory: AsyncMemory) -> None:
    await say(memory, "U: I live in Berlin.", "A: Nice.")
    await say(memory, "U: I live in Lisbon.", "A: Nice.", session="t")
    one = await standing(memory, "home")
    new = await memory.beliefs.correct(str(one.id)[:8], "Faro", space="a")
    assert (new.value, new.confidence, new.source) == ("Faro", 1.0, "explicit_correction")
    assert await memory.beliefs.conflicts(space="a") == []
    assert await of(memory, "home") == [("Faro", "standing")]


async def test_deleting_what_stands_lets_what_contested_it_stand(memory: AsyncMemory) -> None:
    await say(memory, "U: I live in Berlin.", "A: Nice.")
    await say(memory, "U: I live in Lisbon.", "A: Nice.", session="t")
    await memory.beliefs.erase((await standing(memory, "home")).id, space="a", confirm=True)
    assert await of(memory, "home", state="all") == [("Lisbon", "standing")]
    assert await memory.beliefs.conflicts(space="a", settled=True) == []
    with pytest.raises(NotFound):
        await memory.beliefs.erase("ffff0000", space="a", confirm=True)


async def test_liking_two_things_is_no_contradiction(memory: AsyncMemory) -> None:
    await say(memory, "U: I love hiking.", "A: Nice.")
    await say(memory, "U: I love chess.", "A: Nice.", session="t")
    assert await of(memory, "likes") == [("chess", "standing"), ("hiking", "standing")]
    assert await memory.beliefs.conflicts(space="a") == []


async def test_what_another_says_changes_nothing_of_me(memory: AsyncMemory) -> None:
    await say(memory, "U: I live in Berlin.", "A: Nice.")
    await say(memory, "U: I moved to Lisbon.", "A: Nice.", session="t", user="ben")
    assert await of(memory, "home") == [("Berlin", "standing"), ("Lisbon", "standing")]


async def test_a_belief_stays_while_another_message_says_it(memory: AsyncMemory) -> None:
    await say(memory, "U: I live in Berlin.", "A: Nice.")
    await say(memory, "U: I live in Berlin, you know.", "A: Yes.", session="t")
    await memory.forget(space="a", session="s", confirm=True)
    one = await standing(memory, "home")
    assert [source.session for source in await memory.beliefs.sources(one.id, space="a")] == ["t"]
    await memory.forget(space="a", session="t", confirm=True)
    assert await memory.beliefs.list(space="a", state="all") == []
    assert await found(memory, "home Berlin") == []


async def test_what_was_corrected_does_not_come_back_when_the_correction_is_forgotten(
    memory: AsyncMemory,
) -> None:
    await say(memory, "U: I live in Berlin.", "A: Nice.")
    await say(memory, "U: Not Berlin, Lisbon.", "A: Noted.", session="t")
    await memory.forget(space="a", session="t", confirm=True)
    assert await of(memory, "home", state="all") == [("Berlin", "superseded")]


async def test_conflicts_of_which_nothing_is_heard_are_settled_in_time(
    memory: AsyncMemory, settings: Settings
) -> None:
    await say(memory, "U: I live in Berlin.", "A: Nice.")
    await say(memory, "U: I live in Lisbon.", "A: Nice.", session="t")
    assert settings.database_url is not None
    with psycopg.connect(settings.database_url, autocommit=True) as conn:
        conn.execute("update episodes.beliefs set said_at = now() - interval '61 days'")
        conn.execute("update episodes.conflicts set opened_at = now() - interval '61 days'")
        conn.execute(
            "update core.schedules set due_at = now() - interval '1 day' where name like '%conflicts%'"
        )
    await memory.work()
    (settled,) = await memory.beliefs.conflicts(space="a", settled=True)
    assert (settled.state, settled.strategy) == ("decayed", "decayed")
    assert await of(memory, "home") == [("Berlin", "standing")]


async def test_other_health_than_allergies_is_believed_only_when_asked_for(memory: AsyncMemory) -> None:
    await say(memory, "U: I live in Berlin and I'm diabetic. I'm allergic to nuts.", "A: Noted.")
    home = await standing(memory, "home")
    assert [one.excerpt for one in await memory.beliefs.sources(home.id, space="a")] == ["I live in Berlin"]
    assert await of(memory, "allergy") == [("nuts", "standing")]
    assert await of(memory, "health") == []
    await say(memory, "U: Please remember that I'm diabetic.", "A: I will.", session="t")
    assert await of(memory, "health") == [("diabetic", "standing")]
