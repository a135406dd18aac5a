import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from long_form import sized

from quipu.kernel.redact import Redacted, redact

HEX = "0123456789abcdef"
BASE62 = "".join(map(chr, (*range(48, 58), *range(65, 91), *range(97, 123))))


def key(length: int, alphabet: str = BASE62) -> str:
    """An invented key; it always has a digit, as a drawn one does."""
    return "7" + "".join(random.Random(length).choices(alphabet, k=length - 1))


def recall_and_precision(positives: list, negatives: list) -> tuple[float, float]:
    """The share of secrets that went, and of changed texts among those changed that had one."""
    secrets = [(case, secret) for case in positives for secret in case.secrets]
    gone = sum(secret not in redact(case.text).text for case, secret in secrets)
    wrong = sum(redact(case.text).text != case.text for case in negatives)
    return gone / len(secrets), gone / (gone + wrong)


def test_the_corpus_is_large_enough_to_say_something(positives, negatives):
    assert len(positives) >= 120
    assert len(negatives) >= 120
    for cases in (positives, negatives):
        assert sum(case.held_out for case in cases) >= 60
    assert all(case.secrets for case in positives)
    assert len({case.name for case in positives + negatives}) == len(positives + negatives)


@pytest.mark.parametrize("held_out", [True, False], ids=["held out", "tuning"])
def test_secrets_go_and_what_only_looks_like_one_stays(positives, negatives, held_out: bool):
    recall, precision = recall_and_precision(
        [case for case in positives if case.held_out is held_out],
        [case for case in negatives if case.held_out is held_out],
    )
    assert recall >= 0.97
    assert precision >= 0.97


def test_what_stands_around_a_secret_stays(positives):
    damaged = []
    for case in positives:
        position = 0
        text = redact(case.text).text
        for part in case.frame:
            position = text.find(part, position)
            if position < 0:
                damaged.append(case.name)
                break
            position += len(part)
    assert len(damaged) <= 0.03 * len(positives), damaged


def test_redacting_again_finds_nothing(positives):
    for case in positives:
        once = redact(case.text).text
        assert redact(once) == Redacted(once, {})


def test_a_secret_is_replaced_by_its_kind_and_counted():
    token = "gh" + "p_" + key(36)
    assert redact(f"use {token} or {token}, not PASSWORD=hunter2x!") == Redacted(
        "use [redacted:github-token] or [redacted:github-token], not PASSWORD=[redacted:password]",
        {"github-token": 2, "password": 1},
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("aws-key", "AK" + "IA" + key(16, "234567ABCDEFGH")),
        ("aws-secret", "AK" + "IA" + key(16, "234567ABCDEFGH") + " " + key(40)),
        ("google-key", "AI" + "za" + key(35)),
        ("azure-secret", "abc8" + "Q~" + key(34)),
        ("github-token", "github" + "_pat_" + key(60)),
        ("gitlab-token", "gl" + "pat-" + key(20)),
        ("slack-token", "xo" + "xb-" + key(24)),
        ("slack-webhook", "https://hooks.slack.com/services/" + f"T{key(8)}/B{key(8)}/{key(24)}"),
        ("stripe-key", "sk" + "_live_" + key(24)),
        ("openai-key", "sk" + "-proj-" + key(60)),
        ("anthropic-key", "sk" + "-ant-api03-" + key(90)),
        ("quipu-key", "quipu" + "_" + key(12, HEX) + "_" + key(43)),
        ("npm-token", "np" + "m_" + key(36)),
        ("pypi-token", "py" + "pi-AgEIcHlwaS5vcmc" + key(90)),
        ("twilio-key", "S" + "K" + key(32, HEX)),
        ("sendgrid-key", "S" + "G." + key(22) + "." + key(43)),
        ("jwt", "ey" + "JhbGciOiJIUzI1NiJ9.ey" + f"J{key(40)}.{key(43)}"),
        ("telegram-token", "1234567890:" + "AA" + key(33)),
        ("discord-token", "MT" + key(22) + "." + "G" + key(5) + "." + key(27)),
        ("mailchimp-key", key(32, HEX) + "-us" + "14"),
        ("private-key", f"-----BEGIN PRIVATE KEY-----\n{key(64)}\n-----END PRIVATE KEY-----"),
        ("url-password", "postgresql://quipu:" + key(12) + "@localhost/quipu"),
        ("authorization", "Authorization: Bearer " + key(40)),
        ("password", "password = 'correct-" + "horse-42'"),
        ("key", 'api_key: "' + key(32) + '"'),
        ("token", "export TOKEN=" + key(32)),
    ],
)
def test_each_kind_is_named(kind: str, text: str):
    assert kind in redact(f"see {text} .").counts


def test_a_private_key_goes_as_a_whole_and_the_text_around_it_stays():
    lines = "\n".join(key(64) for _ in range(20))
    text = f"before\n-----BEGIN RSA PRIVATE KEY-----\n{lines}\nabc=\n-----END RSA PRIVATE KEY-----\nafter"
    assert redact(text) == Redacted("before\n[redacted:private-key]\nafter", {"private-key": 1})


def test_a_private_key_that_was_cut_off_goes_as_far_as_it_goes():
    text = f"-----BEGIN PRIVATE KEY-----\n{key(64)}\n{key(64)}\n\nWhat is this?"
    assert redact(text).text == "[redacted:private-key]\n\nWhat is this?"


def test_a_text_without_secrets_is_given_back_as_it_is():
    text = "We met in Lisbon, and my password is too weak."
    assert redact(text) == Redacted(text, {})
    assert redact(text).text is text


@pytest.mark.parametrize("text", ["", "İ" * 40 + " password=hunter2x!", "\ufffd", "密码"])
def test_odd_texts_are_borne(text: str):
    assert "hunter2x" not in redact(text).text


@given(
    st.lists(
        st.sampled_from(
            [
                *(
                    "password",
                    "=",
                    ":",
                    " ",
                    '"',
                    "'",
                    "`",
                    "token",
                    "secret_",
                    "key",
                    "api_",
                    "://",
                    "@",
                    "\n",
                    "\\n",
                ),
                *(
                    "hunter2x!",
                    key(40),
                    "sk" + "-" + key(24),
                    "-----BEGIN PRIVATE KEY-----",
                    "Bearer",
                    "İ",
                    "is",
                ),
                *(
                    "authorization",
                    "curl -u a",
                    "${X}",
                    "<",
                    ">",
                    "a.b",
                    "1",
                    "[redacted:key]",
                    "login",
                    "--",
                    "|",
                ),
            ]
        ),
        max_size=25,
    ).map("".join)
)
def test_any_mixture_is_redacted_once_and_for_all(text: str):
    once = redact(text)
    again = redact(once.text)
    assert sum(once.counts.values()) == once.text.count("[redacted:") - text.count("[redacted:")
    assert again.text == once.text


@given(st.text())
def test_any_text_is_borne(text: str):
    redacted = redact(text)
    assert (redacted.text == text) == (not redacted.counts)


@pytest.mark.long
@pytest.mark.parametrize(
    "unit",
    [
        *(
            "password=",
            'password: "',
            "api_key=",
            "pass ",
            "secret is ",
            "PASSWORD=a1",
            "-----BEGIN PRIVATE KEY-----\n",
        ),
        *(
            "://",
            "://a:b",
            "eyJ",
            "eyJaaaaaaaaaaaaaaaaaaa.",
            "sk-ant-",
            "Bearer ",
            "authorization:",
            "curl -u a:b ",
        ),
        *(
            "AP0aaaaaaaaa",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-us1",
            "123456789:",
            "cloudant 0",
            " ",
            "x1",
            "密码",
        ),
    ],
)
def test_hostile_text_costs_no_more_than_its_length(unit: str):
    long = unit * (sized(100_000, long=400_000) // len(unit))
    redact(long)


@pytest.mark.parametrize(
    "text",
    [
        "gh" + "p_" + "x" * 36,
        "AKIA" + "IOSFODNN7" + "EXAMPLE",
        "postgres://user:pass@localhost/db",
        "my senha is fraca demais",
        "The --username and --password options can't be used here.",
        "next_token=" + key(40),
    ],
)
def test_masks_and_examples_of_documentation_stay(text: str):
    assert redact(text) == Redacted(text, {})


def test_a_password_is_known_in_other_languages():
    for name in ("senha", "contraseña", "пароль", "密码", "パスワード"):
        assert redact(f"{name}: Blau" + "wal#2019").counts == {"password": 1}


def test_a_mark_is_no_name_of_what_follows_it():
    text = f"sk-proj-{key(40)}=passwordhunter2x!"
    once = redact(text)
    assert once.counts == {"openai-key": 1}
    assert redact(once.text).text == once.text
