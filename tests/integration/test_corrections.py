"""What is marked as wrong goes, and no reader makes it of the same words again; others may tell it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from anyio import to_thread
from cli_process import CommandLine
from everywhere import found
from examined import insist

from quipu import AsyncMemory, acting_for
from quipu.errors import BadInput, NotFound
from quipu.kinds.longterm.model import Evaluation, Inclusion, LongtermMemory, MemorySource
from quipu.kinds.longterm.sati import SatiEvaluationInput
from quipu.kinds.transcripts.extract.model import Extraction, Finding, SessionTurn
from quipu.record.corrections.model import RuleCount

pytestmark = pytest.mark.anyio

SPACE = "home"
HOME = "I live in Lisbon. My dog is called Rex."


async def say(
    memory: AsyncMemory, text: str, *, id: str = "m1", session: str = "s", user: str = "ana"
) -> None:
    """Say a text to an assistant, who nods, and do the work that follows."""
    said = [{"id": id, "content": text}, {"id": f"{id}-answer", "role": "assistant", "content": "Noted."}]
    await memory.observe(said, space=SPACE, session=session, user=user)
    await memory.work()


async def read_again(memory: AsyncMemory, url: str) -> None:
    """Have everything read from the beginning, as by readers of which none was there before."""
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("delete from episodes.progress where topic = 'episodes-extraction'")
        conn.execute("delete from longterm.evaluations")
    for session in await memory.sessions(space=SPACE):
        await memory.observe([{"content": "ok", "role": "assistant"}], space=SPACE, session=session.name)
    await memory.work()


async def longterm(memory: AsyncMemory) -> list[str]:
    return sorted(one.summary for one in await memory.longterm.list(space=SPACE))


async def beliefs(memory: AsyncMemory) -> list[str]:
    return sorted(f"{one.key}: {one.value}" for one in await memory.beliefs.list(space=SPACE))


async def loops(memory: AsyncMemory) -> list[str]:
    return sorted(one.text for one in await memory.loops.list(space=SPACE))


async def recalled(memory: AsyncMemory, question: str) -> list[str]:
    """Return the derived texts that recall finds."""
    hits = await memory.recall(question, space=SPACE, kinds=["longterm", "episodes", "lesson"])
    return [hit.text for hit in hits if hit.kind != "episodes" or hit.source.role == "belief"]


async def test_a_wrong_memory_goes_with_what_claims_the_same_and_is_not_made_again(
    memory: AsyncMemory, url: str
) -> None:
    await say(memory, HOME)
    assert "home: Lisbon" in await beliefs(memory)
    (wrong,) = [one for one in await memory.longterm.list(space=SPACE) if "Lisbon" in one.summary]
    kept = [one for one in await longterm(memory) if "Lisbon" not in one]
    assert kept
    done = await memory.corrections.add(wrong.id, space=SPACE, reason="a joke")
    assert (done.kind, done.text, done.rule, done.reason, done.messages) == (
        "longterm", wrong.summary, "home", "a joke", 1
    )  # fmt: skip
    assert done.reader.startswith("rules:")
    assert await memory.corrections.add(wrong.id, space=SPACE, reason="another") == done
    for _ in range(2):
        assert await longterm(memory) == kept
        assert "home: Lisbon" not in await beliefs(memory)
        assert not [one for one in await recalled(memory, "Where does Ana live?") if "Lisbon" in one]
        await read_again(memory, url)
    assert [one.kind for one in await memory.corrections.list(space=SPACE)] == ["longterm", "belief"]
    assert (await memory.longterm.get(wrong.id, space=SPACE)).archived
    assert (await memory.longterm.history(wrong.id, space=SPACE))[0].reason == "a joke"
    await insist(memory)


async def test_taken_back_it_returns_with_what_went_along(memory: AsyncMemory, url: str) -> None:
    await say(memory, HOME)
    before = await longterm(memory), await beliefs(memory)
    (belief,) = await memory.beliefs.list(space=SPACE, key="home")
    await memory.corrections.add(belief.id, space=SPACE, kind="belief")
    assert (await memory.beliefs.get(belief.id, space=SPACE)).ending == "wrong"
    assert not [one for one in await longterm(memory) if "Lisbon" in one]
    was = await memory.corrections.remove(str(belief.id)[:8], space=SPACE)
    assert (was.id, was.text) == (belief.id, "home: Lisbon")
    assert (await longterm(memory), await beliefs(memory)) == before
    assert [one for one in await recalled(memory, "Where does Ana live?") if "Lisbon" in one]
    assert await memory.corrections.list(space=SPACE) == []
    await read_again(memory, url)
    assert (await longterm(memory), await beliefs(memory)) == before
    with pytest.raises(NotFound, match="correction"):
        await memory.corrections.remove(belief.id, space=SPACE)
    await insist(memory)


async def test_another_message_may_tell_it_anew(memory: AsyncMemory, url: str) -> None:
    await say(memory, HOME)
    (belief,) = await memory.beliefs.list(space=SPACE, key="home")
    await memory.corrections.add(belief.id, space=SPACE)
    await say(memory, "I live in Lisbon.", id="m2", session="t")
    assert "home: Lisbon" in await beliefs(memory)
    assert [one for one in await longterm(memory) if "Lisbon" in one]
    await read_again(memory, url)
    (again,) = await memory.beliefs.list(space=SPACE, key="home")
    assert [one.message for one in await memory.beliefs.sources(again.id, space=SPACE)] == ["m2"]
    await insist(memory)


async def test_what_another_message_tells_too_does_not_go_along(memory: AsyncMemory) -> None:
    told_twice = await told_by_two(memory)
    await tell(memory, "Is at home in Lisbon.")
    (told_once,) = [one for one in await memory.longterm.list(space=SPACE) if one.sources == 1]
    await memory.corrections.add(told_once.id, space=SPACE)
    assert await longterm(memory) == [told_twice.summary]
    await memory.corrections.add(told_twice.id, space=SPACE)
    assert await longterm(memory) == []


async def tell(memory: AsyncMemory, summary: str, *said: tuple[str, str]) -> None:
    """Keep a long-term memory that messages tell, by their ids and sessions; without any, the first."""
    told = said or [("m1", "s")]
    sources = [MemorySource(excerpt=HOME, message=message, session=session) for message, session in told]
    new = Inclusion(category="context", importance="low", summary=summary, sources=sources)
    await memory.longterm.apply(Evaluation(inclusions=[new], evaluator="mine:1"), space=SPACE, user="ana")


async def told_by_two(memory: AsyncMemory) -> LongtermMemory:
    """Return a long-term memory that two messages tell."""
    await say(memory, "I live in Lisbon.")
    await say(memory, "I live in Lisbon.", id="m2", session="t")
    await tell(memory, "The user lives in Lisbon.", ("m2", "t"))
    (one,) = [one for one in await memory.longterm.list(space=SPACE) if "Lisbon" in one.summary]
    assert one.sources == 2
    return one


class Rewording:
    """An evaluator of a higher version, which words its one claim otherwise."""

    name, version = "better", 2

    def __init__(self, summary: str) -> None:
        self._summary = summary

    async def evaluate(self, conversation: SatiEvaluationInput, *, since: int = 0) -> Evaluation:
        said = [turn for turn in conversation.recent_conversation[since:] if turn.role == "user"]
        source = MemorySource(excerpt=said[0].content, message=said[0].id, session=said[0].session)
        new = Inclusion(category="context", importance="low", summary=self._summary, sources=[source])
        return Evaluation(inclusions=[new], evaluator="better:2")


async def test_a_better_reader_that_words_it_otherwise_does_not_bring_it_back(memory: AsyncMemory) -> None:
    await say(memory, HOME)
    (wrong,) = [one for one in await memory.longterm.list(space=SPACE) if "Lisbon" in one.summary]
    await memory.corrections.add(wrong.id, space=SPACE)
    before = await longterm(memory)
    again = Rewording("The user's home is in Lisbon, Portugal.")
    preview = await memory.longterm.evaluate_session("s", space=SPACE, evaluator=again, preview=True)
    assert [(one.statement, one.reason) for one in preview.evaluations[0].left_out] == [
        ("The user's home is in Lisbon, Portugal.", "marked as wrong")
    ]
    await memory.longterm.evaluate_session("s", space=SPACE, evaluator=again)
    source = MemorySource(excerpt=HOME, message="m1", session="s")
    new = Inclusion(category="context", importance="low", summary="Lives in Lisbon now.", sources=[source])
    done = await memory.longterm.apply(Evaluation(inclusions=[new]), space=SPACE, user="ana")
    assert (done.refused, await longterm(memory)) == (1, before)
    await memory.longterm.evaluate_session("s", space=SPACE, evaluator=Rewording("Mara lives in Lisbon."))
    await memory.longterm.add("Lives in Lisbon.", space=SPACE, user="ana")  # a person may say what they like
    assert len(await longterm(memory)) == len(before) + 1


async def test_a_rival_stands_where_a_belief_was_wrong(memory: AsyncMemory, url: str) -> None:
    await say(memory, "My favourite colour is blue.")
    await say(memory, "My favourite colour is green.", id="m2", session="t")
    (one,) = await memory.beliefs.conflicts(space=SPACE)
    await memory.corrections.add(one.belief.id, space=SPACE)
    assert await beliefs(memory) == [f"{one.key}: {one.rival.value}"]
    assert await memory.beliefs.conflicts(space=SPACE) == []
    await read_again(memory, url)
    assert await beliefs(memory) == [f"{one.key}: {one.rival.value}"]
    await memory.corrections.remove(one.belief.id, space=SPACE)
    assert await beliefs(memory) == [f"{one.key}: {one.rival.value}"]  # another stands there by now
    await insist(memory)


async def test_a_wrong_loop_is_closed_and_not_opened_again(memory: AsyncMemory, url: str) -> None:
    await say(memory, "I'll send the contract to Tom by Friday.")
    (one,) = await memory.loops.list(space=SPACE)
    done = await memory.corrections.add(one.id, space=SPACE)
    assert (done.kind, done.rule) == ("loop", "promise")
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("delete from episodes.loops")
    await read_again(memory, url)
    assert await loops(memory) == []
    await memory.corrections.remove(one.id, space=SPACE)
    await read_again(memory, url)
    assert await loops(memory) == [one.text]


async def test_a_loop_opens_again_when_its_correction_is_taken_back(memory: AsyncMemory) -> None:
    await say(memory, "I'll send the contract to Tom by Friday.")
    (one,) = await memory.loops.list(space=SPACE)
    await memory.corrections.add(one.id, space=SPACE)
    assert await memory.reminders(space=SPACE) == []
    closed = await memory.loops.get(one.id, space=SPACE)
    assert (closed.state, closed.outcome, closed.evidence) == ("closed", "dropped", "marked as wrong")
    await memory.corrections.remove(one.id, space=SPACE)
    assert await loops(memory) == [one.text]


class Extractor:
    """Finds one fact in the first turn of each session."""

    name = "mine"

    def __init__(self, version: int, fact: str) -> None:
        self.version = version
        self._fact = fact

    async def extract(self, turns: Sequence[SessionTurn], *, project: str | None = None) -> Extraction:
        said = turns[0]
        found = Finding(
            fact=self._fact, category="knowledge", confidence=0.9, turn_index=said.index, excerpt=said.text,
            message_id=said.message_id, happened_at=said.happened_at,
        )  # fmt: skip
        return Extraction((found,))


async def test_a_wrong_lesson_is_not_drawn_again_however_it_is_worded(memory: AsyncMemory) -> None:
    await say(memory, "The tests need Docker.", session="code")

    async def lessons(version: int, fact: str, session: str = "code") -> list[str]:
        await memory.lessons.extract(
            space=SPACE, session=session, extractor=Extractor(version, fact), again=True
        )
        return [one.fact for one in await memory.lessons.list(space=SPACE)]

    assert await lessons(1, "The tests need Docker.") == ["The tests need Docker."]
    (one,) = await memory.lessons.list(space=SPACE)
    done = await memory.corrections.add(one.id, space=SPACE)
    assert (done.kind, done.rule, done.reader) == ("lesson", "knowledge", "mine:1")
    assert await lessons(1, "The tests need Docker.") == []
    assert await lessons(2, "Docker is needed to run the tests.") == []
    assert await recalled(memory, "What do the tests need?") == []
    await say(memory, "The tests need Docker.", id="m2", session="later")
    assert await lessons(2, "Docker is needed by the tests.", "later") == ["Docker is needed by the tests."]
    await memory.corrections.remove(one.id, space=SPACE)
    assert "The tests need Docker." in [one.fact for one in await memory.lessons.list(space=SPACE)]
    await insist(memory)


async def test_a_wrong_standing_rule_is_ended(memory: AsyncMemory) -> None:
    await say(memory, "Always answer in metric units.")
    (one,) = await memory.rules.list(space=SPACE)
    await memory.corrections.add(one.id, space=SPACE)
    assert await memory.rules.list(space=SPACE) == []
    await memory.corrections.remove(one.id, space=SPACE)
    assert [rule.text for rule in await memory.rules.list(space=SPACE)] == [one.text]


async def test_what_a_person_wrote_is_archived_or_edited_instead(memory: AsyncMemory) -> None:
    by_hand = [
        (await memory.longterm.add("Likes tea.", space=SPACE)).id,
        (await memory.lessons.add("Use tabs.", space=SPACE)).id,
        (await memory.rules.add("Be brief.", space=SPACE)).id,
    ]
    for id_ in by_hand:
        with pytest.raises(BadInput, match="rests on no message") as refused:
            await memory.corrections.add(id_, space=SPACE)
        assert "Archive or edit" in (refused.value.hint or "")
    with pytest.raises(NotFound):
        await memory.corrections.add(uuid4(), space=SPACE)
    with pytest.raises(NotFound):
        await memory.corrections.add(by_hand[0], space=SPACE, kind="loop")
    with pytest.raises(NotFound):
        await memory.corrections.add(by_hand[0], space="nowhere")
    assert await memory.corrections.list(space="nowhere") == []
    assert "nowhere" not in await memory.space_names()


async def test_a_correction_is_erased_with_its_words(memory: AsyncMemory, url: str) -> None:
    one = await told_by_two(memory)
    done = await memory.corrections.add(one.id, space=SPACE, reason="she only visits Lisbon")
    assert done.messages == 2
    preview = await memory.forget(space=SPACE, message="m1", session="s")
    assert preview.counts["corrections"] == 2  # that of the memory, and that of the belief
    await memory.forget(space=SPACE, message="m1", session="s", confirm=True)
    (left, *_) = await memory.corrections.list(space=SPACE, kind="longterm")
    assert (left.messages, left.reason) == (1, None)
    await memory.forget(space=SPACE, message="m2", session="t", confirm=True)
    assert await memory.corrections.list(space=SPACE) == []
    assert not found(url, ["Lisbon"])


async def test_who_is_forgotten_is_not_named_in_a_correction(memory: AsyncMemory, url: str) -> None:
    await say(memory, "I live in Lisbon.", user="zelda")
    with acting_for("zelda"):
        (belief,) = await memory.beliefs.list(space=SPACE, key="home")
        assert (await memory.corrections.add(belief.id, space=SPACE)).by == "zelda"
    await memory.forget(space=SPACE, user="zelda", confirm=True)
    assert not found(url, ["zelda"])


async def test_people_correct_and_see_what_is_theirs_alone(memory: AsyncMemory) -> None:
    await say(memory, "I live in Lisbon.")
    await say(memory, "I live in Porto.", id="b1", session="b", user="ben")
    (hers,) = [one for one in await memory.longterm.list(space=SPACE, user="ana") if "Lisbon" in one.summary]
    with acting_for("ben"), pytest.raises(NotFound):
        await memory.corrections.add(hers.id, space=SPACE)
    with acting_for("ana"):
        await memory.corrections.add(hers.id, space=SPACE)
        assert len(await memory.corrections.list(space=SPACE)) == 2
        assert {one.rule for one in await memory.corrections.counts(space=SPACE)} == {"home"}
    with acting_for("ben"):
        assert await memory.corrections.list(space=SPACE) == []
        assert await memory.corrections.counts(space=SPACE) == []
        with pytest.raises(NotFound):
            await memory.corrections.remove(hers.id, space=SPACE)
    with acting_for("ana"):
        await memory.corrections.remove(hers.id, space=SPACE)
    assert await memory.corrections.list(space=SPACE) == []


async def test_corrections_are_counted_by_rule(memory: AsyncMemory) -> None:
    for place, city in enumerate(("Lisbon", "Porto", "Braga")):
        await say(memory, f"I live in {city}.", id=f"m{place}", session=city, user=city)
    (one,) = [one for one in await memory.longterm.list(space=SPACE) if "Braga" in one.summary]
    await memory.corrections.add(one.id, space=SPACE)
    assert await memory.corrections.counts(space=SPACE) == [
        RuleCount(kind="belief", rule="home", statements=3, wrong=1),
        RuleCount(kind="longterm", rule="home", statements=3, wrong=1),
    ]
    assert [one.kind for one in await memory.corrections.list(space=SPACE, rule="home", kind="belief")] == [
        "belief"
    ]
    assert await memory.corrections.list(space=SPACE, rule="pets") == []


@pytest.mark.parametrize(
    ("statements", "wrong", "often"), [(22, 7, True), (22, 4, False), (25, 5, False), (5, 5, True)]
)
def test_a_rule_is_often_wrong_from_five_and_a_fifth_on(statements: int, wrong: int, often: bool) -> None:
    assert RuleCount(kind="longterm", rule="home", statements=statements, wrong=wrong).is_often_wrong is often


async def test_the_command_line_and_the_doctor_name_them(
    memory: AsyncMemory, url: str, tmp_path: Path
) -> None:
    quipu = CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})
    cities = ("Lisbon", "Porto", "Braga", "Faro", "Evora")
    for place, city in enumerate(cities):
        await say(memory, f"I live in {city}.", id=f"m{place}", session=city, user=city)
    for one in await memory.longterm.list(space=SPACE):
        await memory.corrections.add(one.id, space=SPACE)
    first = (await memory.corrections.list(space=SPACE, kind="longterm"))[0]
    await to_thread.run_sync(_look, quipu, str(first.id))


def _look(quipu: CommandLine, id_: str) -> None:
    told = [one["detail"] for one in quipu.json("doctor")["findings"] if one["name"] == "corrections"]
    assert "longterm rule `home`: 5 of 5 statements were marked wrong" in told
    assert "Faro" in quipu.text("corrections", "list", "--space", SPACE)
    assert "home" in quipu.text("corrections", "counts", "--space", SPACE)
    assert "Marked as wrong" in quipu.text("corrections", "remove", id_, "--space", SPACE)
    assert "Marked as wrong" in quipu.text("corrections", "add", id_, "--space", SPACE)
