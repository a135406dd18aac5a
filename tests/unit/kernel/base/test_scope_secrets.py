"""Names and ids: a secret is refused, and nothing that is none."""

import base64
import string
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_form import sized

from quipu.errors import BadInput
from quipu.kernel.base.scope import check_known_name, check_name, optional_name
from quipu.kernel.redact import secret_kind

ALNUM = string.ascii_letters + string.digits
DRAWN = "7kQ2mX9vB4nT6wZ8" * 6
HEX = "0123456789abcdef"
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
NANOID = ALNUM + "_-"


def texts(alphabet: str, least: int, most: int | None = None) -> st.SearchStrategy[str]:
    return st.text(alphabet=alphabet, min_size=least, max_size=most or least)


WORD = texts(string.ascii_lowercase, 2, 12)
SLUG = st.lists(WORD, min_size=1, max_size=5).map("-".join)
NAMES = {
    "uuid": st.uuids().map(str),
    "uuid without dashes": st.uuids().map(lambda one: one.hex),
    "uuid in braces": st.uuids(version=4).map(lambda one: "{" + str(one).upper() + "}"),
    "git commit": texts(HEX, 40),
    "sha256": texts(HEX, 64).map("sha256:".__add__),
    "md5": texts(HEX, 32),
    "integrity": st.binary(min_size=64, max_size=64).map(
        lambda one: "sha512-" + base64.b64encode(one).decode()
    ),
    "base64": st.binary(min_size=8, max_size=96).map(lambda one: base64.b64encode(one).decode()),
    "base64 of a URL": st.binary(min_size=8, max_size=96).map(
        lambda one: base64.urlsafe_b64encode(one).decode()
    ),
    "relay id": st.tuples(WORD, st.integers(0)).map(
        lambda one: base64.b64encode(f"{one[0]}:{one[1]}".encode()).decode()
    ),
    "ulid": texts(CROCKFORD, 26),
    "ulid with a prefix": st.tuples(WORD, texts(CROCKFORD, 26)).map("_".join),
    "ulid after capitals": texts(CROCKFORD, 26).map("API-".__add__),
    "nanoid": texts(NANOID, 21),
    "cuid": texts(string.ascii_lowercase + string.digits, 24).map("c".__add__),
    "object id": texts(HEX, 24),
    "slack": st.tuples(st.sampled_from("CUTDGBW"), texts(string.ascii_uppercase + string.digits, 8, 10)).map(
        "".join
    ),
    "slack thread": st.tuples(texts(string.digits, 10), texts(string.digits, 6)).map(".".join),
    "discord": texts(string.digits, 17, 19),
    "telegram": st.tuples(st.just("-100"), texts(string.digits, 10)).map("".join),
    "telegram user and chat": st.tuples(texts(string.digits, 8, 10), texts(string.digits, 8, 13)).map(
        ":".join
    ),
    "pod": st.tuples(
        SLUG, texts("bcdfghjklmnpqrstvwxz2456789", 8, 10), texts("bcdfghjklmnpqrstvwxz2456789", 5)
    ).map("-".join),
    "path": st.lists(WORD, min_size=1, max_size=6).map(lambda parts: "/home/" + "/".join(parts) + ".py"),
    "windows path": st.lists(WORD, min_size=1, max_size=6).map(
        lambda parts: "C:\\Users\\" + "\\".join(parts)
    ),
    "mail": st.tuples(SLUG, WORD).map(lambda one: f"{one[0]}+tag@{one[1]}.example.com"),
    "slug": SLUG,
    "number": st.integers().map(str),
    "telephone": texts(string.digits, 9, 14).map("+".__add__),
    "arn": st.tuples(WORD, texts(string.digits, 12), SLUG).map(
        lambda p: f"arn:aws:{p[0]}:eu-west-1:{p[1]}:role/{p[2]}"
    ),
    "url": st.tuples(WORD, SLUG, texts(HEX, 32)).map(
        lambda p: f"https://{p[0]}.example.com/{p[1]}?id={p[2]}"
    ),
    "redis key": st.tuples(WORD, st.uuids()).map(lambda p: f"session:token:{p[0]}:{p[1]}"),
    "stripe ids": st.tuples(
        st.sampled_from(["cus", "pi", "ch", "sub", "evt", "acct", "price", "in"]), texts(ALNUM, 14, 24)
    ).map("_".join),
    "openai ids": st.tuples(
        st.sampled_from(["thread", "run", "msg", "asst", "resp", "call", "file"]), texts(ALNUM, 24, 48)
    ).map("_".join),
    "md5 after a word": texts(HEX, 32).map("key-".__add__),
    "git ref": SLUG.map("refs/heads/feature/".__add__),
    "person": st.text(min_size=1, max_size=40).filter(str.strip),
    "spaced": st.lists(WORD, min_size=2, max_size=8).map(" ".join),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", NAMES)
def test_names_that_people_and_machines_give_are_taken(kind: str) -> None:
    @settings(max_examples=sized(30, long=200), deadline=None)
    @given(NAMES[kind])
    def taken(name: str) -> None:
        assert secret_kind(name) is None

    taken()


@pytest.mark.parametrize(
    "name",
    [
        *("password reset", "forgot-password-ana", "api_key_rotation", "token-refresh-2026-11-22", "secrets"),
        *("/home/ana/project/.env", "src/auth/password.py", "session key exchange", "bearer of the ring"),
        *(
            "ticket: the password is wrong",
            "#password=required",
            "customer=42",
            "tenant=acme;region=eu-west-1",
        ),
        *("sk-learn-tutorials", "ghp_", "key-value store", "pat.smith@example.com", "AKIA", "eyJ", "m0-demo"),
        *("claude-sonnet-4-5-20250929", "gpt-5.1-codex-max", "text-embedding-3-large", "qwen2.5-coder:32b"),
        *(
            "organizations/acme/secrets/db",
            "Ann-Sophie O'Neil",
            "李小龍",
            "user|auth0|5f7c8ec7c33c6c004bbafe82",
        ),
        *(
            "google-oauth2|104567890123456789012",
            "urn:uuid:" + str(UUID(int=7)),
            "agent:main:telegram:dm:55512345",
        ),
        *(
            "00u1ab2cd3EF4gh5IJ6k",
            "projects/x/locations/y/keyRings/z/cryptoKeys/k1",
            "YOUR_API_KEY",
            "sk-...",
        ),
    ],
)
def test_ordinary_names_are_taken(name: str) -> None:
    assert check_name("session", name) == name


@pytest.mark.parametrize(
    "secret",
    [
        *("gh" + "p_" + DRAWN[:36], "sk" + "-ant-api03-" + DRAWN[:80], "sk" + "-proj-" + DRAWN[:80]),
        *("AK" + "IA" + "Q3EGVXT7ZWLR4PHM", "xo" + "xb-" + DRAWN[:40], "gl" + "pat-" + DRAWN[:20]),
        *("pc" + "sk_" + DRAWN[:60], "sb" + "_secret_" + DRAWN[:30], "hf" + "_" + DRAWN[:34]),
        "postgres://ana:" + DRAWN[:14] + "@db.example.com/shop",
        "PASSWORD=" + "Blau" + "wal#2019",
        "Bearer " + DRAWN[:40],
        "ey" + "JhbGciOiJIUzI1NiJ9.ey" + f"J{DRAWN[:40]}.{DRAWN[:43]}",
    ],
)
@pytest.mark.parametrize("frame", ["{}", "session {}", "https://example.com/{}", "x/{}/y"])
def test_a_name_with_a_secret_is_refused_without_repeating_it(secret: str, frame: str) -> None:
    if frame.startswith(("x/", "https")) and (" " in secret or "://" in secret or "=" in secret):
        frame = "{}"
    with pytest.raises(BadInput) as refused:
        optional_name("session", frame.format(secret))
    assert refused.value.field == "session"
    assert secret not in str(refused.value)
    assert "secret" in str(refused.value)


def test_what_is_to_be_erased_may_be_called_by_a_secret() -> None:
    name = "gh" + "p_" + DRAWN[:36]
    assert check_known_name("user", name) == name
