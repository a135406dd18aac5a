"""Every error that Quipu raises on purpose.

    QuipuError
    ├── ConfigError              a setting is missing, unknown or out of range
    ├── BadInput                 what was handed in cannot be taken; names the field
    │   ├── TooLarge             it is larger than a server takes
    │   └── Conflict             it contradicts what is stored under the same id
    │       └── Outdated         what was to be changed has changed since it was read
    ├── NotFound                 nothing is stored under that name
    ├── AccessRefused            the caller of a server may not do that
    │   └── KeyRefused           it has no key, or one that opens nothing
    ├── TooManyRequests          a key is used more often than it may; says when it may again
    ├── TookTooLong              a request was not done in the time that it had
    ├── DatabaseError
    │   ├── DatabaseUnavailable  nobody answers there, or not to us
    │   │   ├── NotReplicated    no standby has confirmed what was written
    │   │   └── SpaceMoved       the space is in another database now; names it
    │   ├── DatabaseUnsuitable   it answers, but lacks something we need
    │   ├── MigrationRefused     its schema and this version do not fit
    │   ├── DiskFull             it has no room left
    │   ├── DataDamaged          a page of it was changed by something else than PostgreSQL
    │   ├── LimitReached         a statement asks for more than one may have (BadInput too)
    │   └── ServerError          the embedded PostgreSQL cannot be run
    ├── EmbeddingError           a text could not be turned into a vector
    │   └── ModelMissing         the embedding model is not where it should be
    ├── LanguageFailed           a language model gave no answer that can be used
    │   └── BudgetSpent          the tokens of the day are used up; says when it opens again
    └── MissingExtra             an optional part is not installed

The first line of each class docstring is its default message. Errors carry data as attributes and
say in ``hint`` what to do next.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from inspect import cleandoc
from typing import ClassVar, Self


class QuipuError(Exception):
    """Something went wrong in Quipu."""

    # A message may quote a secret: importing `quipu.kernel.redact` sets this to what cuts it out.
    clean: ClassVar[Callable[[str], str]] = str

    def __init__(self, message: str | None = None, *, hint: str | None = None) -> None:
        self.message = QuipuError.clean(message or cleandoc(type(self).__doc__ or "").splitlines()[0])
        self.hint = hint and QuipuError.clean(hint)
        super().__init__(self.message if self.hint is None else f"{self.message} {self.hint}")


class ConfigError(QuipuError):
    """A setting is missing, unknown or out of range."""


class BadInput(QuipuError):
    """An argument is not valid."""

    def __init__(
        self, message: str | None = None, *, field: str | None = None, hint: str | None = None
    ) -> None:
        self.field = field
        self._said = message
        super().__init__(f"{field}: {message}" if field and message else message, hint=hint)

    def at(self, field: str, *, hint: str | None = None) -> Self:
        """Return this error for another field, with another ``hint`` if one is given."""
        return type(self)(self._said, field=field, hint=hint or self.hint)


class Conflict(BadInput):
    """Something else is already stored under the same id."""


class TooLarge(BadInput):
    """It is larger than what is taken at once."""


class Outdated(Conflict):
    """It was changed since you read it."""


class NotFound(QuipuError):
    """Nothing is stored under that name."""


class AccessRefused(QuipuError):
    """You may not do that."""


class KeyRefused(AccessRefused):
    """A key is needed, and this is none that opens anything."""


class TooManyRequests(QuipuError):
    """Too many requests in a short time."""

    def __init__(self, message: str | None = None, *, wait_seconds: float, hint: str | None = None) -> None:
        self.wait_seconds = wait_seconds
        super().__init__(message, hint=hint)


class TookTooLong(QuipuError):
    """It took too long and was given up."""


class DatabaseError(QuipuError):
    """The database refused."""


class DatabaseUnavailable(DatabaseError):
    """The database does not answer."""


class NotReplicated(DatabaseUnavailable):
    """The primary alone has what was written: no standby that it waits for has confirmed it."""


class SpaceMoved(DatabaseUnavailable):
    """The space is in another database now; ``database`` is its name in the directory."""

    def __init__(self, message: str | None = None, *, database: str = "", hint: str | None = None) -> None:
        self.database = database
        super().__init__(message, hint=hint)


class DatabaseUnsuitable(DatabaseError):
    """The database lacks something that Quipu needs."""


class MigrationRefused(DatabaseError):
    """The schema of the database and this version of Quipu do not fit together."""


class DiskFull(DatabaseError):
    """The disk of the database is full; nothing of the last write was kept."""


class DataDamaged(DatabaseError):
    """A page of the database is damaged."""


class LimitReached(DatabaseError, BadInput):
    """It asks for more time, memory or room than one statement may have."""


class ServerError(DatabaseError):
    """The embedded PostgreSQL cannot be run."""


class EmbeddingError(QuipuError):
    """A text could not be turned into a vector."""


class ModelMissing(EmbeddingError):
    """The embedding model is not where it should be."""


class LanguageFailed(QuipuError):
    """A language model gave no answer that can be used."""


class BudgetSpent(LanguageFailed):
    """The tokens that language models may use in a day are used up."""

    def __init__(
        self, message: str | None = None, *, opens_at: datetime | None = None, hint: str | None = None
    ) -> None:
        self.opens_at = opens_at
        super().__init__(message, hint=hint)


class MissingExtra(QuipuError):
    """An optional part is not installed."""

    def __init__(self, extra: str, what: str) -> None:
        self.extra = extra
        super().__init__(
            f"{what} needs an optional part.", hint=f"Install it: pip install 'quipu-memory[{extra}]'"
        )
