"""What stands after which events."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.errors import BadInput
from quipu.kinds.ledger.model import NAMESPACES, Event, EventType, Value, ValueSource
from quipu.kinds.ledger.rules import RANK, differences, fold, preference_place, together, undoing

START = datetime(2026, 5, 4, 12, tzinfo=UTC)


def event(
    number: int,
    source: ValueSource = "explicit",
    *,
    kind: EventType = "fact_set",
    value: object = None,
    expires_after: int | None = None,
) -> Event:
    """An event that happens ``number`` minutes after the start."""
    at = START + timedelta(minutes=number)
    return Event(
        id=number,
        event_type=kind,
        scope="session",
        namespace="other",
        key="k",
        old=None,
        new=number if value is None else value,
        source=source,
        assumed=source == "assumed",
        confidence_cap="none",
        session="s",
        user=None,
        turn=0,
        created_at=at,
        expires_at=None if expires_after is None else START + timedelta(minutes=expires_after),
        correlation_id=None,
        actor=None,
        reason=None,
        standing_event_id=number,
    )


def stands(*events: Event) -> int | None:
    standing = fold(events)
    return None if standing is None else standing.event.id


@given(st.lists(st.sampled_from(sorted(RANK)), min_size=1, max_size=6))
def test_the_strongest_stands_and_of_those_the_latest_whatever_came_first(sources: list[ValueSource]) -> None:
    events = [event(number, source) for number, source in enumerate(sources, start=1)]
    strongest = max(events, key=lambda e: (RANK[e.source], e.id))
    assert stands(*events) == strongest.id


def test_each_order_of_arrival_leaves_what_was_said_explicitly() -> None:
    for order in itertools.permutations(sorted(RANK)):
        events = [event(number, source) for number, source in enumerate(order, start=1)]
        standing = fold(events)
        assert standing is not None
        assert standing.event.source == "explicit"


def test_a_deletion_leaves_nothing_and_then_anything_stands() -> None:
    gone = event(2, kind="fact_deleted")
    assert stands(event(1), gone) is None
    assert stands(event(1), gone, event(3, "default")) == 3
    assert stands(event(1), replace(gone, event_type="fact_expired")) is None


def test_what_has_expired_counts_as_nothing() -> None:
    first = event(1, expires_after=5)
    assert stands(first, event(4, "default")) == 1
    standing = fold([first, event(5, "default")])
    assert standing is not None
    assert (standing.event.id, standing.first.id) == (5, 5)


def test_a_correction_stands_though_its_source_is_weaker() -> None:
    assert stands(event(1), event(2, "assumed", kind="fact_corrected")) == 2


def test_the_first_is_the_one_that_set_it_since_it_was_last_empty() -> None:
    standing = fold([event(1), event(2), event(3, kind="fact_deleted"), event(4), event(5)])
    assert standing is not None
    assert (standing.first.id, standing.event.id) == (4, 5)


def test_undoing_names_what_stood_before() -> None:
    history = [event(1), event(2), event(3, kind="fact_deleted")]
    assert undoing(history, 3, force=False).restore == history[1]
    assert undoing(history[:1], 1, force=False).restore is None
    assert undoing(history, 1, force=True).restore is None


def test_an_event_that_others_followed_is_undone_only_by_force() -> None:
    history = [event(1), event(2)]
    with pytest.raises(BadInput, match="came after it"):
        undoing(history, 1, force=False)
    assert undoing(history, 1, force=True).restore is None


def test_what_changed_nothing_cannot_be_undone() -> None:
    with pytest.raises(BadInput, match="changed nothing"):
        undoing([event(1), event(2, "assumed", kind="assumption_set")], 2, force=False)


def value(key: str, said: object, *, scope: str = "session") -> Value:
    return Value(
        key=key,
        namespace="other",
        scope="session" if scope == "session" else "cross_session",
        value=said,
        source="explicit",
        assumed=False,
        confidence_cap="none",
        session="s",
        user="u",
        turn=0,
        event_id=1,
        updated_at=START,
        expires_at=None,
    )


def test_the_values_of_a_session_come_before_preferences() -> None:
    found = together([value("a", 1)], [value("a", 2, scope="person"), value("b", 3, scope="person")])
    assert {key: (one.value, one.from_preference) for key, one in found.items()} == {
        "a": (1, False),
        "b": (3, True),
    }


def test_a_difference_is_another_value_or_another_way_of_knowing_it() -> None:
    before = {"same": value("same", 1), "other": value("other", 1), "gone": value("gone", 1)}
    after = {
        "same": value("same", 1),
        "other": replace(value("other", 1), assumed=True),
        "new": value("new", 1),
    }
    assert [d.key for d in differences(before, after)] == ["gone", "new", "other"]


def test_true_is_not_one() -> None:
    assert [d.key for d in differences({"k": value("k", 1)}, {"k": value("k", True)})] == ["k"]


@pytest.mark.parametrize(
    ("namespace", "key", "place"),
    [
        ("baseline", "baseline.default_scope", ("baseline", "baseline.default_scope")),
        ("preference", "ui.response_depth", ("ui", "ui.response_depth")),
        ("preference", "workflow.default_card", ("workflow", "workflow.default_card")),
        ("preference", "ui/response_depth", ("ui", "response_depth")),
        ("preference", "workflow/", ("other", "preference.workflow/")),
        ("preference", "tone", ("other", "preference.tone")),
        ("location", "home", ("other", "location.home")),
        ("location", "location.home", ("other", "location.home")),
        ("other", "ui.x", ("other", "ui.x")),
    ],
)
def test_preferences_have_namespaces_of_their_own(namespace: str, key: str, place: tuple[str, str]) -> None:
    found = next(n for n in NAMESPACES if n == namespace)
    assert preference_place(found, key) == place
