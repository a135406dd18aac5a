"""Values of passwords, tokens and keys: real secrets told from mere placeholders."""

from __future__ import annotations

import re
from typing import Final, Literal

Grade = Literal["literal", "loose", "prose"]
"""How sure the place is to hold a literal: quoted or ``KEY=value``; unquoted in code or YAML; in prose."""

Subject = Literal["password", "token"]
"""What was named: something that a person thought up, or something that a machine drew."""

_PLACEHOLDER = re.compile(
    r"""\[redacted: | \$\{ | \{\{ | ^\{[\w.]*\}$ | ^<.*>$ | ^&lt; | ^\$\(?[A-Za-z_] | ^\$\d?$ | ^%\w+%?$
    | %\(\w+\)s
    | \*{3,} | x{4,} | \.{3} | … | •{2,} | _{4,} | -{6,} | ^[!*&][a-z]\w*$
    | \byour | (?:^|[-_ ])(?:my|the)[-_](?:key|token|secret|password|api) | placeholder | example | change.?me
    | ^[\w.:@/-]*\{[\w.!:\[\]'"()]+\}[\w.:@/{}!-]*$ | ^\[+\w+\]*$ | \[.*(?:a-z|0-9|A-Z)
    | dummy | insert.?(?:your|here) | replace.?(?:me|with) | fill.?in | redacted | ^to.?do\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# fmt: off
_NOT_A_SECRET: Final = frozenset((
    "string", "secretstr", "varchar", "varchar2", "bytes", "boolean", "number", "integer", "object", "array",
    "optional", "required", "hidden", "visible", "undefined", "missing", "invalid", "incorrect", "expired",
    "unknown", "default", "disabled", "enabled", "sensitive", "private", "public", "prompt", "always",
    "include", "password", "passwords", "passwort", "passwd", "pass", "pwd", "pw", "mypass", "mypassword",
    "test", "testing", "username", "secret", "secrets", "token", "tokens", "apikey", "api_key", "bearer",
    "basic", "oauth", "oauth1", "oauth2", "openid", "google", "github", "gitlab", "logout",
    "opaque", "encrypted", "plaintext", "hashed", "forgot", "confirm", "admin_password", "sha1", "sha256",
    "sha384", "sha512", "base32", "base64", "utf-8", "hs256", "rs256", "es256", "ed25519", "argon2",
    "argon2id", "b64enc", "b64dec", "pbkdf2", "bcrypt", "scrypt", "latin1", "postgres",
))
# fmt: on
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].*)?$")
_NUMBER = re.compile(r"[+-]?[\d.,_:/%]+[A-Za-z]{0,2}$")
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$")
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.|!\.)[A-Za-z_$][\w$]*)+$")
_PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?:[\w.@+-]{0,31}[/\\])*[\w.@+-]{0,31}$")
_URI = re.compile(r"(?:[a-z][a-z0-9+.-]{1,20}://|(?:file|vault|op|ref|env|arn|ssm|secret|projects|data):)")
_WORDS = re.compile(r"[A-Za-z]+(?:[-_][A-Za-z]+)*\d?$")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*$")
_SNAKE = re.compile(
    r"[a-z]+\d{0,2}(?:_(?:[a-z]+\d{0,2}|\d{1,4}))+$|[a-z]+[A-Z][A-Za-z]*\d{0,2}$|[A-Z][a-z]+(?:[A-Z][a-z]+)+\d{0,2}$"
    r"|(?:[A-Z][a-z]+\d{0,5}){2,6}$"
)
_SYMBOL = re.compile(r"[^\w\s.,:;/\\()\[\]{}'\"`<>|-]")
_APP_PASSWORD = re.compile(r"[a-z]{4}(?: [a-z]{4}){3}$")
_LABEL = re.compile(r"[^\W\d_]+$")


def is_placeholder(value: str) -> bool:
    """Return True if the value is a template, a variable, a mask, or was redacted before."""
    return _PLACEHOLDER.search(value) is not None or value.lower() in _NOT_A_SECRET


def is_secret(value: str, *, subject: Subject, grade: Grade) -> bool:
    """Return True if the value looks real: no placeholder, name, path or word, and strong enough."""
    if len(value) < 6 or is_placeholder(value) or _is_reference(value, grade):
        return False
    if any(character.isspace() for character in value):
        return False
    if subject == "token":
        return _is_drawn(value, grade)
    return _is_thought_up(value, grade)


def is_passphrase(value: str) -> bool:
    """Return True if quoted words after ``passphrase`` look like one: three or more, and no sentence."""
    words = value.split()
    return len(words) >= 3 and not is_placeholder(value) and value[-1].isalnum() and not value[0].isupper()


def is_app_password(value: str) -> bool:
    """Return True if the value is written as Google writes the passwords that it makes for programs."""
    return _APP_PASSWORD.match(value) is not None


def _is_reference(value: str, grade: Grade) -> bool:
    """Return True if the value says where the secret is, instead of being it."""
    if _DATE.match(value) or _ENV_NAME.match(value) or _URI.match(value) or _PATH.match(value):
        return True
    if _DOTTED.match(value):
        return grade != "literal" or not _has_digit(value)
    return False


def _is_drawn(value: str, grade: Grade) -> bool:
    """Return True if a machine may have drawn it: letters and digits, long, and no compound of words."""
    if _NUMBER.match(value) or _WORDS.match(value) or not _has_letter(value):
        return False
    if not _has_digit(value):
        return grade == "literal" and len(value) >= 16 and _mixed_case(value)
    match grade:
        case "literal":
            return len(value) >= 8 and not _SNAKE.match(value)
        case "loose":
            return len(value) >= 16 and not _SNAKE.match(value)
        case "prose":
            return len(value) >= 20


def _is_thought_up(value: str, grade: Grade) -> bool:
    """Return True if a person may use it as a password."""
    digit = _has_digit(value)
    symbol = _SYMBOL.search(value.rstrip("!?")) is not None
    letter = _has_letter(value)
    match grade:
        case "literal":
            if _LABEL.match(value):
                return value.islower() or (_mixed_case(value) and not value.istitle())
            return digit or symbol or not _WORDS.match(value)
        case "loose":
            if _IDENTIFIER.match(value):
                return letter and digit and not _SNAKE.match(value)
            return letter and (digit or symbol)
        case "prose":
            return (
                len(value) >= 8 and letter and digit and (symbol or _mixed_case(value) or value[-1] in "!?")
            )


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))


def _has_letter(value: str) -> bool:
    return any(map(str.isalpha, value))


def _mixed_case(value: str) -> bool:
    return value.lower() != value != value.upper()
