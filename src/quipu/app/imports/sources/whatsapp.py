"""WhatsApp: an exported chat, a text, alone or in its folder or zip with the files sent in it.

A message begins as Android writes it, ``03/05/2026, 10:01 - Ana: I moved``, or as iOS does, ``[03/05/2026,
10:01:00] Ana: I moved``, in the form of date and clock that the phone had (day, month or year first; 24 or 12
hours), and goes on over the lines that begin with none. A line with nobody's name is a notice. Where a file
was sent stands ``<Media omitted>``, ``boat.jpg (file attached)`` or ``<attached: boat.jpg>``, in the language
of the phone. There are no ids, and no zone. The chat is called as the file, or as the zip of ``_chat.txt``;
each of its days is a session.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from quipu.app.imports.fields import Account, Unreadable
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Said
from quipu.app.imports.source import Source
from quipu.app.imports.sources.pointers import leave_files, pointer
from quipu.app.imports.sources.whatsapp_lines import Beginning, Dates, Order, beginning
from quipu.errors import BadInput

_FILE: Final = r"(?:.*/)?[^/]+\.txt"
_TITLE: Final = re.compile(r"(?i)(?:chat de )?whatsapp[ -]chat (?:with|mit|avec|con|com|met|-) (?P<title>.+)")
_MOST_TEXT: Final = 16 << 20
_ZONE: Final = "times are of the zone of this computer"
_ORDER: Final = "dates do not tell whether day or month stands first: {} does"
_FIRST: Final = {"dmy": "the day", "mdy": "the month", "ymd": "the year"}
_EDITED: Final = re.compile(r"(?:<This message was edited>|\u200e<[^<>\n]{5,60}>)\Z")
_LONGEST_MARK: Final = 64
_OMITTED: Final = re.compile(r"<(?=[^<>]*[ \u0100-\uffff])[^<>:\n]{3,60}>")
_OMITTED_MARKED: Final = re.compile(
    r".{2,40}\b(?:omitted|weggelassen|ausgeschlossen|omitid[oa]|omise?|omess[oa]|ocultad[oa]|weggelaten)",
    re.I,
)
_NAMED: Final = re.compile(
    r"<[^<>:\n]{2,30}: ?(?P<inside>[^<>\n]+\.\w{2,5})>|(?P<before>[^()\n]+\.\w{2,5}) \([^()\n]{3,40}\)"
)
_DELETED: Final = re.compile(
    r"(?i)(?:this message was deleted|you deleted this message|diese nachricht wurde gelöscht"
    r"|du hast diese nachricht gelöscht|se eliminó este mensaje|eliminaste este mensaje"
    r"|este mensaje fue eliminado|ce message a été supprimé|vous avez supprimé ce message|mensagem apagada"
    r"|você apagou esta mensagem|(?:essa|esta) mensagem foi apagada|questo messaggio è stato eliminato"
    r"|hai eliminato questo messaggio|dit bericht (?:is|werd) verwijderd|je hebt dit bericht verwijderd)"
    r"(?: by admin .*)?\.?"
)
_SAID_MARKED: Final = re.compile(r"(?:POLL|UMFRAGE|ENCUESTA|SONDAGE|Location|Live location)\b.*", re.DOTALL)
_ENCRYPTED: Final = re.compile(r"(?i)\b(?:end-to-end encrypted|ende-zu-ende-verschlüsselt)\b")


def _chats(files: SourceFiles) -> list[str]:
    return [name for name in files.like(_FILE) if _is_chat(files.begin(name, 8192))]


def _is_chat(start: bytes) -> bool:
    lines = [line for line in start.decode("utf-8", "replace").splitlines() if line.strip("\ufeff ")]
    return bool(lines) and beginning(lines[0]) is not None


def _recognise(files: SourceFiles) -> bool:
    return bool(_chats(files))


def _read(files: SourceFiles, account: Account) -> Iterator[Said]:
    names = _chats(files)
    if not names:
        raise BadInput(f"{files.path} has no chat of WhatsApp.", field="path")
    account.assume(_ZONE)
    for name in names:
        dates = Dates()
        for _, line in _lines(files, name):
            if line is not None and (begun := beginning(line)):
                dates.add(begun)
        order, is_usual = dates.order()
        if is_usual:
            account.assume(_ORDER.format(_FIRST[order]))
        yield from _chat(files, name, order, account)
    leave_files(account, sorted(set(files.names) - set(names)))


def _lines(files: SourceFiles, name: str) -> Iterator[tuple[int, str | None]]:
    for number, line in files.lines(name):
        yield number, None if line is None else line.decode("utf-8", "replace").rstrip("\r\n")


def _chat(files: SourceFiles, name: str, order: Order, account: Account) -> Iterator[Said]:
    title = _title(files, name)
    at: datetime | None = None
    met: Counter[str] = Counter()
    for number, begun, text in _messages(files, name, account):
        with account.reading(f"{name}, line {number:,}"):
            said = _said(begun, text, order, title, account)
            if said is None:
                continue
            if said.time != at:
                at, met = said.time, Counter()
            met[said.id] += 1  # the same words again within the same minute are another message
            yield said if met[said.id] == 1 else _again(said, met[said.id])


def _again(said: Said, times: int) -> Said:
    return replace(said, id=f"{said.id}-{times}")


def _title(files: SourceFiles, name: str) -> str:
    *folders, file = name.split("/")
    stem = file.removesuffix(".txt")
    if stem == "_chat":
        stem = folders[-1].removesuffix(".zip") if folders else files.path.stem
    named = _TITLE.fullmatch(stem)
    return named["title"] if named else stem


def _messages(files: SourceFiles, name: str, account: Account) -> Iterator[tuple[int, Beginning, str]]:
    """Yield messages with the lines on which they begin, and their whole texts."""
    begun: Beginning | None = None
    first, size, texts = 0, 0, list[str]()
    for number, line in _lines(files, name):
        following = None if line is None else beginning(line)
        if following is not None:
            if begun is not None:
                yield first, begun, "\n".join(texts)
            begun, first, texts, size = following, number, [following.text], 0
            continue
        if line is None or begun is None or size > _MOST_TEXT:
            account.refuse(f"{name}, line {number:,}", "it is of no message, or of one that is too long")
            continue
        size += len(line)
        texts.append(line)
    if begun is not None:
        yield first, begun, "\n".join(texts)


def _said(begun: Beginning, text: str, order: Order, title: str, account: Account) -> Said | None:
    text = text.strip()
    if begun.sender is None or (begun.is_marked and _ENCRYPTED.search(text)):
        account.leave_out("notice of WhatsApp, such as who joined")
        return None
    if _DELETED.fullmatch(text):
        account.leave_out("deleted at the source")
        return None
    local = begun.time(order)
    if local is None:
        raise Unreadable("date", "there is no such day or time")
    edited = _EDITED.search(text, max(0, len(text) - _LONGEST_MARK))
    words = text[: edited.start()].rstrip() if edited else text
    content, item = _content(words, account)
    if begun.is_marked and item is None and not _SAID_MARKED.fullmatch(words):
        account.leave_out("notice of WhatsApp, such as who joined")
        return None
    if not content and item is None:
        account.leave_out("message without content")
        return None
    metadata: dict[str, JSON] = {"title": title, **({"edited": True} if edited else {})}
    identity = "\0".join((local.isoformat(), begun.sender, text))
    return Said(
        id=hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:32],
        session=f"{title}/{local.date().isoformat()}",
        content=content,
        speaker=begun.sender,
        time=_utc(local),
        item=item,
        metadata=metadata,
        raw={"time": local.isoformat(), "sender": begun.sender, "text": text},
    )


def _utc(local: datetime) -> datetime:
    try:
        return local.astimezone(UTC)
    except (OverflowError, OSError, ValueError) as error:
        raise Unreadable("date", "there is no such time in the zone of this computer") from error


def _content(text: str, account: Account) -> tuple[str, dict[str, JSON] | None]:
    """Return the words of a message, and an item where a file was sent."""
    first, _, caption = text.partition("\n")
    if named := _NAMED.fullmatch(first):
        name = (named["inside"] or named["before"]).strip(" \u200e")
        mark = pointer(account, name)
        return caption.strip() or mark, {"file": name, "caption": caption.strip()}
    if _OMITTED.fullmatch(first) or _OMITTED_MARKED.fullmatch(text):
        account.drop("file that the export omits")
        return caption.strip(), {"file": None, "caption": caption.strip()}
    return text, None


SOURCE: Final = Source(
    name="whatsapp",
    title="WhatsApp",
    takes="an exported chat, as Android and iOS write it",
    recognise=_recognise,
    read=_read,
)
