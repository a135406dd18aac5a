from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.kernel.base.scope import Moment, moment

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
SAID = datetime(2023, 5, 8, 8, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        "2023-05-08T08:00:00Z",
        " 2023-05-08t08:00z ",
        "2023-05-08 10:00:00+02:00",
        "20230508T080000Z",
        "2023-05-08T08:00:00.000Z",
        1683532800,
        1683532800.0,
        1683532800000,
        "1683532800",
        "1683532800.0",
        "1683532800000",
        datetime(2023, 5, 8, 10, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_a_time_with_a_zone_is_taken_in_every_usual_form(value: object):
    assert moment(value, now=NOW) == Moment(SAID, assumed_utc=False)


@pytest.mark.parametrize("value", ["2023-05-08T08:00:00", "2023-05-08 08:00", datetime(2023, 5, 8, 8)])
def test_a_time_without_a_zone_is_utc_and_says_so(value: object):
    assert moment(value, now=NOW) == Moment(SAID, assumed_utc=True)


def test_a_date_alone_is_its_midnight():
    assert moment("2023-05-08", now=NOW) == Moment(datetime(2023, 5, 8, tzinfo=UTC), assumed_utc=True)


@pytest.mark.parametrize(
    "value",
    [
        *(
            True,
            None,
            [],
            {},
            date(2023, 5, 8),
            b"2023-05-08",
            float("nan"),
            float("inf"),
            -1,
            0,
            2023,
            99_999_999,
        ),
        *(10**14, 10**400, 1683532800000000, "yesterday", "12:30", "2023-13-01", "1:56 pm on 8 May, 2023"),
        *("12", "2023-05-08T25:00Z", "2023-05-08T08:00:60Z", "9" * 10_000, "٢٠٢٣-٠٥-٠٨", "\ud800"),
    ],
)
def test_what_would_have_to_be_guessed_is_refused_with_the_forms_that_are_taken(value: object):
    reason = moment(value, now=NOW)
    assert isinstance(reason, str)
    assert "ISO 8601" in reason
    assert len(reason) < 300


@pytest.mark.parametrize("value", ["1969-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", datetime(1900, 1, 1)])
def test_a_time_before_1970_is_refused(value: object):
    assert "1970" in str(moment(value, now=NOW))
    assert isinstance(moment(value, now=NOW), str)


@pytest.mark.parametrize(
    "value", ["2026-05-05T12:00:01Z", "9999-12-31T23:59:59-12:00", "9999-12-31", 10**11 - 1]
)
def test_the_future_is_refused(value: object):
    assert isinstance(moment(value, now=NOW), str)


def test_a_clock_that_is_a_little_ahead_is_borne_with():
    assert moment("2026-05-05T12:00:00Z", now=NOW) == Moment(NOW + timedelta(days=1), assumed_utc=False)


@given(st.datetimes(datetime(1973, 3, 4), datetime(2026, 5, 4), timezones=st.timezones()))
def test_every_form_of_one_time_means_the_same(at: datetime):
    milliseconds = (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    whole = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    forms = (whole, whole.isoformat(), milliseconds, str(milliseconds), milliseconds / 1000)
    assert {moment(form, now=NOW) for form in forms} == {Moment(whole, assumed_utc=False)}


@given(st.floats() | st.integers() | st.text() | st.datetimes())
def test_any_value_gives_a_moment_in_utc_or_a_reason(value: object):
    found = moment(value, now=NOW)
    assert isinstance(found, str) or found.at.utcoffset() == timedelta(0)
