"""The memory file of MCP's reference server ``server-memory``, as our tools of that name keep it.

``memory.jsonl`` (before: ``memory.json``) has an object a line: ``{"type": "entity", "name", "entityType",
"observations": [text]}`` and ``{"type": "relation", "from", "to", "relationType"}``. The server writes the
whole file at each change: it has no ids but the names, and no times but its own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Final

from quipu.app.imports.fields import Account, Fields, Unreadable, object_of
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Filed, Found
from quipu.app.imports.source import Source
from quipu.errors import BadInput
from quipu.kernel.base.depth import is_too_deep

# Where the tools read, and what: as `compat.server_memory.graph` has them.
_PATHS: Final = {"entity": ("server-memory", "entities"), "relation": ("server-memory", "relations")}
_MOST_TRIED: Final = 100  # files of a folder
_SENTENCES: Final = "sentences"


def _recognise(files: SourceFiles) -> bool:
    return any(_is_graph(files, name) for name in files.like(r".*\.jsonl?")[:_MOST_TRIED])


def _is_graph(files: SourceFiles, name: str) -> bool:
    """Return True if the first line is an entity or a relation."""
    line = files.begin(name, 1 << 16).removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    if is_too_deep(line):
        return False
    try:
        first = object_of(json.loads(line))
    except ValueError:
        return len(line) == 1 << 16 and line.startswith(b'{"type":"entity"')  # a long line, cut
    return first.get("type") in _PATHS and ("entityType" in first or "relationType" in first)


def _read(files: SourceFiles, account: Account) -> Iterator[Found]:
    chosen = list(files.names)
    if len(chosen) > 1:
        chosen = [name for name in files.like(r".*\.jsonl?") if _is_graph(files, name)]
        account.leave_out("file that is no memory of the server", len(files.names) - len(chosen))
    if not chosen:
        raise BadInput(f"{files.path} has no memory file of server-memory.", field="path")
    account.assume("Everything was written when the file was last changed; it has no other times.")
    places, seen, ids = Counter[str](), Counter[str](), Counter[str]()
    for name in chosen:
        time = files.modified(name)
        for where, raw in files.objects(name, account):
            with account.reading(where), account.fields(raw, "line") as line:
                kind = line.text("type") or ""
                if kind not in _PATHS:
                    account.leave_out(f"line of the type {kind or 'that is missing'}")
                    continue
                value = _value(line, kind)
                digest = _digest(value)
                id_ = _id(value) or digest
                ids[id_] += 1
                yield Filed(
                    id=id_ if ids[id_] == 1 else f"{id_} ({ids[id_]})",
                    path=_PATHS[kind],
                    key=f"{digest}-{seen[digest]}",
                    value={**value, _SENTENCES: _sentences(value)},
                    metadata={"place": places[kind]},
                    created_at=time,
                    updated_at=time,
                    index=[f"{_SENTENCES}[*]"],
                    raw=raw,
                )
                seen[digest] += 1
                places[kind] += 1


def _value(line: Fields, kind: str) -> dict[str, JSON]:
    """Return an entity or a relation, its fields in the order of the server."""
    if kind == "relation":
        return {name: _text(line, name) for name in ("from", "to", "relationType")}
    observations = line.list("observations")
    if not all(isinstance(one, str) for one in observations):
        raise Unreadable("line.observations", "it is no list of texts")
    return {
        "name": _text(line, "name"),
        "entityType": _text(line, "entityType"),
        "observations": list(observations),
    }


def _text(line: Fields, name: str) -> str:
    """Return a text, which may be empty; the server takes nothing else."""
    value = line.get(name)
    if not isinstance(value, str):
        raise Unreadable(f"line.{name}", "it is no text")
    return value


def _id(value: Mapping[str, JSON]) -> str:
    return value["name"] if "name" in value else f"{value['from']}>{value['relationType']}>{value['to']}"


def _digest(value: Mapping[str, JSON]) -> str:
    named = value.get("name", [value.get("from"), value.get("to"), value.get("relationType")])
    return sha256(json.dumps(named).encode()).hexdigest()[:40]


def _sentences(value: Mapping[str, JSON]) -> list[str]:
    if "name" not in value:
        return [f"{value['from']} {value['relationType']} {value['to']}"]
    observed = [f"{value['name']}: {text}" for text in value["observations"]]
    return [f"{value['name']} ({value['entityType']})", *observed]


SOURCE: Final = Source(
    name="server-memory",
    title="MCP server-memory",
    takes="the entities and relations of its file, where our tools of that server find them",
    recognise=_recognise,
    read=_read,
)
