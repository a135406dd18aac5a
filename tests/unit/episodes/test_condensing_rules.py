"""What the rules make of conversations."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.kinds.episodes.building import builders, emotion, narrative
from quipu.kinds.episodes.building.builders import LONGEST_GIST, RuleBuilder, joined
from quipu.kinds.episodes.building.model import Material, Utterance
from quipu.kinds.episodes.building.narrative import intent, nearness
from quipu.kinds.episodes.building.sentences import LONGEST, asks, sentences, worth
from quipu.kinds.episodes.building.service import novelty
from quipu.kinds.episodes.shapes import Condensed, Feelings

MONDAY = datetime(2026, 3, 2, 10, tzinfo=UTC)


def said(*texts: str, names: tuple[str | None, str | None] = ("Ana", None)) -> list[Utterance]:
    return [
        Utterance(
            id=place,
            role="user" if place % 2 == 0 else "assistant",
            speaker=names[place % 2],
            text=text,
            at=MONDAY + timedelta(minutes=place),
        )
        for place, text in enumerate(texts)
    ]


async def built(*texts: str) -> Condensed:
    material = Material(utterances=said(*texts), chunks=[], topic="boats")
    return await RuleBuilder().build(material, HashEmbedder(dimensions=64))


def test_sentences_leave_out_crumbs_and_code_and_cut_what_is_long() -> None:
    code = "```\nrm -rf the old boat\n```"
    text = f"Hi!\n\nI went to Oslo by boat.\n\n{code}\n\nReally? 我昨天去了海边。天气很好。"
    found = sentences(text)
    assert "I went to Oslo by boat." in found
    assert "天气很好。" in found
    assert not any("rm" in one for one in found)
    assert max(map(len, sentences("very " * 70 + "long."))) <= LONGEST
    assert asks("Is it blue?”")


def test_yesterday_gets_its_date() -> None:
    assert narrative.dated("Yesterday we sailed.", MONDAY) == "Yesterday (2026-03-01) we sailed."


def test_what_happened_is_worth_more_than_reactions_and_questions() -> None:
    event = worth("I passed the interview at Siemens in Graz last Friday and they hired me.")
    assert event > worth("That sounds like a really wonderful and important thing for you.") > 0
    assert event > worth("What do you like about the interview at Siemens in Graz, Ana?")


@pytest.mark.anyio
async def test_a_gist_names_who_spoke_and_the_rest_is_filled_in() -> None:
    made = await built(
        "I sold the blue boat to Bo on 3 March.",
        "Congratulations, that is great news!",
        "I must not sail before June because of my back.",
        "Understood. I'll look into a crew for you.",
    )
    assert "Ana: I sold the blue boat to Bo on 3 March." in made.gist
    assert (
        made.context.situational
        == "Monday morning, 2026-03-02; Ana and the assistant; 4 messages over 3 minutes"
    )
    assert made.context.constraints == ("Ana: I must not sail before June because of my back.",)
    assert made.open_loops == ("the assistant: I'll look into a crew for you.",)
    assert made.salience_factors.unresolved


@pytest.mark.anyio
async def test_a_gist_is_short_and_what_was_done_stands_in_the_action() -> None:
    made = await built(
        "I sold the blue boat to Bo on 3 March.",
        "Congratulations, that is great news!",
        "I decided to buy a red canoe in Porto.",
        "Understood. I'll look into a crew for you.",
        "On Friday Dana paints the mast green in Lisbon.",
        "Noted.",
        "In May we sail to Madeira with the whole family.",
        "Have fun!",
    )
    assert 1 <= len(sentences(made.gist)) <= 3
    assert len(made.gist) <= LONGEST_GIST
    assert "decided to buy a red canoe" in made.action
    assert made.outcome


@pytest.mark.anyio
async def test_an_unanswered_question_is_left_open() -> None:
    made = await built("The boat is ready.", "Nice to hear that, Ana.", "Who will paint it in spring?")
    assert made.open_loops == ("Ana asked: Who will paint it in spring?",)


@pytest.mark.anyio
@pytest.mark.parametrize("text", ["😀😀😀", "ok", "", "x" * 100_000, "```\ncode\n```"])
async def test_what_has_no_sentences_still_has_a_gist(text: str) -> None:
    made = await built(text)
    assert 0 < len(made.gist) <= LONGEST_GIST + len("Ana: ")


def test_who_goes_on_speaking_is_named_once() -> None:
    assert joined(["Ana: One.", "Ana: Two.", "Bo: Three."]) == "Ana: One. Two. Bo: Three."
    assert len(joined([f"Ana: {'word ' * 60}"] * 9)) <= LONGEST_GIST


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["The build fails with an error.", "How do I fix this?"], "problem-solving"),
        (["Let's plan the trip for next week.", "I'll book the train tomorrow."], "planning"),
        (["Which one is better, the red or the blue?", "Is it worth the price?"], "evaluation"),
        (["Looking back, I learned a lot.", "It meant so much, I felt grateful."], "reflection"),
    ],
)
def test_intent_is_told_by_words_where_meaning_is_not_known(texts: list[str], expected: str) -> None:
    assert intent(texts, {}).type == expected


def test_nearness_to_prototypes_decides_where_words_do_not() -> None:
    east, north = [1.0, 0.0], [0.0, 1.0]
    near = nearness(
        np.array([east], np.float32), np.array([east, north], np.float32), ["planning", "evaluation"]
    )
    assert intent(["Something else entirely."], near).type == "planning"
    assert nearness(np.empty((0, 2), np.float32), np.array([east], np.float32), ["planning"]) == {}


def test_a_decision_is_the_direction_whatever_else_was_said() -> None:
    assert intent(["Why so?", "We decided on the red one."], {}).direction == "decision-making"


def test_the_most_central_sentences_are_those_that_others_are_near_to() -> None:
    rows = np.array([[1, 0, 0], [0.9, 0.436, 0], [0, 0, 1], [0.95, 0.31, 0]], np.float32)
    ranked = builders.ranks(rows, [1, 1, 1, 1])
    assert sum(ranked) == pytest.approx(1)
    assert min(range(4), key=lambda place: ranked[place]) == 2
    assert len(builders.chosen(rows, ranked, most=4)) == 2  # the near ones say the same
    assert builders.ranks(np.empty((0, 3), np.float32), []) == []


def test_an_arc_says_how_the_mood_changed() -> None:
    sad, glad, calm = Feelings(sadness=8), Feelings(joy=8), Feelings()
    assert emotion.arc([sad, calm, glad]) == "rises from unpleasant to pleasant"
    assert emotion.arc([glad, calm, sad]) == "falls from pleasant to unpleasant"
    assert emotion.arc([calm, glad, calm]) == "rises in the middle and falls again"
    assert emotion.arc([calm, sad, calm]) == "falls in the middle and rises again"
    assert emotion.arc([calm]) == emotion.arc([]) == emotion.arc([glad, glad]) == "steady"
    assert emotion.emotion([sad, glad]).valence == "mixed"
    assert emotion.emotion([calm]).type == "neutral"
    assert emotion.strength([]) == 0 < emotion.strength([calm, glad]) < emotion.strength([sad, glad]) <= 1


def test_novelty_is_how_far_it_is_from_what_is_known() -> None:
    assert novelty(None) == 2
    assert novelty(0.95) == 0
    assert novelty(0.1) == 3
    assert novelty(0.8) < novelty(0.5)
