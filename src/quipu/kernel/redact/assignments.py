"""Secrets that show by what stands before them: a name, a header, a cookie, a URL, a command.

Something called a password, secret, token or key gets its value in code, settings, logs and prose. The name
of what has the secret stays.
"""

from __future__ import annotations

import re
import string
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from quipu.kernel.redact import values
from quipu.kernel.redact.forms import FORMS
from quipu.kernel.redact.tokens import HEAD_CHARACTERS, MARK, SearchedText, Secret
from quipu.kernel.redact.values import Grade, Subject

_PASSWORDS: Final = ("password", "passwd", "passphrase", "passwort", "pass")
_TOKENS: Final = ("token", "secret", "key", "credential")
_PASSWORDS_ELSEWHERE: Final = ("contraseña", "пароль", "密码", "密碼", "パスワード", "비밀번호")

# What may stand before "key" so that it is a secret one; a primary, public or cache key is none.
# fmt: off
_SECRET_KEYS: Final = (
    *FORMS.services,
    "api", "access", "secret", "private", "encryption", "encrypt", "signing", "account", "shared", "auth",
    "master", "service", "storage", "bot", "subscription", "admin", "session", "hmac", "jwt", "crypto",
    "cookie", "app", "application", "client", "consumer", "webhook", "license", "functions", "deploy", "root",
    "write",
)
_HARMLESS_TOKENS: Final = (
    "next", "page", "continuation", "sync", "cancel", "cancellation", "stop", "pad", "eos", "bos", "unk",
    "mask", "max", "csrf", "public", "jsonweb",
)
# fmt: on
SECRET_WORDS: Final = (*_PASSWORDS, "pwd", "senha", *_PASSWORDS_ELSEWHERE, *_TOKENS)
"""Without one of these in it, a text gives nothing a value that is looked at here."""

_LONG_VALUE_CHARACTERS: Final = 64
_SEPARATORS: Final = " _.-"
_BEFORE_CHARACTERS: Final = 64
NAME_CHARACTERS: Final = string.ascii_letters + string.digits + "_.-"
_PROMPT: Final = " \t>$-"
_SETTERS: Final = frozenset({"", "export", "set", "env", "setx"})
SET: Final = re.compile(r"\b(?:setx|set[ \t]{1,4}--?[a-z-]{1,12})[ \t]{1,4}\Z")
"""What sets a variable in Windows and fish, in lower case, where the name of the variable begins."""

SET_CHARACTERS: Final = 40
_NETRC: Final = re.compile(r"\blogin\s+\S+\s+$")
_SUFFIX = re.compile(
    r"(?:[_-]?(?:value|base|prod|dev|test|staging|live|old|new|\d{1,2}))?(?![\w-])", re.IGNORECASE
)
_CLOSING: Final = r"(?:\\?[\"'`]|\]){0,3}+"
_ANNOTATION: Final = r"(?:\s{0,4}:\s{0,4}[A-Za-z_][\w.\[\] |]{0,40}?(?=\s{0,4}=))?"
_ASSIGNED: Final = r"(?:=>|:=|->|[=!]==?|=|：|:|\|)"
_QUOTED: Final = r"[fbrBR@]?(?P<quote>\\?[\"'`])(?P<secret>(?:(?!(?P=quote))[^\n]){1,1024}+)(?P=quote)"

# A value without quotes ends before the next parameter of a URL, the next element and an escaped line break.
_BARE: Final = r"(?P<secret>(?:(?!&[\w.-]{1,40}=|</|\\[nrt])[^\s\"'`,;|]){4,1024}+)"


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to give a value; its pattern is matched where the name ends."""

    pattern: re.Pattern[str]
    grade: Grade


_QUOTED_VALUE = _Form(
    re.compile(rf"{_CLOSING}{_ANNOTATION}\s{{0,16}}(?:{_ASSIGNED}|\()\s{{0,40}}{_QUOTED}"), "literal"
)
_ATTRIBUTE_VALUE: Final = r"\\?[\"']?,?\s{1,16}\\?[\"']?value\\?[\"']?\s{0,4}[:=]\s{0,4}"
_ATTRIBUTE = _Form(re.compile(_ATTRIBUTE_VALUE + _QUOTED), "literal")
_BARE_ATTRIBUTE = _Form(re.compile(_ATTRIBUTE_VALUE + _BARE), "loose")
_LINE_VALUE = _Form(re.compile(r"=(?P<secret>[^\s\"'`]{4,1024}+)"), "literal")
_TIGHT_VALUE = _Form(re.compile(rf"={_BARE}"), "literal")
_BARE_VALUE = _Form(
    re.compile(rf"{_CLOSING}{_ANNOTATION}[ \t]{{0,16}}{_ASSIGNED}[ \t]{{0,16}}{_BARE}"), "loose"
)
_BLOCK = _Form(
    re.compile(
        r":[ \t]{0,4}[|>][+-]?[ \t]{0,4}\n[ \t]{1,40}(?P<secret>[^\s\"'`]{4,1024}+)[ \t]{0,40}(?:\n|$)"
    ),
    "literal",
)
_ELEMENT = _Form(re.compile(r">(?P<secret>[^<>\n]{4,1024}+)</"), "literal")
_ARGUMENT = _Form(re.compile(rf"[ \t]{{1,4}}(?:{_QUOTED}|(?P<bare>[^\s\"'`|]{{4,1024}}+))"), "loose")
_NETRC_VALUE = _Form(re.compile(rf"[ \t]{{1,4}}{_BARE}"), "loose")
_SAID = _Form(
    re.compile(rf"[\"'`]?\s{{1,4}}(?:is|was|lautet|ist|es|est|è|é)\s{{0,2}}:?\s{{1,4}}[\"'`]?{_BARE}"),
    "prose",
)


class _Place:
    """A name that says that its value is secret, and what stands before it."""

    __slots__ = ("begins_line", "is_set", "left", "prefix", "shouted")

    def __init__(self, text: str, before: str, start: int, end: int) -> None:
        self.left: str = before.rstrip(NAME_CHARACTERS)
        self.prefix: str = before[len(self.left) :]
        name = text[start - len(self.prefix) : end]
        self.shouted: bool = name == name.upper() != name.lower()
        _, line_break, line = self.left.rpartition("\n")
        whole = bool(line_break) or start < _BEFORE_CHARACTERS
        self.begins_line: bool = whole and line.strip(_PROMPT) in _SETTERS
        self.is_set: bool = SET.search(line[-SET_CHARACTERS:]) is not None


_CALL = re.compile(r"[A-Za-z_$][\w$.]*[(\[]")
_TRAILING: Final = ".,;:\\"
_BRACKETS: Final = {")": "(", "]": "[", "}": "{", ">": "<"}


def find_assignments(source: SearchedText) -> Iterator[Secret]:
    """Yield every real-looking value that is given to a secret name; the name stays."""
    for word in _passwords(source.lower):
        yield from _given(source, word, "password")
    for word in [word for word in _TOKENS if word in source.lower]:
        yield from _given(source, word, "token")


def gives_secret(source: SearchedText, word: str, position: int) -> bool:
    """Return True if the word at that position is given a value that looks like a secret on its own."""
    subject: Subject = "token" if word in _TOKENS else "password"
    return any(
        _judged(match, word, subject, form.grade) is not None
        for form, match in _value_given(source, word, position)
    )


def is_secret_name(word: str, before: str) -> bool:
    """Return True if the word, after the text before it, says that its value is secret."""
    if word not in ("key", "token"):
        return True
    stem = before[:-1] if before[-1:] in _SEPARATORS else before
    return stem.endswith(_SECRET_KEYS) if word == "key" else not stem.endswith(_HARMLESS_TOKENS)


def _given(source: SearchedText, word: str, subject: Subject) -> Iterator[Secret]:
    """Yield every secret that is given to a name with that word."""
    resume = 0
    for position in source.hits(word):
        if position < resume:
            continue
        for form, match in _value_given(source, word, position):
            secret = _judged(match, word, subject, form.grade)
            if secret is not None:
                yield secret
            # A name inside a very long value is not asked again: a text of nothing but names stays cheap.
            if secret is not None or match.end() - match.start() > _LONG_VALUE_CHARACTERS:
                resume = match.end()


def _passwords(lower: str) -> Iterator[str]:
    """Yield the words for a password that the text may have."""
    if "pass" in lower:
        yield from _PASSWORDS
    if "pwd" in lower:
        yield "pwd"
    if "senha" in lower:
        yield "senha"
    if not lower.isascii():
        yield from _PASSWORDS_ELSEWHERE


def _value_given(source: SearchedText, word: str, position: int) -> Iterator[tuple[_Form, re.Match[str]]]:
    """Yield the value given to the name with the word at that position, if there is one."""
    suffix = _SUFFIX.match(source.text, position + len(word))
    before = source.lower[max(0, position - _BEFORE_CHARACTERS) : position]
    if suffix is None or not is_secret_name(word, before):
        return
    place = _Place(source.text, before, position, suffix.end())
    if place.left.endswith(("://", MARK)):  # a user name in a URL, or what was cut out before
        return
    for form in _forms(place):
        match = form.pattern.match(source.text, suffix.end())
        if match is not None:
            yield form, match
            return


def _forms(place: _Place) -> Iterator[_Form]:
    """Yield the ways in which a value may follow the name, the surest first."""
    yield _QUOTED_VALUE
    yield _ATTRIBUTE
    yield _BARE_ATTRIBUTE
    if place.begins_line and place.shouted:
        yield _LINE_VALUE
    elif place.shouted or place.prefix.startswith("--") or place.left.endswith(("?", "&", "=", ";")):
        yield _TIGHT_VALUE
    yield _BLOCK
    yield _BARE_VALUE
    if place.prefix.startswith("-") or place.is_set:
        yield _ARGUMENT
    if place.left.endswith("<"):
        yield _ELEMENT
    if _NETRC.search(place.left):
        yield _NETRC_VALUE
    yield _SAID


def _judged(match: re.Match[str], word: str, subject: Subject, grade: Grade) -> Secret | None:
    group = "secret" if match["secret"] is not None else "bare"
    start, end = match.span(group)
    value = match[group]
    quoted = "quote" in match.re.groupindex and match["quote"] is not None
    if not quoted:
        if grade != "literal" and (_CALL.match(value) or value[0] in "([{<"):
            return None
        value = value if value.endswith("...") else _without_trailing(value)
        end = start + len(value)
    passphrase = quoted and word == "passphrase" and values.is_passphrase(value)
    passphrase |= quoted and subject == "password" and values.is_app_password(value)
    real = passphrase or values.is_secret(value, subject=subject, grade=grade)
    return Secret(start, end, word if subject == "token" else "password") if real else None


def _without_trailing(value: str) -> str:
    """Return the value without closing punctuation and without brackets that close what it did not open."""
    while value:
        last = value[-1]
        if last not in _TRAILING and (last not in _BRACKETS or _BRACKETS[last] in value):
            break
        value = value[:-1]
    return value


_CREDENTIAL = r"(?P<secret>[A-Za-z0-9._~+/-]{8,4096}+={0,2})"
_AUTHORIZATION = re.compile(
    rf"(?:\\?[\"'`]|\])*+\s{{0,4}}(?:=>|[:=,])\s{{0,4}}[fbr]?(?:\\?[\"'`])?(?:(?:bearer|basic|token|apikey|digest)\s{{1,4}})?{_CREDENTIAL}",
    re.IGNORECASE,
)
_BEARER = re.compile(rf"\s{{1,4}}{_CREDENTIAL}")


def find_headers(source: SearchedText) -> Iterator[Secret]:
    """Yield the credentials of each ``Authorization`` header and token after ``Bearer``; the scheme stays."""
    for word, form, least in (("authorization", _AUTHORIZATION, 8), ("bearer", _BEARER, 16)):
        for position in source.hits(word):
            match = form.match(source.text, position + len(word))
            if match is not None and _is_credential(match["secret"], least):
                yield Secret(*match.span("secret"), "authorization")


def _is_credential(value: str, least: int) -> bool:
    drawn = value.endswith("=") or any(map(str.isdigit, value))
    return len(value) >= least and drawn and not values.is_placeholder(value)


COOKIE: Final = "cookie"
COOKIE_ROW: Final = "\t/\t"
"""The path of a cookie, in a table that was copied out of a browser: name, value, domain, path."""

_LONGEST_COOKIE: Final = 1_200
_LONGEST_ROW: Final = 1_600
_SHORTEST_COOKIE: Final = 8
_COOKIE_HEADER = re.compile(r"(?:\\?[\"'`]|\]){0,3}\s{0,4}[:=]\s{0,4}(?:\\?[\"'`])?")
_COOKIE_PAIR = re.compile(
    r"(?P<name>[\w!#$%&'*+.^`|~-]{1,128})=\"?(?P<secret>[^\s;,\"'\\]{0,1200})\"?(?:;\s{0,4})?"
)
_COOKIE_ROW_FORM = re.compile(r"(?P<name>[^\s]{1,128})\t(?P<secret>[^\t\n]{8,1200})\t[\w.-]{1,253}\t/\t")
_SESSION_NAME = re.compile(FORMS.cookies, re.IGNORECASE)


def find_cookies(source: SearchedText) -> Iterator[Secret]:
    """Yield the value of every cookie that is a session, a login or a token by name; the name stays."""
    resume = 0
    for position in source.hits(COOKIE):
        if position < resume:
            continue
        header = _COOKIE_HEADER.match(source.text, position + len(COOKIE))
        if header is None:
            continue
        end = position + _LONGEST_COOKIE
        match = _COOKIE_PAIR.match(source.text, header.end(), end)
        while match is not None:
            if _is_session(match["name"], match["secret"]):
                yield Secret(*match.span("secret"), "session-cookie")
            resume = match.end()
            match = (
                _COOKIE_PAIR.match(source.text, match.end(), end) if match[0].rstrip().endswith(";") else None
            )


def find_cookie_rows(source: SearchedText) -> Iterator[Secret]:
    """Yield the values of session cookies in the rows of a table."""
    if COOKIE_ROW in source.text:
        for position in source.hits(COOKIE_ROW):
            start = source.text.rfind("\n", max(0, position - _LONGEST_ROW), position) + 1
            match = _COOKIE_ROW_FORM.match(source.text, start)
            if match is not None and _is_session(match["name"], match["secret"]):
                yield Secret(*match.span("secret"), "session-cookie")


def _is_session(name: str, value: str) -> bool:
    drawn = any(map(str.isdigit, value)) or len(value) >= 2 * _SHORTEST_COOKIE
    telling = _SESSION_NAME.search(name) is not None
    return telling and drawn and len(value) >= _SHORTEST_COOKIE and not values.is_placeholder(value)


USER_AND_PASSWORD = re.compile(
    r"://[^\s:/@?#\"'<>]{0,128}:(?P<secret>[^\s/\"'<>?#]{1,256})@|://(?P<sole>[A-Za-z0-9_-]{32,128})@"
)


def find_url_passwords(source: SearchedText) -> Iterator[Secret]:
    """Yield the password of every URL that has one; the user name stays."""
    position = source.text.find("://")
    while position >= 0:
        match = USER_AND_PASSWORD.match(source.text, position)
        if match is not None and (secret := _url_secret(match)):
            yield secret
        position = source.text.find("://", position + 3)


def _url_secret(match: re.Match[str]) -> Secret | None:
    group = match.lastgroup or "secret"
    value = match[group]
    if MARK in match[0] or values.is_placeholder(value) or value.isdigit():
        return None
    return Secret(*match.span(group), "url-password")


_COMMAND_CHARACTERS: Final = 300


@dataclass(frozen=True, slots=True)
class Option:
    """Option of a program, or word of code, that takes a password."""

    word: str
    pattern: re.Pattern[str]


OPTIONS: Final = tuple(
    Option(word, re.compile(command.form))
    for command in (*FORMS.commands, *FORMS.places)
    for word in command.words
)
_OPTIONS_BY_HEAD: Final[defaultdict[str, list[Option]]] = defaultdict(list)
for _option in OPTIONS:
    _OPTIONS_BY_HEAD[_option.word[:HEAD_CHARACTERS]].append(_option)
_OPTION_SIGNS: Final = (
    *(" -", "\t-", "add_user", "change_password"),
    *(word for place in FORMS.places for word in place.words),
)


def find_commands(source: SearchedText) -> Iterator[Secret]:
    """Yield every password that a program or a word is given in its line; the user name stays."""
    if not any(sign in source.text for sign in _OPTION_SIGNS):
        return
    for head in source.heads & _OPTIONS_BY_HEAD.keys():
        for option in _OPTIONS_BY_HEAD[head]:
            position = source.text.find(option.word)
            while position >= 0:
                yield from passwords_at(source.text, position, option)
                # What stands in the same line was looked at with it.
                end = max(position + len(option.word), _end_of_command(source.text, position))
                position = source.text.find(option.word, end)


def passwords_at(text: str, position: int, option: Option) -> Iterator[Secret]:
    """Yield the password after the name of a program at that position."""
    start = position + len(option.word)
    for match in option.pattern.finditer(text, start, _end_of_command(text, start)):
        group = match.lastgroup or "secret"
        value = match[group]
        if MARK not in value and not value.isdigit() and not values.is_placeholder(value):
            yield Secret(*match.span(group), "password")


def _end_of_command(text: str, start: int) -> int:
    """Return the end of the command line; one whose line ends with a backslash goes on."""
    most = start + _COMMAND_CHARACTERS
    end = text.find("\n", start, most)
    while end > 0 and text[end - 1] == "\\":
        end = text.find("\n", end + 1, most)
    return min(most, len(text)) if end < 0 else end
