"""Shapes as JSON Schema: what takes a value, and which of two takes more."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter, WithJsonSchema, create_model

from quipu.errors import BadInput
from quipu.kinds.ledger.breadth import covers
from quipu.kinds.ledger.canonical import CANONICAL
from quipu.kinds.ledger.shapes import KeptShape, shape_of


class Place(BaseModel):
    label: Annotated[str, Field(min_length=1, pattern="^[A-Z]")]
    since: date | None = None


class Trip(BaseModel, extra="forbid"):
    stops: Annotated[list[Place], Field(max_length=2)]
    mood: Literal["calm", "wild"] = "calm"
    then: Trip | None = None


def kept(shape: Any) -> KeptShape:
    """The shape as another program reads it."""
    return KeptShape(shape_of(shape).schema)


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"stops": [{"label": "Porto", "since": "2026-01-31"}]}, None),
        ({"stops": [], "then": {"stops": [], "mood": "wild"}}, None),
        ({"stops": [{"label": "Porto", "since": "soon"}]}, "value.stops.0.since"),
        ({"stops": [{"label": "porto"}]}, "value.stops.0.label"),
        ({"stops": [{}]}, "value.stops.0.label"),
        ({"stops": [], "then": {"stops": [], "mood": "dull"}}, "value.then.mood"),
        ({"stops": [], "boat": 1}, "value.boat"),
        ({"mood": "calm"}, "value.stops"),
        ([], "value"),
    ],
)
def test_the_json_schema_finds_the_fault_where_the_type_does(value: object, field: str | None) -> None:
    faults = [shape.fault(value) for shape in (shape_of(Trip), kept(Trip))]
    assert [fault and fault.field for fault in faults] == [field, field]


@pytest.mark.parametrize(("pattern", "shape", "_namespace", "_scope"), CANONICAL)
@given(
    value=st.recursive(
        st.sampled_from(["all", "single", "Lisbon", "verbose", "risk", "", 4, -1, True, None]),
        lambda inner: (
            st.lists(inner, max_size=2)
            | st.dictionaries(
                st.sampled_from(["value", "items", "label", "locationLabel", "type", "key"]),
                inner,
                max_size=2,
            )
        ),
        max_leaves=4,
    )
)
def test_the_schemas_of_the_canonical_keys_say_what_their_types_check(
    pattern: str, shape: type[BaseModel], _namespace: str, _scope: str, value: object
) -> None:
    assert (kept(shape).fault(value) is None) == (shape_of(shape).fault(value) is None)


def test_a_pattern_takes_no_more_time_for_a_text_that_nearly_fits() -> None:
    hard = kept(Annotated[str, Field(pattern=r"^(a+)+$")])
    assert hard.fault("a" * 60 + "!") is not None  # Python's own would take longer than anybody waits
    assert (
        kept(Annotated[str, WithJsonSchema({"type": "string", "pattern": "^(?=a)"})]).fault("b") is not None
    )


@pytest.mark.parametrize(
    "schema", [{"type": "mood"}, {"$ref": "#/$defs/none"}, {"$ref": "http://127.0.0.1:9/x"}]
)
def test_what_is_no_schema_or_refers_elsewhere_is_told(schema: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="replace=True"):
        KeptShape(schema).fault(1)


@pytest.mark.parametrize("shape", [object(), Callable[[], int]])
def test_a_shape_that_no_other_program_could_check_is_refused(shape: object) -> None:
    with pytest.raises(BadInput) as refusal:
        shape_of(shape)
    assert refusal.value.field == "shape"


def test_a_shape_that_holds_a_secret_is_refused() -> None:
    secret = "sk-ant-api03-" + "a1B2" * 24
    with pytest.raises(BadInput, match="secret"):
        shape_of(Annotated[str, Field(description=secret)])


class Older(BaseModel):
    name: str
    age: int


class WithOptional(Older):
    boat: str | None = None


class WithRequired(Older):
    boat: str


class Looser(BaseModel):
    name: str | None
    age: Annotated[float, Field(ge=0)] | int


class Node(BaseModel):
    value: int
    next: Node | None = None


class LooserNode(BaseModel):
    value: int | str
    next: LooserNode | None = None


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (Any, Older),
        (dict[str, Any], Older),
        (dict, dict[str, int]),
        (WithOptional, Older),
        (Looser, Older),
        (LooserNode, Node),
        (str, Literal["a", "b"]),
        (Literal["a", "b", "c"], Literal["a", "b"]),
        (list[float], list[int]),
        (Annotated[int, Field(ge=0)], Annotated[int, Field(ge=1, le=5)]),
        (int | str, int),
        (Annotated[str, Field(max_length=9)], Annotated[str, Field(max_length=8, description="a name")]),
    ],
)
def test_the_wider_of_two_shapes_takes_all_that_the_other_takes(wide: Any, narrow: Any) -> None:
    schemas = [TypeAdapter(shape).json_schema() for shape in (wide, narrow)]
    assert covers(schemas[0], schemas[1])
    assert not covers(schemas[1], schemas[0])
    assert covers(schemas[0], schemas[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Older, WithRequired),
        (int, str),
        (Older, list[int]),
        (Literal["a"], Literal["b"]),
        (Annotated[str, Field(pattern="a")], Annotated[str, Field(pattern="b")]),
        (datetime, date),
    ],
)
def test_of_shapes_that_contradict_each_other_none_is_wider(one: Any, other: Any) -> None:
    schemas = [TypeAdapter(shape).json_schema() for shape in (one, other)]
    assert not covers(schemas[0], schemas[1])
    assert not covers(schemas[1], schemas[0])


FIELD = st.sampled_from(
    [int, float, str, bool, Literal["a", "b"], Literal["a", 1], int | None, list[int], str | int]
)
MODELS = st.dictionaries(
    st.sampled_from("xyz"), st.tuples(FIELD, st.sampled_from([..., None])), min_size=1
).map(lambda fields: create_model("M", **fields))  # type: ignore[call-overload]
VALUES = st.dictionaries(
    st.sampled_from("xyz"), st.sampled_from([0, 1.5, "a", "b", "c", True, None, [1], ["a"]])
)


@given(models=st.lists(MODELS, min_size=2, max_size=2), value=VALUES)
def test_no_value_of_the_narrower_shape_is_refused_by_the_wider(
    models: list[type[BaseModel]], value: dict[str, object]
) -> None:
    wide, narrow = (kept(model) for model in models)
    declared = value.keys() <= narrow.schema["properties"].keys()
    if covers(wide.schema, narrow.schema) and declared and narrow.fault(value) is None:
        assert wide.fault(value) is None
