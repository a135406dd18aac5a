"""Interface of every language model, whoever serves it. Importing this costs nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

Shape = TypeVar("Shape", bound="BaseModel")


class Language(Protocol):
    """Answers in words, or in a shape that pydantic checks.

    ``instructions`` are ours and are obeyed; ``text`` is data, in which secrets are redacted once more and
    which is fenced off, so that what it says is no instruction. An answer is a text or a value and is never
    executed. Two duties stay with the caller: the text holds data of one space only, and no transaction is
    open meanwhile, for an answer takes seconds.
    """

    @property
    def name(self) -> str:
        """Name of the model, to be kept beside its output, e.g. ``openai:llama3.2``."""
        ...

    async def structured(self, *, instructions: str, text: str, shape: type[Shape], purpose: str) -> Shape:
        """Return the answer as a valid ``shape``.

        An answer that does not fit is sent back once with the reason.

        ``purpose`` is the name under which the tokens are counted: small letters, digits, ``.`` and ``_``.

        Raises:
            LanguageFailed: no answer in time, or none that fits.
            BudgetSpent: the tokens of the day are used up, so nothing was asked.
            BadInput: the text is blank, or the purpose is no such name.
        """
        ...

    async def say(self, *, instructions: str, text: str, purpose: str) -> str:
        """Return the answer in free words, never empty. Raises as ``structured`` does."""
        ...

    async def aclose(self) -> None:
        """Close the connections; calling it again does nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as it came.

    ``cut_off``: it reached the longest answer allowed. ``refused``: the model, or a filter before it, did not
    want to answer.
    """

    text: str
    cut_off: bool = False
    refused: bool = False


@dataclass(frozen=True, slots=True)
class Reservation:
    """Tokens of a UTC day that are set aside for one request."""

    day: date
    purpose: str
    tokens: int


class Budget(Protocol):
    """Tokens that may be used in a day."""

    async def reserve(self, purpose: str, tokens: int) -> Reservation:
        """Set tokens aside before a request.

        Raises:
            BudgetSpent: so many are not left today.
            LanguageFailed: so many are more than a whole day has.
        """
        ...

    async def settle(self, reservation: Reservation, *, used: int) -> None:
        """Count what was used in place of what was set aside. What is never settled stays counted."""
        ...
