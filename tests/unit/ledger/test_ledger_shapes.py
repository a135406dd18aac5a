"""Shapes as JSON Schema: what takes a value, and which of two takes more."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field, WithJsonSchema

from quipu.errors import BadInput
from quipu.kinds.ledger.canonical import CANONICAL
from quipu.kinds.ledger.schema import Checker
from quipu.kinds.ledger.shapes import KeptShape, covers, shape_of

HARD = r"^(a+)+$"


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
    text = "a" * 60 + "!"  # Python's own would take longer than anybody waits
    assert kept(Annotated[str, Field(pattern=HARD)]).fault(text) is not None
    names = KeptShape({"patternProperties": {HARD: {"type": "string"}}, "additionalProperties": False})
    assert names.fault({"aa": "b"}) is None
    assert names.fault({"aa": 1}) is not None
    fault = names.fault({"aa": "b", text: "b"})
    assert fault is not None
    assert fault.field == f"value.{text}"


@pytest.mark.parametrize("pattern", [f"(?=a){HARD}", r"(a+)\1+$"])
def test_a_pattern_that_only_trying_finds_is_refused(pattern: str) -> None:
    for schema in ({"pattern": pattern}, {"patternProperties": {pattern: {}}}):
        with pytest.raises(BadInput, match="regex"):
            shape_of(Annotated[str, WithJsonSchema(schema)])
        with pytest.raises(BadInput, match="replacing it"):
            KeptShape(schema).fault("a" * 60 + "!")


def test_a_pattern_that_pydantic_takes_is_taken() -> None:
    assert kept(Annotated[str, Field(pattern=r"^\p{Lu}")]).fault("Äther") is None


def nested(keyword: str, depth: int) -> dict[str, Any]:
    """A schema so deep."""
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {keyword: schema}
    return schema


def doubling(keyword: str) -> dict[str, Any]:
    """A schema of sixty lines, by which a value is checked in 2**60 steps."""
    twice = {f"A{n}": {keyword: [{"$ref": f"#/$defs/A{n + 1}"}] * 2} for n in range(60)}
    return {"$ref": "#/$defs/A0", "$defs": {**twice, "A60": {"type": "string"}}}


CIRCLE: dict[str, Any] = {
    "$ref": "#/$defs/A",
    "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}},
}
OTHER_DRAFT = {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": HARD}
HOSTILE: list[dict[str, Any]] = [
    {"type": "mood"},
    {"type": 5},
    {"type": [1, "a"] * 9_000},
    {"$ref": "#/$defs/none"},
    {"$ref": "http://127.0.0.1:9/x"},
    {"$ref": "http://[x"},
    {"$ref": "#/default", "default": {"properties": 3}},
    {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}},
    CIRCLE,
    {"allOf": [CIRCLE], **CIRCLE},
    nested("items", 3_000),
    nested("not", 3_000),
    {"properties": 3},
    {"properties": {"a": 3}},
    {"anyOf": 3},
    {"minimum": "a"},
    {"required": [1]},
    {"enum": 3},
    {"items": 3},
    {"items": [{}]},
    {"$defs": 3},
    {"pattern": "("},
    {"pattern": "a{99999999999}"},
    {"properties": {"a": OTHER_DRAFT}},
    {"unevaluatedProperties": False},
]


@pytest.mark.parametrize("schema", HOSTILE, ids=" ".join)
def test_by_a_schema_that_is_none_or_endless_no_value_is_checked(schema: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"'diet'.*replacing it"):
        KeptShape(schema, "diet").fault(1)
    for other in ({}, {"const": 1}, schema):
        assert not covers(schema, other)
        assert not covers(other, schema)


def test_the_time_to_check_a_value_is_bounded() -> None:
    for schema in (doubling("anyOf"), {"anyOf": [{}] * 9_000}):
        with pytest.raises(BadInput, match="steps"):
            KeptShape(schema).fault(1)
    assert not covers(doubling("anyOf"), {"type": "integer"})


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "mood"},
        {
            "$ref": "#/$defs/d0",
            "$defs": {f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(20)}
            | {"d20": {"type": "integer"}},
        },
    ],
)
def test_that_no_value_can_be_checked_is_found_out_once(
    schema: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = KeptShape(schema, "diet")
    with pytest.raises(BadInput) as first:
        shape.fault("a")
    for name in ("__init__", "fault"):
        monkeypatch.setattr(Checker, name, lambda *_: pytest.fail("it is checked again"))
    with pytest.raises(BadInput) as again:
        shape.fault("b")
    assert again.value.message == first.value.message


def test_the_time_to_check_a_value_grows_with_it() -> None:
    twice = KeptShape({"uniqueItems": True})
    assert twice.fault([part for n in range(9_000) for part in (n, str(n), {"a": n})]) is None
    for value in ([1, 1.0], [{"a": [1]}, {"a": [1]}], [None, None]):
        assert twice.fault(value) is not None
    assert twice.fault([1, True, "1", [1], {"a": 1}, {"a": True}]) is None
    among = KeptShape({"items": {"enum": list(range(9_000))}})
    with pytest.raises(BadInput, match="steps"):
        among.fault(list(range(9_000)))
    assert among.fault([1, 2]) is None  # what is smaller is checked all the same


def test_what_is_too_deep_for_a_value_is_refused() -> None:
    value: Any = 1
    for _ in range(3_000):
        value = [value]
    with pytest.raises(BadInput):
        KeptShape({"$ref": "#/$defs/A", "$defs": {"A": {"items": {"$ref": "#/$defs/A"}}}}).fault(value)


WORDS = st.sampled_from(
    ["a", "b", "#/$defs/a", "#/$defs/b", "integer", "object", "array", "string", "^a", "(", HARD, "date", ""]
)
NAMES = st.sampled_from(["$id", "$schema", "$defs", *Draft202012Validator.VALIDATORS, "a", "b"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 3) | st.floats(allow_nan=False, width=16) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
SCHEMAS = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["integer", "number", "object", "array", "string", ["null", "boolean"]]),
            "$ref": st.sampled_from(["#/$defs/a", "#/$defs/b"]),
            "minimum": st.integers(-1, 1),
            "const": st.sampled_from([0, 1, True, "a", None, [1]]),
            "enum": st.lists(st.sampled_from([0, 1, True, "a", None, [1]]), min_size=1, max_size=3),
            "pattern": st.sampled_from(["a", "^b"]),
            "required": st.lists(st.sampled_from("xyz"), max_size=1),
        },
    )
    | st.booleans(),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array"]),
            "additionalProperties": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "contains": inner,
            "items": inner,
            "minContains": st.integers(0, 1),
            "minItems": st.integers(0, 2),
            "not": inner,
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "patternProperties": st.dictionaries(st.sampled_from("xy"), inner, max_size=1),
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "properties": st.dictionaries(st.sampled_from("xyz"), inner, max_size=2),
        },
    ),
    max_leaves=6,
)
ROOTS = st.builds(
    lambda schema, a, b: {**(schema if isinstance(schema, dict) else {}), "$defs": {"a": a, "b": b}},
    SCHEMAS,
    SCHEMAS,
    SCHEMAS,
)


@given(schemas=st.lists(st.dictionaries(NAMES, JSON, max_size=5) | ROOTS, min_size=2, max_size=2), value=JSON)
def test_whatever_stands_in_the_database_there_is_an_answer_or_a_refusal(
    schemas: list[dict[str, Any]], value: object
) -> None:
    covers(*schemas)
    for schema in schemas:
        with suppress(BadInput):
            fault = KeptShape(schema, "diet").fault(value)
            assert fault is None or fault.field.startswith("value")


PARTS = st.recursive(
    st.sampled_from([0, 1, 2.5, True, "a", "b", None]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["x", "y", "z"]), inner, max_size=2)
    ),
    max_leaves=4,
)


def _closed(schema: Any) -> Any:
    """The schema, in which an object that declares names has no others, as ``covers`` reads it."""
    match schema:
        case {"properties": dict()}:
            inner = {name: _closed(part) for name, part in schema.items()}
            return {"additionalProperties": False, **inner}
        case dict():
            return {name: _closed(part) for name, part in schema.items()}
        case list():
            return [_closed(part) for part in schema]
        case _:
            return schema


@example(one={}, other={"const": None}, value=0)
@given(one=ROOTS, other=ROOTS, value=PARTS)
def test_no_value_of_a_narrower_schema_is_refused_by_a_wider_one(
    one: dict[str, Any], other: dict[str, Any], value: object
) -> None:
    for wide, narrow in ((one, other), (other, one), (one, one)):
        if covers(_closed(wide), _closed(narrow)) and _fits(narrow, value):
            assert _fits(wide, value)


def _fits(schema: dict[str, Any], value: object) -> bool:
    try:
        return KeptShape(_closed(schema)).fault(value) is None
    except BadInput:
        reject()  # it refers to itself without end, and says so


@pytest.mark.parametrize("shape", [object(), Callable[[], int]])
def test_a_shape_that_no_other_program_could_check_is_refused(shape: object) -> None:
    with pytest.raises(BadInput) as refusal:
        shape_of(shape)
    assert refusal.value.field == "shape"


def test_a_shape_that_holds_a_secret_is_refused() -> None:
    secret = "sk-ant-api03-" + "a1B2" * 24
    with pytest.raises(BadInput, match="secret"):
        shape_of(Annotated[str, Field(description=secret)])


def test_a_schema_that_denies_itself_is_refused_and_one_that_is_deep_is_read() -> None:
    circle: dict[str, Any] = {"$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}
    with pytest.raises(BadInput, match="in a circle"):
        KeptShape(circle, "diet").fault({"x": True})
    tree = {"type": "object", "properties": {"next": {"$ref": "#/$defs/tree"}}}
    value: dict[str, Any] = {}
    for _ in range(50):
        value = {"next": value}
    assert KeptShape({"$defs": {"tree": tree}, "$ref": "#/$defs/tree"}, "diet").fault(value) is None
