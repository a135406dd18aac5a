"""Passwords that follow words in a line: ``curl -u user:password``, ``IDENTIFIED BY 'password'``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from quipu.kernel.redact import values
from quipu.kernel.redact.forms import FORMS
from quipu.kernel.redact.model import HEAD_CHARACTERS, MARK, Secret, Source

WITHIN: Final = 300


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

_BY_HEAD: Final[defaultdict[str, list[Option]]] = defaultdict(list)
for _option in OPTIONS:
    _BY_HEAD[_option.word[:HEAD_CHARACTERS]].append(_option)
_SIGNS: Final = (
    *(" -", "\t-", "add_user", "change_password"),
    *(word for place in FORMS.places for word in place.words),
)


def find(source: Source) -> Iterator[Secret]:
    """Yield every password that a program or a word is given in its line; the user name stays."""
    if not any(sign in source.text for sign in _SIGNS):
        return
    for head in source.heads & _BY_HEAD.keys():
        for option in _BY_HEAD[head]:
            position = source.text.find(option.word)
            while position >= 0:
                yield from at(source.text, position, option)
                # What stands in the same line was looked at with it.
                end = max(position + len(option.word), _end(source.text, position))
                position = source.text.find(option.word, end)


def at(text: str, position: int, option: Option) -> Iterator[Secret]:
    """Yield the password after the name of a program at that position."""
    start = position + len(option.word)
    for match in option.pattern.finditer(text, start, _end(text, start)):
        group = match.lastgroup or "secret"
        value = match[group]
        if MARK not in value and not value.isdigit() and not values.is_placeholder(value):
            yield Secret(*match.span(group), "password")


def _end(text: str, start: int) -> int:
    """Return the end of the command line; one whose line ends with a backslash goes on."""
    most = start + WITHIN
    end = text.find("\n", start, most)
    while end > 0 and text[end - 1] == "\\":
        end = text.find("\n", end + 1, most)
    return min(most, len(text)) if end < 0 else end
