"""The forms of secrets, read from ``forms.toml``: data, to be kept up with what services give out."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Form:
    """One kind of secret: the words of which a text with one has one, and how it is written.

    ``ambiguous``: ids of other makers are written alike, so no name is refused for it.
    """

    kind: str
    anchors: tuple[str, ...]
    form: str
    ambiguous: bool


@dataclass(frozen=True, slots=True)
class Command:
    """Words after which a password comes in the same line, such as the name of a program, and how."""

    words: tuple[str, ...]
    form: str


@dataclass(frozen=True, slots=True)
class Forms:
    """All of them.

    ``tokens`` stand alone; ``following`` follow an anchor that stays; ``unanchored`` have none. ``commands``
    have a password after an option, ``places`` after words of code, SQL or settings. ``encoded``
    are words whose base64 is looked for, ``cookies`` an expression for the names of cookies that let in who
    holds them, ``services`` those whose name before "key" makes it a secret one.
    """

    version: str
    tokens: Sequence[Form]
    following: Sequence[Form]
    unanchored: Sequence[Form]
    commands: Sequence[Command]
    places: Sequence[Command]
    encoded: Sequence[str]
    cookies: str
    services: tuple[str, ...]


def _read() -> Forms:
    data = tomllib.loads((resources.files("quipu.kernel.redact") / "forms.toml").read_text(encoding="utf-8"))
    return Forms(
        version=data["version"],
        tokens=[_form(row) for row in data["tokens"]],
        following=[_form(row) for row in data["following"]],
        unanchored=[_form(row) for row in data["unanchored"]],
        commands=[_command(row) for row in data["commands"]],
        places=[_command(row) for row in data["places"]],
        encoded=data["encoded"],
        cookies=data["cookies"],
        services=tuple(data["services"]),
    )


def _form(row: Mapping[str, Any]) -> Form:
    anchors = tuple(row.get("anchors", "").split())
    return Form(row["kind"], anchors, row["form"], row.get("ambiguous", False))


def _command(row: Mapping[str, Any]) -> Command:
    return Command(tuple(word.replace("|", " ") for word in row["words"].split()), row["form"])


FORMS: Final = _read()
