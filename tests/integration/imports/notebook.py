"""A source for tests: a file of JSON with records of every kind, written as the test wants them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from quipu.app.imports.fields import Account
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import Earlier, Filed, Found, Said, Stated, ToDo
from quipu.app.imports.source import Source

_KINDS: Mapping[str, type[Any]] = {"said": Said, "stated": Stated, "filed": Filed, "todo": ToDo}
_TIMES = ("time", "valid_from", "valid_until", "created_at", "updated_at", "expires_at", "due")


def read(files: SourceFiles, account: Account) -> Iterator[Found]:
    account.version = "1"
    for raw in files.each("notebook.json"):
        with account.fields(raw, "record") as fields:
            kind = _KINDS[fields.words("kind")]
            given = {name: fields.get(name) for name in raw if name in kind.__dataclass_fields__}
        for name in _TIMES:
            if given.get(name):
                given[name] = datetime.fromisoformat(given[name])
        if given.get("earlier"):
            given["earlier"] = [
                Earlier(body=one["body"], time=datetime.fromisoformat(one["time"]))
                for one in given["earlier"]
            ]
        yield kind(**given, raw=raw)


NOTEBOOK = Source(
    name="notebook",
    title="Notebook",
    takes="whatever a test writes",
    recognise=lambda files: "notebook.json" in files,
    read=read,
)


def written(folder: Path, *records: Mapping[str, Any]) -> Path:
    """A notebook with these records."""
    folder.mkdir(exist_ok=True)
    (folder / "notebook.json").write_text(json.dumps(records))
    return folder


MOVED = {
    "kind": "said", "id": "m2", "session": "s1", "content": "I moved to Lisbon in May.", "user": "ana",
    "time": "2025-06-01T00:00:00+00:00", "mood": "glad",
}  # fmt: skip
LIVED = {
    "kind": "said", "id": "m1", "session": "s1", "content": "I live in Berlin.", "user": "ana",
    "time": "2024-01-10T00:00:00+00:00",
}  # fmt: skip
IN_BERLIN = {
    "kind": "stated", "id": "e1", "text": "Ana lives in Berlin.", "user": "ana", "sources": ["s1/m1"],
    "time": "2024-01-10T00:00:00+00:00", "valid_from": "2024-01-10T00:00:00+00:00",
    "valid_until": "2025-05-01T00:00:00+00:00", "metadata": {"subject": "Ana", "predicate": "LIVES_IN"},
}  # fmt: skip
IN_LISBON = {
    "kind": "stated", "id": "e2", "text": "Ana lives in Lisbon.", "user": "ana", "sources": ["s1/m2"],
    "time": "2025-06-01T00:00:00+00:00", "valid_from": "2025-05-01T00:00:00+00:00",
    "metadata": {"subject": "Ana", "predicate": "LIVES_IN"},
}  # fmt: skip
LESSON = {
    "kind": "stated",
    "id": "l1",
    "text": "Use pnpm, never npm.",
    "lesson": True,
    "category": "preference",
}
NOTE = {
    "kind": "filed", "id": "n1", "path": ["notes"], "key": "boat.md", "body": "# Alba\n\nShe is green now.",
    "created_at": "2025-01-01T00:00:00+00:00", "updated_at": "2025-02-01T00:00:00+00:00",
    "earlier": [{"body": "# Alba\n\nShe is blue.", "time": "2025-01-01T00:00:00+00:00"}],
}  # fmt: skip
TASK = {
    "kind": "todo", "id": "t1", "text": "Buy filters for the coffee", "user": "ana",
    "time": "2025-03-01T00:00:00+00:00", "due": "2027-03-02T00:00:00+00:00",
}  # fmt: skip
HIDDEN = {
    "kind": "said", "id": "m0", "session": "s1", "role": "system", "content": "You are a pirate.",
    "heard": False, "time": "2024-01-01T00:00:00+00:00",
}  # fmt: skip
EVERYTHING = (HIDDEN, LIVED, MOVED, IN_BERLIN, IN_LISBON, LESSON, NOTE, TASK)
