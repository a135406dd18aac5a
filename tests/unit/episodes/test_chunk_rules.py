"""What the rules keep of an exchange."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.episodes.chunking.chunkers import chunk
from quipu.kinds.episodes.chunking.emotion import feel
from quipu.kinds.episodes.chunking.gists import MOST, MOST_OF_A_TYPE
from quipu.kinds.episodes.chunking.model import Talk, Turn
from quipu.kinds.episodes.chunking.restatement import LONGEST, retell
from quipu.kinds.episodes.chunking.style import measure
from quipu.kinds.episodes.shapes import Chunk

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bench"))
import chunking as bench


def read(text: str, reply: str | None = None, *, speaker: str | None = None) -> Chunk:
    turns = [Turn(speaker, text, began=True)]
    return chunk(Talk(turns if reply is None else [*turns, Turn(None, reply, began=False)]))


def gists(text: str, reply: str | None = None, *, speaker: str | None = None) -> list[tuple[str, str]]:
    return [(gist.type, gist.content) for gist in read(text, reply, speaker=speaker).gists]


def test_gists_stand_alone_and_name_who_said_it() -> None:
    assert gists("I moved to Porto in May.", speaker="Ana") == [("fact", "Ana moved to Porto in May.")]
    assert gists("Ok, we decided to sell my car.") == [
        ("decision", "The user and others decided to sell the user's car.")
    ]


def test_clauses_of_different_types_are_different_gists() -> None:
    assert gists("I love the red one, but I'll return it tomorrow.") == [
        ("preference", "The user loves the red one."),
        ("commitment", "The user will return it tomorrow."),
    ]


def test_a_promise_of_the_assistant_counts_but_its_tastes_do_not() -> None:
    reply = "I'll send you the list tomorrow. I love gardens!"
    assert gists("Thanks!", reply) == [("commitment", "The assistant will send the user the list tomorrow.")]


def test_a_bare_question_is_what_somebody_wanted() -> None:
    assert gists("What is my dog called?") == [("intent", 'The user asked: "What is my dog called?"')]


@pytest.mark.parametrize(
    "text", ["Thanks!", "ok", "👍", "What if I moved to Mars?", "", "   ", "[redacted:key]"]
)
def test_nothing_is_made_of_nothing(text: str) -> None:
    assert [gist for gist in gists(text) if gist[0] != "intent"] == []


def test_gists_are_few_and_none_is_said_twice() -> None:
    text = " ".join(f"I bought a boat number {n} in May." for n in range(20)) + " I love tea. I love tea."
    found = gists(text)
    assert len(found) <= MOST
    assert [kind for kind, _ in found].count("fact") <= MOST_OF_A_TYPE
    assert [kind for kind, _ in found].count("preference") == 1


def test_code_and_quotations_are_not_retold() -> None:
    assert retell('I ran `git push me` and got "I am lost"', who="Ana") == (
        'Ana ran `git push me` and got "I am lost".'
    )


def test_a_long_sentence_is_cut_between_words() -> None:
    assert len(retell("I like " + "very " * 200 + "long boats", who="the user")) <= LONGEST + 1


def test_facts_have_names() -> None:
    found = read(
        "My name is Ana. I live in Porto and I work as a nurse. My favorite color is green. I have two kids."
    )
    assert {fact.key: fact.value for fact in found.facts} == {
        "name": "Ana",
        "home": "Porto",
        "occupation": "nurse",
        "favorite_color": "green",
        "children": "two kids",
    }


def test_suppositions_and_questions_are_no_facts() -> None:
    assert read("If I live in Porto, what is my rent?").facts == ()
    assert read("Should I say my name is Bond?").facts == ()


def test_figures_of_speech_are_not_taken_literally() -> None:
    (trait,) = [one for one in read("I'm starving, I could eat a horse.").user_traits if one.key == "feels"]
    assert not trait.is_literal
    assert all(one.is_literal for one in read("I'm allergic to nuts.").user_traits)


def test_what_shows_is_told_apart_from_what_is_said() -> None:
    traits = {one.key: one for one in read("My daughter starts school. I'm a night owl.").user_traits}
    assert (traits["has_daughter"].source, traits["has_daughter"].category) == ("inferred", "relationship")
    assert (traits["character"].source, traits["character"].value) == ("explicit", "night owl")
    assert traits["has_daughter"].confidence < traits["character"].confidence


@pytest.mark.parametrize(
    ("text", "valence", "emotion"),
    [
        ("I'm so happy about it!", "positive", "joy"),
        ("I am not happy with this.", "negative", "sadness"),
        ("I'm scared of the operation.", "negative", "fear"),
        ("This is so annoying, I'm furious.", "negative", "anger"),
        ("😢😢", "negative", "sadness"),
        ("🎉", "positive", "joy"),
        ("The disk failed over to the second node.", "neutral", "neutral"),
        ("Please see the attached file.", "neutral", "neutral"),
        ("I'm proud of her but heartbroken that she leaves.", "mixed", "sadness"),
    ],
)
def test_feelings_are_read_with_negation_and_emoji(text: str, valence: str, emotion: str) -> None:
    felt = feel(text)
    assert (felt.valence, felt.dominant) == (valence, emotion)


def test_very_is_more_and_a_bit_is_less() -> None:
    strengths = [feel(f"I am {how}sad.").strengths["sadness"] for how in ("a bit ", "", "very ")]
    assert strengths == sorted(strengths)
    assert len(set(strengths)) == 3


def test_style_is_measured_and_unsure_of_few_words() -> None:
    blunt = measure(["Fix it. Now. Run the tests. Don't ask."])
    polite = measure(
        ["Would you please be so kind as to consider whether the second option might possibly be preferable?"]
    )
    assert blunt.directness > polite.directness
    assert blunt.pace > polite.pace
    assert polite.formality > measure(["hey lol gonna do it tbh"]).formality
    assert measure(["haha lol 😂"]).humour > 5.5 > measure(["The report is complete."]).humour
    assert measure([]).confidence == 0
    assert measure(["word " * 200]).confidence == 10


def test_a_message_of_a_megabyte_is_read_quickly() -> None:
    assert read("I like boats. " * 70_000).communication_style.verbosity == 10
    assert read("x" * 1_000_000).gists == ()


HOSTILE = st.text(max_size=60) | st.text("Imy'’ .,;?!\n\"`-—🙂I", max_size=60) | st.just("I'm " * 80)


@given(HOSTILE, HOSTILE, st.none() | st.text(min_size=1, max_size=20))
@settings(max_examples=30)
def test_any_text_yields_a_valid_chunk(text: str, reply: str, speaker: str | None) -> None:
    found = read(text, reply, speaker=speaker)
    assert Chunk.model_validate_json(found.model_dump_json()) == found


def test_the_corpus_is_read_as_well_as_the_decisions_say() -> None:
    tuning, held_out = bench.corpus()
    assert len(tuning) + len(held_out) >= 120
    whole = [bench.scores(half).values() for half in (tuning, held_out)]
    for scores, fewest in zip(whole, (0.95, 0.82), strict=True):
        right, wrong, missed = (sum(column) for column in zip(*map(bench.astuple, scores), strict=True))
        assert right / (right + wrong) >= 0.95
        assert right / (right + missed) >= fewest
    assert min(bench.valence(tuning), bench.valence(held_out)) >= 0.85


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("I moved to Lisbon last month.", "Lisbon"),
        ("I live in Lisbon of course.", "Lisbon"),
        ("We live in Amsterdam already.", "Amsterdam"),
        ("I live in Rio de Janeiro.", "Rio de Janeiro"),
        ("I moved to Frankfurt am Main, Germany.", "Frankfurt am Main, Germany"),
    ],
)
def test_a_place_ends_where_its_name_ends(text: str, home: str) -> None:
    assert [fact.value for fact in read(text).facts if fact.key == "home"] == [home]


@pytest.mark.parametrize(
    ("text", "diet"),
    [
        ("I don't eat meat.", "no meat"),
        ("I never eat pork or fish.", "no pork or fish"),
        ("I'm a strict vegetarian.", "vegetarian"),
    ],
)
def test_what_somebody_does_not_eat_is_not_their_diet(text: str, diet: str) -> None:
    assert [fact.value for fact in read(text).facts if fact.key == "diet"] == [diet]


def test_what_somebody_never_does_is_no_habit_of_theirs_without_the_never() -> None:
    traits = {
        (trait.key, trait.value) for trait in read("I never eat breakfast. I often run at dawn.").user_traits
    }
    assert {value for key, value in traits if key == "habit"} == {"never eat breakfast", "run at dawn"}
