"""Lines of an archive are checked before they go anywhere, and files are what they are called."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.errors import BadInput
from quipu.upkeep.archive.manifest import FORMAT, Manifest, checksums, parse
from quipu.upkeep.archive.records import CarriedColumn, Checker, json_schema, layout
from quipu.upkeep.archive.tables import MOST_NUMBER, Carried


def column(name: str, type: str, *, nullable: bool = False, is_array: bool = False) -> CarriedColumn:
    return CarriedColumn(
        name=name,
        type=type,
        nullable=nullable,
        key_place=0 if name == "id" else None,
        is_array=is_array,
        is_text=type == "text",
        is_number=name == "id",
    )


OF = layout(
    Carried("core.things", "things", sessions=("session_id",), without=("derived",)),
    [
        column("id", "bigint"),
        column("session_id", "uuid", nullable=True),
        column("name", "text"),
        column("said", "boolean"),
        column("weight", "real", nullable=True),
        column("value", "jsonb", nullable=True),
        column("words", "text[]", is_array=True),
        column("derived", "text"),
    ],
)
GOOD: dict[str, Any] = {
    "id": 1,
    "session_id": 7,
    "name": "a",
    "said": True,
    "weight": 0.5,
    "value": {"a": None},
    "words": [],
    "json_nulls": None,
}


def problem(record: object) -> str | None:
    return Checker(OF, OF.fields).problem(json.dumps(record).encode())


def test_a_record_has_the_fields_of_its_table_without_those_that_follow() -> None:
    assert OF.fields == list(GOOD)
    assert problem(GOOD) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": 0},
        {"id": MOST_NUMBER},
        {"id": True},
        {"id": "1"},
        {"id": 1.0},
        {"session_id": "7"},
        {"session_id": -1},
        {"name": None},
        {"name": 1},
        {"said": 1},
        {"weight": "heavy"},
        {"words": {}},
        {"json_nulls": [1]},
        {"more": 1},
    ],
    ids=str,
)
def test_a_line_with_a_wrong_value_is_no_record(wrong: dict[str, object]) -> None:
    assert problem({**GOOD, **wrong}) is not None


@pytest.mark.parametrize("name", GOOD)
def test_a_line_without_a_field_is_no_record(name: str) -> None:
    assert problem({key: value for key, value in GOOD.items() if key != name}) is not None


@given(st.binary(max_size=200))
def test_bytes_are_no_record_and_raise_nothing(data: bytes) -> None:
    assert Checker(OF, OF.fields).problem(data) is not None


def test_a_line_that_is_nested_deeply_is_no_record() -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    assert Checker(OF, OF.fields).problem(b'{"value":' + deep + b"}") is not None


def test_the_schema_names_each_field() -> None:
    schema = json_schema(OF)
    assert schema["required"] == OF.fields
    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert properties["weight"] == {"type": ["number", "string", "null"]}
    assert properties["session_id"] == {"type": ["integer", "null"]}


def manifest(**changed: object) -> bytes:
    plain = {
        "format": FORMAT,
        "version": "1.0",
        "generator": "quipu",
        "space": "ana",
        "taken_at": "2026-01-01T00:00:00+00:00",
        "files": [],
    }
    return json.dumps({**plain, **changed}).encode()


def test_a_manifest_of_this_version_is_read() -> None:
    assert isinstance(parse(manifest(version="1.7")), Manifest)


@pytest.mark.parametrize(
    "wrong",
    [
        {"version": "2.0"},
        {"version": "10.0"},
        {"version": 1},
        {"format": "zip"},
        {"taken_at": "yesterday"},
        {"taken_at": "2026-01-01T00:00:00"},
        {"more": 1},
        {"files": [{"name": "../sessions.ndjson", "kind": "sessions", "records": 0, "bytes": 0}]},
        {"files": [{"name": "/etc/passwd", "kind": "sessions", "records": 0, "bytes": 0}]},
        {"files": [{"name": "a.ndjson", "kind": "a", "records": 0, "bytes": 0}] * 2},
    ],
    ids=str,
)
def test_a_manifest_of_something_else_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadInput, match=r"manifest\.json"):
        parse(manifest(**wrong))


def test_sums_are_those_of_sha256sum() -> None:
    assert checksums(b"0" * 64 + b"  a.ndjson\n") == {"a.ndjson": "0" * 64}
    for bad in (b"0" * 63 + b"  a\n", b"0" * 64 + b" a\n", (b"0" * 64 + b"  a\n") * 2):
        with pytest.raises(BadInput, match="CHECKSUMS, line"):
            checksums(bad)
