"""What a search means, whatever is typed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.transcripts.browse.query import Group, Query, Term, needles, parse, tsquery
from quipu.kinds.transcripts.browse.words import LONGEST_WORD, folded, vector, words


def term(*parts: str, prefix: bool = False) -> Term:
    return Term(parts, prefix)


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("fix login", [Group((term("fix"), term("login")))]),
        ('"fix login"', [Group((term("fix", "login"),))]),
        ("fix-login", [Group((term("fix", "login"),))]),
        ("fix -login", [Group((term("fix"),), (term("login"),))]),
        ('fix -"the login"', [Group((term("fix"),), (term("the", "login"),))]),
        ("log*", [Group((term("log", prefix=True),))]),
        ('"fix log"*', [Group((term("fix", "log", prefix=True),))]),
        ("fix-login OR look", [Group((term("fix", "login"),)), Group((term("look"),))]),
        ("OR look OR", [Group((term("look"),))]),
        ("fix or look", [Group((term("fix"), term("or"), term("look")))]),
        ("--force", [Group((term("force"),))]),
        ("a - b", [Group((term("a"), term("b")))]),
        ('an "open end', [Group((term("an"), term("open"), term("end")))]),
        ("-login", []),
        ("%%% ***", []),
        ("look look", [Group((term("look"),))]),
        ("C:\\Users\\ana", [Group((term("c", "users", "ana"),))]),
        ("Déjà_vu", [Group((term("deja", "vu"),))]),
        ("船票", [Group((term("船", "票"),))]),
    ],
)
def test_a_query_is_understood(text: str, groups: list[Group]) -> None:
    assert list(parse(text).groups) == groups


def test_only_words_are_plain() -> None:
    assert parse("fix login").plain
    for text in ('"fix"', "fix*", "fix -login", "fix OR login", "fix-login"):
        assert not parse(text).plain, text


SIGNS = st.text(alphabet="./-:()^+'%_\\!&|<>*\"[]{}?~$#@,;=` ", max_size=12)
WORD = st.text(alphabet="abcdeé0123船", min_size=1, max_size=8)


@given(text=st.text(max_size=60))
@settings(max_examples=50)
def test_no_text_fails_and_the_index_is_asked_for_words_and_nothing_else(text: str) -> None:
    for group in parse(text).groups:
        asked = tsquery(group, space=7)
        assert re.fullmatch(r"(!?'7/[^'\\&|:!()\s]+'(:\*)?( & |$))+", asked), asked
        assert not re.search(r"[%_\\]", "".join(one[1:-1] for one in needles(group)))


@given(first=WORD, second=WORD, sign=SIGNS.filter(lambda s: '"' not in s))
@settings(max_examples=50)
def test_signs_between_words_leave_the_words_as_they_are(first: str, second: str, sign: str) -> None:
    found = [
        word
        for group in parse(f"{first} {sign} {second}").groups
        for one in group.required
        for word in one.words
    ]
    plain = [
        word for group in parse(f"{first} {second}").groups for one in group.required for word in one.words
    ]
    assert set(found) == set(plain)


@given(before=st.text(max_size=20), phrase=st.lists(WORD, min_size=1, max_size=3), after=st.text(max_size=20))
@settings(max_examples=50)
def test_what_stands_in_a_text_is_found_in_it_and_its_words_are_those_of_the_index(
    before: str, phrase: list[str], after: str
) -> None:
    text = f"{before} {' '.join(phrase)} {after}"
    query = parse('"' + " ".join(phrase) + '"')
    assert isinstance(query, Query)
    (group,) = query.groups
    assert group.occurrences(folded(text)) is not None
    assert {word for one in group.required for word in one.words} <= set(words(text))


@pytest.mark.parametrize(
    ("query", "text", "counts"),
    [
        ("log", "log catalog logs LOG", (2,)),
        ("log*", "log catalog logs LOG", (3,)),
        ("user id", "user_id, then user id", (2, 2)),
        ('"user id"', "user_id, then user id", (2,)),
        ('"user id"', "user, then id", None),
        ("cafe", "Café CAFÉ", (2,)),
        ("cafe -menu", "Café menu", None),
        ("a b", "a", None),
        ("票", "船票", (1,)),
        ("a1", "a1b a1", (1,)),
    ],
)
def test_occurrences_are_counted(query: str, text: str, counts: tuple[int, ...] | None) -> None:
    (group,) = parse(query).groups
    assert group.occurrences(folded(text)) == counts


def test_a_very_long_word_is_known_by_its_beginning() -> None:
    long = "x" * 100
    (group,) = parse(long).groups
    assert group.required[0].words == ("x" * LONGEST_WORD,)
    assert words(long) == ["x" * LONGEST_WORD]
    assert group.occurrences(folded(long)) == (1,)


def test_more_words_than_a_vector_holds_are_cut() -> None:
    many = [f"word{number}" for number in range(200_000)]
    kept = vector(many, space=1)
    assert 900_000 < len(kept) <= 1_000_000
    assert kept.split(" ")[:2] == ["1/word0", "1/word1"]


@pytest.mark.parametrize(
    "text", ["a" * 400_000, "a " * 200_000, "_" * 400_000, "é" * 400_000, "a_" * 200_000]
)
def test_reading_a_long_text_takes_time_in_proportion(text: str) -> None:
    (group,) = parse('"a b" OR zz*').groups[:1]
    words(text)
    assert group.occurrences(folded(text)) is None
