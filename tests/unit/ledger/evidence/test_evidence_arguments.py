"""What callers hand in for a recommendation, refused by field or made fit to be stored."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.errors import BadInput
from quipu.kinds.ledger.evidence.arguments import object_of, references, theme_named, time
from quipu.kinds.ledger.evidence.model import EvidencePiece, EvidenceReference, ShownEvidence
from quipu.kinds.ledger.signals.model import THEMES
from quipu.kinds.ledger.values import prepare

NOW = datetime(2026, 5, 4, tzinfo=UTC)
REVIEW = EvidenceReference(theme="wait_time", place_id="p1", published_at=NOW, rating=2, excerpt="We waited.")
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("ab c"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("xyz"), inner, max_size=3),
    max_leaves=8,
)


def checked(*given: object) -> list[EvidenceReference]:
    return references(given, now=NOW, secrets=True)


def test_a_good_reference_stays_as_it_is() -> None:
    assert checked(REVIEW) == [REVIEW]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("theme", "waiting"),
        ("source", "gossip"),
        ("entity", "rival"),
        ("place_id", None),
        ("place_id", "a\0b"),
        ("published_at", None),
        ("published_at", NOW.replace(tzinfo=None)),
        ("published_at", NOW + timedelta(days=2)),
        ("published_at", "2026-05-04"),
        ("rating", 5.5),
        ("rating", -1),
        ("rating", float("nan")),
        ("rating", "2"),
        ("weight", 1000),
        ("weight", float("inf")),
        ("weight", True),
        ("excerpt", " "),
        ("excerpt", "a\0b"),
        ("review_id_hash", "x" * 600),
        ("meta", {"a": [object()]}),
    ],
)
def test_what_cannot_be_kept_is_refused_by_piece_and_field(field: str, value: Any) -> None:
    with pytest.raises(BadInput) as refused:
        checked(REVIEW, replace(REVIEW, **{field: value}))
    assert refused.value.field is not None
    assert refused.value.field.startswith(f"evidence[1].{field}")


def test_what_is_no_list_of_references_is_refused() -> None:
    for value in ("text", {"theme": "other"}, 7, None):
        with pytest.raises(BadInput, match=r"^evidence: "):
            references(value, now=NOW, secrets=True)
    with pytest.raises(BadInput, match=r"^evidence\[0\]: dict is no EvidenceReference"):
        checked({"theme": "other"})


def test_only_reviews_need_a_place_and_a_date() -> None:
    weather = EvidenceReference(source="weather", entity="system")
    assert checked(weather) == [weather]


def test_an_excerpt_is_cut_to_160_characters_and_secrets_are_cut_out_before() -> None:
    long = "We waited and waited. " * 30
    secret = "My key is sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 3
    shortened, redacted = checked(replace(REVIEW, excerpt=long), replace(REVIEW, excerpt=secret))
    assert shortened.excerpt is not None
    assert len(shortened.excerpt) <= 160
    assert shortened.excerpt.endswith("…")
    assert redacted.excerpt is not None
    assert "a1B2" not in redacted.excerpt
    assert "[redacted:" in redacted.excerpt


@pytest.mark.parametrize("said", ["wait_time", "wait time", " Wait-Time ", "WAIT_TIME"])
def test_a_theme_may_be_written_as_people_write(said: str) -> None:
    assert theme_named("theme", said) == "wait_time"


def test_an_unknown_theme_is_answered_with_those_there_are() -> None:
    with pytest.raises(BadInput) as refused:
        theme_named("theme", "parking")
    assert all(theme in str(refused.value) for theme in THEMES)


@given(JSON)
def test_json_stays_as_it_is(value: object) -> None:
    assert prepare(value, field="meta", secrets=True).value == value


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"a": [1, {"b": "x\0"}]}, "meta.a.1.b"),
        ({"a": float("nan")}, "meta.a"),
        ({"a": {1: 2}}, "meta.a"),
        ({"a": b"x"}, "meta.a"),
        ({"a": "x" * 70_000}, "meta"),
        (["x"], "meta"),
    ],
)
def test_what_is_no_object_of_json_is_refused_with_the_path(value: Any, path: str) -> None:
    with pytest.raises(BadInput) as refused:
        object_of("meta", value, secrets=True)
    assert refused.value.field == path


def test_json_that_is_nested_without_end_is_refused() -> None:
    value: list[object] = []
    for _ in range(10_000):
        value = [value]
    with pytest.raises(BadInput, match="nested"):
        prepare(value, field="meta", secrets=True)


def test_a_number_too_long_to_print_is_refused_by_its_argument() -> None:
    with pytest.raises(BadInput, match="too long") as refused:
        object_of("args", {"n": 10**5000}, secrets=True)
    assert refused.value.field == "args"


def test_secrets_in_values_and_names_are_cut_out() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    made = object_of("args", {"header": [f"token {token}"], token: 1}, secrets=True)
    assert token not in str(made)
    assert object_of("args", {"header": token}, secrets=False) == {"header": token}


def test_an_answer_without_evidence_names_the_themes_that_have_some() -> None:
    assert str(ShownEvidence(pieces=(), themes={}, theme="value")) == "There is no evidence of value."
    assert str(ShownEvidence(pieces=(), themes={})) == "There is no evidence."
    others = ShownEvidence(pieces=(), themes={"wait_time": 3, "other": 1}, theme="value")
    assert str(others) == "There is no evidence of value; there is of wait_time (3), other (1)."


def test_a_piece_is_told_in_one_line() -> None:
    piece = EvidencePiece(
        id=1,
        recommendation_id=1,
        rank=1,
        weight=0.4,
        theme="wait_time",
        source="reviews",
        entity="own_location",
        place_id="p1",
        review_id_hash="ab",
        published_at=NOW,
        rating=2.0,
        excerpt="We waited.",
        meta={},
    )
    assert str(piece) == '2026-05-04, 2.0 stars, wait_time: "We waited."'
    assert str(replace(piece, published_at=None, rating=None, excerpt=None)) == "wait_time"
    assert str(ShownEvidence(pieces=(piece, piece), themes={"wait_time": 2})).count("\n") == 1


def test_a_time_may_be_the_text_of_one() -> None:
    now = datetime(2026, 5, 4, tzinfo=UTC)
    read = time("started_at", "2026-05-03T10:00:00+02:00", now=now)
    assert read == datetime(2026, 5, 3, 8, tzinfo=UTC)
    for wrong in ("yesterday", "2026-05-09"):
        with pytest.raises(BadInput) as refused:
            time("started_at", wrong, now=now)
        assert refused.value.field == "started_at"
