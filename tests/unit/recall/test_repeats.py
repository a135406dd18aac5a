"""What is said once, however often it was said."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.recall.model import Cited, Found, Source
from quipu.recall.ranking import is_asking, once, words

FILLERS = {"a", "an", "the", "please", "pls"}
NOW = datetime(2026, 3, 14, 15, 9, tzinfo=UTC)


def told(question: str, *lines: str, speaker: str = "ana") -> list[tuple[str, int]]:
    """The text of each entry of the answer and how many repeats it has; the lines come best first."""
    found = [Found(n, 1, 0.9 - n / 100, {"meaning": 0.9 - n / 100}) for n in range(len(lines))]
    cited = {
        n: Cited(line, NOW + timedelta(days=n), NOW, Source(f"m{n}", "s", speaker))
        for n, line in enumerate(lines)
    }
    return [(cited[one.found.id].text, len(one.repeats)) for one in once(question, found, cited)]


def test_a_line_said_again_is_one_entry() -> None:
    assert told(
        "boat?", "The boat is green.", "the boat is GREEN", "Well, the boat is green!", "It leaks."
    ) == [
        ("The boat is green.", 2),
        ("It leaks.", 0),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It costs 12 euros.", "It costs 14 euros."),
        ("I like tea.", "I don't like tea."),
        ("The boat is green.", "The boat was green."),
        ("I slept well.", "I slept."),
        ("No sugar in my tea.", "Sugar in my tea."),
        ("我喜欢茶", "我喜欢咖啡"),
    ],
)
def test_lines_that_differ_in_what_they_say_stay_two(one: str, other: str) -> None:
    assert told("?", one, other) == [(one, 0), (other, 0)]


def test_the_same_words_of_another_speaker_stay_apart() -> None:
    found = [Found(1, 1, 0.9, {}), Found(2, 1, 0.8, {})]
    cited = {
        n: Cited("I like tea.", NOW, NOW, Source(f"m{n}", "s", speaker))
        for n, speaker in ((1, "a"), (2, "b"))
    }
    assert [one.found.id for one in once("tea", found, cited)] == [1, 2]


def test_long_texts_that_differ_at_their_end_stay_two() -> None:
    long = "The boat is green. " * 200
    assert told("?", long + "It leaks.", long + "It floats.") == [
        (long + "It leaks.", 0),
        (long + "It floats.", 0),
    ]


def test_copies_of_one_line_are_no_repeats() -> None:
    found = [Found(1, 1, 0.9, {}), Found(2, 1, 0.8, {}), Found(3, 1, 0.7, {})]
    cited = {n: Cited("I like tea.", NOW, NOW, Source("m", f"s{n}", "a")) for n in (1, 2)}
    cited[3] = Cited("I like tea.", NOW + timedelta(days=1), NOW, Source("m3", "s", "a"))
    (only,) = once("tea", found, cited)
    assert [one.id for one in only.repeats] == ["3"]


def test_an_earlier_asking_comes_after_what_tells_something() -> None:
    asked = ("where does emi live??", "Where does Emi live", "Where does Emi live now?")
    assert told("Where does Emi live?", *asked, "Emi is in Oslo.") == [
        ("Emi is in Oslo.", 0),
        ("where does emi live??", 1),
        ("Where does Emi live now?", 0),
    ]


def test_the_loss_of_an_echo_is_a_part_of_the_score() -> None:
    cited = {1: Cited("Where does Emi live?", NOW, NOW, Source("m", "s"))}
    (only,) = once("where does emi live", [Found(1, 1, 0.5, {"meaning": 0.5})], cited)
    assert only.found.parts == {"meaning": 0.5, "echo": -0.4}
    assert only.found.score == pytest.approx(sum(only.found.parts.values()))


@pytest.mark.parametrize(
    "text", ["Emi lives in Oslo.", "Where does Ben work?", "Where does Emi live? In Oslo, since May.", ""]
)
def test_what_tells_something_or_asks_another_thing_is_no_echo(text: str) -> None:
    assert not is_asking(text, words(text), frozenset(words("Where does Emi live?")))


@pytest.mark.parametrize("text", ["Ship 5 carries wool", "word number 7", "红茶"])
def test_a_line_in_the_very_words_of_a_search_is_its_answer(text: str) -> None:
    assert not is_asking(text, words(text), frozenset(words(text)))


@pytest.mark.parametrize("text", ["where does Emi live", "wo wohnt Emi", "艾米住在哪里"])
def test_a_question_without_its_mark_is_an_echo(text: str) -> None:
    assert is_asking(text, words(text), frozenset(words(text)))


def test_words_of_nothing_but_fillers_are_kept() -> None:
    assert words("Ok, yes please!") == ["ok", "yes", "please"]
    assert words("!?") == []


@given(st.text(st.characters(max_codepoint=127), max_size=200))
def test_words_of_ascii_are_all_but_the_fillers(text: str) -> None:
    expected = [word for word in re.findall(r"\w+", text.casefold()) if word not in FILLERS]
    assert words(f"zebra {text}") == ["zebra", *expected]
