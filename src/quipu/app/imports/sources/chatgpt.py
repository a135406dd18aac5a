"""ChatGPT: the export of an account, a zip or its folder.

Since March 2026 ``conversations-000.json`` and following, before one ``conversations.json``; each an array of
``{conversation_id, title, create_time, update_time, current_node, mapping}``. ``mapping`` is a tree by node:
``{message, parent, children}``; the way from ``current_node`` up to the root is the conversation as it was
last seen, the other nodes are answers and questions that were replaced. A message is ``{id, author {role,
name}, create_time (seconds, or null), content {content_type, …}, metadata, recipient, weight}``. By its type
content is words (``text`` and ``multimodal_text``: ``parts``, some of them pointers to images and sound),
instructions (``user_editable_context``), or an agent's work (``code``, ``execution_output``, ``thoughts``,
``tether_quote`` and others; also whatever is addressed to a tool), which is kept as an item without text.
Saved memories are not in the export: see `pasted`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from quipu.app.imports.fields import Account, Fields, object_of
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Said
from quipu.app.imports.source import Source
from quipu.app.imports.sources.branches import in_order
from quipu.app.imports.sources.pointers import leave_files, pointer
from quipu.errors import BadInput

_CONVERSATIONS: Final = r"(?:.*/)?conversations(?:[-_]\d+)?\.json"
_BEGINNING: Final = 1 << 16
_ASSUMED: Final = (
    "a message without a time was said when the message before it was, or when its conversation began"
)
# Types of content without words of anybody. Of all others the texts among the parts are taken.
_WORK: Final = frozenset(
    {
        "code",
        "execution_output",
        "computer_output",
        "system_error",
        "thoughts",
        "reasoning_recap",
        "tether_browsing_code",
        "tether_browsing_display",
        "tether_quote",
        "sonic_webpage",
        "model_editable_context",
        "super_widget",
        "app_pairing_content",
        "citable_code_output",
    }
)
_INSTRUCTIONS: Final = "user_editable_context"


def _recognise(files: SourceFiles) -> bool:
    return any(b'"mapping"' in files.begin(name, _BEGINNING) for name in _files(files))


def _files(files: SourceFiles) -> Sequence[str]:
    """Return the files of conversations; one file alone may have any name."""
    names = files.names
    return files.like(_CONVERSATIONS) or (names if len(names) == 1 and names[0].endswith(".json") else [])


def _read(files: SourceFiles, account: Account) -> Iterator[Said]:
    names = _files(files)
    if not names:
        raise BadInput(f"{files.path} has no conversations.json.", field="path")
    met: dict[str, float] = {}
    for name in names:
        for number, raw in enumerate(files.each(name), start=1):
            if number == 1 and not (isinstance(raw, dict) and "mapping" in raw):
                raise BadInput(
                    f"{name} is no export of ChatGPT: its first element has no mapping.", field="path"
                )
            with account.reading(f"{name}, conversation {number:,}"):
                yield from _conversation(raw, account, met)
    leave_files(account, sorted(set(files.names) - set(names)))


def _conversation(raw: JSON, account: Account, met: dict[str, float]) -> Iterator[Said]:
    with account.fields(raw, "conversation") as one:
        id = one.text("conversation_id") or one.words("id")
        one.get("id")
        nodes, current = one.object("mapping"), one.text("current_node")
        title, begun = one.text("title"), one.time("create_time")
        updated = one.number("update_time") or 0.0
    if met.get(id, -1.0) >= updated:
        account.leave_out("conversation that was in a file before")
        return
    met[id] = updated
    parents = {key: _parent(node) for key, node in nodes.items()}
    times: dict[str | None, datetime | None] = {None: begun}
    for key, is_branch in in_order(current, parents):
        times[key] = times.get(parents[key], begun)
        with account.reading(f"conversation {id}, node {key}"):
            said = _said(nodes[key], account, key=key, session=id, title=title, before=times[key])
            if said is not None:
                times[key] = said.time
                yield _branch(said) if is_branch else said


def _parent(node: JSON) -> str | None:
    parent = object_of(node).get("parent")
    return parent if isinstance(parent, str) else None


def _branch(said: Said) -> Said:
    return replace(said, heard=False, metadata={**said.metadata, "branch": True})


def _said(
    node: JSON, account: Account, *, key: str, session: str, title: str | None, before: datetime | None
) -> Said | None:
    with account.fields(node, "node") as one:
        for name in ("id", "parent", "children"):
            one.get(name)
        raw = one.object("message")
    if not raw:
        return None
    with account.fields(raw, "message") as message:
        author, about = message.part("author"), message.part("metadata")
        content = message.part("content")
        role, name = author.words("role"), author.text("name")
        kind = content.words("content_type")
        words, is_plain = _words(kind, content, account)
        is_plain &= not _attached(about, account)
        to = message.text("recipient")
        is_work = to not in (None, "all") or message.text("channel") == "analysis"
        is_weightless = message.number("weight") == 0
        hidden = about.flag("is_visually_hidden_from_conversation") or is_weightless
        when, model = message.time("create_time"), about.text("model_slug")
        id = message.text("id") or key
    if is_plain and not words and not is_work:
        account.leave_out("message without content")
        return None
    if when is None and before is not None:
        account.assume(_ASSUMED)
    is_instruction = kind == _INSTRUCTIONS
    return Said(
        id=id,
        session=session,
        content="" if is_work else words,
        role="system" if is_instruction else role,
        speaker=name if role == "user" else None,
        time=when or before,
        item=None if is_plain and not is_work else raw,
        metadata=_given(title=title, model=model, tool=name if role != "user" else None, hidden=hidden),
        heard=not (hidden or is_instruction or role == "system"),
        raw=raw,
    )


def _given(**values: Any) -> dict[str, JSON]:
    return {name: value for name, value in values.items() if value}


def _words(kind: str, content: Fields, account: Account) -> tuple[str, bool]:
    """Return the words of a content, and True if it is nothing but words."""
    if kind == _INSTRUCTIONS:
        texts = (content.text("user_profile"), content.text("user_instructions"))
        return "\n\n".join(filter(None, texts)), True
    if kind in _WORK:
        content.rest()
        return "", False
    parts = content.list("parts")
    read = [_part(part, account) for part in parts]
    words = [text for text, _ in read if text]
    if not parts and (text := content.text("text")):
        words = [text]
    return "\n".join(words), all(is_plain for _, is_plain in read)


def _part(part: JSON, account: Account) -> tuple[str, bool]:
    if isinstance(part, str):
        return part, True
    kind, text = object_of(part).get("content_type"), object_of(part).get("text")
    if kind == "audio_transcription" and isinstance(text, str):
        return text, False
    is_image = isinstance(kind, str) and kind.startswith("image")
    pointer(account, None, "image/" if is_image else "audio/" if "audio" in str(kind) else None)
    return "", False


def _attached(about: Fields, account: Account) -> Sequence[JSON]:
    attached = about.list("attachments")
    for one in attached:
        media_type = object_of(one).get("mimeType")
        pointer(account, None, media_type if isinstance(media_type, str) else None)
    return attached


SOURCE: Final = Source(
    name="chatgpt",
    title="ChatGPT",
    takes="conversations of an account's export",
    recognise=_recognise,
    read=_read,
)
