"""What may be kept of people is decided by code, clause by clause, whoever read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_form import sized

from quipu.errors import ConfigError
from quipu.kernel.policy.clauses import clauses, sentences
from quipu.kernel.policy.policy import Policy, _lists, asks, forbidden, policy, safety

NEVER = (
    "my PIN is 4821", "card 4111 1111 1111 1111", "IBAN DE89 3704 0044 0532 0130 00",
    "social security number 078-05-1120", "passport number C01X00T47", "the password is Tulip!99",
    "api key sk-proj-a8Fh3kLm9QpXz7Rt2Vw5Yb1Nc4Dg6Hj0",
)  # fmt: skip
HEALTH = (
    "The user has asthma.", "The user takes antidepressants.", "The user is pregnant.",
    "The user had a stroke.", "His son is disabled.",
)  # fmt: skip
MONEY = ("The user earns 62,000 euros a year.", "The user is in debt.", "The user's rent is 900 euros.")
FINE = (
    "The user lives in Lisbon.", "The user works as a nurse in a cancer clinic.", "The user is vegan.",
    "The user is building a budgeting app.", "The user has a dog called Rex.", "The user can drive.",
    "The cache is disabled in the tests.", "I set the stroke of the line to 2.", "We have std::vector here.",
)  # fmt: skip
USUAL = Policy()
WORDS = st.text(alphabet="abcdefgh ij,.", max_size=40)


@settings(max_examples=50)
@given(WORDS, st.sampled_from(NEVER), WORDS, st.booleans(), st.booleans())
def test_a_secret_is_refused_wherever_it_stands(
    before: str, secret: str, after: str, work: bool, asked: bool
) -> None:
    everything = Policy({"health": "always", "money": "always"})
    assert everything.refused(f"{before} {secret} {after}", work=work, requested=asked) is not None
    assert secret not in everything.cut(f"{before} {secret} {after}", work=work, requested=asked)


@settings(max_examples=50)
@given(st.text(max_size=80), st.booleans(), st.booleans())
def test_a_milder_policy_and_being_asked_never_refuse_more(text: str, work: bool, asked: bool) -> None:
    mild, strict = (
        Policy({"health": "always", "money": "always"}),
        Policy({"health": "never", "money": "never"}),
    )
    assert (mild.refused(text, requested=asked, work=work) is None) or strict.refused(
        text, requested=asked, work=work
    )
    if USUAL.refused(text, requested=True, work=work):
        assert USUAL.refused(text, requested=False, work=work)


@pytest.mark.parametrize("text", HEALTH)
def test_health_is_kept_if_the_user_asked_for_it(text: str) -> None:
    assert USUAL.refused(text)
    assert USUAL.refused(text, requested=True) is None
    assert policy("health=never").refused(text, requested=True)
    assert policy("health=always").refused(text) is None
    assert not safety(text)


@pytest.mark.parametrize("text", MONEY)
def test_money_is_not_kept_even_if_asked(text: str) -> None:
    assert USUAL.refused(text, requested=True)
    assert policy("money=requested").refused(text, requested=True) is None


@pytest.mark.parametrize("text", FINE)
def test_what_is_neither_is_kept(text: str) -> None:
    assert USUAL.refused(text, work=True) is None


def test_the_reason_does_not_repeat_the_text() -> None:
    for text in (*NEVER, *HEALTH, *MONEY):
        reason = USUAL.refused(text)
        assert reason is not None
        assert not set(reason.split()) & {"4821", "asthma", "euros", "Tulip!99"}


def test_numbers_that_are_no_cards_are_not_taken_for_one() -> None:
    assert forbidden("order 4111 1111 1111 1112 has shipped") is None


@pytest.mark.parametrize("setting", ["health", "health=often", "weather=never", "money=never=requested"])
def test_a_rule_that_there_is_not_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError):
        policy(setting)


SENTENCES = [
    line.rstrip("\n").split("\t")
    for line in (Path(__file__).parents[2] / "data" / "longterm_health.tsv").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
MORE = [
    line.split("\t")
    for line in (Path(__file__).parents[2] / "data" / "policy.tsv").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]
MIXED = {
    "We have a dog called Rex, he is good for my depression.": "We have a dog called Rex",
    "I live in Lisbon and I take antidepressants.": "I live in Lisbon",
    "I have epilepsy. I live in Lisbon.": "I live in Lisbon.",
    "I speak Danish, have asthma and hate rain.": "I speak Danish … hate rain.",
    "I can't eat nuts and my PIN is 4821.": "I can't eat nuts",
    "My password? It's hunter22!": "",
    "Allergic to nuts and diabetic.": "Allergic to nuts",
    "I'm diabetic, vegetarian and allergic to nuts.": "allergic to nuts.",
    "I was diagnosed with Crohn's and rosacea.": "",
    "I have a sister, epilepsy and two cats.": "I have a sister … two cats.",
    "Can you find out when my biopsy is?": "",
    "My husband and I have diabetes.": "",
    "My mum and dad have diabetes.": "",
    "My brother, who has epilepsy.": "",
    "My dad, who has gout, loves chess.": "My dad … loves chess.",
    "Ruth and I have asthma, and our son plays chess.": "our son plays chess.",
    "My nut allergy and my asthma are back.": "My nut allergy",
    "My mother died of cancer when I lived in Rome.": "I lived in Rome.",
    "Grandpa takes blood thinners and collects stamps.": "Grandpa collects stamps.",
    "My neighbour Carla told me she has gout and collects stamps.": "she collects stamps.",
    "I have ADHD, so give me short answers.": "give me short answers.",
    "I've got high blood pressure and two kids.": "I've got two kids.",
    "I've got gout and a bad back.": "",
    "I have diabetes and three cysts and two cats.": "I have two cats.",
    "After the miscarriage we bought a house.": "we bought a house.",
    "Since his bypass Uncle Horst plays chess.": "Uncle Horst plays chess.",
    "I take home 1,900 euros plus tips.": "",
}


@pytest.mark.parametrize(("text", "left"), MIXED.items())
def test_what_is_refused_of_a_sentence_leaves_the_rest(text: str, left: str) -> None:
    assert USUAL.cut(text) == left
    assert USUAL.refused(text)
    assert left == "" or USUAL.refused(left) is None


@settings(max_examples=100)
@given(st.text(max_size=120) | st.sampled_from([one[4] for one in SENTENCES]), st.booleans())
def test_what_is_left_may_be_kept_and_stays_as_it_is(text: str, work: bool) -> None:
    left = USUAL.cut(text, work=work)
    assert USUAL.refused(left, work=work) is None or left == ""
    assert USUAL.cut(left, work=work) == left
    parts = [one for sentence in sentences(text) for one in clauses(text, sentence)]
    assert "".join("".join(one.text.split()) for one in parts) == "".join(text.split())


def test_the_sentences_are_told_apart_by_what_somebody_must_not_be_given() -> None:
    told = {half: [0, 0] for half in ("tune", "report")}
    for half, constraint, _, _, text in SENTENCES:
        judged = USUAL.verdicts(text)
        right = any(safety(one.text) for one in judged) == (constraint != "-")
        kept = constraint == "-" or constraint in USUAL.cut(text).lower()
        told[half][right and kept] += 1
    assert told["tune"] == [0, 30]
    assert told["report"][1] >= 29


@pytest.mark.parametrize(("stays", "goes", "sentence"), MORE)
def test_of_a_sentence_what_may_be_kept_stays_and_the_rest_goes(stays: str, goes: str, sentence: str) -> None:
    left = USUAL.cut(sentence)
    assert stays == "-" or all(word in left for word in stays.split("|"))
    assert goes == "-" or not any(word in left for word in goes.split("|"))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["health", "money"])
def test_whatever_is_refused_names_a_word_by_which_its_sentence_is_looked_at(kind: str) -> None:
    lists = _lists()

    @settings(max_examples=sized(150, long=1_000))
    @given(st.from_regex(lists.sensitive[kind]))
    def named(text: str) -> None:
        found = lists.sensitive[kind].search(" ".join(text.lower().split()))
        assert found is None or lists.named[kind].search(" " + found[0].replace(" ", ", "))

    named()


TOLD = {
    "My password is hunter2 and I love hiking.": "I love hiking.",
    "My card number is 4111 1111 1111 1111, and my name is Petra.": "my name is Petra.",
    "My IBAN is DE89370400440532013000 and I live in Ulm.": "I live in Ulm.",
    "The PIN of my phone is 4821; my dog is called Otto.": "my dog is called Otto.",
    "My passport number is C01X00T47 and I live in Mainz.": "I live in Mainz.",
    "Our Wi-Fi password is purple elephant parade. I live in Ghent.": "I live in Ghent.",
    "The passcode of my phone is zero four two one; I like tea.": "I like tea.",
    "My social security number is 078-05-1120 but call me Joe.": "call me Joe.",
}
WORK_TALK = (
    "The login is slow, and the access token is rotated.",
    "The token limit is 4096, the card is 300px wide.",
    "My password is too weak. Our password was reset and is stored in Vault.",
    "The code for the exit status is 404, one two three testing.",
    "The account endpoint returns 500; pin: gpio13.",
    "License: Apache-2.0 since 2024. Commit ab12cdef34567890 at 1732345678901234.",
)


@pytest.mark.parametrize(("text", "left"), TOLD.items())
def test_a_secret_that_is_told_in_words_goes_where_the_record_was_cleared_of_the_others(
    text: str, left: str
) -> None:
    assert Policy(secrets=False).cut(text) == left
    assert left in USUAL.cut(text) or USUAL.cut(text) == ""


@pytest.mark.parametrize("text", WORK_TALK)
def test_talk_of_logins_and_cards_is_no_secret_there(text: str) -> None:
    assert Policy(secrets=False).cut(text) == text


def test_prices_of_things_and_faults_of_machines_are_nobodys() -> None:
    for text in (
        "The plan costs $20 a month.",
        "I diagnosed the slow query.",
        "The leak was diagnosed today.",
    ):
        assert USUAL.refused(text) is None
    assert USUAL.refused("I pay 20 euros a month for the plan.")


def test_what_retells_somebodys_words_about_work_is_about_somebody() -> None:
    assert USUAL.cut("Dana takes sertraline.", work=True) == "Dana takes sertraline."
    assert USUAL.cut("Dana takes sertraline.", work=True, source="I take sertraline, use tabs.") == ""


def test_long_texts_take_no_longer_for_their_form() -> None:
    for text in ("a" * 200_000, "( " * 50_000, " - " * 50_000, "x, " * 20_000, " " * 200_000 + "x"):
        assert USUAL.cut(text) == text


def test_allergies_have_a_rule_of_their_own() -> None:
    assert USUAL.refused("I'm allergic to ibuprofen.") is None
    assert policy("health=never").refused("I'm allergic to ibuprofen.") is None
    assert policy("allergies=never").refused("I'm allergic to ibuprofen.")
    assert policy("allergies=requested").refused("I'm allergic to ibuprofen.", requested=True) is None


def test_a_sentence_that_asks_to_remember_speaks_for_itself() -> None:
    assert asks("Please remember that I have asthma.")
    assert USUAL.cut("Remember that I have asthma. I have gout.") == "Remember that I have asthma."
    assert USUAL.cut("Remember that I have asthma.", requested=False) == ""


def test_work_names_illnesses_of_nobody() -> None:
    assert USUAL.refused("The build of the dialysis module fails.", work=True) is None
    assert USUAL.refused("The build of the dialysis module fails.")
    assert USUAL.refused("I have diabetes.", work=True)
    assert USUAL.cut("Grandpa takes blood thinners.", work=True) == ""
    assert USUAL.cut("The user prefers tabs and has epilepsy.", work=True) == "The user prefers tabs"
