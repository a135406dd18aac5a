"""Erasures: the request, its extent, what it leaves, and the receipt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from quipu.kernel.db.database import SpaceTransaction


@dataclass(frozen=True, slots=True, kw_only=True)
class What:
    """Request to forget everything that satisfies all conditions; the whole space if there are none.

    ``user`` is a person: messages kept for them and messages said by them.
    """

    session: str | None = None
    user: str | None = None
    message: str | None = None

    @property
    def everything(self) -> bool:
        """True if the whole space is meant."""
        return self.session is None and self.user is None and self.message is None


Again = Callable[[SpaceTransaction, str], Awaitable[Sequence[int]]]
"""Has what names a person made again or changed: ``await again(within, pattern)``; entries that go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Parts of a kind of memory that can be changed if they name a person who is forgotten everywhere.

    By table, columns: rows of ``gone`` are deleted (``indexed`` tables have an ``entry_id``); in ``words`` a
    mark replaces the name; ``again`` is cleared and made again by ``make_again``. ``before_words`` is called
    before words are changed.
    """

    gone: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    indexed: Collection[str] = ()
    words: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    again: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    before_words: Again | None = None
    make_again: Again | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """Names of the person in places that an erasure leaves alone.

    ``place`` is a column of a table; ``count`` is how many rows have a name in it; ``how`` says what removes
    them.
    """

    place: str
    count: int
    how: str


@dataclass(frozen=True, slots=True)
class Erasure:
    """A preview (``receipt`` is None) or the proof of an erasure.

    ``counts``: rows by table. ``receipt`` identifies the signed receipt, which holds no content.
    ``left``: where names of the person stand that belong to others; with ``everywhere`` in a preview they
    would be removed, in a proof they could not be. ``remains`` is what the note on the disk says, which is
    signed as well: `quipu receipts get` has it after the receipt.
    """

    space: str
    what: What
    counts: Mapping[str, int]
    receipt: str | None = None
    erased_at: datetime | None = None
    left: Sequence[Left] = ()
    remains: Mapping[str, Any] | None = None


State = Literal["there", "gone", "not reachable"]


@dataclass(frozen=True, slots=True)
class CheckedPlace:
    """A place that can hold what was erased, as a check found it.

    ``state``: whether what the receipt names there is still there. ``found``: how many rows or files hold
    one of the strings; None where none was looked for. ``whole`` is false where it was not searched to the
    end; ``note`` says why, and how to go on. ``until``: what ends it.
    """

    place: str
    state: State = "there"
    found: int | None = None
    until: str = ""
    note: str = ""
    whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Result of a check of an erasure, place by place.

    ``searched`` is true if strings were given. ``after`` is the place where the search reached its limit:
    pass it back to go on there; None if it came to its end.
    """

    receipt: str
    places: Sequence[CheckedPlace]
    searched: bool
    after: str | None = None

    @property
    def clean(self) -> bool:
        """True if every place is gone, or was searched to its end and holds none of the strings."""
        return (
            self.after is None
            and all(
                one.state == "gone" or (one.state == "there" and self.searched and one.whole)
                for one in self.places
                if not one.found
            )
            and not any(one.found for one in self.places)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A signed document about an erasure; see ``quipu.receipts`` for how it is verified.

    ``document`` has numbers, digests and names of our own tables; ``signature`` is Ed25519 by the key of
    which ``public_key`` is the public half.
    """

    document: Mapping[str, Any]
    signature: bytes
    public_key: bytes

    @property
    def id(self) -> str:
        """Id that `quipu forget` printed."""
        return str(self.document.get("id", ""))

    @property
    def number(self) -> int:
        """Its place in the chain of all receipts of the database, from 1."""
        return int(self.document.get("number", 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicKey:
    """Public key that verifies a database's receipts; ``public_key`` is base64 of 32 bytes.

    ``fingerprint`` is the SHA-256 of these bytes, by which people compare keys.
    """

    public_key: str
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """Verdict on receipts: the signature of each, and the chain where they follow each other.

    ``faults`` lists what does not hold. ``missing`` are numbers between the first and the last that were not
    given, the first 1,000 of them. ``key`` is the fingerprint of the key; ``key_given`` is false if it came
    with the receipts: that proves only that all were signed with the same one.
    """

    holds: bool
    faults: Sequence[str]
    receipts: int
    missing: Sequence[int]
    key: str
    key_given: bool
