"""Records of Letta, of files and of databases alike: messages, memory blocks, passages and files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from quipu.app.imports.fields import Account, Fields, list_of, object_of
from quipu.app.imports.found import JSON, Earlier, Filed, Said, Stated
from quipu.kernel.base.depth import is_too_deep

_BOOT: Final = "Bootup sequence complete. Persona activated. Testing messaging functionality."
_EVENTS: Final = frozenset({"login", "heartbeat", "system_alert", "system_message", "summary"})
_SAYS: Final = "send_message"
_THINKS: Final = ("memgpt", "sleeptime")  # kinds of agents that speak by a call alone
_IN_ITEM: Final = (
    "name",
    "tool_calls",
    "tool_call_id",
    "tool_returns",
    "approve",
    "approval_request_id",
    "denial_reason",
    "approvals",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent, the session of its messages, and how it speaks."""

    name: str
    session: str
    kind: str | None = None
    user: str | None = None

    @property
    def thinks(self) -> bool:
        """True if what it writes beside a call is thought, and said to nobody."""
        return (self.kind or "").startswith(_THINKS)


@dataclass(slots=True)
class _Content:
    """Parts of a message: its texts, the calls in it, and the parts without the bytes of images."""

    texts: list[str]
    calls: list[tuple[JSON, JSON]]
    parts: list[JSON] | str
    is_text: bool = True


def message(given: Fields, raw: Mapping[str, JSON], *, id_: str, agent: Agent, account: Account) -> Said:
    """Return a message of an agent: the words alone that somebody heard, the rest in its item."""
    role, time = given.words("role"), given.time("created_at")
    content = _content(given, account)
    kept = {name: given.get(name) for name in _IN_ITEM}
    item = {"role": role, "content": content.parts, **kept}
    item = {name: value for name, value in item.items() if value not in (None, [], {})}
    metadata: dict[str, JSON] = {} if agent.session == agent.name else {"agent": agent.name}
    text, speaker, heard, is_plain = "\n".join(content.texts), None, True, content.is_text
    if role == "user":
        event, text, speaker = _unpacked(text)
        if event is not None:
            metadata["event"], heard = event, False
        is_plain &= event is None and text == "\n".join(content.texts)
    elif role == "system":
        heard = False
    elif role == "summary":
        metadata["event"], heard, text, is_plain = role, False, "", False
    elif role in ("assistant", "approval") and (role == "assistant" or content.texts or kept["tool_calls"]):
        said = _spoken(content, kept["tool_calls"])
        if content.texts == [_BOOT]:
            metadata["event"], heard = "boot", False
        thought = agent.thinks or (agent.kind is None and bool(said))
        text = "\n".join(said if thought else [*content.texts, *said])
        role, is_plain = "assistant", is_plain and not thought and not kept["tool_calls"]
    elif role in ("tool", "function", "approval"):
        text, is_plain = "", False
    return Said(
        id=id_,
        session=agent.session,
        content=text,
        role=role,
        speaker=speaker,
        user=agent.user if role == "user" else None,
        time=time,
        item=None if is_plain and text else item,
        metadata=metadata,
        heard=heard,
        raw={**raw, "content": content.parts},
    )


def block(
    given: Fields,
    raw: Mapping[str, JSON],
    *,
    id_: str,
    agents: Sequence[str],
    account: Account,
    user: str | None = None,
    earlier: Sequence[Earlier] = (),
) -> Stated | Filed | None:
    """Return a memory block: a persona is an instruction and kept as a document, others are statements."""
    label, value = given.words("label"), given.text("value") or ""
    created, updated = given.time("created_at"), given.time("updated_at")
    metadata: dict[str, JSON] = {
        "label": label,
        "agents": list(agents),
        "limit": given.number("limit"),
        "read_only": given.flag("read_only"),
        "description": given.text("description"),
        **(given.object("metadata") or given.object("metadata_")),
    }
    metadata = {name: one for name, one in metadata.items() if one not in (None, [], "")}
    if given.flag("is_template"):
        account.leave_out("template of a block")
        return None
    if not value.strip():
        account.leave_out("empty block")
        return None
    kind = label.removeprefix("system/")
    if kind == "persona":
        return Filed(
            id=id_,
            path=("letta", "personas"),
            key=id_,
            body=value,
            metadata=metadata,
            created_at=created,
            updated_at=updated,
            index=False,
            earlier=earlier,
            raw=raw,
        )
    return Stated(
        id=id_,
        text=value,
        category=kind,
        user=user,
        time=updated or created,
        metadata=metadata,
        raw=raw,
    )


def passage(
    given: Fields, raw: Mapping[str, JSON], *, archive: Mapping[str, JSON], user: str | None
) -> Stated:
    """Return a passage of the archival memory of an agent."""
    metadata = {"tags": given.list("tags"), **given.object("metadata_"), **archive}
    return Stated(
        id=given.words("id"),
        text=given.words("text"),
        category="archival",
        user=user,
        time=given.time("created_at"),
        metadata={name: one for name, one in metadata.items() if one not in (None, [], "")},
        raw=raw,
    )


def file(given: Fields, raw: Mapping[str, JSON], *, account: Account) -> Filed | None:
    """Return the text of a file; None if it has none."""
    id_, name, body = given.words("id"), given.words("file_name"), given.text("content")
    created, updated = given.time("created_at"), given.time("updated_at")
    metadata = {
        "media_type": given.text("file_type"),
        "original_name": given.text("original_file_name"),
        "size": given.number("file_size"),
    }
    if body is None:
        account.leave_out("file without its text")
        return None
    *folders, key = [part for part in name.split("/") if part] or [id_]
    return Filed(
        id=id_,
        path=("letta", "files", *folders),
        key=key,
        body=body,
        metadata={key: one for key, one in metadata.items() if one is not None},
        created_at=created,
        updated_at=updated,
        raw={name: one for name, one in raw.items() if name != "content"},
    )


def _content(given: Fields, account: Account) -> _Content:
    """Return the parts of a message; of images a pointer."""
    text, value = given.text("text"), given.get("content")
    if isinstance(value, str):
        return _Content([value], [], value)
    texts: list[str] = [text] if text and not value else []
    calls: list[tuple[JSON, JSON]] = []
    parts: list[JSON] = []
    is_text = True
    for part in given.list("content"):
        of_it = object_of(part)
        kind = of_it.get("type")
        if isinstance(words := of_it.get("text") if kind == "text" else part, str):
            texts.append(words)
        elif kind == "image":
            account.drop("message.image")
            source = {
                name: one for name, one in object_of(of_it.get("source")).items() if not _is_bytes(name, one)
            }
            texts.append(f"[image: {_image_name(source)}]")
            part, is_text = {**of_it, "source": source}, False
        else:
            is_text = False
            if kind == "tool_call":
                calls.append((of_it.get("name"), of_it.get("input")))
        parts.append(part)
    return _Content(texts, calls, parts, is_text)


def _is_bytes(name: str, value: JSON) -> bool:
    return name == "data" or (isinstance(value, str) and value.startswith("data:"))


def _image_name(source: Mapping[str, JSON]) -> str:
    known = (source.get(name) for name in ("url", "file_id", "media_type"))
    return next((one for one in known if isinstance(one, str) and one), "unnamed")


def _unpacked(text: str) -> tuple[str | None, str, str | None]:
    """Return the event that a message of the user is, or else what the user said, and who that was."""
    packed = _object(text)
    kind = packed.get("type")
    if kind == "user_message" and isinstance(words := packed.get("message"), str):
        name = packed.get("name")
        return None, words, name if isinstance(name, str) and name else None
    if isinstance(kind, str) and kind in _EVENTS and "time" in packed:
        return kind, "", None
    return None, text, None


def _spoken(content: _Content, calls: JSON) -> list[str]:
    """Return the words that an agent says by calls."""
    functions = [object_of(object_of(call).get("function")) for call in list_of(calls)]
    made = [*content.calls, *((one.get("name"), one.get("arguments")) for one in functions)]
    said: list[str] = []
    for name, arguments in made:
        words = (_object(arguments) if isinstance(arguments, str) else object_of(arguments)).get("message")
        if name == _SAYS and isinstance(words, str):
            said.append(words)
    return said


def _object(text: str) -> dict[str, Any]:
    """Return the object that a text of JSON is; empty if it is none."""
    if not text.lstrip().startswith("{") or is_too_deep(text.encode("utf-8", "replace")):
        return {}
    try:
        return object_of(json.loads(text))
    except ValueError:
        return {}
