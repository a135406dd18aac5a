"""The values that the record passes around: a message as it comes, with an id, prepared, and the report."""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal, get_args

from quipu.kernel.base.text import Heard, Marks
from quipu.kernel.prose import standing
from quipu.kernel.prose.signs import ToldAlias, told_aliases
from quipu.kernel.prose.standing import Instruction
from quipu.kernel.redact import redact
from quipu.recall.terms import Bag, bag, tells_time
from quipu.record import items

Role = Literal["user", "assistant", "system", "tool"]
"""Roles that mean something to us. A message may have any other, which is none of these."""

Indexing = Literal["now", "later"]
"""When messages go into the index: as they are written, or before the next recall."""

INDEXING: Final[tuple[Indexing, ...]] = get_args(Indexing)

MESSAGE: Final = 1  # core.recall_kinds.code
Progress = Callable[[int], None]


class FoundMessage(dict[str, object]):
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
    ``item`` is the message as it came, a JSON object, and ``item_json`` the same as text; only with it may
    ``content`` be empty.
    """

    content: str
    id: str | None = None
    session: str | None = None
    role: str = "user"
    speaker: str | None = None
    time: datetime | None = None
    user: str | None = None
    line: int | None = None
    assumed_utc: bool = False
    repaired: int = 0
    ignored: tuple[str, ...] = ()
    item: Mapping[str, object] | None = None
    metadata: Mapping[str, object] = field(default_factory=dict[str, object])
    item_json: str | None = field(default=None, compare=False, repr=False)


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


def fresh(message: Incoming) -> Incoming:
    """Return the message with an id of its own: said now, it is not the same as anything said before."""
    return message if message.id is not None else replace(message, id=uuid.uuid4().hex)


class Derived:
    """Ids made from what a recorded message says, so that importing a file twice changes nothing.

    The second message of one import that says exactly the same gets a number; so does the third.
    """

    def __init__(self) -> None:
        self._seen: Counter[bytes] = Counter()

    def give(self, message: Incoming) -> Incoming:
        """Return the message with an id."""
        if message.id is not None:
            return message
        time = message.time.isoformat() if message.time else ""
        said = (message.session or "", message.role, message.speaker or "", time, message.content)
        if message.item_json is not None:
            said = (*said, message.item_json)
        digest = hashlib.blake2b("\0".join(said).encode("utf-8", "replace"), digest_size=12).digest()
        self._seen[digest] += 1
        count = self._seen[digest]
        return replace(message, id=digest.hex() if count == 1 else f"{digest.hex()}-{count}")


_ASKS = ("?", "？", "؟")
_CLOSING = " \t\r\n\"'”’)]}»"


@dataclass(frozen=True, slots=True)
class PreparedMessage:
    """A message that may be written. ``secrets`` counts what was cut out, by kind.

    ``spoken`` is what of the content is indexed: all but memory of other spaces. ``heard`` counts what came
    back of memory. ``instructions`` are what a user tells for the time to come, ``aliases`` the other names
    of people that it tells. ``item`` is the message as it came without secrets, as JSON; ``cut`` counts those
    that were cut out of it alone. A session that is verbatim keeps the item of ``message`` instead.
    """

    message: Incoming
    spoken: str
    bag: Bag
    asks: bool
    has_time: bool
    secrets: Mapping[str, int]
    heard: Heard
    instructions: Sequence[Instruction] = ()
    aliases: tuple[ToldAlias, ...] = ()
    item: str | None = None
    cut: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def is_indexed(self) -> bool:
        """True if it has a text; one without is stored, keeps its place, and is read by nobody."""
        return bool(self.message.content)


def prepare(message: Incoming, *, language: str, secrets: bool, marks: Marks | None) -> PreparedMessage:
    """Clean a message for the record; nothing is stored that did not pass here. Pure.

    ``secrets``: whether to cut secrets out. ``marks`` are those of the space, or None for a message that
    mentions none. The content is empty afterwards where a message was nothing but what we had recalled; its
    item keeps that.
    """
    content, found = message.content, Counter[str]()
    heard = Heard(content, content) if marks is None else marks.hear(content)
    content, spoken = heard.text, heard.spoken
    if secrets:
        redacted = redact(content)
        content, found = redacted.text, Counter(redacted.counts)
        spoken = redact(spoken).text if heard.foreign else content
    if message.item is not None and not content.strip():
        content = spoken = ""
    item, cut, metadata = message.item_json, Counter[str](), message.metadata
    if secrets and message.item is not None:
        clean, counts = items.without_secrets(message.item)
        if counts:
            item, cut = items.encoded(clean), counts - found  # what stands in both is one secret
    if secrets and metadata:
        metadata, counts = items.without_secrets(metadata)
        found += counts
    if content is not message.content or metadata is not message.metadata:
        message = replace(message, content=content, metadata=metadata)
    asks = spoken[-200:].rstrip(_CLOSING).endswith(_ASKS)
    words, instructions, others = bag(spoken, language=language), (), ()
    if message.role == "user":
        instructions, others = standing.read(spoken), tuple(told_aliases(spoken))
    has_time = tells_time(spoken)
    return PreparedMessage(
        message, spoken, words, asks, has_time, dict(found), heard, instructions, others, item, cut
    )


@dataclass(frozen=True, slots=True)
class SessionMessage:
    """A message of a session, as an agent reads its history.

    ``item`` is the message as it came, None where it was only text; ``content`` is its text, empty where it
    has none. ``id`` is the caller's, or the one that was made for it.
    """

    id: str
    role: str
    content: str
    item: Mapping[str, Any] | None
    metadata: Mapping[str, Any]
    time: datetime
    speaker: str | None
    user: str | None


@dataclass(frozen=True, slots=True)
class Report:
    """The account of one observation or import; every message is in exactly one of the first five.

    ``imported``: stored, and searchable now or by the next recall. ``duplicates``: were stored already.
    ``echoes``: were nothing but memory that we had recalled ourselves. ``refused``: with the reason.
    ``withheld``: were erased, or are of a session as it was when it was erased, and left out (imports only).
    ``cut_characters``: memory of this space that came back and was cut out; ``foreign_characters``: memory of
    other spaces or installations, which is kept as text and not indexed; ``unmatched_marks``: marks of this
    space in front of other words than they were made for, which are kept and indexed like any words.
    ``redacted``: secrets cut out, by kind. ``repaired``: characters that no database can store, replaced
    by U+FFFD. ``assumed_utc``: times that came without a zone. ``ignored``: keys we have no place for.
    ``ids``: the ids under which the stored ones can be found again (observe only).
    """

    imported: int = 0
    duplicates: int = 0
    echoes: int = 0
    refused: tuple[Refusal, ...] = ()
    withheld: int = 0
    cut_characters: int = 0
    foreign_characters: int = 0
    unmatched_marks: int = 0
    redacted: Mapping[str, int] = field(default_factory=dict[str, int])
    repaired: int = 0
    assumed_utc: int = 0
    ignored: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    seconds: float = 0.0


class Tally:
    """A report in the making."""

    def __init__(self) -> None:
        self.imported = 0
        self.duplicates = 0
        self.echoes = 0
        self.withheld = 0
        self.refused: list[Refusal] = []
        self.ids: list[str] = []
        self._came_back: Counter[str] = Counter()
        self._redacted: Counter[str] = Counter()
        self._repaired = 0
        self._assumed_utc = 0
        self._ignored: dict[str, None] = {}

    @property
    def done(self) -> int:
        """Number of messages dealt with."""
        return self.imported + self.duplicates + self.echoes + self.withheld + len(self.refused)

    def read(self, prepared: Iterable[PreparedMessage]) -> None:
        """Count what was done to messages on their way in."""
        for p in prepared:
            self._redacted.update(p.secrets)
            self._came_back.update(p.heard.counts)
            self._repaired += p.message.repaired
            self._assumed_utc += p.message.assumed_utc
            self._ignored.update(dict.fromkeys(p.message.ignored))

    def keep(self, stored: Iterable[PreparedMessage], verbatim: Collection[str | None]) -> None:
        """Count what was stored, and the secrets cut out of items; ``verbatim`` sessions keep theirs."""
        for p in stored:
            self.imported += 1
            self.ids.append(p.message.id or "")
            if p.message.session not in verbatim:
                self._redacted.update(p.cut)

    def report(self, *, seconds: float) -> Report:
        """Return the account as it stands."""
        return Report(
            imported=self.imported,
            duplicates=self.duplicates,
            echoes=self.echoes,
            refused=tuple(self.refused),
            withheld=self.withheld,
            **self._came_back,
            redacted=dict(self._redacted),
            repaired=self._repaired,
            assumed_utc=self._assumed_utc,
            ignored=tuple(self._ignored),
            ids=tuple(self.ids),
            seconds=seconds,
        )
