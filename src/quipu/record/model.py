"""The values that the record passes around."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

Role = Literal["user", "assistant", "system", "tool"]


class Line(dict[str, object]):
    """A message as a reader found it, not yet checked, with the place where it stands."""

    __slots__ = ("file", "number")

    def __init__(self, fields: Mapping[str, object], *, number: int, file: str | None = None) -> None:
        super().__init__(fields)
        self.number: Final = number
        self.file: Final = file


@dataclass(frozen=True, slots=True)
class Incoming:
    """One message that may be taken in: checked and storable, not yet redacted.

    ``None`` means that the caller did not say. ``time`` is aware and in UTC; ``assumed_utc`` says that it
    came without a zone. ``repaired`` counts the characters of the content that could not be stored and became
    U+FFFD. ``ignored`` names what the caller sent and we have no place for (``"mood"``, ``"content.image"``).
    """

    content: str
    id: str | None = None
    session: str | None = None
    role: Role = "user"
    speaker: str | None = None
    time: datetime | None = None
    user: str | None = None
    line: int | None = None
    assumed_utc: bool = False
    repaired: int = 0
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Reason why one message or line was not taken in, and what to do about it; never its content."""

    line: int | None
    field: str | None
    reason: str
    file: str | None = None

    def __str__(self) -> str:
        """Return the known parts: ``chat.jsonl:17: time: it has no year``."""
        where = ":".join(part for part in (self.file, str(self.line) if self.line else None) if part)
        if where and not self.file:
            where = f"line {where}"
        return ": ".join(part for part in (where, self.field, self.reason) if part)
