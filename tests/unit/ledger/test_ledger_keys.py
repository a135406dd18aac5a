"""Keys and the shapes of their values."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, TypeAdapter

from quipu.errors import BadInput
from quipu.kinds.ledger.keys import Keys, check_shape


def refused(key: object, value: object) -> str | None:
    """The field of the refusal, or None where the value is taken."""
    place = Keys().place(key)
    assert place.rule is not None
    try:
        check_shape(place.rule, value)
    except BadInput as error:
        return error.field
    return None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("baseline.scope", {"value": "all"}),
        ("baseline.scope", {"value": "single", "locationLabel": "Lisbon"}),
        ("baseline.foh.St. Mary's.dinner", {"value": 4}),
        ("locations.confirmed", {"items": ["Lisbon", {"label": "Porto", "placeId": "p"}]}),
        ("assumption.last", {"type": "baseline_value", "assumption": "the usual team", "team": 4}),
        ("ui.response_depth", {"value": "balanced"}),
        ("baseline.default_scope", {"value": "single"}),
        ("workflow.default_card", {"value": "risk"}),
    ],
)
def test_the_canonical_shapes_are_taken(key: str, value: object) -> None:
    assert refused(key, value) is None


@pytest.mark.parametrize(
    ("key", "value", "field"),
    [
        ("baseline.scope", {"value": "some"}, "value.value"),
        ("baseline.scope", "all", "value"),
        ("baseline.scope", {"value": "all", "mood": 1}, "value.mood"),
        ("baseline.foh.Lisbon.lunch", {"value": True}, "value.value"),
        ("baseline.foh.Lisbon.lunch", {"value": "4"}, "value.value"),
        ("baseline.foh.Lisbon.lunch", {"value": -1}, "value.value"),
        ("locations.confirmed", {"items": ["ok", {"label": ""}]}, "value.items.1.label"),
        ("locations.confirmed", {"items": [{}]}, "value.items.0.label"),
        ("assumption.last", {"type": "mood"}, "value.type"),
        ("ui.response_depth", {"value": None}, "value.value"),
    ],
)
def test_a_wrong_shape_is_refused_with_the_path_of_the_fault(key: str, value: object, field: str) -> None:
    assert refused(key, value) == field


def test_each_canonical_key_has_its_namespace_and_scope() -> None:
    keys = (
        "baseline.scope",
        "baseline.foh.a.b",
        "locations.confirmed",
        "assumption.last",
        "ui.response_depth",
    )
    places = [Keys().place(key) for key in keys]
    assert [p.namespace for p in places] == ["baseline", "baseline", "location", "system", "preference"]
    assert [p.rule.scope for p in places if p.rule] == ["session"] * 4 + ["cross_session"]


@pytest.mark.parametrize(
    "key", ["baseline.foh.x", "ui.depth", "location.home", "locations", "system.x", "constraint"]
)
def test_what_begins_like_a_canonical_key_must_be_registered(key: str) -> None:
    with pytest.raises(BadInput) as refusal:
        Keys().place(key)
    assert refusal.value.field == "key"
    assert "register" in str(refusal.value)


def test_an_unregistered_key_is_in_the_namespace_other_only() -> None:
    assert Keys().place("favourite boat").namespace == "other"
    assert Keys().place("小林.好き", namespace="other").rule is None
    with pytest.raises(BadInput):
        Keys().place("favourite boat", namespace="preference")
    with pytest.raises(BadInput) as refusal:
        Keys().place("favourite boat", namespace="moods")
    assert refusal.value.field == "namespace"


@pytest.mark.parametrize("key", ["", " ", "a\nb", "a\0b", "x" * 201, " a", "a;b", None, 7])
def test_what_is_no_key_is_refused(key: object) -> None:
    with pytest.raises(BadInput) as refusal:
        Keys().place(key)
    assert refusal.value.field == "key"


def test_a_key_is_kept_in_composed_form() -> None:
    assert Keys().place("cafe\u0301").key == "caf\u00e9"


class Diet(BaseModel):
    avoids: list[str]


def test_keys_of_ones_own_are_registered_with_a_shape() -> None:
    keys = Keys()
    keys.register("constraint.diet.{meal}", Diet, namespace="constraint", scope="cross_session")
    keys.register("tags", list[str])
    keys.register("count", TypeAdapter(int), namespace="system")
    rule = keys.place("constraint.diet.lunch").rule
    assert rule is not None
    check_shape(rule, {"avoids": ["nuts"]})
    with pytest.raises(BadInput) as refusal:
        check_shape(rule, {"avoids": [1]})
    assert refusal.value.field == "value.avoids.0"
    assert keys.place("count").namespace == "system"
    assert Keys().place("tags").rule is None  # another ledger knows nothing of it


def test_a_key_without_placeholders_wins_over_a_pattern() -> None:
    keys = Keys()
    keys.register("note.{topic}", str)
    keys.register("note.count", int)
    rule = keys.place("note.count").rule
    assert rule is not None
    assert rule.pattern == "note.count"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("baseline.scope", dict), "pattern"),
        (("x", object()), "shape"),
        (("x", dict, "moods"), "namespace"),
        (("x", dict, "other", "world"), "scope"),
    ],
)
def test_what_cannot_be_registered_is_refused(arguments: tuple[object, ...], field: str) -> None:
    names = ("pattern", "shape", "namespace", "scope")
    given = dict(zip(names, arguments, strict=False))
    with pytest.raises(BadInput) as refusal:
        Keys().register(given.pop("pattern"), given.pop("shape"), **given)  # pyright: ignore[reportArgumentType]
    assert refusal.value.field == field
