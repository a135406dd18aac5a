"""Forms of 2025 and 2026, and ways in which a secret is written so that it does not stand in one piece."""

import random
import string
from base64 import b64encode

import pytest

from quipu.kernel.redact import redact
from quipu.kernel.redact.forms import FORMS
from quipu.kernel.redact.many import redact_many

DRAWN = random.Random(5)
HEX = "0123456789abcdef"
PASSWORD = "Blau" + "wal#2019"


def key(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """An invented key with a digit and a letter in it."""
    return "7" + "".join(DRAWN.choices(alphabet, k=length - 2)) + ("b" if alphabet == HEX else "k")


def b64(text: str) -> str:
    return b64encode(text.encode()).decode()


CASES = {
    "pinecone": "pc" + "sk_" + key(6) + "_" + key(60),
    "supabase": "sb" + "_secret_" + key(22) + "_" + key(8),
    "figma": "fi" + "gd_" + key(40),
    "tailscale": "ts" + "key-auth-" + key(12) + "-" + key(32),
    "gemini": "AQ." + "Ab8" + key(48),
    "twilio": 'Client("AC' + key(32, HEX) + '", "' + key(32, HEX) + '")',
    "cookie": "Cookie: theme=dark; sessionid=" + key(32) + "; lang=en",
    "setcookie": "Set-Cookie: connect.sid=s%3A" + key(32) + "." + key(43) + "; Path=/; HttpOnly",
    "mysql": "mysql -u root -p" + PASSWORD + " shop",
    "mysqlq": "mysqldump -h db -uadmin -p'" + PASSWORD + "' shop > x.sql",
    "sshpass": "sshpass -p '" + PASSWORD + "' ssh root@10.0.0.1",
    "sshpass2": "sshpass -p" + key(10) + " ssh x",
    "docker": '{"auths": {"ghcr.io": {"auth": "' + b64("ana:" + key(20)) + '"}}}',
    "kube": "    client-key-data: "
    + b64(
        "-----BEGIN RSA PRIVATE KEY-----\n" + key(64) + "\n" + key(64) + "\n-----END RSA PRIVATE KEY-----\n"
    ),
    "b64env": "echo " + b64("DB_HOST=x\nDB_PASSWORD=" + PASSWORD + "\n") + " | base64 -d",
    "b64key": b64("OPENAI_API_KEY=sk-proj-" + key(60)),
    "b64key2": b64("API_KEY=" + key(30)),
    "split": "gh" + "p_" + key(18) + "\n" + key(18),
    "split2": 'key = "sk-ant-api03-' + key(40) + '" \\\n  "' + key(50) + '"',
    "split3": "export X=sk-ant-api03-" + key(60) + "\\\n" + key(30),
    "split4": "my key:\nAKIA" + "ABCD2345" + "\n" + "EFGH6723",
    "split5": "sk" + "-ant-api03-" + key(60) + "\n" + key(33) + "\nok?",
    "splitqp": "gl" + "pat-" + key(10) + "=\n" + key(10),
    "pct": "https%3A%2F%2Fana%3A" + key(14) + "%40db.example.com%2Fx",
    "pct2": "body=password%3D" + key(14) + "%26user%3Dana",
    "json": "{\\u0022password\\u0022: \\u0022" + PASSWORD + "\\u0022}",
    "html": "&quot;password&quot;: &quot;" + PASSWORD + "&quot;",
    "qp": "password=3D" + PASSWORD,
    "yaml": "password: |\n  " + PASSWORD + "\n",
    "yaml2": "api_key: >-\n    " + key(30) + "\nnext: 1",
    "pgpass": "db.example.com:5432:shop:ana:" + PASSWORD,
    "netrc": "machine x login ana password " + key(12),
    "htpasswd": "ana:$apr1$" + "k7Ab3.9z$" + key(22),
    "bcrypt": "ana:$2y$05$" + key(53),
    "wg": "[Interface]\nPrivateKey = " + key(43) + "=\n",
    "psk": "PresharedKey = " + key(43) + "=",
    "otp": "otpauth://totp/GitHub:ana?secret=JBSWY3DPEHPK3PXPJBSWY3DP&issuer=GitHub",
    "otp2": "otpauth://totp/X:ana?issuer=X&secret=JBSWYAADPEHPKBPXPJ",
    "seed": "my seed phrase is: legal winner thank year wave sausage worth useful legal winner thank yellow",
    "seed2": "Recovery phrase:\n1. legal 2. winner 3. thank 4. year 5. wave 6. sausage "
    "7. worth 8. useful 9. legal 10. winner 11. thank 12. yellow",
    "azst": "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=" + key(86) + "==;EndpointSuffix=core",
    "sas": "https://x.blob.core.windows.net/c?sv=2024&sig=" + key(43) + "%3D",
    "awssess": "IQ" + "oJb3JpZ2luX2VjE" + key(200),
    "vercel": "vc" + "p_" + key(40),
    "neon": "postgresql://u:npg_" + key(12) + "@ep.neon.tech/x",
    "resend": "re" + "_" + key(8) + "_" + key(24),
    "render": "rn" + "d_" + key(28),
    "cf": "cf" + "ut_" + key(40),
    "crates": "ci" + "o" + key(32),
    "notion": "se" + "cret_" + key(43),
    "langsmith": "ls" + "v2_pt_" + "0123456789abcdef" * 2 + "_0123456789",
    "mistral": "MISTRAL_API_KEY=" + key(32),
    "railway": "RAILWAY_TOKEN=0123abcd-0123-4567-89ab-0123456789ab",
    "ddkey": "DATADOG_KEY: " + key(32, HEX),
    "pgppw": "gpg --batch --passphrase " + PASSWORD + " -d x",
    "redis": "redis-cli -h x -a " + key(20) + " ping",
    "dlogin": "docker login -u ana -p " + key(16) + " ghcr.io",
    "mongo": "mongosh -u ana -p " + PASSWORD + " --host x",
    "htp": "htpasswd -nb ana " + PASSWORD + "",
    "htb": "htpasswd -b .ht ana " + PASSWORD,
    "k8s": "data:\n  password: " + b64(PASSWORD),
    "tok": "kubeconfig token: " + "eyJhbGciOiJSUzI1NiJ9.eyJ" + key(40) + "." + key(60),
    "basic": "Authorization: Basic " + b64("ana:" + PASSWORD),
    "lit": "LITELLM_MASTER_KEY=sk-" + key(20),
    "age": "AG" + "E-SECRET-KEY-1" + key(58, "ABCDEFGHJKLMNP023456789").upper(),
    "gl": "gl" + "rtr-" + key(20),
    "adoc": "dc" + "kr_pat_" + key(27),
    "trello": "AT" + "TA" + "0123456789abcdef" * 4 + "01234567",
    "x": "xa" + "i-" + key(80),
    "ghs": "gh" + "s_" + key(36),
    "pulumi": "pu" + "l-" + "0123456789abcdef" * 2 + "01234567",
}


@pytest.mark.parametrize("name", CASES)
def test_secrets_of_today_go(name: str) -> None:
    redacted = redact(CASES[name])
    assert redacted.counts
    assert PASSWORD not in redacted.text
    assert redact(redacted.text).counts == {}


def test_many_texts_lose_what_each_would_lose_alone() -> None:
    assert redact_many(list(CASES.values())) == {n: redact(text) for n, text in enumerate(CASES.values())}


def test_a_token_in_two_pieces_goes_as_a_whole() -> None:
    first, second = key(60), key(33)
    for between in ("\n", "\n> ", "\\\n    ", '" \\\n  "', '" + "', "\\n"):
        text = "sk-" + f"ant-api03-{first}{between}{second}\nIs it still valid?"
        assert redact(text).text == "[redacted:anthropic-key]\nIs it still valid?", between


def test_what_stands_on_the_line_after_a_token_stays() -> None:
    token = "gh" + "p_" + key(36)
    for after in (
        "\nabcdefghijkl",
        "\n0123456789abcdef0123456789abcdef01234567 fix",
        "\n\nThanks!",
    ):
        assert redact(token + after).text == "[redacted:github-token]" + after


@pytest.mark.parametrize(
    "text",
    [
        b64("A letter of ordinary words about the harbour, the boats and the weather of tomorrow."),
        b64("DEBUG=true\nLOG_LEVEL=info\nPASSWORD=$DB_PASSWORD\n"),
        '{"auth": "none"}',
        '{"auth": "' + b64("just some words without a sign") + '"}',
        "Cookie: theme=dark; lang=en; consent=20260101T000000",
        "We use cookies: see our policy.",
        "mysql -u root -p shop",
        "mysql -u root -p$MYSQL_PASSWORD shop",
        "docker run -p 8080:80 --name web nginx",
        "docker login -u ana --password-stdin",
        "mkdir -p src/mongo && ssh -p 2222 ana@host",
        "redis-cli -a $REDIS_PASSWORD ping",
        "openssl req -passin pass:$PW",
        "The seed phrase is what you write down when you make a wallet and keep in a safe place for ever.",
        "The mnemonic for the planets: my very educated mother just served us nine pizzas every single week",
        "https://example.com/login?next=%2Faccount%3Ftoken%3D%24TOKEN",
        "password: |\n  ${PASSWORD}\n",
        "postgres:5432:5432",
        "otpauth://totp/{label}?secret={secret}",
    ],
)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert redact(text).text == text
    assert redact_many([text]) == {}


def test_the_forms_say_of_which_month_they_are() -> None:
    assert FORMS.version
    assert len(FORMS.tokens) > 150
    for form in (*FORMS.tokens, *FORMS.following):
        assert form.anchors
