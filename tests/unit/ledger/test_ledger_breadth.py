"""Which of two shapes takes more."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter, create_model

from quipu.kinds.ledger.shapes import KeptShape, covers, shape_of


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


INT, NUMBER, TEXT = {"type": "integer"}, {"type": "number"}, {"type": "string"}
LISTS: dict[str, Any] = {"type": "array"}
CLOSED: dict[str, Any] = {"type": "object", "additionalProperties": False}
BY_NAME: dict[str, Any] = {"type": "array", "prefixItems": [{"$ref": "#/$defs/A"}]}


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (CLOSED, {**CLOSED, "patternProperties": {"^x": INT}}),
        ({**LISTS, "items": TEXT}, {**LISTS, "prefixItems": [INT], "items": False}),
        ({"anyOf": [INT, TEXT], "minimum": 3}, INT),
        ({"oneOf": [INT, NUMBER]}, INT),
        ({**LISTS, "contains": INT}, {**LISTS, "contains": INT, "minContains": 0}),
        ({**BY_NAME, "$defs": {"A": INT}}, {**BY_NAME, "$defs": {"A": TEXT}}),
        ({**INT, "not": {"const": 1}}, {**INT, "not": {"const": True}}),
    ],
)
def test_what_decides_beside_the_usual_is_looked_at(wide: dict[str, Any], narrow: dict[str, Any]) -> None:
    assert not covers(wide, narrow)
    assert covers(wide, wide)


def test_a_reference_may_stand_for_everything_or_for_nothing() -> None:
    every, none = ({"$ref": "#/$defs/A", "$defs": {"A": said}} for said in (True, False))
    assert covers(every, INT)
    assert covers(INT, none)
    assert not covers(INT, every)
    assert not covers(none, INT)
    assert covers(none, none)


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
    wide, narrow = (KeptShape(shape_of(model).schema) for model in models)
    declared = value.keys() <= narrow.schema["properties"].keys()
    if covers(wide.schema, narrow.schema) and declared and narrow.fault(value) is None:
        assert wide.fault(value) is None
