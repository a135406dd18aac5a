import math
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.record.model import FoundMessage, Incoming, Refusal, Role
from quipu.record.rules import CONTENT_LIMIT_BYTES, FIELDS, NAME_LIMIT, check

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)

ANY_TEXT = st.text(st.characters(exclude_categories=()))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=8,
)
USUAL = st.fixed_dictionaries(
    {"content": ANY_TEXT | JSON},
    optional={
        "id": ANY_TEXT | JSON,
        "session": ANY_TEXT | JSON,
        "role": st.sampled_from(["user", "Human", "tool", "robot"]) | JSON,
        "time": st.datetimes(timezones=st.none() | st.timezones()) | st.datetimes().map(str) | JSON,
        "user": JSON,
        "speaker": JSON,
        "mood": JSON,
        "item": JSON,
        "metadata": JSON,
    },
)


def taken(raw: object, **options: str) -> Incoming:
    found = check(raw, now=NOW, **options)
    assert isinstance(found, Incoming), found
    return found


def refused(raw: object) -> Refusal:
    found = check(raw, line=7, now=NOW)
    assert isinstance(found, Refusal), found
    assert found.line == 7
    return found


def test_content_alone_is_enough():
    assert check({"content": "hi"}, now=NOW) == Incoming("hi")


def test_every_field_is_kept_as_the_caller_sent_it():
    raw = {
        "id": "m-1",
        "session": "s 1",
        "role": "assistant",
        "speaker": "Ana María",
        "content": "  Hello \n",
        "time": "2023-05-08T08:00:00Z",
        "user": "u1",
    }
    assert check(raw, line=3, now=NOW) == Incoming(
        content="  Hello \n",
        id="m-1",
        session="s 1",
        role="assistant",
        speaker="Ana María",
        time=datetime(2023, 5, 8, 8, tzinfo=UTC),
        user="u1",
        line=3,
    )


@pytest.mark.parametrize("name", ["id", "session", "speaker", "user"])
def test_a_name_may_be_a_number_and_becomes_text(name: str):
    assert getattr(taken({"content": "x", name: 42}), name) == "42"


@pytest.mark.parametrize("name", ["id", "session", "speaker", "user", "role", "time"])
@pytest.mark.parametrize("nothing", [None, "", "  "])
def test_null_and_blank_count_as_not_given(name: str, nothing: str | None):
    assert check({"content": "x", name: nothing}, now=NOW) == Incoming("x")


@pytest.mark.parametrize("name", ["id", "session", "speaker", "user"])
@pytest.mark.parametrize(
    "value",
    [
        True,
        1.5,
        [],
        {},
        "x" * (NAME_LIMIT + 1),
        "a\0b",
        "a\nb",
        "a\ud800",
        "a\u2028b",
    ],
)
def test_a_name_that_cannot_be_kept_is_refused_by_its_field(name: str, value: object):
    assert refused({"content": "x", name: value}).field == name


def test_the_session_of_the_caller_comes_before_the_default():
    assert taken({"content": "x"}, default_session="d").session == "d"
    assert taken({"content": "x", "session": "s"}, default_session="d").session == "s"


@pytest.mark.parametrize(
    ("said", "role"),
    [
        *(
            ("user", "user"),
            ("assistant", "assistant"),
            ("system", "system"),
            ("tool", "tool"),
            (" USER ", "user"),
        ),
        *(("human", "user"), ("AI", "assistant"), ("model", "assistant"), ("developer", "system")),
    ],
)
def test_a_role_is_known_by_its_usual_names(said: str, role: Role):
    assert taken({"content": "x", "role": said}).role == role


@pytest.mark.parametrize("said", ["robot", "Critic", "x" * 64])
def test_any_other_word_is_a_role_of_its_own(said: str):
    assert taken({"content": "x", "role": f" {said}"}).role == said


@pytest.mark.parametrize("said", [1, [], True, "user\0", "x" * 65])
def test_what_is_no_word_is_no_role(said: object):
    refusal = refused({"content": "x", "role": said})
    assert refusal.field == "role"
    assert len(refusal.reason) < 200


def test_a_message_with_an_item_needs_no_text():
    assert taken({"item": {"type": "reasoning"}}).content == ""
    assert taken({"item": {"type": "reasoning"}, "content": "Hm."}).content == "Hm."
    assert taken({"item": {"content": "Hello."}}).content == "Hello."
    assert taken({"item": {"content": "Hello."}, "content": ""}).content == ""


def test_an_item_that_has_no_form_in_json_is_refused():
    assert refused({"item": {"a": math.nan}}).field == "item"
    assert refused({"item": [1]}).field == "item"
    assert refused({"content": "x", "metadata": 5}).field == "metadata"


@pytest.mark.parametrize(
    "content", [None, "", " \n\t", [], [{"type": "text", "text": " "}], 5, True, {}, b"bytes"]
)
def test_a_message_without_text_is_refused(content: object):
    assert refused({"content": content}).field == "content"
    assert refused({}).field == "content"


def test_text_blocks_are_joined_and_others_are_named():
    blocks = [
        {"type": "text", "text": "one"},
        {"type": "image", "source": {}},
        "two",
        {"type": "output_text", "text": "three"},
        {"type": "text"},
        {"text": "four"},
    ]
    found = taken({"content": blocks})
    assert found.content == "one\n\ntwo\n\nthree\n\nfour"
    assert found.ignored == ("content.image", "content.text")


def test_a_message_of_pictures_alone_is_refused_and_says_what_came():
    assert "content.image" in refused({"content": [{"type": "image"}]}).reason


def test_content_beyond_the_limit_is_refused_with_the_way_out():
    assert taken({"content": "x" * CONTENT_LIMIT_BYTES}).content
    assert "split" in refused({"content": "x" * (CONTENT_LIMIT_BYTES + 1)}).reason
    assert "split" in refused({"content": "é" * (CONTENT_LIMIT_BYTES // 2 + 1)}).reason
    assert "split" in refused({"content": "\0" * (CONTENT_LIMIT_BYTES // 2)}).reason


def test_content_that_cannot_be_stored_is_repaired_and_counted():
    found = taken({"content": "a\0b\ud800"})
    assert (found.content, found.repaired) == ("a\ufffdb\ufffd", 2)


def test_a_time_without_a_zone_is_taken_and_told():
    assert taken({"content": "x", "time": "2023-05-08T08:00"}).assumed_utc
    assert not taken({"content": "x", "time": "2023-05-08T08:00Z"}).assumed_utc


def test_a_wrong_time_is_refused_by_its_field():
    assert refused({"content": "x", "time": "soon"}).field == "time"


def test_unknown_keys_are_ignored_and_named():
    assert taken({"content": "x", "mood": 1, "Content": 2}).ignored == ("Content", "mood")


def test_very_many_unknown_keys_do_not_make_a_long_report():
    found = taken({"content": "x"} | {f"key {number}" * 50: 1 for number in range(1000)})
    assert len(found.ignored) == 20
    assert all(len(key) <= 40 for key in found.ignored)


@pytest.mark.parametrize("raw", [None, "hi", 1, ["content"], b""])
def test_what_is_no_object_is_refused_with_an_example(raw: object):
    assert '{"content": "…"}' in refused(raw).reason


def test_a_refusal_never_tells_the_content():
    secret = "correct horse battery staple"
    for raw in ({"content": secret, "role": 5}, {"content": {"text": secret}}, [secret], secret):
        assert secret not in str(refused(raw))


@pytest.mark.parametrize(
    ("refusal", "said"),
    [
        (Refusal(17, "time", "no time", "chat.jsonl"), "chat.jsonl:17: time: no time"),
        (Refusal(17, None, "no JSON"), "line 17: no JSON"),
        (Refusal(None, "role", "unknown"), "role: unknown"),
    ],
)
def test_a_refusal_reads_as_a_sentence(refusal: Refusal, said: str):
    assert str(refusal) == said


@given(JSON | USUAL)
def test_anything_gives_a_message_or_a_refusal_and_never_an_exception(raw: object):
    found = check(raw, line=1, now=NOW)
    assert found.line == 1
    if isinstance(found, Refusal):
        assert found.field is None or found.field in FIELDS
        assert 0 < len(found.reason) < 400
        str(found).encode()
        return
    assert found.content.strip() or found.item is not None
    found.content.encode()
    assert found.time is None or found.time.utcoffset() is not None
    for name in (found.id, found.session, found.speaker, found.user):
        assert name is None or (0 < len(name.encode()) <= 4 * NAME_LIMIT and "\0" not in name)


@given(USUAL)
def test_checking_again_what_was_taken_changes_nothing(raw: Mapping[str, object]):
    found = check(raw, now=NOW)
    if isinstance(found, Incoming):
        again = {field: getattr(found, field) for field in FIELDS}
        checked = check(again, now=NOW)
        assert isinstance(checked, Incoming)
        assert {field: getattr(checked, field) for field in FIELDS} == again


def test_nan_as_a_name_is_refused():
    assert refused({"content": "x", "id": math.nan}).field == "id"


@pytest.mark.parametrize("digits", [NAME_LIMIT, 10_000])
def test_an_endless_number_as_a_name_is_refused(digits: int):
    assert refused({"content": "x", "id": 10**digits}).field == "id"


def test_a_line_of_a_reader_knows_better_where_it_stands():
    line = FoundMessage({"content": "x", "role": 5}, number=17, file="chat.jsonl")
    refusal = check(line, line=3, now=NOW)
    assert isinstance(refusal, Refusal)
    assert (refusal.line, refusal.file) == (17, "chat.jsonl")
    assert taken(FoundMessage({"content": "x"}, number=17)).line == 17
