"""Questions that ask for many things at once."""

from __future__ import annotations

import pytest
from hypothesis import given

from hostile import texts
from quipu.kernel.prose.enumeration import asks_for_many


@pytest.mark.parametrize(
    "question",
    [
        "List all the trips I made.",
        "Can you list the order in which I brought up different parts of the budget?",
        "Could you please give me a list of the recipes?",
        "Which museums have I visited?",
        "What old songs does my father sing?",
        "What have I told you about my sister?",
        "In what order did I learn the instruments?",
        "How many times have we moved?",
        "What has happened with the roof?",
        "what happened to my bike",
        "Everything about the harbour, please",
        "Summarise the talks with the bank",
        "Walk me through the move",
        "How has my running changed?",
        "What were the stops of the trip?",
        "Welche Bücher habe ich gelesen?",
        "In welcher Reihenfolge habe ich die Städte besucht?",
        "Was ist mit dem Dach passiert?",
        "Fass die Gespräche mit der Bank zusammen",
        "¿Qué libros he leído?",
        "¿Qué ha pasado con el tejado?",
        "Dans quel ordre ai-je visité les villes ?",
        "Quali libri ho letto?",
        "我去过哪些城市？",
        "屋顶发生了什么？",
    ],
)
def test_lists_orders_and_histories_are_recognised(question: str) -> None:
    assert asks_for_many(question)


@pytest.mark.parametrize(
    "question",
    [
        "Where do I live?",
        "Who has my ladder?",
        "What is on my shopping list?",
        "How many children does Ana have?",
        "What must I do in order to renew the card?",
        "When does the course begin?",
        "What does my sister do?",
        "What was the address?",
        "Which class was it?",
        "Wo wohne ich?",
        "Wie heißt mein Hund?",
        "¿Dónde vivo?",
        "Où est mon vélo ?",
        "Dove abito?",
        "我住在哪里？",
        "",
    ],
)
def test_questions_for_one_thing_are_not(question: str) -> None:
    assert not asks_for_many(question)


@given(texts)
def test_any_text_is_read(text: str) -> None:
    assert asks_for_many(text) in {True, False}


def test_a_long_text_is_read_at_its_beginning_only() -> None:
    assert not asks_for_many("word " * 400 + "list all the trips")
    assert not asks_for_many("can you " * 50_000)
