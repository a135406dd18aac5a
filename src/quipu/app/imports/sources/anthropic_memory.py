"""Folders of Anthropic's memory tool, as our tool keeps them: each file of text is a document.

The tool of the client writes below ``memories/``, any names and any text; what models name
``/memories/a/b.md`` is ``memories/a/b.md``. Files have no times but their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from quipu.app.imports.fields import Account
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import Filed, Found
from quipu.app.imports.source import Source
from quipu.errors import BadInput

_ROOT: Final = "memories"  # where the tool of `compat.anthropic` keeps its files unless told otherwise
_OF_CODEX: Final = ("raw_memories.md", "memory_summary.md", "rollout_summaries/")


def _recognise(files: SourceFiles) -> bool:
    names = [name.removeprefix(f"{_ROOT}/") for name in files.names]
    inside = all(name.startswith(f"{_ROOT}/") for name in files.names) or files.path.resolve().name == _ROOT
    return bool(names) and inside and not any(name.startswith(_OF_CODEX) for name in names)


def _read(files: SourceFiles, account: Account) -> Iterator[Found]:
    if not files.names:
        raise BadInput(f"{files.path} has no files.", field="path")
    account.assume("Each file was written when it was last changed; it has no other times.")
    is_inside = all(name.startswith(f"{_ROOT}/") for name in files.names)
    for name in files.names:
        below = name.removeprefix(f"{_ROOT}/") if is_inside else name
        try:
            text = files.text(name)
        except BadInput as error:
            account.refuse(name, error.message.removeprefix("path: "))
            continue
        if "\0" in text:
            account.refuse(name, "it is no text")
            continue
        *folders, key = below.split("/")
        time = files.modified(name)
        yield Filed(
            id=f"{_ROOT}/{below}",
            path=(_ROOT, *folders),
            key=key,
            body=text,
            created_at=time,
            updated_at=time,
        )


SOURCE: Final = Source(
    name="anthropic-memory",
    title="Anthropic's memory tool",
    takes="the files of its folder, where our memory tool finds them",
    recognise=_recognise,
    read=_read,
)
