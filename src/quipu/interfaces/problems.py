"""Meaning of each error to somebody outside: one table for every door."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from inspect import cleandoc

from quipu.errors import (
    AccessRefused,
    BadInput,
    BudgetSpent,
    ConfigError,
    Conflict,
    DatabaseError,
    DatabaseUnavailable,
    DiskFull,
    EmbeddingError,
    KeyRefused,
    LanguageFailed,
    LimitReached,
    MissingExtra,
    NotFound,
    Outdated,
    QuipuError,
    TookTooLong,
    TooLarge,
    TooManyRequests,
)
from quipu.kernel.redact import redact

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
    AccessRefused: 9,
}

_STATUSES: Mapping[type[QuipuError], int] = {
    QuipuError: 500,
    BadInput: 422,
    TooLarge: 413,
    Conflict: 409,
    Outdated: 412,
    NotFound: 404,
    AccessRefused: 403,
    KeyRefused: 401,
    TooManyRequests: 429,
    TookTooLong: 503,
    DatabaseUnavailable: 503,
    DiskFull: 507,
    LimitReached: 422,
    EmbeddingError: 503,
    LanguageFailed: 502,
    BudgetSpent: 503,
    MissingExtra: 501,
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
    """Return the error as every door shows it: secrets of the input are cut out."""
    field = error.field if isinstance(error, BadInput) else None
    return Problem(
        kind=_kebab(type(error).__name__),
        message=redact(error.message).text,
        hint=error.hint and redact(error.hint).text,
        field=field and redact(field).text,
        exit_code=exit_code(type(error)),
    )


def exit_code(kind: type[QuipuError]) -> int:
    """Return the exit code of a command that ends with this class of error."""
    return next(_EXIT_CODES[ancestor] for ancestor in kind.__mro__ if ancestor in _EXIT_CODES)


def status(kind: type[QuipuError]) -> int:
    """Return the HTTP status of a request that ends with this class of error."""
    return next(_STATUSES[ancestor] for ancestor in kind.__mro__ if ancestor in _STATUSES)


def title(kind: type[QuipuError]) -> str:
    """Return the default message of an error class."""
    return cleandoc(kind.__doc__ or "").splitlines()[0]


def kinds() -> Mapping[str, type[QuipuError]]:
    """Return every class of error by its ``kind``."""
    classes = {_kebab(QuipuError.__name__): QuipuError}
    waiting = [QuipuError]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            classes[_kebab(kind.__name__)] = kind
            waiting.append(kind)
    return classes


def public(error: QuipuError) -> Problem:
    """Return the error for a distant caller: of our own trouble no more than its kind.

    The messages of a database or of the embedding model may tell of statements, paths and addresses.
    """
    if status(type(error)) < 500 or isinstance(error, MissingExtra | TookTooLong):
        return problem(error)
    return replace(problem(error), message=title(type(error)), hint=None, field=None)


def _kebab(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()
