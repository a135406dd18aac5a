"""Claude.ai: the export of an account, a zip, its folder, or a folder of zips.

``conversations.json`` is an array of ``{uuid, name, account {uuid}, created_at, chat_messages}``; a message
is ``{uuid, sender human or assistant, text, content [blocks], attachments [{file_name, extracted_content}],
files [{file_name}], created_at, parent_message_uuid}``. ``text`` may be empty, or hold placeholders for
blocks of tools: the blocks of the type ``text`` are what was said; ``thinking``, ``tool_use``,
``tool_result`` and others are kept as an item. Where messages name the message before them, all but the way
to the last are branches. ``projects/<uuid>.json``, before May 2026 one ``projects.json``: ``{uuid, name,
prompt_template, docs [{uuid, filename, content}]}``. ``memories.json``: ``[{conversations_memory,
project_memories {uuid: text}, account_uuid}]``. ``users.json``: ``[{uuid, full_name}]``. Since September 2026
a folder of zips for each of these, numbered (``conversations-000.zip``), with ``memories/<account>.json``,
which has ``memory_files [{path, content, updated_at}]`` too. Most conversations do not say of which project
they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from quipu.app.imports.fields import Account, object_of
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Filed, Found, Metadata, Said
from quipu.app.imports.source import Source
from quipu.app.imports.sources.branches import in_order
from quipu.app.imports.sources.claude_ai_files import (
    MEMORIES,
    MEMORY_TEXTS,
    PROJECTS,
    USERS,
    Export,
    each,
    memories,
    projects,
    read_accounts,
)
from quipu.app.imports.sources.pointers import leave_files, pointer
from quipu.errors import BadInput

_CONVERSATIONS: Final = r"(?:.*/)?conversations(?:-\d+)?\.json"
_BEGINNING: Final = 1 << 16
_NO_PARENT: Final = "00000000-0000-4000-8000-000000000000"
_ROLES: Final = {"human": "user"}
_ASSUMED: Final = "a message without a time was said when its conversation began"


def _recognise(files: SourceFiles) -> bool:
    marks = {_CONVERSATIONS: b'"chat_messages"', MEMORIES: b'"account_uuid"', PROJECTS: b'"prompt_template"'}
    return any(
        mark in files.begin(name, _BEGINNING)
        for pattern, mark in marks.items()
        for name in files.like(pattern)
    )


def _read(files: SourceFiles, account: Account) -> Iterator[Found]:
    read = {
        name
        for pattern in (_CONVERSATIONS, MEMORIES, MEMORY_TEXTS, PROJECTS, USERS)
        for name in files.like(pattern)
    }
    if not read:
        raise BadInput(f"{files.path} has no conversations.json of Claude.", field="path")
    export = Export()
    read_accounts(files, account, export)
    yield from projects(files, account, export)
    met: dict[str, str] = {}
    for where, raw in each(files, _CONVERSATIONS):
        if not met and not (isinstance(raw, dict) and "chat_messages" in raw):
            raise BadInput(f"{where} is no conversation of Claude: it has no chat_messages.", field="path")
        with account.reading(where):
            yield from _conversation(raw, account, export, met)
    yield from memories(files, account, export)
    leave_files(account, sorted(set(files.names) - read))


def _conversation(raw: JSON, account: Account, export: Export, met: dict[str, str]) -> Iterator[Found]:
    with account.fields(raw, "conversation") as one:
        id, title = one.words("uuid"), one.text("name")
        begun, updated = one.time("created_at"), one.text("updated_at") or ""
        user = export.user(one.part("account").text("uuid"))
        project = one.text("project_uuid")
        leaf, messages = one.text("current_leaf_message_uuid"), one.list("chat_messages")
    if id in met and met[id] >= updated:
        account.leave_out("conversation that was in a file before")
        return
    met[id] = updated
    parents, places = _parents(messages)
    if leaf is None and any(parents.values()):
        leaf = _newest(messages, parents, places)
    given = {"title": title, "project": project and export.projects.get(project), "project_id": project}
    about: Metadata = {name: value for name, value in given.items() if value}
    for message, is_branch in in_order(leaf, parents):
        with account.reading(f"conversation {id}, message {message}"):
            yield from _message(
                messages[places[message]],
                account,
                export,
                session=id,
                user=user,
                begun=begun,
                about={**about, "branch": True} if is_branch else about,
            )


def _parents(messages: Sequence[JSON]) -> tuple[dict[str, str | None], dict[str, int]]:
    """Return the message before each, and the place of each in the list.

    A message that names none, or one that is not there, follows the one before it in the list; one that
    names the root begins anew.
    """
    named: dict[str, JSON] = {}
    places: dict[str, int] = {}
    for place, raw in enumerate(messages):
        uuid = object_of(raw).get("uuid")
        id = uuid if isinstance(uuid, str) and uuid else f"#{place + 1}"
        if id not in places:
            places[id] = place
            named[id] = object_of(raw).get("parent_message_uuid")
    parents: dict[str, str | None] = {}
    before: str | None = None
    for id, parent in named.items():
        parents[id] = None if parent == _NO_PARENT else parent if _is_in(parent, places) else before
        before = id
    return parents, places


def _is_in(name: JSON, places: dict[str, int]) -> bool:
    return isinstance(name, str) and name in places


def _newest(messages: Sequence[JSON], parents: dict[str, str | None], places: dict[str, int]) -> str:
    """Return the message that nothing follows and that was written last."""
    inner = set(parents.values())

    def written(id: str) -> tuple[str, int]:
        time = object_of(messages[places[id]]).get("created_at")
        return time if isinstance(time, str) else "", places[id]

    return max((id for id in parents if id not in inner), key=written, default=next(reversed(parents)))


def _message(
    raw: JSON,
    account: Account,
    export: Export,
    *,
    session: str,
    user: str | None,
    begun: datetime | None,
    about: Metadata,
) -> Iterator[Found]:
    with account.fields(raw, "message") as one:
        one.get("parent_message_uuid")
        id, sender, written = one.words("uuid"), one.words("sender"), one.time("created_at")
        blocks, text = one.list("content"), one.text("text") or ""
        attached, files = one.list("attachments"), [*one.list("files"), *one.list("files_v2")]
    if written is None and begun is not None:
        account.assume(_ASSUMED)
    words, is_plain = _words(blocks, text, account)
    named = [_file(file, account) for file in files]
    role = _ROLES.get(sender, sender)
    said = Said(
        id=id,
        session=session,
        content=words,
        role=role,
        user=user if role == "user" else None,
        time=written or begun,
        metadata=about,
        heard=not about.get("branch"),
        raw=raw,
    )
    documents = list(_attachments(attached, account, export, said))
    if not is_plain or attached or named:
        names = [{"file_name": one.key} for one in documents]
        item = {"sender": sender, "content": blocks, "attachments": names, "files": named}
        said = replace(said, item=item)
    if said.content or said.item:
        yield said
    else:
        account.leave_out("message without content")
    yield from documents


def _words(blocks: Sequence[JSON], text: str, account: Account) -> tuple[str, bool]:
    """Return the words in the blocks of a message, and True if nothing else is in them."""
    words: list[str] = []
    for block in blocks:
        with account.fields(block, "block") as one:
            if one.text("type") == "text":
                words.append(one.text("text") or "")
            else:
                one.rest()
    said = "\n".join(filter(None, words))
    return said if blocks and (said or len(words) < len(blocks)) else text, len(words) == len(blocks)


def _file(raw: JSON, account: Account) -> JSON:
    """Return a file's name and id alone."""
    if isinstance(raw, str):
        raw = {"file_name": raw}
    with account.fields(raw, "file") as one:
        name, id = one.text("file_name"), one.text("file_uuid") or one.text("uuid")
        kind = one.text("file_kind")
    pointer(account, name, kind)
    return {key: value for key, value in {"file_name": name, "file_uuid": id, "kind": kind}.items() if value}


def _attachments(raws: Sequence[JSON], account: Account, export: Export, said: Said) -> Iterator[Filed]:
    for number, raw in enumerate(raws, start=1):
        with (
            account.reading(f"message {said.id}, attachment {number}"),
            account.fields(raw, "attachment") as one,
        ):
            name, body = one.text("file_name"), one.text("extracted_content")
            kind = one.text("file_type")
            if body is None:
                pointer(account, name)
                continue
            yield export.filed(
                f"{said.id}/attachments/{number}",
                ("attachments", said.id),
                name or f"attachment {number}",
                body,
                metadata={
                    **said.metadata,
                    "session": said.session,
                    "message": said.id,
                    **({"file_type": kind} if kind else {}),
                },
                user=said.user,
                created_at=said.time,
                index=said.heard,
                raw=raw,
            )


SOURCE: Final = Source(
    name="claude-ai",
    title="Claude.ai",
    takes="conversations, projects and memories of an account's export",
    recognise=_recognise,
    read=_read,
)
