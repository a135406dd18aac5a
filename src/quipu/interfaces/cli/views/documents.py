"""Documents as people read them, in 80 columns and in a pipe."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows, in_full
from quipu.interfaces.cli.views.text import count, day_and_time, shortened, visible
from quipu.kinds.documents.files.model import FilesSynced
from quipu.kinds.documents.model import (
    Document,
    DocumentPath,
    DocumentVersion,
    FieldValue,
    FoundDocument,
    Passage,
)

_LONGEST = 160
_SHOWN = 20
_NONE = "No documents here. `quipu documents put` writes one."


def _content(value: object, body: str | None) -> str:
    """Return the text of a document, or its value as JSON."""
    said = [] if value is None else [json.dumps(value, ensure_ascii=False)]
    return "\n".join(said + ([] if body is None else [body]))


table = Rows[Document](
    {
        "document": lambda one: one.address,
        "version": lambda one: str(one.version),
        "changed": lambda one: day_and_time(one.updated_at),
        "content": lambda one: shortened(_content(one.value, one.body), _LONGEST),
    },
    none=_NONE,
)
"""Documents, one line each."""

found = Rows[FoundDocument](
    {
        "document": lambda one: one.document.address + ("" if one.line is None else f":{one.line}"),
        "score": lambda one: "" if one.score is None else f"{one.score:.2f}",
        "under": lambda one: one.heading or one.field or "",
        "content": lambda one: shortened(
            one.passage or _content(one.document.value, one.document.body), _LONGEST
        ),
    },
    none="No document answers that.",
)
"""Documents that a search found, each with its best passage."""


values = Rows[FieldValue](
    {
        "value": lambda one: shortened(json.dumps(one.value, ensure_ascii=False), _LONGEST),
        "documents": lambda one: str(one.documents),
    },
    none="No document has that field.",
)
"""The values of a field, each with the number of its documents."""

passages = Rows[Passage](
    {
        "line": lambda one: "" if one.line is None else str(one.line),
        "under": lambda one: one.heading or one.field or "",
        "text": lambda one: shortened(one.text, _LONGEST),
    },
    none="Recall finds nothing of it.",
)
"""The passages of a document, in their order."""


def _version_content(one: DocumentVersion) -> str:
    return "(taken out)" if one.redacted else _content(one.value, one.body)


versions = Rows[DocumentVersion](
    {
        "version": lambda one: str(one.version),
        "document": lambda one: "/".join([*one.path, one.key]),
        "written": lambda one: day_and_time(one.written_at),
        "by": lambda one: one.written_by or "",
        "until": lambda one: f"{one.ended_by} {day_and_time(one.ended_at)}" if one.ended_by else "now",
        "content": lambda one: (
            "(taken out)" if one.redacted else shortened(_content(one.value, one.body), _LONGEST)
        ),
    },
    none="It was never written.",
)
"""The versions of a document, the latest first."""


def one(document: Document) -> RenderableType:
    """Show a document with all that is known of it."""
    return in_full(
        _content(document.value, document.body),
        document.id,
        ("document", document.address),
        ("metadata", json.dumps(dict(document.metadata), ensure_ascii=False) if document.metadata else ""),
        ("user", document.user or "everybody in the space"),
        ("version", str(document.version)),
        ("sha256", document.sha256),
        ("written by", document.written_by),
        ("written", day_and_time(document.created_at)),
        ("changed", day_and_time(document.updated_at)),
        ("expires", day_and_time(document.expires_at)),
        ("indexed", ", ".join(document.index) or "no"),
    )


def version(document: DocumentVersion) -> RenderableType:
    """Show an earlier version of a document."""
    return in_full(
        _version_content(document),
        document.document,
        ("document", "/".join([*document.path, document.key])),
        ("version", str(document.version)),
        ("sha256", document.sha256),
        ("written", day_and_time(document.written_at)),
        ("until", day_and_time(document.ended_at)),
    )


def paths(found_paths: Sequence[DocumentPath]) -> RenderableType:
    """Show paths, one line each."""
    if not found_paths:
        return Text(_NONE, style="dim")
    return Text("\n".join(visible("/".join(one.path)) for one in found_paths))


def moved(number: int) -> str:
    """Say how many documents were moved."""
    return f"{count(number, 'document')} moved."


def counted(number: int) -> str:
    """Say how many documents there are."""
    return f"{count(number, 'document')}."


def indexed(waiting: int) -> str:
    """Say how many passages wait to be indexed."""
    return f"{count(waiting, 'passage')} left to index." if waiting else "All passages are indexed."


def synced(report: FilesSynced) -> RenderableType:
    """Show the result of a sync of files."""
    removed = report.removed_files[:_SHOWN] if report.preview else ()
    left = len(report.skipped) - _SHOWN
    lines = [
        f"{report.written:,} written, {report.unchanged:,} unchanged, {report.renamed:,} renamed,"
        f" {report.removed:,} removed, {len(report.skipped):,} skipped, in {report.seconds:.1f} s.",
        f"The documents are below {visible('/'.join(report.path))}.",
        *(f"would remove {visible(name)}" for name in removed),
        *(f"skipped {visible(one.file)}: {visible(one.why)}" for one in report.skipped[:_SHOWN]),
    ]
    if left > 0:
        lines.append(f"and {count(left, 'file')} more; --json names all.")
    if report.redacted:
        lines.append(f"{count(report.redacted, 'secret')} cut out.")
    if report.preview:
        lines.append("Nothing was changed.")
    return Group(*map(Text, lines))
