"""What each error means to somebody outside: one table for every door."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from quipu.errors import (
    BadInput,
    ConfigError,
    Conflict,
    DatabaseError,
    EmbeddingError,
    LanguageFailed,
    MissingExtra,
    NotFound,
    QuipuError,
)

UNEXPECTED = 1
USAGE = 2
INTERRUPTED = 130  # 128 + SIGINT, as a shell says it
NOBODY_READS = 141  # 128 + SIGPIPE

# An error that is not in the table is what its nearest ancestor is.
_EXIT_CODES: Mapping[type[QuipuError], int] = {
    QuipuError: UNEXPECTED,
    ConfigError: USAGE,
    BadInput: USAGE,
    NotFound: 3,
    Conflict: 4,
    DatabaseError: 5,
    EmbeddingError: 6,
    MissingExtra: 7,
    LanguageFailed: 8,
}


@dataclass(frozen=True, slots=True)
class Problem:
    """An error for a program: ``kind`` (``bad-input``), what happened, the way out, and which field."""

    kind: str
    message: str
    hint: str | None
    field: str | None
    exit_code: int


def problem(error: QuipuError) -> Problem:
    """The error as every door tells it."""
    return Problem(
        kind=_kebab(type(error).__name__),
        message=error.message,
        hint=error.hint,
        field=error.field if isinstance(error, BadInput) else None,
        exit_code=exit_code(type(error)),
    )


def exit_code(kind: type[QuipuError]) -> int:
    """The exit code of a command that ends with this class of error."""
    return next(_EXIT_CODES[ancestor] for ancestor in kind.__mro__ if ancestor in _EXIT_CODES)


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()
