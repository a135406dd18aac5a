"""Words of people and agent in the sessions that Claude Code recorded.

The format is undocumented and changes, so a line is known by the fields it has, and what is unknown is passed
over and counted, never an error.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from quipu.kernel.base.lines import TOO_LONG
from quipu.record.model import FoundMessage, Refusal
from quipu.record.readers.jsonl import lines, opened, parse, unreadable

# Files among the sessions that hold something else.
_NO_SESSIONS: Final = frozenset({"journal.jsonl", "history.jsonl"})

# Written by the program in the name of the user: such a message has nothing else in it. Who quotes one of
# these tags among words of their own wrote it themselves.
_OWN: Final = (
    r"command-(?:name|message|args)|local-command-[a-z]+|bash-(?:input|stdout|stderr)|user-memory-input"
)
_OWN_BEGIN: Final = re.compile(rf"<(?:{_OWN})>")
_OWN_END: Final = re.compile(rf"</(?:{_OWN})>\Z")
_NOTICES: Final = ("<task-notification>", "Caveat: The messages below were generated")
_INTERRUPTED: Final = re.compile(r"\[Request interrupted[^\]\n]*\]")
# Put into the message of a person, at the beginning or the end of a line.
_TAGS: Final = "system-reminder|ide_opened_file|ide_selection|ide_diagnostics"
_BLOCK: Final = rf"<(?P<{{0}}>{_TAGS})>(?:(?!<(?P={{0}})>).)*?</(?P={{0}})>"
_INSERTED: Final = re.compile(
    rf"^[ \t]*(?:{_BLOCK.format('begins')}\s*)+|{_BLOCK.format('ends')}[ \t\r]*(?:\n\s*|\Z)",
    re.DOTALL | re.MULTILINE,
)
_SYNTHETIC: Final = "<synthetic>"
_BETWEEN_BLOCKS: Final = "\n\n"

Fields = Mapping[str, object]


def find(root: Path) -> Iterator[Path]:
    """Yield the files of recorded sessions below the directory, also of subagents, in order of names."""
    for path in sorted(root.rglob("*.jsonl")):
        if path.name not in _NO_SESSIONS and path.is_file():
            yield path


def read(
    path: Path, *, skipped: Counter[str] | None = None, inserted: Inserted | None = None
) -> Iterator[FoundMessage | Refusal]:
    """Yield every message that a person or the agent said, in the order of the file.

    A message is ``{"id", "session", "role", "content", "time"}``: ``id`` is the uuid of the record. A
    subagent is a session of its own, named by its agent id; what was asked of it was said by the agent, so
    all of it has the role assistant. ``skipped`` is told what was passed over, by kind: tool results,
    thinking, notices of the program, records of other types; ``inserted`` how many characters were the
    program's own. A last line that is still being written is left for the next time.

    Raises:
        NotFound: there is no such file.
        BadInput: it is a directory, or we may not read it.
    """
    passed: Counter[str] = Counter() if skipped is None else skipped
    with opened(path) as file:
        for line in lines(file):
            if line.data is None:
                yield Refusal(line.number, None, f"it is {TOO_LONG} and was passed over.", str(path))
                continue
            if (reason := unreadable(line)) is not None:
                yield Refusal(1, None, reason, str(path))
                return
            record = parse(line.data)
            if isinstance(record, str):
                if line.ended:
                    yield Refusal(line.number, None, record, str(path))
                continue
            found = said(record, path.stem, inserted)
            if isinstance(found, str):
                passed[found] += 1
            else:
                yield FoundMessage(found, number=line.number, file=str(path))


@dataclass(slots=True)
class Inserted:
    """Number of characters left out of people's messages because the program wrote them."""

    characters: int = 0


def said(record: Fields, stem: str, inserted: Inserted | None = None) -> dict[str, object] | str:
    """Return the message in a record; the kind of the record if nobody says anything in it.

    ``stem`` is the name of its file: the session of a record that names none. ``inserted`` is told what is
    left out.
    """
    inserted = Inserted() if inserted is None else inserted
    kind = record.get("type")
    if kind == "attachment":
        return _queued(record, stem, inserted)
    fields = _fields(record.get("message"))
    if kind not in ("user", "assistant") or not fields:
        return kind if isinstance(kind, str) and kind else "untyped"
    if record.get("isMeta"):
        return "meta"
    if record.get("isCompactSummary"):
        return "compact summary"
    if record.get("isApiErrorMessage") or fields.get("model") == _SYNTHETIC:
        return "notice"
    content = fields.get("content")
    text = _text(content)
    if kind == "user":
        if "tool_result" in _block_types(content):
            return "tool result"
        text = _spoken(text, inserted)
    return _message(record, text, kind, stem) if text.strip() else _silence(content)


def _queued(record: Fields, stem: str, inserted: Inserted) -> dict[str, object] | str:
    """Return the text that a person typed while the agent was at work: it is recorded as an attachment."""
    fields = _fields(record.get("attachment"))
    if fields.get("type") != "queued_command" or fields.get("commandMode", "prompt") != "prompt":
        return "attachment"
    text = _spoken(_text(fields.get("prompt")), inserted)
    return _message(record, text, "user", stem) if text.strip() else "attachment"


def _message(record: Fields, text: str, role: str, stem: str) -> dict[str, object]:
    session = record.get("sessionId") or stem
    if record.get("isSidechain"):
        role = "assistant"
        session = record.get("agentId") or f"{session}/sidechain"
    return {
        "id": record.get("uuid"),
        "session": session,
        "role": role,
        "content": text,
        "time": record.get("timestamp"),
    }


def _text(content: object) -> str:
    """Return the text of a message: the content itself, or the texts of its blocks."""
    if isinstance(content, str):
        return content
    texts = [block.get("text") for block in _blocks(content) if block.get("type") == "text"]
    return _BETWEEN_BLOCKS.join(text for text in texts if isinstance(text, str) and text.strip())


def _spoken(text: str, inserted: Inserted) -> str:
    """Return the part of a text that a person wrote; "" if the program wrote it in their name."""
    spoken = _INSERTED.sub("", text).strip()
    if _is_own(spoken):
        spoken = ""
    inserted.characters += len(text.strip()) - len(spoken)
    return spoken


def _is_own(text: str) -> bool:
    """Return True if the program wrote all of it."""
    if _OWN_BEGIN.match(text):
        return _OWN_END.search(text) is not None
    return text.startswith(_NOTICES) or _INTERRUPTED.fullmatch(text) is not None


def _silence(content: object) -> str:
    """Return the contents of a message without spoken words."""
    types = _block_types(content) - {"text"}
    return min(types) if types else "no words"


def _blocks(content: object) -> list[Fields]:
    if not isinstance(content, list):
        return []
    return [_fields(block) for block in cast("list[object]", content)]


def _fields(value: object) -> Fields:
    """Return the fields of an object; none if it is no object."""
    return cast("Fields", value) if isinstance(value, dict) else {}


def _block_types(content: object) -> set[str]:
    return {kind for block in _blocks(content) if isinstance(kind := block.get("type"), str)}
