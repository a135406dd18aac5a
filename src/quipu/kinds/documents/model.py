"""Documents: what is written, what comes back, and the operations of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from quipu.kernel.base.scope import LONGEST
from quipu.recall.filters import NO_PARAMETERS

JSON = Any
Metric = Literal["cosine", "inner_product", "l2"]
METRICS: Final[tuple[Metric, ...]] = ("cosine", "inner_product", "l2")
DocumentOrder = Literal["updated", "key"]
ORDERS: Final[tuple[DocumentOrder, ...]] = ("updated", "key")
EndedBy = Literal["change", "rename", "delete"]
BEHIND_ALL: Final = "\U0010ffff" * (LONGEST + 1)
"""A place behind all others: a name has at most ``LONGEST`` characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document: what stands at a path under a key.

    ``value`` is any JSON, ``body`` a text; one of them may be None. ``version`` grows with each change of
    what it says or where it stands. ``sha256`` is that of the body in UTF-8; where there is a value, of the
    value as PostgreSQL writes jsonb, and of both with a line break between them. ``index`` are the paths into
    the value that are found by meaning, ``$`` for all of it and the body. ``expires_at`` is when it is gone.
    ``redacted`` is how many secrets were cut out before it was written.
    """

    id: str
    path: Sequence[str]
    key: str
    value: JSON = None
    body: str | None = None
    metadata: Mapping[str, JSON] = field(default_factory=dict[str, JSON])
    user: str | None = None
    index: Sequence[str] = field(default_factory=lambda: ["$"])
    version: int = 1
    sha256: str = ""
    created_at: datetime
    updated_at: datetime
    ttl_seconds: float | None = None
    expires_at: datetime | None = None
    written_by: str | None = None
    redacted: int = 0

    @property
    def address(self) -> str:
        """Its path and key with slashes between them."""
        return "/".join([*self.path, self.key])


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPath:
    """A path at which documents stand, or the beginning of one."""

    path: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentVersion:
    """A version of a document; ``ended_at`` and ``ended_by`` are None for the one that stands.

    ``redacted`` is true where its content was taken out for good. The digest stays.
    """

    document: str
    version: int
    path: Sequence[str]
    key: str
    value: JSON
    body: str | None
    metadata: Mapping[str, JSON]
    sha256: str
    written_at: datetime
    written_by: str | None
    ended_at: datetime | None
    ended_by: EndedBy | None
    redacted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDocument:
    """A document that a search found; the best passage of it, and how well that fits.

    ``score`` is 0 to 1, the sum of ``parts``; None where no question was asked, and as the metric says where
    a vector of the caller's own was. ``line`` is the first line of
    the passage in the body, ``heading`` the headings it stands under, ``field`` the path into the value.
    """

    document: Document
    score: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict[str, float])
    passage: str | None = None
    field: str | None = None
    heading: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldValue:
    """A value that a field has, and the number of documents in which it has it."""

    value: JSON
    documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a document that is found by meaning."""

    field: str
    text: str
    heading: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentDraft:
    """A document that is to be written, checked.

    ``place`` is its path as it is stored, ``dumped`` its value as JSON. ``vectors`` are None where those that
    it has are to stay.
    """

    path: Sequence[str]
    place: str
    key: str
    value: JSON
    dumped: str | None
    body: str | None
    metadata: Mapping[str, JSON]
    user: str | None
    index: Sequence[str]
    ttl_seconds: float | None
    passages: Sequence[Passage]
    redacted: int = 0
    vectors: Sequence[str] | None = None
    written_by: str | None = None
    expected_version: int | None = None
    expected_sha256: str | None = None

    @property
    def is_conditional(self) -> bool:
        """True if it is to be written only over a certain version."""
        return self.expected_version is not None or self.expected_sha256 is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchAnswer:
    """The answer to one operation of a batch; what the operation does not answer with is None.

    ``document`` is what was written, or found by `get`; ``documents`` what a list or a search found;
    ``paths`` those of `list_paths`; ``removed`` says if there was something to delete.
    """

    document: Document | None = None
    documents: Sequence[FoundDocument] | None = None
    paths: Sequence[DocumentPath] | None = None
    removed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilter:
    """Conditions on documents; None sets no condition.

    ``first`` and ``behind`` are the bounds of places. They bound every query, so that a plan that is made for
    all values reads no more than is below a path.
    """

    first: str = ""
    behind: str = BEHIND_ALL
    user: str | None = None
    filter: Mapping[str, object] = field(default_factory=lambda: NO_PARAMETERS)

    def values(self, now: datetime) -> Mapping[str, object]:
        """Return the parameters of a query."""
        return {"first": self.first, "behind": self.behind, "user": self.user, "now": now, **self.filter}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """A list of documents behind that of the id ``after``; with a ``vector`` by the nearest of their own."""

    wanted: DocumentFilter
    order: DocumentOrder = "updated"
    after: str | None = None
    vector: str | None = None
    metric: Metric = "cosine"
    limit: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PathQuery:
    """A list of paths. ``patterns`` are regular expressions that all must match the stored path."""

    first: str | None
    behind: str | None
    patterns: Sequence[str]
    depth: int | None
    limit: int
    offset: int
