"""Exports of mem0 as items: what ``get_all`` returns, of library or platform, and the plugin's Markdown.

JSON is a list of items, or an object that has them under ``results``, ``memories`` or ``records``. Markdown
is a block for each memory: ``---``, lines of ``id``, ``created_at``, ``type``, ``confidence``, ``branch``,
``files`` and ``categories``, ``---``, and the text until the next block. It does not say whose memories they
are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from quipu.app.imports.fields import Account
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON
from quipu.errors import BadInput

_BOM: Final = b"\xef\xbb\xbf"
_ITEM: Final = re.compile(rb'"id"\s*:\s*"[^"]*"\s*,\s*"memory"\s*:\s*"')
_BLOCK: Final = re.compile(rb"---[ \t]*\r?\nid:.*\n(?:\w+:.*\n)*confidence:.*\n(?:\w+:.*\n)*---")
_LISTS: Final = ("results", "memories", "records")
_AROUND: Final = ("count", "next", "previous", "total", "version", "kind", "exported_at", "record_count")
_HEAD: Final = re.compile(r"(?m)^---[ \t]*\n(?P<fields>id:.*\n(?:[A-Za-z_]\w*:.*\n)*)---[ \t]*\n")
_FIELD: Final = re.compile(r"(?m)^(\w+):[ \t]*(.*?)[ \t]*$")
_JOINED: Final = ("files", "categories")
_NOBODY: Final = "Markdown of the plugin does not say whose memories they are: they are everybody's."


def kind_of(files: SourceFiles, name: str) -> str | None:
    """Return "json" or "markdown" for an export of memories."""
    begin = files.begin(name).removeprefix(_BOM)
    if name.endswith(".json") and _ITEM.search(begin):
        return "json"
    if name.endswith(".md") and _BLOCK.match(begin):
        return "markdown"
    return None


def by_name(name: str) -> str | None:
    """Return the kind of export that a name stands for."""
    return {"json": "json", "md": "markdown"}.get(name.rpartition(".")[2])


def items(files: SourceFiles, name: str, account: Account) -> Iterator[tuple[str, JSON]]:
    """Yield the items of JSON, with their places."""
    if files.begin(name).removeprefix(_BOM).lstrip().startswith(b"["):
        for number, item in enumerate(files.each(name), start=1):
            yield f"{name}, element {number:,}", item
        return
    number = 0
    for key, item in files.members(name):
        if key in _LISTS:
            number += 1
            yield f"{name}, {key} {number:,}", item
        elif key not in _AROUND and item not in (None, "", {}):
            account.drop(f"export.{key}")
    if not number and len(files.names) == 1:
        raise BadInput(f"{name} has no memories of mem0.", field="path")


def blocks(files: SourceFiles, name: str, account: Account) -> Iterator[tuple[str, JSON]]:
    """Yield the blocks of Markdown as items, with their places."""
    account.assume(_NOBODY)
    text = files.text(name).replace("\r\n", "\n").replace("\r", "\n")
    heads = [*_HEAD.finditer(text), None]
    for number, (head, after) in enumerate(pairwise(heads), start=1):
        assert head is not None
        fields = {key: value for key, value in _FIELD.findall(head["fields"]) if value}
        said = text[head.end() : len(text) if after is None else after.start()].strip()
        id_, created = fields.pop("id", None), fields.pop("created_at", None)
        metadata: dict[str, JSON] = {**fields}
        for key in _JOINED:
            if key in fields:
                metadata[key] = [part.strip() for part in fields[key].split(",") if part.strip()]
        where = f"{name}, block {number:,}"
        if said:
            yield where, {"id": id_, "memory": said, "created_at": created, "metadata": metadata}
        else:
            account.leave_out("a block without text")
