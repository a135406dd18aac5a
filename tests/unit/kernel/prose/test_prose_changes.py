"""Signs that a statement replaces an earlier one, and what a question asks of a value that changed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from hostile import texts
from quipu.kernel.prose.lexicon import lexicon
from quipu.kernel.prose.signs import (
    Form,
    form_asked,
    has_form,
    is_question,
    matters,
    may_be_of_one,
    sign_of,
    tells_past,
    time_asked,
    wants_one_value,
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We moved to Bristol last weekend.", "moved"),
        ("switched to decaf, my doctor insists", "switched"),
        ("I don't live there anymore.", "no longer"),
        ("They've raised the fee to 40.", "raised or lowered"),
        ("down to two cigarettes a day", "raised or lowered"),
        ("I quit the choir.", "ended"),
        ("The launch is postponed to June.", "put off or brought forward"),
        ("Scrap that, make it five.", "corrected"),
        ("My new boss is called Jun.", "new"),
        ("I started at a bakery on Monday.", "begun"),
        ("It is 300 a minute now.", "now"),
        ("Wir sind nach Bonn umgezogen.", "moved"),
        ("Der Termin wurde auf Juli verschoben.", "put off or brought forward"),
        ("Den Golf habe ich verkauft.", "ended"),
    ],
)
def test_news_has_a_sign(text: str, name: str) -> None:
    sign = sign_of(text)
    assert sign is not None
    assert sign.name == name


@pytest.mark.parametrize(
    "text",
    [
        "I live in Leeds, near the canal.",
        "My dentist is Dr. Patel.",
        "The sync is on Wednesdays at ten.",
        "A friend from New York is visiting.",
        "He comes by now and then.",
        "Ich wohne in Köln.",
        "",
    ],
)
def test_a_plain_statement_has_none(text: str) -> None:
    assert sign_of(text) is None


def test_the_surest_sign_is_told() -> None:
    sign = sign_of("I moved to Rome, I have a new flat now.")
    assert sign is not None
    assert (sign.name, sign.strength) == ("moved", 0.9)


def test_what_comes_late_in_a_long_text_is_not_its_news() -> None:
    assert sign_of("The sea was calm. " * 60 + "We moved to Rome.") is None


@pytest.mark.parametrize(
    ("text", "past"),
    [
        ("I used to live by the river.", True),
        ("Back then I drove a van.", True),
        ("I still miss my old flat.", True),
        ("Früher habe ich geraucht.", True),
        ("I live by the river.", False),
        ("I am used to the noise.", False),
    ],
)
def test_a_text_that_speaks_of_what_was_is_known(text: str, *, past: bool) -> None:
    assert tells_past(text) is past


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Where does Ana live?", "present"),
        ("What is my rent?", "present"),
        ("Do I still pay for the gym?", "present"),
        ("where do we meet these days", "present"),
        ("Where did I live before?", "past"),
        ("What was the original deadline?", "past"),
        ("Who used to be my boss?", "past"),
        ("When did Ana move?", "change"),
        ("Why did I switch banks?", "change"),
        ("How has my rent changed over time?", "change"),
        ("Where did we meet?", None),
        ("Who was at the party?", None),
        ("Who slept on our sofa in May?", None),
        ("and my rent?", "present"),
        ("Wo wohne ich?", "present"),
        ("Wo habe ich früher gewohnt?", "past"),
        ("Wann bin ich umgezogen?", "change"),
        ("tell me about boats", None),
        ("", None),
    ],
)
def test_what_a_question_asks_of_a_value_is_known(question: str, asked: str | None) -> None:
    assert time_asked(question) == asked


@pytest.mark.parametrize(
    ("question", "one"),
    [
        ("What car do I drive?", True),
        ("Where does Ana live?", True),
        ("How much is the rent?", True),
        ("Wer ist mein Hausarzt?", True),
        ("What does Ana like about cars?", False),
        ("What kinds of cars does Ana like?", False),
        ("What car does Ana have in 2019?", False),
        ("Where did Ana live?", False),
        ("Which gym?", True),
        ("Car insurer?", True),
        ("whos my roommate", True),
        ("With which company do we have the electricity?", True),
        ("what moped do i ride", True),
        ("How often am I on call?", True),
        ("tell me about boats", False),
    ],
)
def test_a_question_for_one_value_of_the_present_is_known(question: str, *, one: bool) -> None:
    assert wants_one_value(question) is one


@pytest.mark.parametrize(
    ("question", "form", "text", "has"),
    [
        ("How much is my rent?", "number", "They wrote, it is 740.", True),
        ("How much is my rent?", "number", "They wrote about the rent.", False),
        ("When is the exam?", "date", "It was put to Friday.", True),
        ("When is the exam?", "date", "It was put off.", False),
        ("Wie hoch ist meine Miete?", "number", "Sie ist jetzt siebenhundert.", False),
        ("Wann ist die Prüfung?", "date", "Sie ist am Freitag.", True),
    ],
)
def test_the_form_of_a_value_is_known(question: str, form: Form, text: str, *, has: bool) -> None:
    assert form_asked(question) == form
    assert has_form(text, form) is has


def test_a_question_without_a_form_asks_for_none() -> None:
    assert form_asked("Where do I live?") is None


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Who was that?", True),
        ("A goat? Dad's frame?", True),
        ("你住在哪里？", True),
        ("We moved. Who helps?", False),
        ("We moved", False),
        ("she put me up to 75 because it did nothing, do I take two of them?", False),
        ("hey Nora, when you are in Cork, where do you stay?", True),
        ("if I get all of it from them, do they deliver?", True),
        ("Wenn ich im Mai umziehe, wo melde ich mich?", True),
        ("Ich bin im Mai umgezogen, wo melde ich mich?", False),
    ],
)
def test_a_text_of_questions_alone_is_known(text: str, *, asks: bool) -> None:
    assert is_question(text) is asks


def test_matters_are_told_by_their_words() -> None:
    assert "home" in matters("I rent a flat")
    assert "work" in matters("Ich arbeite bei der Post")
    assert matters("The sea was calm.") == frozenset()


def test_every_language_has_the_same_signs_and_matters() -> None:
    languages = lexicon("changes")
    assert {"english", "german"} <= set(languages)
    assert set(lexicon("matters")["german"]) <= set(lexicon("matters")["english"])
    for words in languages.values():
        assert {sign["name"] for sign in words["signs"]} <= {s["name"] for s in languages["english"]["signs"]}
        assert set(words["sentences"]) == set(languages["english"]["sentences"])


@given(texts)
def test_any_text_can_be_read(text: str) -> None:
    sign = sign_of(text)
    assert sign is None or 0 < sign.strength <= 1
    assert tells_past(text) in (True, False)
    assert time_asked(text) in ("present", "past", "change", None)
    assert wants_one_value(text) in (True, False)


@pytest.mark.parametrize("piece", ["moved the ", "now ", "what my ", "n't a b ", "from ", "put a b c "])
def test_the_time_does_not_explode_with_the_length(piece: str) -> None:
    text = piece * 20_000
    assert re.search(r"\w", text)
    sign_of(text)
    time_asked(text)
    tells_past(text)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Nora moved to Milan for her new job.", "My sister Nora lives in Rome."),
        ("Karen left the company, Raj took over our team.", "My boss is Karen."),
        ("Priya is the new team lead, Dan went to platform.", "Dan is our team lead."),
        ("Lena changed schools, she is at Riverside now.", "My daughter goes to Oak Primary."),
        ("I moved to Leipzig last weekend.", "I live in Hamburg near the harbour."),
        ("We moved to Bristol", "I live in a flat in Leeds"),
        ("Den Golf habe ich verkauft, jetzt fahre ich einen Skoda.", "Mein Auto ist ein Golf."),
    ],
)
def test_statements_of_one_person_may_replace_each_other(newer: str, older: str) -> None:
    assert may_be_of_one(newer, older)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Last March Greta Lindor moved into a flat in Cork.", "Otto Wabel works as a baker in Porto."),
        ("Boris moved to Milan.", "I live in Rome."),
        ("I moved to Milan.", "Boris lives in Rome."),
    ],
)
def test_statements_of_different_people_do_not(newer: str, older: str) -> None:
    assert not may_be_of_one(newer, older)
