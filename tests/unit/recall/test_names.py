"""Who a question is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile import read_through, texts
from quipu.recall.question import Name, mentioned, sound, without

PEOPLE = [
    Name(n, name, 0.5)
    for n, name in enumerate(
        [
            "Ana",
            "Boris",
            "Chiara Rossi",
            "Chiara Bianchi",
            "Dmitri Volkov",
            "小林",
            "José",
            "Straßer Karl",
            "agent_7",
            "X",
        ],
        start=1,
    )
]


def who(question: str) -> list[str]:
    return [mention.person.name for mention in mentioned(question, PEOPLE)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Ana say?", ["Ana"]),
        ("what did ana say?", ["Ana"]),
        ("Ana's boat", ["Ana"]),
        ("ANA and BORIS", ["Ana", "Boris"]),
        ("Is Borsi at home?", ["Boris"]),  # two letters swapped
        ("Is Bori at home?", []),  # too short for an error
        ("Is borsi at home?", []),  # not written like a name
        ("What did Dmitri say?", ["Dmitri Volkov"]),
        ("What did Volkov say?", []),
        ("What did Chiara say?", []),  # two have that name
        ("What did Chiara Rossi say?", ["Chiara Rossi"]),
        ("小林さんは何と言いましたか", ["小林"]),
        ("What did Jose say?", ["José"]),
        ("Wo ist STRASSER KARL?", ["Straßer Karl"]),
        ("banana", []),
        ("X marks the spot", []),  # one letter is no name
        ("", []),
    ],
)
def test_a_question_names_these_people(question: str, expected: list[str]) -> None:
    assert who(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Ana paint?", "What did paint?"),
        ("Ana's boat, Boris!", "boat,!"),
        ("Ana", "Ana"),
        ("小林さんは何と言いましたか", "さんは何と言いましたか"),
        ("Groß und weiß: wo ist Straßer Karl heute?", "Groß und weiß: wo ist heute?"),
        ("İİİ where is Dmitri Volkov now?", "İİİ where is now?"),
    ],
)
def test_names_leave_the_question_and_nothing_else_does(question: str, expected: str) -> None:
    assert without(question, mentioned(question, PEOPLE)) == expected


@given(texts)
def test_mentions_lie_within_the_question_and_what_is_left_is_part_of_it(question: str) -> None:
    mentions = mentioned(question, PEOPLE)
    assert len({m.person.id for m in mentions}) == len(mentions)
    for mention in mentions:
        for start, end in mention.places:
            assert 0 <= start < end <= len(question)
    left = without(question, mentions)
    assert left == question or len(left) <= len(question)


@given(st.lists(st.text(min_size=1, max_size=20), max_size=20, unique=True), texts)
def test_no_name_is_too_strange(names: list[str], question: str) -> None:
    mentions = mentioned(question, [Name(n, name, 0.1) for n, name in enumerate(names)])
    without(question, mentions)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where does Stephen live?", ["Steven"]),
        ("Kathryn's boat", ["Catherine Bell"]),
        ("Was Jon at home?", ["John"]),
        ("was jon at home?", []),  # not written like a name
        ("What did Erik eat?", []),  # two sound like that
        ("What happened on Friday?", []),  # a day is no name, though Frida sounds like it
    ],
)
def test_a_name_may_be_spelt_as_it_sounds(question: str, expected: list[str]) -> None:
    people = ["Steven", "Catherine Bell", "John", "Eric", "Eryk", "Frida"]
    found = mentioned(question, [Name(n, name, 0.5) for n, name in enumerate(people, start=1)])
    assert [mention.person.name for mention in found] == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Kate say?", ["Emi"]),
        ("What did Emi say?", ["Emi"]),
        ("Is Bo at home?", []),  # nobody of that name speaks
        ("Where is Sam?", []),  # two are called so
    ],
)
def test_somebody_is_named_by_another_name(question: str, expected: list[str]) -> None:
    people = [Name(1, "Emi", 0.5), Name(2, "Samuel", 0.5), Name(3, "Samira", 0.5)]
    aliases = [("Kate", "Emi"), ("Bo", "Bogdan"), ("Sam", "Samuel"), ("Sam", "Samira")]
    assert [mention.person.name for mention in mentioned(question, people, aliases)] == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [("Kathryn", "Catherine"), ("Geoff", "Jeff"), ("Kristin", "Christine"), ("Muhammad", "Mohamed")],
)
def test_spellings_of_one_sound_are_one(one: str, other: str) -> None:
    assert sound(one) == sound(other) != ""


@pytest.mark.parametrize(
    ("one", "other"), [("Lena", "Lina"), ("Paris", "Perez"), ("Michael", "Michelle"), ("Rome", "Remy")]
)
def test_other_names_sound_different(one: str, other: str) -> None:
    assert sound(one) != sound(other)


@pytest.mark.parametrize("name", ["Bo", "Zoe", "小林", "agent_7", ""])
def test_short_names_and_other_writing_have_no_sound(name: str) -> None:
    assert sound(name) == ""


def test_people_are_found_in_any_question() -> None:
    many = [Name(n, f"Person{n} Family{n % 50}", 0.1) for n in range(300)]
    read_through(lambda text: without(text, mentioned(text, many)), characters=20_000)


def test_a_question_of_nothing_but_unknown_names_does_not_take_for_ever() -> None:
    many = [Name(n, f"Person{n} Family{n}", 0.1) for n in range(1000)]
    assert mentioned(" ".join(f"Persom{n}x" for n in range(10_000)), many) is not None
