"""Discord: the JSON of DiscordChatExporter, a file for each channel, or for each part of one.

``{guild {id, name}, channel {id, type, category, name}, dateRange, exportedAt, messages [{id, type,
timestamp, timestampEdited, content, author {id, name, nickname, isBot}, attachments [{fileName}], stickers
[{name}], embeds, mentions [{id, name, nickname}], reference {messageId}, reactions}], messageCount}``. Times
have a zone. A channel is a session for each day, in UTC; a thread is a session as a whole. Texts name people
as readers saw them, unless the exporter was told to leave its marks (``<@1>``): these are named by
``mentions``. Notices, such as of who joined, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from quipu.app.imports.fields import Account, object_of
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Said
from quipu.app.imports.source import Source
from quipu.app.imports.sources.pointers import leave_files, pointer
from quipu.errors import BadInput

_FILE: Final = r".*\.json"
_FIRST: Final = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"guild"\s*:.*"channel"\s*:', re.DOTALL)
_SAID: Final = frozenset(
    {
        "Default",
        "Reply",
        "ChatInputCommand",
        "ContextMenuCommand",
        "ThreadStarterMessage",
        "0",
        "19",
        "20",
        "23",
    }
)
_MARK: Final = re.compile(r"<(?:@!?(?P<person>\d+)|a?:(?P<emoji>\w+):\d+)>", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Channel:
    """A channel: its id, its title, and whether it is a thread."""

    id: str
    title: str
    is_thread: bool


def _exports(files: SourceFiles) -> list[str]:
    return [name for name in files.like(_FILE) if _FIRST.match(files.begin(name))]


def _recognise(files: SourceFiles) -> bool:
    return bool(_exports(files))


def _read(files: SourceFiles, account: Account) -> Iterator[Said]:
    names = _exports(files)
    if not names:
        raise BadInput(f"{files.path} has no JSON of DiscordChatExporter.", field="path")
    for name in names:
        with account.reading(name):
            yield from _file(files, name, account)
    leave_files(account, sorted(set(files.names) - set(names)))


def _file(files: SourceFiles, name: str, account: Account) -> Iterator[Said]:
    about: dict[str, JSON] = {}
    channel: _Channel | None = None
    number = 0
    for key, value in files.members(name):
        if key != "messages":
            about[key] = value
            continue
        channel = channel or _channel(about, account)
        number += 1
        with account.reading(f"{name}, message {number:,}"):
            if (said := _message(value, account, channel)) is not None:
                yield said


def _channel(about: Mapping[str, JSON], account: Account) -> _Channel:
    with account.fields(about, "export") as one:
        for name in ("dateRange", "exportedAt"):
            one.get(name)
        guild, channel = one.part("guild").text("name"), one.part("channel")
        id, called, kind = channel.words("id"), channel.text("name"), channel.text("type") or ""
    return _Channel(id, " ".join(filter(None, (guild, f"#{called or id}"))), "Thread" in kind)


def _message(raw: JSON, account: Account, channel: _Channel) -> Said | None:
    with account.fields(raw, "message") as one:
        id, kind, when = one.words("id"), one.text("type") or "Default", one.time("timestamp")
        edited, reply_to = one.time("timestampEdited"), one.part("reference").text("messageId")
        author, mentions = one.part("author"), one.list("mentions")
        names = [author.text(name) for name in ("nickname", "name", "id")]
        is_bot = author.flag("isBot")
        text = _plain(one.text("content") or "", mentions)
        attached = [_named(file, "fileName", account) for file in one.list("attachments")]
        stickers = [_named(sticker, "name", account) for sticker in one.list("stickers")]
        embeds = one.list("embeds")
        forwarded = one.part("forwardedMessage").text("content")
    if kind not in _SAID:
        account.leave_out("notice of Discord, such as who joined")
        return None
    if not text and is_bot:
        text = _embedded(embeds)
    pointers = [mark for mark, _ in (*attached, *stickers)]
    if not (text or pointers or forwarded):
        account.leave_out("message without content")
        return None
    files = [named for _, named in (*attached, *stickers)]
    given = {"content": text, "files": files, "forwarded": forwarded}
    metadata: dict[str, JSON] = {"title": channel.title}
    for name, value in (("reply_to", reply_to), ("edited_at", edited and edited.isoformat())):
        if value:
            metadata[name] = value
    day = when.date().isoformat() if when and not channel.is_thread else None
    return Said(
        id=id,
        session=f"{channel.id}/{day}" if day else channel.id,
        content=text or "\n".join(pointers),
        role="assistant" if is_bot else "user",
        speaker=next(filter(None, names), None),
        time=when,
        item={name: value for name, value in given.items() if value} if files or forwarded else None,
        metadata=metadata,
        raw=raw,
    )


def _plain(text: str, mentions: Sequence[JSON]) -> str:
    """Return a text with people and emoji named, where the exporter left their marks."""
    people = {
        str(object_of(one).get("id")): object_of(one).get("nickname") or object_of(one).get("name")
        for one in mentions
    }

    def shown(mark: re.Match[str]) -> str:
        if mark["emoji"]:
            return f":{mark['emoji']}:"
        return f"@{people.get(mark['person']) or mark['person']}"

    return _MARK.sub(shown, text)


def _named(raw: JSON, field: str, account: Account) -> tuple[str, JSON]:
    """Return a pointer to a file, and its name and id alone: its address ends soon."""
    with account.fields(raw, "file") as one:
        id, name = one.text("id"), one.text(field)
    is_sticker = field == "name"
    mark = pointer(account, name, "image/" if is_sticker else None)
    return mark, {key: value for key, value in {"id": id, "name": name}.items() if value}


def _embedded(embeds: Sequence[JSON]) -> str:
    """Return the text of what a bot embedded."""
    texts = [object_of(one).get(name) for one in embeds for name in ("title", "description")]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


SOURCE: Final = Source(
    name="discord",
    title="Discord",
    takes="channels and threads, as DiscordChatExporter writes them in JSON",
    recognise=_recognise,
    read=_read,
)
