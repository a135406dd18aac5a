"""Many texts at once lose exactly the secrets that each would lose alone."""

import random
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_form import sized

from quipu.kernel.redact import Redacted, redact
from quipu.kernel.redact.anchors import Anchors
from quipu.kernel.redact.many import named, redact_many

KEY = "7kQ2" + "mX9vB4nT6wZ8" * 4
SECRETS = [
    "gh" + f"p_{KEY[:36]}",
    "sk" + f"-ant-api03-{KEY}",
    "xo" + f"xb-{KEY[:24]}",
    "abc8" + f"Q~{KEY[:34]}",
    "S" + "K" + "0123456789abcdef" * 2,
    "1234567890:" + "AAbc5" * 7,
    "MTk4NjIyNDgzNDcxOTI1MjQ4." + "Cl2FMQ." + KEY[:27],
    "0123456789abcdef" * 2 + "-us" + "14",
    "PASSWORD=hunter2x!",
    '"api_key": "' + KEY[:20] + '"',
    "Contraseña: Blauwal#2019",
    "ПАРОЛЬ: Blauwal#2019",
    "密码：Blauwal#2019",
    "postgres://quipu:" + KEY[:12] + "@localhost/quipu",
    "curl -u ana:" + KEY[:9] + " https://example.com",
    "Authorization: Bearer " + KEY[:40],
    f"-----BEGIN PRIVATE KEY-----\n{KEY}\n-----END PRIVATE KEY-----",
    "machine example.com login ana password " + KEY[:10],
    "mysql --password " + KEY[:10],
    "my to\u212aen is " + KEY[:20],
]
FILLING = [
    *("pass\n", "a key to the token.", "monkey patch", "x.module.y", "12:34:56", "日本語。", "\0", "\ud800"),
    *(
        "password",
        " is ",
        ": ",
        "=",
        '"',
        "'",
        "\n",
        "--",
        "key",
        "secret",
        "-",
        "curl ",
        "://",
        "@",
        "ſ",
        "é",
    ),
]


def alone(texts: Sequence[str]) -> Mapping[int, Redacted]:
    return {place: found for place, text in enumerate(texts) if (found := redact(text)).counts}


def test_a_corpus_is_redacted_as_each_of_its_texts(positives, negatives):
    texts = [case.text for case in (*positives, *negatives)]
    assert redact_many(texts) == alone(texts)
    assert len(redact_many(texts)) > 100


@pytest.mark.parametrize("secret", SECRETS)
def test_each_kind_is_found_wherever_it_stands(secret: str):
    """Also where the bytes are cut into slices, and at the ends of texts."""
    for before in (*range(4), 16 * 1024 - 7, 64 * 1024 - 20):
        texts = ["x " * 9, "- " * (before // 2) + "-" * (before % 2) + f" {secret} ", "y"]
        assert redact_many(texts) == alone(texts) != {}
    assert set(redact_many([secret, "", secret])) == {0, 2}


def test_no_text_reaches_into_the_next():
    assert redact_many(["the password is", KEY, "password=", KEY, "gh" + "p_", KEY[:36]]) == {}


@settings(max_examples=50)
@given(
    st.lists(st.lists(st.sampled_from([*SECRETS, *FILLING]) | st.text(max_size=8), max_size=8), max_size=6)
)
def test_any_texts_are_redacted_as_each_alone(parts: list[list[str]]):
    texts = ["".join(text) for text in parts]
    assert redact_many(texts) == alone(texts)


@settings(max_examples=50)
@given(st.integers(), st.integers(min_value=0, max_value=40))
def test_damaged_secrets_are_redacted_as_each_alone(seed: int, length: int):
    """Pieces of secrets that were cut, mixed and put together again."""
    chance = random.Random(seed)
    whole = "".join(chance.choice([*SECRETS, *FILLING]) for _ in range(8))
    cuts = sorted(chance.randrange(len(whole) + 1) for _ in range(6))
    texts = [whole[a : b + length] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert redact_many(texts) == alone(texts)


@pytest.mark.long
@pytest.mark.parametrize("unit", ["password=", "-us1", "sk-ant-", "密码", "eyJ"])
def test_hostile_texts_cost_no_more_than_their_length(unit: str):
    long = unit * (sized(100_000, long=400_000) // len(unit))
    redact_many([long])


def test_anchors_are_found_in_their_own_case_or_in_any():
    anchors = Anchors([b"AbCd", b"xyz", b"AbCdEf"], [b"key", b"token"])
    found = list(anchors.find(b"AbCdEf abcd KEYtoken xyz XYZ ToKeN ke"))
    assert found == [(0, b"AbCd"), (0, b"AbCdEf"), (12, b"key"), (15, b"token"), (21, b"xyz"), (29, b"token")]


def test_an_anchor_is_found_also_where_a_longer_one_stands():
    anchors = Anchors([b"key-", b"keys to"], [b"key"])
    found = list(anchors.find(b"Key- key- keys to"))
    assert found == [(0, b"key"), (5, b"key-"), (5, b"key"), (10, b"keys to"), (10, b"key")]


def test_what_follows_a_word_is_looked_at_at_once_only_where_that_is_bounded():
    assert list(named(b"path key_of password.txt " + b"sk" + b"-ant-")) == [
        (25, b"sk" + b"-ant-"),
        (25, b"sk" + b"-"),
    ]
    assert [word for _, word in named(b"key = password: pat" + b"k" * 14)] == [b"key", b"pass"]


def test_an_anchor_must_be_long_enough_to_be_looked_for():
    with pytest.raises(ValueError, match="too short"):
        Anchors([b"ab"], [])
