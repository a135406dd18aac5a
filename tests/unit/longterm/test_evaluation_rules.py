"""What is told of the user is told apart from what only looks like it; corrections find what they correct."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.longterm.evaluation.rules import RulesEvaluator
from quipu.kinds.longterm.model import Evaluation
from quipu.kinds.longterm.sati import SatiEvaluationInput, SatiMemoryResult

BERLIN = "identity: The user lives in Berlin."


async def evaluated(*turns: str, known: tuple[str, ...] = (), since: int = 0) -> Evaluation:
    """What the rules ask for; a turn that begins with "a:" is the assistant's, memories are m0, m1 …"""
    conversation = [
        {"role": "assistant", "content": turn[2:]}
        if turn.startswith("a:")
        else {"role": "user", "content": turn}
        for turn in turns
    ]
    existing = [
        {"id": f"m{at}", "importance": "medium"}
        | dict(zip(("category", "summary"), one.split(": ", 1), strict=True))
        for at, one in enumerate(known)
    ]
    asked = {"recent_conversation": conversation, "existing_memories": existing}
    return await RulesEvaluator().evaluate(SatiEvaluationInput.model_validate(asked), since=since)


@pytest.mark.parametrize(
    ("said", "category", "importance", "summary"),
    [
        ("I live in Lisbon, in a small flat.", "identity", "high", "The user lives in Lisbon."),
        ("Call me Bex.", "naming", "high", "The user wants to be called Bex."),
        ("I don't eat pork.", "constraint", "high", "The user does not eat pork."),
        ("I prefer short answers.", "preference", "medium", "The user prefers short answers."),
        ("My favorite band is Radiohead.", "favorite_things", "low",
         "The user's favourite band is Radiohead."),
        ("My daughter Lena plays the cello.", "relationships", "medium",
         "The user's daughter Lena plays the cello."),
        ("We have a dog called Rex.", "pets", "medium", "The user has a dog called Rex."),
        ("I speak Portuguese.", "languages", "medium", "The user speaks Portuguese."),
        ("I work as a nurse.", "professional_profile", "medium", "The user works as a nurse."),
        ("I'm writing a novel about bees.", "project", "medium", "The user is writing a novel about bees."),
        ("My birthday is on 3 May.", "personal_data", "medium", "The user's birthday is on 3 May."),
        ("I'm on parental leave until March.", "context", "low",
         "The user is on parental leave until March."),
    ],
)  # fmt: skip
async def test_each_of_the_twelve_categories_is_told(
    said: str, category: str, importance: str, summary: str
) -> None:
    (kept,) = (await evaluated(said)).inclusions
    assert (kept.category, kept.importance, kept.summary) == (category, importance, summary)
    assert kept.sources[0].excerpt in said
    assert kept.sources[0].turn == 0


@pytest.mark.parametrize(
    "said",
    [
        "If I lived in Paris, what would I pay?", "How do you say \"I live in Rome\" in Greek?",
        "Translate this: I work as a teacher.", "He works at Siemens.", "Where do I live?",
        "Let's role-play: I'm a pirate captain.", "I love it!", "I'm cooking pasta right now.",
        "Oh great, I just love waiting for a plumber.", "```\nname = 'I live in Oslo'\n```",
        "I wish I spoke Italian.",
        "My PIN is 4821, remember that please.", "I earn 62,000 euros a year.", "I have asthma.",
        "Forget it, let's go on.", "In my story, I am a wizard called Eldrin.", "Don't forget to add salt.",
    ],
)  # fmt: skip
async def test_what_only_looks_like_a_fact_is_not_kept(said: str) -> None:
    assert (await evaluated(said)).empty


async def test_what_the_assistant_says_is_no_fact_of_the_user() -> None:
    assert (await evaluated("a:I live in the cloud, and you live in Rome.", "Funny.")).empty


async def test_a_role_play_goes_on_until_it_ends() -> None:
    play = ("Pretend you are a shopkeeper.", "a:Welcome!", "I have a white horse.")
    assert (await evaluated(*play)).empty
    after = await evaluated(*play, "a:Fine.", "Ok, stop the role play.", "I have a white horse.")
    assert [one.category for one in after.inclusions] == ["pets"]


@pytest.mark.parametrize(
    ("question", "answer", "summary"),
    [
        ("Do you live in Berlin?", "Yes.", "The user lives in Berlin."),
        ("What's your name?", "Oluwaseun", "The user's name is Oluwaseun."),
        ("Do you have any pets?", "Yes, a parrot called Kiwi.", "The user has a parrot called Kiwi."),
        ("Are you vegetarian?", "yes I am", "The user is vegetarian."),
    ],
)
async def test_a_short_answer_says_what_was_asked(question: str, answer: str, summary: str) -> None:
    (kept,) = (await evaluated(f"a:{question}", answer)).inclusions
    assert kept.summary == summary


@pytest.mark.parametrize("question", ["Would you like a summary?", "Do you want me to book it in Berlin?"])
async def test_yes_to_an_offer_says_nothing_of_the_user(question: str) -> None:
    assert (await evaluated(f"a:{question}", "Yes.")).empty


@pytest.mark.parametrize(
    ("known", "said", "summary"),
    [
        (BERLIN, "not Berlin, Lisbon", "The user lives in Lisbon."),
        (BERLIN, "We moved to Lisbon.", "The user lives in Lisbon."),
        ("identity: Lives in Berlin.", "I live in Lisbon now.", "The user lives in Lisbon."),
        ("pets: The user has a dog called Rex.", "My dog is called Max, not Rex.",
         "The user has a dog called Max."),
        ("preference: The user likes spicy food.", "I don't like spicy food.",
         "The user does not like spicy food."),
        ("relationships: The user's daughter Lena is six years old.", "Lena turned seven.",
         "The user's daughter Lena is seven years old."),
    ],
)  # fmt: skip
async def test_a_correction_edits_what_it_corrects(known: str, said: str, summary: str) -> None:
    evaluation = await evaluated(said, known=(known, "pets: The user has a cat called Oslo."))
    (edit,) = evaluation.edits
    assert (edit.id, edit.summary, edit.expected_version) == ("m0", summary, 1)
    assert not evaluation.inclusions
    assert not evaluation.deletions


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (BERLIN, "Please forget that I live in Berlin."),
        ("relationships: The user's ex-husband is called Dan.", "Forget everything about Dan."),
        ("professional_profile: The user works at Acme.", "I no longer work at Acme."),
        ("pets: The user has a cat called Miso.", "Miso died last week."),
        ("personal_data: The user's birthday is 3 May.", "Can you forget my birthday?"),
    ],
)
async def test_what_is_denied_over_or_to_be_forgotten_is_deleted(known: str, said: str) -> None:
    evaluation = await evaluated(said, known=(known, "preference: The user likes green tea."))
    assert [one.id for one in evaluation.deletions] == ["m0"]
    assert not evaluation.inclusions
    assert not evaluation.edits


async def test_a_request_to_forget_what_is_not_known_deletes_nothing_and_is_counted() -> None:
    evaluation = await evaluated("Please forget my birthday.", known=(BERLIN,))
    assert evaluation.empty
    assert evaluation.dropped == 1


async def test_that_is_no_longer_true_takes_back_what_the_assistant_rested_on() -> None:
    evaluation = await evaluated(
        "a:Since you live in Berlin, try the Spree path.", "That is no longer true.", known=(BERLIN,)
    )
    assert [one.id for one in evaluation.deletions] == ["m0"]


async def test_what_is_known_is_not_included_again() -> None:
    assert (await evaluated("As I said, I live in Berlin.", known=(BERLIN,))).empty
    by_summary = {
        "recent_conversation": [{"role": "user", "content": "I live in Berlin."}],
        "existing_memory_summaries": ["The user lives in Berlin."],
    }
    assert (await RulesEvaluator().evaluate(SatiEvaluationInput.model_validate(by_summary))).empty


async def test_to_be_asked_to_remember_makes_it_at_least_medium() -> None:
    (kept,) = (await evaluated("Remember that my favourite colour is teal.")).inclusions
    assert (kept.importance, kept.requested) == ("medium", True)
    (anything,) = (await evaluated("Please remember that the spare key hangs in the shed.")).inclusions
    assert (anything.importance, anything.summary) == ("medium", "The spare key hangs in the shed.")


async def test_a_later_turn_corrects_what_an_earlier_one_said() -> None:
    (kept,) = (await evaluated("I live in Berlin.", "a:Nice.", "Sorry, not Berlin, Bern.")).inclusions
    assert kept.summary == "The user lives in Bern."
    assert [one.turn for one in kept.sources] == [0, 2]


async def test_turns_that_were_evaluated_before_are_only_context() -> None:
    assert (await evaluated("I live in Berlin.", "a:Do you like tea?", "Thanks!", since=2)).empty
    (kept,) = (
        await evaluated("I live in Oslo.", "a:Do you have any pets?", "A parrot. I have a parrot.", since=2)
    ).inclusions
    assert kept.category == "pets"


async def test_the_single_shape_of_the_seed_can_be_produced() -> None:
    result = SatiMemoryResult.of(await evaluated("I like tea. My name is Ana Sousa."))
    assert (result.should_store, result.category, result.importance) == (True, "identity", "high")
    assert SatiMemoryResult.of(await evaluated("Thanks!")).should_store is False


@settings(max_examples=40)
@given(st.lists(st.text(max_size=80), max_size=4), st.text(max_size=60))
def test_no_text_breaks_the_evaluation(turns: list[str], summary: str) -> None:
    import anyio  # noqa: PLC0415

    async def run() -> Evaluation:
        return await evaluated(*turns, known=(f"context: {summary or 'x'}",))

    evaluation = anyio.run(run)
    assert all(one.summary.strip() for one in evaluation.inclusions)
    assert {one.id for one in (*evaluation.edits, *evaluation.deletions)} <= {"m0"}


async def test_evaluating_is_deterministic() -> None:
    turns = ("I'm Leo and I live in Ghent. I work as a bookbinder.", "My cat is called Max.")
    assert await evaluated(*turns) == await evaluated(*turns)


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        ("I moved to Cork last May with my husband Tom.", "The user lives in Cork."),
        ("I moved in March to Leeds for work.", "The user lives in Leeds."),
        ("I live in Leeds with my wife and two kids.", "The user lives in Leeds."),
        ("I volunteer at the hospice on Thursdays.", "The user volunteers at the hospice on Thursdays."),
        ("I swim three mornings a week.", "The user swims three mornings a week."),
        ("I bank with Nationwide.", "The user banks with Nationwide."),
        ("My GP is Dr. Okafor.", "The user's GP is Dr. Okafor."),
        ("I drive a grey Skoda.", "The user drives a grey Skoda."),
        ("I read mostly detective novels.", "The user reads mostly detective novels."),
        ("My team uses Kanban.", "The user's team uses Kanban."),
        ("I studied chemistry at Durham.", "The user studied chemistry at Durham."),
        ("I'm saving for a campervan.", "The user is saving for a campervan."),
    ],
)
async def test_a_plain_statement_is_kept_as_it_is_said(said: str, summary: str) -> None:
    assert [one.summary for one in (await evaluated(said)).inclusions] == [summary]


@pytest.mark.parametrize(
    "said",
    ["We moved in together last week.", "I own the thing outright.", "I swim today.", "My dr says so."],
)
async def test_what_is_no_plain_statement_is_not_kept(said: str) -> None:
    assert (await evaluated(said)).inclusions == ()
