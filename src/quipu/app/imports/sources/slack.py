"""Slack: the export of a workspace, a zip or its folder.

``users.json``: ``[{id, name, real_name, profile {display_name}}]``; ``channels.json``, ``groups.json``,
``mpims.json`` and ``dms.json``: ``[{id, name, members}]``. Each conversation is a folder, called as the
channel or by the id of a direct message, with a file for each day (``general/2026-05-03.json``): an array of
``{type, subtype, user, text, ts, thread_ts, edited, files, attachments}``. ``ts`` is seconds since 1970 and
the id of a message in its channel; ``thread_ts`` is that of the message which the thread began with. Words
outside threads are a session for each channel and day. Exports that keep edits and deletions have them as
messages of their own (``message_changed``, ``message_deleted``): the newest text counts, and what was deleted
is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from quipu.app.imports.fields import Account, Fields, Unreadable, list_of, moment, object_of
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Said
from quipu.app.imports.source import Source
from quipu.app.imports.sources.pointers import leave_files, pointer
from quipu.app.imports.sources.slack_text import plain
from quipu.errors import BadInput

_USERS: Final = r"(?:.*/)?(?:org_)?users\.json"
_CHANNELS: Final = r"(?:.*/)?(?:channels|groups|mpims|dms)\.json"
_DAY: Final = re.compile(r"(?:.*/)?(?P<channel>[^/]+)/(?P<day>\d{4}-\d\d-\d\d)\.json")
_STAMP: Final = re.compile(r"\d{1,15}(\.\d{1,9})?", re.ASCII)
_SAID: Final = frozenset(
    {
        "",
        "assistant_app_thread",
        "bot_message",
        "file_comment",
        "file_mention",
        "file_share",
        "me_message",
        "reply_broadcast",
        "slackbot_response",
        "thread_broadcast",
    }
)
_CHANGED: Final = "message_changed"
_DELETED: Final = "message_deleted"
_TOMBSTONE: Final = "tombstone"
_GONE: Final = "deleted at the source"


@dataclass(slots=True)
class _Workspace:
    """Names of people and channels by their ids, and of direct messages their members."""

    people: dict[str, str] = field(default_factory=dict[str, str])
    channels: dict[str, str] = field(default_factory=dict[str, str])
    titles: dict[str, str] = field(default_factory=dict[str, str])


def _recognise(files: SourceFiles) -> bool:
    return bool(files.like(_USERS)) and (bool(files.like(_CHANNELS)) or bool(files.like(_DAY.pattern)))


def _read(files: SourceFiles, account: Account) -> Iterator[Said]:
    days = files.like(_DAY.pattern)
    if not days:
        raise BadInput(f"{files.path} has no days of Slack, such as general/2026-05-03.json.", field="path")
    workspace = _Workspace()
    described = [*files.like(_USERS), *files.like(_CHANNELS)]
    for name in described:
        for number, raw in enumerate(files.each(name), start=1):
            with account.reading(f"{name}, element {number:,}"):
                _describe(raw, name, workspace, account)
    folders: dict[str, list[str]] = {}
    for name in days:
        folders.setdefault(name.rpartition("/")[0], []).append(name)
    for folder in folders.values():
        yield from _channel(files, folder, workspace, account)
    leave_files(account, sorted(set(files.names) - {*days, *described}))


def _describe(raw: JSON, name: str, workspace: _Workspace, account: Account) -> None:
    if re.fullmatch(_USERS, name):
        with account.fields(raw, "user") as one:
            id, profile = one.words("id"), one.part("profile")
            names = (
                profile.text("display_name"),
                profile.text("real_name"),
                one.text("real_name"),
                one.text("name"),
            )
            workspace.people[id] = next(filter(None, names), id)
        return
    with account.fields(raw, "channel") as one:
        id, called = one.words("id"), one.text("name")
        members = [
            workspace.people.get(member, member) for member in one.list("members") if isinstance(member, str)
        ]
    workspace.channels[id] = called or id
    is_direct = called is None or called.startswith("mpdm-")
    workspace.titles[called or id] = ", ".join(members) if is_direct and members else f"#{called or id}"


def _channel(
    files: SourceFiles, names: Sequence[str], workspace: _Workspace, account: Account
) -> Iterator[Said]:
    newest = _afterwards(files, names)
    for name in names:
        place = _DAY.fullmatch(name)
        assert place is not None
        for number, raw in enumerate(files.each(name), start=1):
            with account.reading(f"{name}, message {number:,}"):
                said = _message(raw, account, workspace, place["channel"], place["day"], newest)
                if said is not None:
                    yield said


def _afterwards(files: SourceFiles, names: Sequence[str]) -> dict[str, JSON]:
    """Return the newest form of messages that were changed, by their ids; None for those deleted."""
    newest: dict[str, JSON] = {}
    for name in names:
        for raw in files.each(name):
            subtype = object_of(raw).get("subtype")
            if subtype == _CHANGED:
                changed = object_of(raw).get("message")
                stamp = object_of(changed).get("ts")
                if isinstance(stamp, str) and newest.get(stamp, changed) is not None:
                    newest[stamp] = changed
            elif subtype == _DELETED:
                stamp = object_of(raw).get("deleted_ts") or object_of(
                    object_of(raw).get("previous_message")
                ).get("ts")
                if isinstance(stamp, str):
                    newest[stamp] = None
    return newest


def _message(
    raw: JSON,
    account: Account,
    workspace: _Workspace,
    channel: str,
    day: str,
    newest: Mapping[str, JSON],
) -> Said | None:
    if object_of(raw).get("subtype") in (_CHANGED, _DELETED):
        account.leave_out("edit or deletion of a message, which is followed")
        return None
    stamp = object_of(raw).get("ts")
    raw = newest.get(stamp, raw) if isinstance(stamp, str) else raw
    subtype = object_of(raw).get("subtype")
    if raw is None or subtype == _TOMBSTONE:
        account.leave_out(_GONE)
        return None
    if str(subtype or "") not in _SAID or object_of(raw).get("type") not in (None, "message"):
        account.leave_out("notice of Slack, such as who joined")
        return None
    with account.fields(raw, "message") as one:
        for name in ("type", "subtype"):
            one.get(name)
        return _said(one, raw, account, workspace, channel, day)


def _said(
    one: Fields, raw: JSON, account: Account, workspace: _Workspace, channel: str, day: str
) -> Said | None:
    stamp = one.words("ts")
    if not _STAMP.fullmatch(stamp):
        raise Unreadable("message.ts", "it is no time in seconds")
    speaker, is_bot = _speaker(one, workspace)
    text, links = plain(one.text("text") or "", people=workspace.people, channels=workspace.channels)
    unfurled = one.list("attachments")
    if not text and is_bot:
        shown = _unfurled(unfurled) or _in_blocks(one.list("blocks"))
        text = plain(shown, people=workspace.people, channels=workspace.channels)[0]
    files = [_file(raw, account) for raw in one.list("files")]
    pointers = [pointer(account, file.get("name"), file.get("mimetype")) for file in files if file]
    if not text and not pointers:
        account.leave_out("message without content")
        return None
    thread, edited = one.text("thread_ts"), one.part("edited").text("ts")
    metadata: dict[str, JSON] = {"title": workspace.titles.get(channel, f"#{channel}")}
    if links:
        metadata["links"] = links
    if edited and _STAMP.fullmatch(edited):
        metadata["edited_at"] = moment(float(edited)).isoformat()
    return Said(
        id=f"{channel}/{stamp}",
        session=f"{channel}/{thread or day}",
        content=text or "\n".join(pointers),
        role="assistant" if is_bot else "user",
        speaker=speaker,
        time=moment(float(stamp)),
        item={"text": text, "files": files} if files else None,
        metadata=metadata,
        raw=raw,
    )


def _speaker(one: Fields, workspace: _Workspace) -> tuple[str | None, bool]:
    """Return the name of the writer, as Slack shows it, and True if it is a bot."""
    user, username, bot = one.text("user"), one.text("username"), one.text("bot_id")
    profile, bot_profile = one.part("user_profile"), one.part("bot_profile")
    embedded = profile.text("display_name") or profile.text("real_name") or profile.text("name")
    known = workspace.people.get(user or "")
    if bot or object_of(one.get("bot_profile")).get("id"):
        return username or bot_profile.text("name") or known or bot, True
    bot_profile.rest()
    return known or embedded or username or user, False


def _unfurled(attachments: Sequence[JSON]) -> str:
    """Return the text of what a bot attached."""
    texts: list[str] = []
    for one in attachments:
        for name in ("pretext", "title", "text", "fallback"):
            value = object_of(one).get(name)
            if isinstance(value, str) and value and (name != "fallback" or not texts):
                texts.append(value)
    return "\n".join(texts)


def _in_blocks(blocks: Sequence[JSON]) -> str:
    """Return the text in the blocks of a message that has no other: a line for each part of a block."""
    lines: list[str] = []
    for block in blocks:
        parts = list(_texts(block))
        lines += ["".join(parts)] if object_of(block).get("type") == "rich_text" else parts
    return "\n".join(filter(None, lines))


def _texts(value: JSON) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in list_of(value):
        yield from _texts(inner)
    for name in ("text", "fields", "elements"):
        if name in (named := object_of(value)):
            yield from _texts(named[name])


def _file(raw: JSON, account: Account) -> dict[str, str]:
    """Return the name and type of a file; its address holds a key to it and is not taken."""
    with account.fields(raw, "file") as one:
        given = {name: one.text(name) for name in ("id", "name", "title", "mimetype", "mode")}
    return {} if given["mode"] == _TOMBSTONE else {name: text for name, text in given.items() if text}


SOURCE: Final = Source(
    name="slack",
    title="Slack",
    takes="channels, direct messages and threads of a workspace's export",
    recognise=_recognise,
    read=_read,
)
