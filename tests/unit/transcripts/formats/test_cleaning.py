"""What a tool was given is stored as JSON that says the same, whatever it is."""

import json
import math
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frames import MARKS
from quipu.kinds.transcripts.formats.cleanup import clean_reading
from quipu.kinds.transcripts.formats.model import Reading, ToolCall, TranscriptEntry

_NOW = datetime(2026, 3, 1, tzinfo=UTC)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
_NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
_VALUES = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)


def stored(value: object) -> object:
    call = ToolCall(id="call", name="Bash", input=value)
    reading = Reading(entries=[TranscriptEntry("session", "uuid", "assistant", _NOW, calls=[call])])
    clean_reading(reading, secrets=False, marks=MARKS)
    assert call.json is not None
    return json.loads(call.json, parse_constant=pytest.fail)


@settings(max_examples=50)
@given(_VALUES)
def test_what_can_be_stored_is_stored_as_it_is(value: object) -> None:
    assert stored(value) == value


def test_what_cannot_be_stored_is_replaced_and_the_rest_stays() -> None:
    given = {"none": None, "much": math.inf, "no": [math.nan, 2**70], "half": "a\ud800b", "nul\0": "\0"}
    assert stored(given) == {
        "none": None,
        "much": "inf",
        "no": ["nan", 2**70],
        "half": "a\ufffdb",
        "nul\ufffd": "\ufffd",
    }
