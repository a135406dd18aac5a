"""Claims that an agent makes of a person: their form, their check, their outcomes. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final, Literal

from typing_extensions import Doc

from quipu.errors import BadInput
from quipu.kernel.base import scope
from quipu.kernel.base.scope import optional_name
from quipu.kernel.base.text import clean
from quipu.kernel.redact import redact
from quipu.kinds.longterm import arguments
from quipu.kinds.longterm.model import CATEGORIES, IMPORTANCES, Category, Importance

if TYPE_CHECKING:
    from quipu.kinds.longterm.evaluation.turns import RecordedTurn

EVALUATOR: Final = "agent"
VERSION: Final = 1
"""To be raised with every change that decides better."""

MOST_CLAIMS: Final = 20
LONGEST_STATEMENT: Final = 500
LONGEST_WORDS: Final = arguments.LONGEST_EXCERPT

_QUOTES: Final = str.maketrans("’‘“”„«»", '\'\'"""""')

ClaimAction = Literal["included", "restated", "revived", "edited", "archived", "kept", "left out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentClaim:
    """Claim of an agent about a person, and the words that it rests on.

    ``message`` and ``session`` are the caller's ids of where the words were said.
    """

    statement: Annotated[str, Doc("One full sentence about the user or a named person.")]
    category: Annotated[Category, Doc("The category.")]
    words: Annotated[str, Doc("The words that it rests on, exactly as they were said.")]
    importance: Annotated[
        Importance | None, Doc("The importance; the usual one of the category if left out.")
    ] = None
    message: Annotated[str | None, Doc("The id of the message with these words.")] = None
    session: Annotated[str | None, Doc("The session in which they were said.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimOutcome:
    """Outcome of a claim, with the ids of the memories that it is in now, or was taken out of.

    ``kept``: these very words had been taken in before. ``left out``: ``reason`` says why.
    """

    action: ClaimAction
    memories: Sequence[str] = ()
    summary: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimOutcomes:
    """Outcomes of an agent's claims, in their order."""

    claims: Sequence[ClaimOutcome]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardClaim:
    """A claim with the turn that it rests on."""

    claim: AgentClaim
    turn: RecordedTurn


def checked(given: Sequence[AgentClaim]) -> list[AgentClaim]:
    """Return the claims with their texts clean.

    Raises:
        BadInput: there are none, too many, or one cannot be read; names it, such as ``claims[2].statement``.
    """
    if not 1 <= len(given) <= MOST_CLAIMS:
        raise BadInput(f"give 1 to {MOST_CLAIMS} claims, not {len(given)}.", field="claims")
    done: list[AgentClaim] = []
    for place, one in enumerate(given):
        try:
            done.append(_checked(one))
        except BadInput as error:
            raise error.at(f"claims[{place}].{error.field}") from None
    return done


def _checked(one: AgentClaim) -> AgentClaim:
    return replace(
        one,
        statement=_text("statement", one.statement, LONGEST_STATEMENT),
        words=_text("words", one.words, LONGEST_WORDS),
        category=scope.one_of("category", one.category, CATEGORIES),
        importance=one.importance and scope.one_of("importance", one.importance, IMPORTANCES),
        message=optional_name("message", one.message),
        session=optional_name("session", one.session),
    )


def _text(field: str, value: object, most: int) -> str:
    text = " ".join(clean(value).text.split()) if isinstance(value, str) else ""
    if not text:
        raise BadInput("a text is needed.", field=field)
    if len(text) > most:
        raise BadInput(f"it has {len(text):,} characters; {most:,} are the most.", field=field)
    return text


def quoted(words: str, text: str) -> bool:
    """Return True if a text has these words, whatever their case, spacing and quotation marks.

    Secrets are cut out of both, as they are of what is recorded.
    """
    return _plain(words) in _plain(text)


def _plain(text: str) -> str:
    text = redact(text).text
    return " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold().split())
