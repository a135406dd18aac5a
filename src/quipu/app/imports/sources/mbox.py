"""Mail in a file of mbox: Thunderbird, Apple Mail, mutt, Google Takeout; one file, a folder or a zip of them.

A message begins with a line ``From sender date`` after an empty line; a line of it that began so has ``>``
before. Its id is ``Message-ID``, and its session the first message of its thread, by ``References``, else by
``In-Reply-To``. The words are those in plain text, else what a reader of the HTML sees; quoted lines stay as
they are, with ``>``. Attachments are kept as names. What was deleted or is spam at the source is left out, by
the marks of Gmail (``X-Gmail-Labels``), Mozilla (``X-Mozilla-Status``) and mutt (``Status``, ``X-Status``).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.errors import MessageError
from email.parser import BytesParser
from email.utils import getaddresses, parsedate_to_datetime
from typing import IO, Final

from quipu.app.imports.fields import Account, Unreadable
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Said
from quipu.app.imports.source import Source
from quipu.app.imports.sources.mbox_text import body_of, decoded
from quipu.app.imports.sources.pointers import leave_files, pointer
from quipu.errors import BadInput

_FILE: Final = r"(?:.*/)?(?:[^/]+\.mbo?x|[^/.]+)"
_FROM: Final = re.compile(rb"From \S.*\d{1,2}:\d\d.*\d{4}")
_HEADER: Final = re.compile(rb"[!-9;-~]+:|>From ")
_ESCAPED: Final = re.compile(rb"^>(>*From )", re.MULTILINE)
_END_OF_HEAD: Final = re.compile(rb"\r?\n\r?\n")
_THREADING: Final = re.compile(
    rb"^(message-id|references|in-reply-to):([^\r\n]*(?:\r?\n[ \t][^\r\n]*)*)", re.MULTILINE | re.IGNORECASE
)
_ID: Final = re.compile(rb"<[^<>\s]{1,900}>")
_MOST_BYTES: Final = 64 << 20
_PIECE: Final = 1 << 20
_LONGEST_ID: Final = 400
_LONGEST_FROM: Final = 400
_USED: Final = frozenset(
    {"message-id", "references", "in-reply-to", "from", "to", "cc", "subject", "date", "mime-version"}
)
_DELETED: Final = frozenset(
    {"trash", "papierkorb", "corbeille", "papelera", "lixeira", "cestino", "prullenbak"}
)
_UNSENT: Final = frozenset({"drafts", "draft", "entwürfe", "brouillons", "borradores", "rascunhos", "bozze"})
_SPAM: Final = frozenset({"spam", "junk"})
_MOZILLA_DELETED: Final = 0x0008
_ASSUMED: Final = "a message without a date was sent when it was received"


def _boxes(files: SourceFiles) -> list[str]:
    return [name for name in files.like(_FILE) if _is_box(files.begin(name))]


def _is_box(start: bytes) -> bool:
    first, _, rest = start.lstrip(b"\r\n").partition(b"\n")
    return first.startswith(b"From ") and _HEADER.match(rest) is not None


def _recognise(files: SourceFiles) -> bool:
    return bool(_boxes(files))


def _read(files: SourceFiles, account: Account) -> Iterator[Said]:
    boxes = _boxes(files)
    if not boxes:
        raise BadInput(f"{files.path} has no file of mbox.", field="path")
    before = _threads(files, boxes)
    met: set[str] = set()
    for name in boxes:
        with files.open(name) as file:
            for line, data in _messages(file):
                where = f"{name}, line {line:,}"
                with account.reading(where):
                    said = _said(data, account, before)
                    if said is not None and said.id in met:
                        account.leave_out("message that was there before")
                    elif said is not None:
                        met.add(said.id)
                        yield said
    leave_files(account, sorted(set(files.names) - set(boxes)))


def _messages(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the messages with the lines on which they begin; of one beyond 64 MB its beginning and a byte."""
    number, begun, held, size = 0, 0, list[bytes](), 0
    line, after_empty = file.readline(_PIECE), True
    while line:
        number += 1
        following = file.readline(_PIECE)
        begins = (
            after_empty
            and line.startswith(b"From ")
            and (begun == 0 or _FROM.match(line[:_LONGEST_FROM]) is not None)
            and _HEADER.match(following) is not None
        )
        if begins:
            if begun:
                yield begun, b"".join(held)
            begun, held, size = number, [], 0
        elif begun and size <= _MOST_BYTES:
            held.append(line)
            size += len(line)
        after_empty = line in (b"\n", b"\r\n")
        line = following
    if begun:
        yield begun, b"".join(held)


def _threads(files: SourceFiles, boxes: list[str]) -> dict[str, str]:
    """Return the message that each follows, the first of its thread as far as it is named."""
    before: dict[str, str] = {}
    for name in boxes:
        with files.open(name) as file:
            for _, data in _messages(file):
                id, first = _names(data)
                if id and first and id != first:
                    before[id] = first
    return before


def _names(data: bytes) -> tuple[str | None, str | None]:
    """Return the id of a message, and that of the first message it names as before it."""
    end = _END_OF_HEAD.search(data)
    found: dict[bytes, str] = {}
    for header in _THREADING.finditer(data, 0, end.start() if end else len(data)):
        if ids := _ID.findall(header[2]):
            found.setdefault(header[1].lower(), _short(ids[0].decode("utf-8", "replace")))
    return found.get(b"message-id"), found.get(b"references") or found.get(b"in-reply-to")


def _short(id: str) -> str:
    return id if len(id) <= _LONGEST_ID else hashlib.sha256(id.encode("utf-8", "replace")).hexdigest()


def _first(id: str, before: dict[str, str]) -> str:
    """Return the first message of a thread; a circle ends at its smallest id. The way is shortened by it."""
    way: dict[str, None] = {}
    first = id
    while first not in way and first in before:
        way[first] = None
        first = before[first]
    if first in way:
        ids = list(way)
        first = min(ids[ids.index(first) :])
        del before[first]
    for one in way:
        if one != first:
            before[one] = first
    return first


def _said(data: bytes, account: Account, before: dict[str, str]) -> Said | None:
    if len(data) > _MOST_BYTES:
        raise Unreadable("message", f"it has more than {_MOST_BYTES >> 20} MB")
    try:
        message = BytesParser().parsebytes(_ESCAPED.sub(rb"\1", data))
        headers = [(name, decoded(value)) for name, value in message.items()]
        given = {name.lower(): value for name, value in reversed(headers)}
        people = {name: _people(message.get(name, "")) for name in ("from", "sender", "to", "cc")}
        if (why := _left_out(given)) is not None:
            account.leave_out(why)
            return None
        body = body_of(message)
    except (MessageError, RecursionError, ValueError, LookupError, AssertionError) as error:
        raise Unreadable("message", "it is no mail, or its parts are nested too deep") from error
    for name in given:
        if name not in _USED and not name.startswith("content-"):
            account.drop(f"header {name[:40]}")
    pointers = [pointer(account, name, kind) for name, kind in body.attached]
    if not body.text and not pointers:
        account.leave_out("message without content")
        return None
    id, first = _names(data)
    metadata: dict[str, JSON] = {"title": given.get("subject"), "to": people["to"], "cc": people["cc"]}
    attached = [{"name": name, "type": kind} for name, kind in body.attached]
    name = id or hashlib.sha256(data).hexdigest()
    return Said(
        id=name,
        session=_first(id, before) if id else first or name,
        content=body.text or "\n".join(pointers),
        speaker=next(iter([*people["from"], *people["sender"]]), None),
        time=_time(given, account),
        item={"text": body.text, "attachments": attached} if attached else None,
        metadata={name: value for name, value in metadata.items() if value},
        raw={"headers": [list(header) for header in headers], "text": body.text},
    )


def _left_out(given: Mapping[str, str]) -> str | None:
    labels = {label.strip(' "').lower() for label in given.get("x-gmail-labels", "").split(",")}
    mozilla = given.get("x-mozilla-status", "")
    status = given.get("status", "") + given.get("x-status", "")
    is_expunged = re.fullmatch(r"[0-9a-fA-F]{1,8}", mozilla) and int(mozilla, 16) & _MOZILLA_DELETED
    if labels & _DELETED or is_expunged or (status.isalpha() and "D" in status):
        return "deleted at the source"
    return "spam" if labels & _SPAM else "draft that was not sent" if labels & _UNSENT else None


def _people(header: object) -> list[str]:
    """Return people as mail shows them: ``Ana <ana@example.org>``. A name is decoded once it stands apart."""
    text = header if isinstance(header, str) else decoded(header)
    people = [(decoded(name), address.strip()) for name, address in getaddresses([text])]
    shown = [f"{name} <{address}>" if name and address else name or address for name, address in people]
    return [one for one in shown if one] or list(filter(None, [decoded(header)]))


def _time(given: Mapping[str, str], account: Account) -> datetime | None:
    if (sent := _moment(given.get("date", ""))) is not None:
        return sent
    received = _moment(given.get("received", "").rpartition(";")[2])
    if received is not None:
        account.assume(_ASSUMED)
    return received


def _moment(text: str) -> datetime | None:
    try:
        time = parsedate_to_datetime(text)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


SOURCE: Final = Source(
    name="mbox",
    title="Mail (mbox)",
    takes="messages of a mailbox, by their threads",
    recognise=_recognise,
    read=_read,
)
