"""What is kept is a whole sentence that says of somebody known what lasts; remarks and anecdotes are not."""

from __future__ import annotations

import pytest

from quipu.kernel.prose.gate import ORDERS, refusal
from quipu.kinds.longterm.evaluation.rules import RulesEvaluator
from quipu.kinds.longterm.sati import SatiEvaluationInput


async def kept(text: str) -> list[str]:
    asked = {"recent_conversation": [{"role": "user", "content": text}]}
    read = await RulesEvaluator().evaluate(SatiEvaluationInput.model_validate(asked))
    return [one.summary for one in read.inclusions]


@pytest.mark.parametrize(
    "text",
    [
        "I love all the yellow leaves, it looks so cozy.",
        "I love their work.",
        "I love making him happy.",
        "I'm a huge fan.",
        "I really appreciate the help.",
        "I wanted to bring that magic home, like a reminder of the sea.",
        "I pay for the whole suite, like 40 euros a month.",
        "Always good to hear!",
        "Never saw this coming.",
        "Trips like these are great - always full of memories!",
        "Remember that photo you sent me once?",
        "Don't forget, you got this!",
        "I'll definitely keep that in mind.",
        "I don't want to let them down.",
        "I'd rather wait.",
        "My colleagues are so excited about summer break!",
        "My family is awesome.",
        "Being my own boss is great.",
        "Our lab meeting is on Monday.",
        "I love how you teach people about plants.",
    ],
)
async def test_remarks_and_fragments_are_not_kept(text: str) -> None:
    assert await kept(text) == []


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("I joined a gym last week and it's been great.", "The user joined a gym."),
        ("I love the ocean.", "The user loves the ocean."),
        ("I love hiking, they're great walks.", "The user loves hiking."),
        ("My friends Josh and Mark came over.", "The user's friend is called Josh."),
        ("My brother Cathal's flat is in Cork.", "The user's brother is called Cathal."),
        ('"Dune" is one of my favorite films.', '"Dune" is one of the user\'s favourite films.'),
        ("I understand Swiss German but can't speak it.", None),
        ("I take the train whenever I can rather than fly, I'd rather take the train than fly.", None),
        ("Always answer in metric units.", None),
        ("Please remember that the deploy key expires in May.", None),
    ],
)
async def test_what_lasts_is_kept(text: str, summary: str | None) -> None:
    found = await kept(text)
    assert found
    assert summary is None or summary in found


@pytest.mark.parametrize(
    ("summary", "why"),
    [
        ("She works at the zoo.", "nobody is named of whom it speaks"),
        ("The user's kids are.", "it is no whole sentence"),
        ("The user has got someone like you.", "it speaks to somebody"),
        ("The user takes them to the park.", "it points at what was said elsewhere"),
        ("The user loves the vibe.", "it is a remark on what is at hand"),
        ("The user does not want to argue.", "it holds for the moment only"),
        ("The user lives in Lisbon.", None),
        ("The user's son plays with his dog.", None),
    ],
)
def test_a_refusal_says_why(summary: str, why: str | None) -> None:
    assert refusal(summary, category="context", family="likes", said=summary) == why


def test_what_the_assistant_is_told_must_be_an_instruction() -> None:
    told = "The user wants the assistant always to"
    assert refusal(f"{told} by your side.", category="preference", family=ORDERS, said="Always by your side!")
    assert not refusal(
        f"{told} answer in metric units.",
        category="preference",
        family=ORDERS,
        said="Always answer in metric units.",
    )
