"""Portable Memory, ``.mem`` 1.x, of MacPaw: a folder, or a zip of it.

``manifest.json`` (``{format: "1.1.0", generator, conformanceLevel, files [{path, sha256, bytes}]}``) and
lines of JSON, one a record, in ``items/<kind>.jsonl``: ``episode`` (what happened or was said: ``{id,
details, summary, eventTime, sourceType, speaker, contextID, …}``), ``fact`` and ``edge`` (with
``tValidFrom``, ``tValidTo``, ``supersededBy`` and the episodes they rest on), ``entity``, ``core`` (profile),
``preference``, ``procedure``, ``resource`` with its ``chunk``s, ``context``. ``audit/tombstones.jsonl`` names
what was deleted: it counts before anything else, also for what rests on it. Every file is listed with its
digest; one that differs, or is not listed, is refused before anything is read. Signatures are not checked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Final, cast

from quipu.app.imports.fields import Account, object_of
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Found
from quipu.app.imports.source import Source
from quipu.app.imports.sources.mem_records import READERS, Bundle, names_of
from quipu.errors import BadInput
from quipu.kernel.base.depth import TOO_DEEP, is_too_deep

_MANIFEST: Final = r"(?:.*/)?manifest\.json"
_PARTS: Final = ("items/", "audit/", "embeddings/")
_PIECE: Final = 1 << 20
_ORDER: Final = ("episode", "fact", "edge", "entity", "core", "preference", "procedure", "resource")
_FOLDED: Final = ("context", "chunk")  # in the records of others


def _roots(files: SourceFiles) -> list[str]:
    return [
        name.removesuffix("manifest.json")
        for name in files.like(_MANIFEST)
        if b'"conformanceLevel"' in files.begin(name, 1 << 16)
    ]


def _recognise(files: SourceFiles) -> bool:
    return bool(_roots(files))


def _read(files: SourceFiles, account: Account) -> Iterator[Found]:
    roots = _roots(files)
    if not roots:
        raise BadInput(f"{files.path} is no bundle of .mem: it has no manifest.json of one.", field="path")
    for root in roots:
        _check(files, root, account)
        yield from _bundle(files, root, account)


def _check(files: SourceFiles, root: str, account: Account) -> None:
    """Compare every file with the manifest.

    Raises:
        BadInput: it is of a newer format, or a file is damaged, missing or not listed.
    """
    manifest: JSON = files.json(f"{root}manifest.json")
    version = object_of(manifest).get("format")
    if not isinstance(version, str) or version.partition(".")[0] != "1":
        raise BadInput(f"{root}manifest.json is of format {version!r}; 1.x is read.", field="path")
    account.version = f".mem {version}"
    listed: set[str] = set()
    entries = object_of(manifest).get("files")
    for entry in cast("list[JSON]", entries) if isinstance(entries, list) else ():
        path, digest = object_of(entry).get("path"), object_of(entry).get("sha256")
        if not isinstance(path, str) or f"{root}{path}" not in files:
            raise BadInput(f"{root}{path} is listed in the manifest, and missing.", field="path")
        if _digest(files, f"{root}{path}") != digest:
            raise BadInput(f"{root}{path} is not as the manifest says: its digest differs.", field="path")
        listed.add(path)
    for name in files.names:
        path = name.removeprefix(root)
        if name.startswith(root) and path.startswith(_PARTS) and path not in listed:
            raise BadInput(f"{name} is not listed in the manifest.", field="path")


def _digest(files: SourceFiles, name: str) -> str:
    digest = hashlib.sha256()
    with files.open(name) as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _bundle(files: SourceFiles, root: str, account: Account) -> Iterator[Found]:
    generator = object_of(files.json(f"{root}manifest.json")).get("generator")
    bundle = Bundle(account, of_quipu=isinstance(generator, str) and generator.startswith("quipu "))
    for _, raw in _lines(files, f"{root}audit/tombstones.jsonl", account):
        bundle.bury(raw)
    for kind in ("episode", "entity", "fact"):
        for _, raw in _lines(files, f"{root}items/{kind}.jsonl", Account()):
            bundle.learn(kind, raw)
    for kind in _FOLDED:
        for where, raw in _lines(files, f"{root}items/{kind}.jsonl", account):
            with account.reading(where):
                bundle.fold(kind, raw)
    for kind in _ORDER:
        for where, raw in _lines(files, f"{root}items/{kind}.jsonl", account):
            with account.reading(where):
                if any(id in bundle.buried for id in names_of(kind, raw)):
                    account.leave_out("deleted at the source")
                else:
                    yield from READERS[kind](raw, bundle)
    if bundle.chunks:
        account.leave_out("chunk whose resource is missing", sum(map(len, bundle.chunks.values())))
    for name in files.names:
        kind = name.removeprefix(f"{root}items/").removesuffix(".jsonl")
        if name == f"{root}items/{kind}.jsonl" and kind not in (*_ORDER, *_FOLDED):
            count = sum(1 for _, line in files.lines(name) if line and line.strip())
            account.leave_out(f"{kind} of .mem", count)


def _lines(files: SourceFiles, name: str, account: Account) -> Iterator[tuple[str, JSON]]:
    """Yield the records of a file with their places; none if there is no such file."""
    if name not in files:
        return
    for number, line in files.lines(name):
        where = f"{name}, line {number:,}"
        if line is None or is_too_deep(line):
            account.refuse(where, "it is longer than 64 MB" if line is None else TOO_DEEP)
        elif line.strip():
            try:
                raw = json.loads(line)
            except ValueError as error:
                account.refuse(where, f"it is no JSON: {error}")
            else:
                yield where, raw


SOURCE: Final = Source(
    name="mem",
    title="Portable Memory (.mem)",
    takes="episodes, facts, relations and files of a bundle",
    recognise=_recognise,
    read=_read,
)
