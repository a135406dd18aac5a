"""Two claims of one message are the same however a reader words them; what differs is kept apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.record.corrections.sameness import same_claim


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lives in Lisbon.", "home: Lisbon"),
        ("Lives in Lisbon.", "Lives in Lisbon, Portugal."),
        ("The user lives in Lisbon.", "Is living in Lisbon now."),
        ("Is allergic to nuts.", "Has a nut allergy."),
        ("Is allergic to nuts.", "allergy: nuts"),
        ("Works at Siemens.", "employer: Siemens"),
        ("Is married.", "relationship status: married"),
        ("The user's car is red.", "car colour: red"),
        ("Prefers short answers.", "Wants answers to be short."),
        ("Does not like coffee.", "dislikes: coffee"),
        ("The deploy runs on Fridays.", "Deployment runs on Friday."),
        ("The tests need Docker.", "Tests need Docker to run."),
        ("I'll send Tom the report by Friday.", "Send the report to Tom by Friday"),
        ("It is so.", "it is so"),
    ],
)
def test_another_wording_claims_the_same(one: str, other: str) -> None:
    assert same_claim(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lives in Lisbon.", "Mara lives in Lisbon."),
        ("Lives in Lisbon.", "Lives in Porto."),
        ("Likes coffee.", "Does not like coffee."),
        ("Runs on port 8080.", "Runs on port 9090."),
        ("The user's sister lives in Bonn.", "The user's brother lives in Bonn."),
        ("Has a dog called Rex.", "Has a cat called Rex."),
        ("car colour: red", "shirt colour: red"),
        ("home: Lisbon", "employer: Lisbon"),
        ("Lives in Lisbon.", "Plans a trip to Lisbon with two friends."),
        ("", "Lives in Lisbon."),
    ],
)
def test_another_claim_is_kept_apart(one: str, other: str) -> None:
    assert not same_claim(one, other)


@given(st.text(max_size=80), st.text(max_size=80))
def test_it_does_not_matter_which_comes_first(one: str, other: str) -> None:
    assert same_claim(one, other) == same_claim(other, one)


@given(st.lists(st.sampled_from(["Lisbon", "nuts", "port", "8080", "red", "not", "Tom's"]), min_size=1))
def test_a_statement_claims_the_same_as_itself_whatever_its_case_and_marks(words: list[str]) -> None:
    text = " ".join(words)
    assert same_claim(text, text)
    assert same_claim(text, f"{text.upper()}!")
