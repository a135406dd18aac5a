"""Rules for messages: which are taken in, in what form, how many at a time. Total over any JSON."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, cast

import anyio

from quipu.errors import BadInput
from quipu.kernel.base import text
from quipu.kernel.base.scope import moment
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.db.space import AsOf
from quipu.kernel.redact import redact, secret_kind
from quipu.recall.generations import Embedded
from quipu.record import items
from quipu.record.items import BETWEEN_PARTS, ITEM_LIMIT_BYTES, TEXT_PARTS
from quipu.record.model import FoundMessage, Incoming, PreparedMessage, Refusal, Role
from quipu.record.readers.jsonl import FromFile
from quipu.upkeep.erasure.tombstones import Recorded

CONTENT_LIMIT_BYTES: Final = 16 * 1024 * 1024
NAME_LIMIT: Final = 512
ROLE_LIMIT: Final = 64
FIELDS: Final = ("id", "session", "role", "speaker", "content", "time", "user", "item", "metadata")
_ROLES: Final[Mapping[str, Role]] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "tool": "tool",
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "developer": "system",
}
_IGNORED_LIMIT: Final = 20
_UNFIT_IN_NAME = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

# A number that is longer than this in decimal is longer than NAME_LIMIT (and Python may refuse to print it).
_NAME_LIMIT_BITS: Final = NAME_LIMIT * 3
_BATCH, _BATCH_CHARACTERS = 400, 8_000_000  # so that a batch of very long messages fits in memory
Read = tuple[list[Incoming], list[Refusal]]
Stored = Callable[[SpaceTransaction, Sequence[PreparedMessage]], Awaitable[None]]
"""Called in the transaction that stores messages: ``await stored(within, messages)``."""
Said = tuple[str, str | None]
"""What a message says: its content, and the digest of its item where it has one."""


def check(
    raw: object, *, line: int | None = None, default_session: str | None = None, now: datetime
) -> Incoming | Refusal:
    """Return the message as it may be stored, or the reason why not; never raises for anything in JSON.

    Only ``content`` is required: text, or a list of text blocks, whose texts are joined by an empty line.
    Where ``item`` is given, the message as it came, content may be left out: it is the text in the item. A
    field that is null or blank counts as not given. Unknown keys are ignored and named in `Incoming.ignored`,
    so that the report of an import can name them once. ``now`` is aware; a time more than a day later is
    refused.
    """
    if isinstance(raw, FoundMessage):
        line = raw.number
    try:
        return _incoming(raw, line=line, default_session=default_session, now=now)
    except _Refused as refused:
        return Refusal(
            line, refused.field, refused.reason, raw.file if isinstance(raw, FoundMessage) else None
        )


class _Refused(Exception):
    """Carries the field and the reason from a rule to `check`."""

    def __init__(self, field: str | None, reason: str) -> None:
        super().__init__(reason)
        self.field = field
        self.reason = reason


@dataclass(frozen=True, slots=True)
class _Content:
    text: str
    repaired: int
    ignored: tuple[str, ...]


def _incoming(raw: object, *, line: int | None, default_session: str | None, now: datetime) -> Incoming:
    if not isinstance(raw, Mapping):
        raise _Refused(None, f'a message is an object such as {{"content": "…"}}, not {_kind(raw)}.')
    fields = cast("Mapping[object, object]", raw)
    item, item_json = _item(fields.get("item"))
    content = (
        _content(fields.get("content")) if item is None else _content_beside(item, fields.get("content"))
    )
    role = fields.get("role")
    if item is not None and (role is None or _blank(role)):
        role = items.role_of(item)
    said = fields.get("time")
    when = None if said is None or _blank(said) else moment(said, now=now)
    if isinstance(when, str):
        raise _Refused("time", when)
    return Incoming(
        content=content.text,
        id=_name("id", fields.get("id")),
        session=_name("session", fields.get("session")) or default_session,
        role=_role(role),
        speaker=_name("speaker", fields.get("speaker")),
        time=when.at if when else None,
        user=_name("user", fields.get("user")),
        line=line,
        assumed_utc=when.assumed_utc if when else False,
        repaired=content.repaired,
        ignored=(*_unknown(fields), *content.ignored),
        item=item,
        metadata=_metadata(fields.get("metadata")),
        item_json=item_json,
    )


def _item(value: object) -> tuple[dict[str, object] | None, str | None]:
    if value is None:
        return None, None
    try:
        item = items.plain(value, most_bytes=ITEM_LIMIT_BYTES)
        return item, items.encoded(item, most_bytes=ITEM_LIMIT_BYTES)
    except ValueError as error:
        raise _Refused("item", str(error)) from error


def _metadata(value: object) -> dict[str, object]:
    if value is None:
        return {}
    try:
        return items.metadata_of(value)
    except ValueError as error:
        raise _Refused("metadata", str(error)) from error


def _content_beside(item: Mapping[str, object], value: object) -> _Content:
    """Return the text of a message that has an item, which may have none."""
    if value is None:
        value = items.text_of(item)
    elif not isinstance(value, str | list | tuple):
        return _content(value)
    joined, ignored = (value, ()) if isinstance(value, str) else _join(cast("Sequence[object]", value))
    return _Content("", 0, ignored) if not joined.strip() else replace(_content(joined), ignored=ignored)


def _content(value: object) -> _Content:
    ignored: tuple[str, ...] = ()
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        value, ignored = _join(cast("Sequence[object]", value))
    if value is None or _blank(value):
        raise _Refused("content", "it is empty; a message needs some text, or an item." + _among(ignored))
    if not isinstance(value, str):
        raise _Refused(
            "content", f'it must be text or a list of {{"type": "text"}} blocks, not {_kind(value)}.'
        )
    cleaned = text.clean(value)
    if text.size_bytes(cleaned.text) > CONTENT_LIMIT_BYTES:
        raise _Refused("content", "it is larger than 16 MiB; split it into several messages.")
    return _Content(cleaned.text, cleaned.repaired, ignored)


def _join(blocks: Sequence[object]) -> tuple[str, tuple[str, ...]]:
    texts: list[str] = []
    ignored: dict[str, None] = {}
    for block in blocks:
        found = _block_text(block)
        if found is None:
            ignored[f"content.{_block_type(block)}"] = None
        elif found.strip():
            texts.append(found)
    return BETWEEN_PARTS.join(texts), tuple(ignored)[:_IGNORED_LIMIT]


def _block_text(block: object) -> str | None:
    if isinstance(block, str):
        return block
    if not isinstance(block, Mapping):
        return None
    fields = cast("Mapping[object, object]", block)
    found = fields.get("text")
    return found if isinstance(found, str) and fields.get("type", "text") in TEXT_PARTS else None


def _block_type(block: object) -> str:
    if not isinstance(block, Mapping):
        return _kind(block)
    kind = cast("Mapping[object, object]", block).get("type")
    return _shown(kind) if isinstance(kind, str) and kind else "an object"


def _role(value: object) -> str:
    if value is None or _blank(value):
        return "user"
    if not isinstance(value, str):
        raise _Refused("role", f"it is user, assistant, system, tool or another word, not {_kind(value)}.")
    word = value.strip()
    if len(word) > ROLE_LIMIT:
        raise _Refused("role", f"it is longer than {ROLE_LIMIT} characters; use a shorter word.")
    return _ROLES.get(word.lower()) or _name("role", word) or "user"


def _name(field: str, value: object) -> str | None:
    if value is None or _blank(value):
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise _Refused(field, f"it must be text or a whole number, not {_kind(value)}.")
    too_long = len(value) > NAME_LIMIT if isinstance(value, str) else value.bit_length() > _NAME_LIMIT_BITS
    if too_long:
        raise _Refused(field, f"it is longer than {NAME_LIMIT} characters; use a shorter name or its hash.")
    value = str(value)
    if _UNFIT_IN_NAME.search(value):
        raise _Refused(field, "it has control characters or broken Unicode; remove them.")
    kind = secret_kind(value)
    if kind is not None:
        raise _Refused(field, f"it holds what looks like a secret ({kind}); name it otherwise.")
    return value


def _unknown(fields: Mapping[object, object]) -> tuple[str, ...]:
    unknown = {_shown(key) if isinstance(key, str) else _kind(key) for key in fields if key not in FIELDS}
    return tuple(sorted(unknown)[:_IGNORED_LIMIT])


def _blank(value: object) -> bool:
    return isinstance(value, str) and not value.strip()


def _among(ignored: tuple[str, ...]) -> str:
    return f" Only {', '.join(ignored)} came." if ignored else ""


def _shown(value: str) -> str:
    """Return a word of the caller's for a message: short, one line, storable."""
    return text.excerpt(redact(_UNFIT_IN_NAME.sub(text.REPLACEMENT, value)).text, 40)


def _kind(value: object) -> str:
    """Return JSON's name for a value of this type."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case Mapping():
            return "an object"
        case list() | tuple():
            return "a list"
        case _:
            return type(value).__name__


def listed(messages: object) -> Iterable[Mapping[str, object] | Refusal]:
    """Return the messages if they are several.

    Raises:
        BadInput: it is one message, or none.
    """
    if isinstance(messages, Mapping | str | bytes) or not isinstance(messages, Iterable):
        raise BadInput("give a list of messages.", field="messages", hint='For one: [{"content": "…"}].')
    return cast("Iterable[Mapping[str, object] | Refusal]", messages)


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages that are ready to be written, as soon as they are embedded.

    ``embedding`` is None where they are left to be filed by the next recall. ``is_new``: their ids were just
    made, so none is stored already. ``began``: when the import began, none of whose messages may have been
    erased since; None where that is nothing to them. ``as_of``: when what they are made of was read, where
    they are. ``verbatim``: what their sessions are to be, where said. ``stored`` gets those that are new.
    """

    prepared: list[PreparedMessage]
    embedding: asyncio.Future[Embedded] | None
    is_new: bool = False
    began: datetime | None = None
    as_of: AsOf | None = None
    verbatim: bool | None = None
    stored: Stored | None = None

    def without(self, places: Collection[int]) -> Batch:
        """Return it without some messages."""
        left = [place for place in range(len(self.prepared)) if place not in places]
        embedded = None if self.embedding is None else self.embedding.result()
        return replace(
            self,
            prepared=[self.prepared[place] for place in left],
            embedding=embedded and done(replace(embedded, vectors=embedded.vectors[left])),
        )


class Erased(Exception):
    """Messages of a batch were erased since it was read; ``places`` says which."""

    def __init__(self, places: Collection[int]) -> None:
        super().__init__()
        self.places = places


def read(lines: Iterable[Mapping[str, object] | Refusal], *, now: datetime) -> Iterator[Read]:
    """Yield checked lines, a batch at a time; each place in the input counts from 1."""
    taken: list[Incoming] = []
    refused: list[Refusal] = []
    characters = 0
    for line, raw in enumerate(lines, start=1):
        checked = raw if isinstance(raw, Refusal) else check(raw, line=line, now=now)
        if isinstance(checked, Refusal):
            refused.append(checked)
        else:
            taken.append(checked)
            characters += len(checked.content) + len(checked.item_json or "")
        if len(taken) + len(refused) == _BATCH or characters >= _BATCH_CHARACTERS:
            yield taken, refused
            taken, refused, characters = [], [], 0
    if taken or refused:
        yield taken, refused


async def following(lines: object, batches: Iterator[Read]) -> Read | None:
    """Return the next batch. A file is read in a thread, which is abandoned if this is cancelled."""
    if isinstance(lines, FromFile):
        return await anyio.to_thread.run_sync(next, batches, None, abandon_on_cancel=True)
    return next(batches, None)


def characters(incoming: Sequence[Incoming]) -> int:
    """Count the characters of the messages together."""
    return sum(len(m.content) + len(m.item_json or "") for m in incoming)


def keys(prepared: Sequence[PreparedMessage]) -> list[tuple[str, str | None]]:
    """Return the id and session of each message."""
    return [(p.message.id or "", p.message.session) for p in prepared]


def recorded(prepared: Sequence[PreparedMessage]) -> list[Recorded]:
    """Return the keys by which each message is recognised if it was erased."""
    messages = [p.message for p in prepared]
    return [Recorded(m.id or "", m.session, m.time, m.user, m.speaker) for m in messages]


def sift(prepared: Sequence[PreparedMessage], known: Mapping[int, Said]) -> tuple[list[int], list[Refusal]]:
    """Return the places of new messages, and refusals of those stored under their id with other words."""
    said: dict[tuple[str, str | None], Said] = {}
    new: list[int] = []
    refused: list[Refusal] = []
    for place, (p, key) in enumerate(zip(prepared, keys(prepared), strict=True)):
        message = p.message
        before = known.get(place, said.get(key))
        if before is None:
            said[key] = message.content, _digest(p.item)
            new.append(place)
        elif before not in (
            (message.content, _digest(p.item)),
            (message.content, _digest(message.item_json)),
        ):
            reason = (
                f"{message.id!r} is stored already with other words. Give it another id, or forget the old."
            )
            refused.append(Refusal(message.line, "id", reason))
    return new, refused


def _digest(item: str | None) -> str | None:
    """Return the digest by which the database compares items."""
    return None if item is None else hashlib.md5(item.encode(), usedforsecurity=False).hexdigest()


def done(embedded: Embedded) -> asyncio.Future[Embedded]:
    """Return a future that has its result already."""
    future = asyncio.get_running_loop().create_future()
    future.set_result(embedded)
    return future


def other_speakers(speakers: Iterable[str | None], user: str | None) -> frozenset[str]:
    """Return the speakers in a user's session who are somebody else; none where only one person speaks.

    The user is known by name: "nora", or "nora.quist" of Nora.
    """
    named = {one for one in speakers if one is not None}
    if len(named) < _SEVERAL:
        return frozenset()
    own = set(re.split(r"\W+|_", (user or "").casefold())) - {""}
    return frozenset(one for one in named if own.isdisjoint(re.split(r"\W+", one.casefold())))


_SEVERAL: Final = 2  # speakers, from whom on a session is a talk of several people
