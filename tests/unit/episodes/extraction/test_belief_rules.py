"""What becomes of a claim beside what stands, and which claims an exchange makes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.episodes.extraction.beliefs.beliefs import askable, current
from quipu.kinds.episodes.extraction.beliefs.claims import ClaimExchange, claimed, corrections
from quipu.kinds.episodes.extraction.beliefs.keys import cue_of, form_of, holds_many, key_of
from quipu.kinds.episodes.extraction.beliefs.model import Belief, Claim, Conflict, Held
from quipu.kinds.episodes.extraction.beliefs.settlement import HIGHEST, entering, reinforced, settle
from quipu.kinds.episodes.extraction.turns import SpokenTurn
from quipu.kinds.episodes.shapes import Chunk, Fact, Feelings, Scope, Trait

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
BERLIN, LISBON = UUID(int=1), UUID(int=2)


def claim(value: str, **changed: Any) -> Claim:
    told = Claim(
        person="ana", user="ana", key="home", value=value, nature="trait", category="core", confidence=0.8,
        source="explicit", message=9, excerpt=value, said_at=NOON + timedelta(days=9),
    )  # fmt: skip
    return replace(told, **changed)


def held(value: str, **changed: Any) -> Held:
    one = Held(
        id=BERLIN, person="ana", key="home", value=value, form=form_of(value), nature="trait",
        category="core", confidence=0.8, source="explicit", contested=False, times=1, again=0,
        said_at=NOON, messages=frozenset({1}),
    )  # fmt: skip
    return replace(one, **changed)


def test_what_nobody_said_before_stands() -> None:
    settled = settle(claim("Lisbon"), [])
    assert settled is not None
    assert (settled.enter, settled.confidence, settled.end) == ("standing", 0.8, ())


def test_what_is_inferred_enters_with_less() -> None:
    assert entering(claim("Lisbon", source="inferred")) == pytest.approx(0.56)


def test_the_same_message_says_a_thing_once() -> None:
    assert settle(claim("berlin.", message=1), [held("Berlin")]) is None


def test_the_same_again_makes_surer() -> None:
    settled = settle(claim("BERLIN"), [held("Berlin")])
    assert settled is not None
    assert (settled.enter, settled.confirm, settled.confidence) == (None, BERLIN, pytest.approx(0.85))


@settings(max_examples=50)
@given(st.floats(0, 1), st.integers(1, 500))
def test_reinforcement_never_lowers_grows_less_each_time_and_stays_below_one(
    confidence: float, times: int
) -> None:
    capped = min(confidence, HIGHEST)
    once = reinforced(capped, times)
    assert capped <= once <= HIGHEST
    assert reinforced(capped, times + 1) <= once


@pytest.mark.parametrize(
    ("cue", "strategy"),
    [("corrected", "user_clarified"), ("changed", "temporal_supersede")],
)
def test_a_correction_takes_the_place_of_what_stands_and_of_what_contested_it(
    cue: str, strategy: str
) -> None:
    rival = held("Porto", id=LISBON, contested=True)
    settled = settle(claim("Faro", cue=cue), [held("Berlin"), rival])
    assert settled is not None
    assert (settled.enter, settled.ending, settled.settle) == ("standing", cue, strategy)
    assert list(settled.end) == [BERLIN, LISBON]


def test_another_value_is_contested_and_how_much_it_matters_depends() -> None:
    settled = settle(claim("Lisbon"), [held("Berlin")])
    assert settled is not None
    assert (settled.enter, settled.contests, settled.severity) == ("contested", BERLIN, "critical")
    order = held("late", key="order", category="general")
    unknown = settle(claim("here", key="order", category="general"), [order])
    assert unknown is not None
    assert unknown.severity == "low"


def test_who_is_more_than_twice_as_sure_needs_no_correction() -> None:
    settled = settle(claim("Lisbon", confidence=0.9), [held("Berlin", confidence=0.4)])
    assert settled is not None
    assert (settled.enter, settled.ending, settled.settle) == ("standing", "stronger", "confidence_dominance")
    weaker = settle(claim("Lisbon", confidence=0.3), [held("Berlin", confidence=0.9)])
    assert weaker is not None
    assert (weaker.enter, weaker.ending) == ("superseded", "weaker")


def test_a_longer_value_refines_and_a_shorter_one_confirms() -> None:
    longer = settle(claim("Lisbon, Portugal"), [held("Lisbon")])
    assert longer is not None
    assert (longer.enter, longer.ending) == ("standing", "refined")
    shorter = settle(claim("Lisbon"), [held("Lisbon, Portugal")])
    assert shorter is not None
    assert shorter.confirm == BERLIN


def test_what_was_said_before_a_correction_does_not_undo_it() -> None:
    standing = held("Lisbon", source="explicit_correction")
    settled = settle(claim("Berlin", said_at=NOON - timedelta(days=1)), [standing])
    assert settled is not None
    assert (settled.enter, settled.ending) == ("superseded", "older")


def test_a_key_with_several_values_has_no_contradictions() -> None:
    settled = settle(claim("chess", key="likes"), [held("hiking", key="likes")])
    assert settled is not None
    assert (settled.enter, settled.end) == ("standing", [])


def test_an_age_changes_by_itself() -> None:
    settled = settle(claim("30", key="age"), [held("29", key="age")])
    assert settled is not None
    assert (settled.ending, settled.settle) == ("changed", "temporal_supersede")


def test_what_stands_is_said_again_until_the_conflict_is_over() -> None:
    rival = held("Lisbon", id=LISBON, contested=True)
    once = settle(claim("Berlin"), [held("Berlin"), rival])
    assert once is not None
    assert (once.confirm, once.settle) == (BERLIN, None)
    twice = settle(claim("Berlin"), [held("Berlin", again=1), rival])
    assert twice is not None
    assert (list(twice.end), twice.settle) == ([LISBON], "evidence_resolved")


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Berlin", "Lisbon", "Faro"]),
            st.sampled_from([None, "corrected", "changed"]),
            st.floats(0.1, 1),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_at_most_one_value_of_a_key_ever_stands(said: list[tuple[str, Any, float]]) -> None:
    known: dict[UUID, Held] = {}
    for place, (value, cue, confidence) in enumerate(said):
        told = claim(
            value, cue=cue, confidence=confidence, message=place, said_at=NOON + timedelta(days=place)
        )
        settled = settle(told, list(known.values()))
        assert settled is not None
        for gone in settled.end:
            del known[gone]
        if settled.stand is not None:
            known[settled.stand] = replace(known[settled.stand], contested=False)
        if settled.enter in ("standing", "contested"):
            id_ = UUID(int=100 + place)
            known[id_] = held(
                value,
                id=id_,
                confidence=settled.confidence,
                contested=settled.enter == "contested",
                messages=frozenset({place}),
            )
        standing = [one for one in known.values() if not one.contested]
        assert len(standing) == 1
        if cue is not None:
            assert standing[0].form == form_of(value)


@pytest.mark.parametrize(
    ("name", "key"),
    [("Home City", "home"), ("occupation", "job"), ("Favourite-Colour!", "favourite_colour"), ("…", "fact")],
)
def test_keys_that_mean_the_same_are_one(name: str, key: str) -> None:
    assert key_of(name) == key
    assert holds_many("likes")
    assert not holds_many("home")


@pytest.mark.parametrize(
    ("said", "cue"),
    [
        ("no, it's lisbon.", "corrected"),
        ("it's lisbon, not berlin.", "corrected"),
        ("i moved to lisbon.", "changed"),
        ("i no longer work there.", "changed"),
        ("i live in lisbon, not far from the sea.", None),
        ("i live in lisbon.", None),
    ],
)
def test_sentences_that_correct_say_so(said: str, cue: str | None) -> None:
    assert cue_of(said) == cue


def heard(*lines: str, chunk: Chunk | None = None) -> ClaimExchange:
    turns = [
        SpokenTurn(place, {"U": "user", "A": "assistant"}[line[0]], line[0] == "A", line[3:], NOON)
        for place, line in enumerate(lines)
    ]
    return ClaimExchange(turns, chunk, "ana")


@pytest.mark.parametrize(
    ("lines", "value", "denies"),
    [
        (("U: Not Berlin, Lisbon.",), "Lisbon", False),
        (("U: It's Lisbon, not Berlin.",), "Lisbon", False),
        (("U: I switched from Berlin to Lisbon last week.",), "Lisbon", False),
        (("A: How is Berlin?", "U: No, it's Lisbon."), "Lisbon", False),
        (("U: I don't live in Berlin any more.",), "Berlin", True),
    ],
)
def test_what_stands_is_corrected_in_passing(lines: tuple[str, ...], value: str, denies: bool) -> None:
    (found,) = corrections(heard(*lines), [held("Berlin")], [])
    assert (found.key, found.value, found.denies, found.old) == ("home", value, denies, "berlin")


@pytest.mark.parametrize(
    "lines",
    [
        ("U: Not Paris, Lisbon.",),
        ("A: How is Berlin?", "U: No, it's fine."),
        ("U: Is it Lisbon, not Berlin?",),
        ("A: Not Berlin, Lisbon.",),
    ],
)
def test_what_names_nothing_that_stands_corrects_nothing(lines: tuple[str, ...]) -> None:
    assert corrections(heard(*lines), [held("Berlin")], []) == []


def test_a_chunk_claims_its_traits_and_facts_but_no_figures_of_speech() -> None:
    scope = Scope(intent="x", sentiment="neutral", emotion="none", confidence=5)
    trait = Trait(key="City", value="Lisbon", category="core", confidence=0.9, source="explicit")
    chunk = Chunk(
        scope=scope,
        emotion=Feelings(),
        user_traits=(trait, replace_trait(trait, key="feels", value="on fire", is_literal=False)),
        facts=(Fact(key="deploy_port", value="8080", confidence=0.8),),
    )
    found = claimed(heard("U: Hi!", "U: I moved to Lisbon. The deploy port is 8080.", chunk=chunk))
    assert [(one.key, one.value, one.message, one.cue) for one in found] == [
        ("home", "Lisbon", 1, "changed"),
        ("deploy_port", "8080", 1, None),
    ]
    assert claimed(heard("A: You live in Lisbon.", chunk=chunk)) == []


def replace_trait(trait: Trait, **changed: object) -> Trait:
    return trait.model_copy(update=changed)


def conflict(severity: str, surfaced: int) -> Conflict:
    belief = Belief(
        id=BERLIN, person="ana", key="home", value="Berlin", nature="trait", category="core", confidence=0.8,
        source="explicit", state="standing", times=1, first_said_at=NOON, said_at=NOON, ending=None,
        ended_at=None, valid_from=NOON, successor=None,
    )  # fmt: skip
    return Conflict(
        id=UUID(int=surfaced), person="ana", key="home", belief=belief, rival=belief, severity=severity,  # type: ignore[arg-type]
        state="open", surfaced=surfaced, opened_at=NOON, resolved_at=None, strategy=None,
    )  # fmt: skip


def test_the_worst_is_asked_about_first_and_less_each_time() -> None:
    worst, asked = conflict("critical", 0), conflict("critical", 3)
    assert askable([conflict("low", 0), asked, worst]) == worst
    assert current(asked).severity == "low"
    assert askable([conflict("critical", 4), conflict("low", 0)]) is None
