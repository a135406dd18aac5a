"""Imports as people read them: what would come, what came, and where each record came from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from quipu.app.imports.model import (
    Import,
    ImportedPerson,
    ImportedRecord,
    ImportReport,
    ImportUndone,
)
from quipu.interfaces.cli.views.layout import Rows, amounts, in_full
from quipu.interfaces.cli.views.text import count, day_and_time, shortened, visible
from quipu.recall.render import Origin

_MOST_LINES = 20
_LONGEST = 100
_BECOME = {
    "message": ("message", "messages"),
    "memory": ("long-term memory", "long-term memories"),
    "lesson": ("lesson", "lessons"),
    "document": ("document", "documents"),
    "loop": ("open loop", "open loops"),
}


def report(done: ImportReport) -> RenderableType:
    """Show the account of an import or of its preview."""
    return Group(*_report(done))


def _report(done: ImportReport) -> Iterator[RenderableType]:
    version = f" {visible(done.version)}" if done.version else ""
    yield Text(f"{done.title}{version}: {visible(done.label)}", style="bold")
    yield Text(_sentence(done))
    if done.first is not None and done.last is not None:
        yield Text(f"From {day_and_time(done.first)} to {day_and_time(done.last)} UTC.")
    if done.ended:
        yield Text(f"{count(done.ended, 'statement')} of the past, kept as what held once.")
    for number, word in (
        (done.known, "here already"),
        (done.changed, "changed at the source since"),
        (done.withheld, "left out: they were forgotten here (--erased-too brings them)"),
    ):
        if number:
            yield Text(f"{count(number, 'record')} {word}.")
    if done.people:
        yield from _under("People", _people(done.people[:_MOST_LINES]))
        if not done.done and any(one.user is None for one in done.people):
            yield Text("  Say who is whose: --as 'Ana <ana@example.org>=ana'.", style="dim")
    yield from _counted("Not taken", "why", done.left_out)
    yield from _counted(
        "Fields without a place here; they stay in the record of the source", "field", done.dropped
    )
    yield from _counted("Secrets cut out", "kind", done.redacted)
    if done.assumed:
        yield from _under("Assumed", Text("\n".join(map(visible, done.assumed))))
    if done.refused:
        shown = "\n".join(visible(shortened(one, _LONGEST)) for one in done.refused[:_MOST_LINES])
        yield from _under(f"Refused: {count(done.unreadable, 'record')}", Text(shown))


def _sentence(done: ImportReport) -> str:
    parts = [count(number, *_BECOME[kind]) for kind, number in done.records.items() if number]
    came = "came" if done.done else "would come"
    return f"{', '.join(parts)} {came}." if parts else f"Nothing new {came}."


def _people(people: Sequence[ImportedPerson]) -> RenderableType:
    return Rows[ImportedPerson](
        {
            "as the source says": lambda one: one.name,
            "user": lambda one: one.user or "",
            "records": lambda one: f"{one.records:,}",
        },
        right=("records",),
    )(people)


def _counted(head: str, name: str, counted: Mapping[str, int]) -> Iterator[RenderableType]:
    if counted:
        shown = dict(sorted(counted.items(), key=lambda pair: -pair[1])[:_MOST_LINES])
        yield from _under(head, amounts(shown, name, "records"))
        if len(counted) > len(shown):
            yield Text(f"  and {count(len(counted) - len(shown), 'other')}; --json has all.", style="dim")


def _under(head: str, shown: RenderableType) -> Iterator[RenderableType]:
    yield Text(f"\n{head}")
    yield Padding(shown, (0, 0, 0, 2), expand=False)


def _records(records: Mapping[str, int]) -> str:
    return ", ".join(count(number, *_BECOME[kind]) for kind, number in records.items()) or "nothing left"


table = Rows[Import](
    {
        "import": lambda one: one.id,
        "from": lambda one: f"{one.source}: {one.label}",
        "begun": lambda one: day_and_time(one.begun_at),
        "there of it": lambda one: _records(one.records) + ("" if one.ended_at else " (was cut off)"),
    },
    none="Nothing was imported here. `quipu import PATH` previews what would come.",
)
"""Imports, one line each."""


def one(made: Import) -> RenderableType:
    """Show an import in full."""
    told = [f"{why}: {number:,}" for why, number in made.told.get("left_out", {}).items()]
    return in_full(
        f"{made.source}: {made.label}",
        made.id,
        ("version", made.version),
        ("sha256", made.sha256),
        ("begun", day_and_time(made.begun_at)),
        (
            "ended",
            day_and_time(made.ended_at) if made.ended_at else "it was cut off; the same import goes on",
        ),
        ("there of it", _records(made.records)),
        ("not taken", "; ".join(told)),
        ("assumed", " ".join(made.told.get("assumed", ()))),
    )


def _raw(raw: object) -> str:
    return "" if raw is None else shortened(json.dumps(raw, ensure_ascii=False), _LONGEST)


records = Rows[ImportedRecord](
    {
        "kind": lambda one: one.kind,
        "id there": lambda one: one.source_id,
        "id here": lambda one: one.target,
        "record of the source": lambda one: _raw(one.raw),
    },
    none="Nothing is left of it.",
)
"""Records that an import brought, one line each."""


def undone(done: ImportUndone) -> RenderableType:
    """Show the rows that went, or would go, with an import."""
    return amounts(done.rows, "table", "rows") if done.rows else Text("Nothing is left of it.", style="dim")


def origin(found: Origin | None) -> RenderableType:
    """Show where a memory was brought from."""
    if found is None:
        return Text("It was not imported.", style="dim")
    return in_full(
        f"{found.source}: {found.label}",
        found.source_id,
        ("version", found.version),
        ("sha256", found.sha256),
        ("import", found.import_id),
        ("brought", day_and_time(found.brought_at)),
        ("record", None if found.raw is None else json.dumps(found.raw, ensure_ascii=False, indent=2)),
    )
