"""Whom a question is about."""

from __future__ import annotations

import pytest

from hostile import read_through
from quipu.kernel.prose.signs import asks_about_asker


@pytest.mark.parametrize(
    "question",
    [
        "Where do I live?",
        "where do i live",
        "What's my name?",
        "Can you list the order in which I brought up my plans?",
        "Could you tell me what my dentist is called?",
        "Please remind me where I parked.",
        "I forgot. Can you remind me where I live?",
        "What would you recommend for my trip?",
        "Wo wohne ich?",
        "Kannst du mir sagen, wo ich wohne?",
        "¿Dónde vivo yo?",
        "¿Puedes decirme cuál es mi dirección?",
        "Peux-tu me dire où est mon vélo ?",
        "Puoi dirmi dov'è la mia bici?",
        "我住在哪里",
        "你能告诉我我住在哪里吗",
        "Where did I've been",
    ],
)
def test_these_are_about_the_asker(question: str) -> None:
    assert asks_about_asker(question)


@pytest.mark.parametrize(
    "question",
    [
        "Where does Ana live?",
        "Can you tell me where Ana works?",
        "Tell me about the release.",
        "What did you tell me?",
        "Could you tell me what you recommended for my back?",
        "What was the plan that you gave me?",
        "What was your advice about my knee?",
        "In our previous chat about my trip, which hotel was it?",
        "Can you summarise how my project went?",
        "Was hast du mir geraten?",
        "Kannst du mir sagen, wie die Datenbank heißt?",
        "¿Qué me recomendaste para mi espalda?",
        "Que m'avais-tu dit ? Tu m'as conseillé un vin pour mon dîner.",
        "Che cosa mi hai consigliato per il mio ginocchio?",
        "你告诉我什么了",
        "你上次给我推荐的餐厅叫什么",
        "",
    ],
)
def test_these_are_not(question: str) -> None:
    assert not asks_about_asker(question)


def test_any_text_is_read() -> None:
    read_through(asks_about_asker)
