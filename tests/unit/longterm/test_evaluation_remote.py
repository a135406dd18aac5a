"""A language model's answer stands only as far as ids exist, turns were said, and the policy allows it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.errors import LanguageFailed
from quipu.kernel.policy.policy import policy
from quipu.kinds.longterm.evaluation.remote import RemoteEvaluator, batches
from quipu.kinds.longterm.model import Evaluation
from quipu.kinds.longterm.sati import SatiEvaluationInput
from quipu.testing import ScriptedLLM

ASKED = SatiEvaluationInput.model_validate({
    "recent_conversation": [
        {"role": "user", "content": "I moved to Lisbon and my cat died.", "id": "u1", "session": "s"},
        {"role": "assistant", "content": "I am sorry."},
        {"role": "user", "content": "I play the oboe. I have asthma."},
        {"role": "assistant", "content": "And?"},
        {"role": "user", "content": "My daughter can't eat nuts, she has a horse and epilepsy."},
    ],
    "existing_memories": [
        {"id": "a", "category": "identity", "importance": "high", "summary": "The user lives in Berlin.",
         "version": 3},
        {"id": "b", "category": "pets", "importance": "medium", "summary": "The user has a cat."},
    ],
})  # fmt: skip
OBOE = {"category": "preference", "importance": "medium", "summary": "The user plays the oboe.", "turn": 0}


async def answered(answer: dict[str, Any], *, rules: str = "", since: int = 0) -> Evaluation:
    evaluator = RemoteEvaluator(ScriptedLLM([answer], name="m"), policy=policy(rules))
    return await evaluator.evaluate(ASKED, since=since)


async def test_what_stands_is_asked_for_with_its_turn_and_version() -> None:
    evaluation = await answered(
        {
            "inclusions": [OBOE],
            "edits": [{"id": "a", "summary": "The user lives in Lisbon.", "turn": 0, "reason": "moved"}],
            "deletions": [{"id": "b", "turn": 0, "reason": "died"}],
        }
    )
    (kept,), (edit,), (deletion,) = evaluation.inclusions, evaluation.edits, evaluation.deletions
    assert (kept.summary, kept.sources[0].message, kept.sources[0].session) == (
        "The user plays the oboe.",
        "u1",
        "s",
    )
    assert (edit.id, edit.summary, edit.expected_version) == ("a", "The user lives in Lisbon.", 3)
    assert (deletion.id, deletion.reason, evaluation.dropped) == ("b", "died", 0)
    assert evaluation.evaluator == "llm:m:2"


@pytest.mark.parametrize(
    "answer",
    [
        {"inclusions": [{**OBOE, "turn": 1}]},  # a turn of the assistant
        {"inclusions": [{**OBOE, "turn": 9}]},
        {"inclusions": [{**OBOE, "summary": "the user lives in  BERLIN."}]},  # known already
        {"inclusions": [{**OBOE, "summary": "The user's PIN is 4821."}]},
        {"inclusions": [{**OBOE, "summary": "The user earns 4,000 euros a month."}]},
        {"inclusions": [{**OBOE, "summary": "The user has asthma."}]},
        {"edits": [{"id": "zzz", "summary": "The user lives in Rome.", "turn": 0}]},
        {"edits": [{"id": "a", "summary": "The user lives in Berlin.", "turn": 0}]},  # changes nothing
        {"edits": [{"id": "a", "summary": "The password is Tulip!99x.", "turn": 0}]},
        {"deletions": [{"id": "zzz", "turn": 0}]},
        {"deletions": [{"id": "a", "turn": 7}]},
    ],
)
async def test_what_cannot_stand_is_dropped_and_counted(answer: dict[str, Any]) -> None:
    evaluation = await answered(answer)
    assert evaluation.empty
    assert evaluation.dropped == 1


async def test_of_the_words_that_it_is_from_only_what_may_be_kept_is_cited() -> None:
    answer = {"inclusions": [{**OBOE, "turn": 2, "reason": "says so, has asthma"}]}
    (kept,) = (await answered(answer)).inclusions
    assert (kept.summary, kept.reason, kept.sources[0].excerpt) == (
        "The user plays the oboe.",
        "",
        "I play the oboe.",
    )


async def test_what_somebody_must_not_be_given_is_a_constraint_whatever_the_model_says() -> None:
    nuts = {**OBOE, "summary": "The user's daughter cannot eat nuts.", "turn": 4}
    ill = {**OBOE, "summary": "The user's daughter has epilepsy.", "turn": 4}
    both = {**OBOE, "summary": "The user's daughter has a horse, and suffers from epilepsy.", "turn": 4}
    evaluation = await answered({"inclusions": [nuts, ill, both]})
    kept, horse = evaluation.inclusions
    assert (kept.category, kept.importance, horse.category) == ("constraint", "high", "preference")
    assert horse.summary == "The user's daughter has a horse"
    assert "epilepsy" not in repr(evaluation)
    assert evaluation.dropped == 1


async def test_the_policy_of_the_settings_decides() -> None:
    asthma = {**OBOE, "summary": "The user has asthma.", "turn": 2, "requested": True, "importance": "low"}
    (kept,) = (await answered({"inclusions": [asthma]})).inclusions
    assert (kept.importance, kept.requested) == ("medium", True)
    assert (await answered({"inclusions": [asthma]}, rules="health=never")).empty


async def test_turns_before_the_first_new_one_cannot_be_cited() -> None:
    assert (await answered({"inclusions": [OBOE]}, since=1)).dropped == 1


async def test_a_conversation_in_which_the_user_says_nothing_new_is_not_sent() -> None:
    llm = ScriptedLLM([])
    asked = {
        "recent_conversation": [
            {"role": "user", "content": " "},
            {"role": "assistant", "content": "Hi."},
        ]
    }
    assert (await RemoteEvaluator(llm).evaluate(SatiEvaluationInput.model_validate(asked))).empty
    assert llm.calls == []


async def test_only_memories_and_turns_are_sent() -> None:
    llm = ScriptedLLM([{}])
    turn = ASKED.recent_conversation[0].model_copy(update={"content": "I moved to Lisbon."})
    await RemoteEvaluator(llm).evaluate(ASKED.model_copy(update={"recent_conversation": (turn,)}))
    assert "a [identity, high] The user lives in Berlin." in llm.calls[0].text
    assert "[0 user] I moved to Lisbon." in llm.calls[0].text


async def test_a_failing_model_is_told() -> None:
    with pytest.raises(LanguageFailed):
        await RemoteEvaluator(ScriptedLLM(["no json", "still none"])).evaluate(ASKED)


def talk(*turns: str) -> SatiEvaluationInput:
    roles = ("user", "assistant")
    said = [{"role": roles[at % 2], "content": text} for at, text in enumerate(turns)]
    return SatiEvaluationInput.model_validate({"recent_conversation": said})


async def test_many_turns_are_read_in_batches_and_what_was_included_is_told() -> None:
    long = talk(*(f"{at} {'word ' * 790}" for at in range(7)))
    answers = [
        {"inclusions": [{**OBOE, "turn": 0}]},
        {"inclusions": [{**OBOE, "turn": 4}, {**OBOE, "summary": "The user sings.", "turn": 6}]},
    ]
    llm = ScriptedLLM(answers)
    evaluation = await RemoteEvaluator(llm).evaluate(long)
    assert [one.summary for one in evaluation.inclusions] == ["The user plays the oboe.", "The user sings."]
    first, second = (call.text for call in llm.calls)
    assert "[2 user]" in first
    assert "[4 user]" not in first
    assert "[2 user, only context]" in second
    assert "[4 user]" in second
    assert "(no id)" in second
    assert "The user plays the oboe." in second


async def test_a_batch_in_which_the_user_says_nothing_is_not_sent() -> None:
    llm = ScriptedLLM([{}])
    await RemoteEvaluator(llm).evaluate(talk("I sing.", "Well."), since=0)
    await RemoteEvaluator(llm).evaluate(talk("I sing.", "Well."), since=1)
    assert len(llm.calls) == 1


@given(st.lists(st.integers(0, 9_000), max_size=40), st.integers(0, 40))
def test_batches_hold_each_turn_once_in_order(lengths: list[int], since: int) -> None:
    conversation = talk(*("x" * length for length in lengths))
    runs = batches(conversation, since=since)
    assert [at for run in runs for at in run] == list(range(since, len(lengths)))
    assert all(run for run in runs)
