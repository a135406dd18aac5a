"""Cursors, versions and problem documents: what all routes say in the same words."""

from __future__ import annotations

import base64
import inspect
import json
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field, ValidationError

from quipu import errors
from quipu.errors import BadInput, Conflict, DatabaseError, MissingExtra, NotFound, Outdated, QuipuError
from quipu.interfaces import problems
from quipu.interfaces.rest import derived, pages
from quipu.interfaces.rest.models import RequestBody
from quipu.interfaces.serving.problems import document, response


@dataclass(frozen=True)
class Row:
    id: str | int


def page(limit: int, cursor: str | None = None) -> pages.PageQuery:
    return pages.PageQuery(limit, cursor)


@given(st.text(max_size=40))
@settings(max_examples=50)
def test_a_cursor_says_where_the_page_before_ended(at: str) -> None:
    rows = [Row("0"), Row(at), Row("2")]
    made = page(2).of_rows("facts", rows)
    assert made.items == rows[:2]
    assert made.next is not None
    assert made.next.isascii()
    assert page(2, made.next).behind("facts") == at


@given(st.integers(1, 2**63 - 1))
@settings(max_examples=50)
def test_a_cursor_of_numbered_rows_is_a_number(number: int) -> None:
    made = page(1).of_rows("facts", [Row(number), Row(0)])
    assert page(1, made.next).behind_number("facts") == number


def test_the_last_page_has_no_cursor() -> None:
    assert page(2).of_rows("facts", [Row(1), Row(2)]).next is None
    assert page(2).of_rows("facts", list[Row]()).items == []


def test_a_cursor_is_good_for_its_own_list_only() -> None:
    cursor = page(1).of_rows("facts", [Row("a"), Row("b")]).next
    with pytest.raises(BadInput):
        page(1, cursor).behind("episodes")
    with pytest.raises(BadInput):
        page(1, cursor).counted("facts")


@given(st.text(max_size=60) | st.binary(max_size=60).map(lambda b: base64.urlsafe_b64encode(b).decode()))
@settings(max_examples=50)
def test_what_is_no_cursor_is_refused_and_nothing_worse(text: str) -> None:
    with pytest.raises(BadInput):
        page(1, text).behind("facts")


@pytest.mark.parametrize("told", [["facts"], ["facts", []], {"facts": 1}, "facts", [["facts"], {}], None])
def test_what_is_not_shaped_as_a_cursor_is_refused(told: object) -> None:
    with pytest.raises(BadInput):
        page(1, base64.urlsafe_b64encode(json.dumps(told).encode()).decode()).behind("facts")


def test_a_list_that_is_counted_goes_on_where_it_ended() -> None:
    first = page(2).of_counted("rows", [1, 2, 3])
    second = page(2, first.next)
    assert second.counted("rows") == 2
    assert page(2, second.of_counted("rows", [3, 4, 5]).next).counted("rows") == 4


def test_a_version_is_read_as_it_was_written() -> None:
    assert derived.expected_version(derived.etag(7)) == 7
    assert derived.expected_version('W/"7"') == 7
    assert derived.expected_version(None) is derived.expected_version("*") is None
    for wrong in ("7", '"x"', '"7", "8"', '""', f'"{"9" * 30}"'):
        with pytest.raises(BadInput):
            derived.expected_version(wrong)


def test_a_conflict_with_the_version_that_was_expected_is_told_as_such() -> None:
    with pytest.raises(Outdated), derived.matching(3):
        raise Conflict("changed")
    with pytest.raises(Conflict) as found, derived.matching(None):
        raise Conflict("taken")
    assert not isinstance(found.value, Outdated)


SECRET = 'relation "core.x" at /var/lib/quipu: select * from t'


def every() -> list[QuipuError]:
    """One of each class of our errors, with a message that nobody outside may see."""
    made: list[QuipuError] = []
    for _, kind in inspect.getmembers(errors, inspect.isclass):
        if kind is MissingExtra:
            made.append(MissingExtra("server", "It"))
        elif kind is errors.TooManyRequests:
            made.append(errors.TooManyRequests(SECRET, wait_seconds=1.2, hint=SECRET))
        elif issubclass(kind, QuipuError):
            made.append(kind(SECRET, hint=SECRET))
    return made


@pytest.mark.parametrize("error", every(), ids=lambda error: type(error).__name__)
def test_every_error_has_a_status_and_of_our_own_trouble_nothing_is_told(error: QuipuError) -> None:
    told = document(error)
    assert told["status"] == problems.status(type(error)) == response(error).status_code
    assert 400 <= problems.status(type(error)) < 600
    assert told["type"] == f"/problems/{problems.problem(error).kind}"
    ours = DatabaseError | errors.ConfigError | errors.EmbeddingError | errors.LanguageFailed
    if isinstance(error, ours) and not isinstance(error, errors.BadInput):  # what is asked is theirs
        assert SECRET not in json.dumps(told)
        assert problems.status(type(error)) >= 500


def test_what_the_caller_can_mend_is_told_with_the_way_out() -> None:
    told = document(BadInput("a whole number.", field="limit", hint="Say 3."))
    assert (told["detail"], told["hint"], told["field"]) == ("limit: a whole number.", "Say 3.", "limit")
    assert document(NotFound("There is none."))["status"] == 404
    assert response(errors.TooManyRequests(wait_seconds=1.2)).headers["retry-after"] == "2"


class Counted(RequestBody):
    many: int | None = None
    share: Annotated[float, Field(ge=0)] = 0
    sure: bool = False
    each: list[int] = Field(default_factory=list[int])
    id: UUID | None = None
    time: datetime | None = None


class Taken(RequestBody):
    of: list[Counted]


@pytest.mark.parametrize(
    "body",
    [
        {"many": "3"},
        {"many": True},
        {"share": "0.5"},
        {"share": True},
        {"sure": "yes"},
        {"sure": 1},
        {"each": ["3"]},
    ],
)
def test_a_body_takes_no_text_and_no_truth_for_a_number(body: dict[str, object]) -> None:
    for shape, sent in ((Counted, body), (Taken, {"of": [body]})):
        with pytest.raises(ValidationError):
            shape.model_validate(sent)


def test_ids_and_times_of_a_body_come_as_texts() -> None:
    sent = {"id": str(UUID(int=1)), "time": "2026-05-04T10:00:00Z", "many": 3, "share": 1, "each": [1]}
    assert Counted.model_validate(sent).id == UUID(int=1)
