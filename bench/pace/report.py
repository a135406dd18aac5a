"""The table, the sizes and the JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from pace.figures import Row, middle, ratio
from pace.server import Relation

_COLUMNS = (
    *("bulk/s", "add p50", "p95", "CPU", "x ref", "search p50", "p95", "CPU", "x ref", "hit@10", "short"),
    *("8 clients/s", "MB", "server MB", "B each", "first s"),
)


def show(console: Console, rows: Sequence[Row], *, title: str) -> None:
    """One line for each store; a store that failed says why."""
    table = Table(title=title, title_justify="left", caption_justify="left")
    table.add_column("store (loaded)")
    for column in _COLUMNS:
        table.add_column(column, justify="right")
    reference = next((row for row in rows if row.peer == "ref"), Row("ref"))
    for row in rows:
        table.add_row(f"{row.peer} ({row.loaded})", *_cells(row, reference))
    table.caption = (
        "Times in ms, medians over the rounds. CPU: client and server, ms each. "
        "x ref: against `ref` in the same round. "
        "short: answers with fewer hits than there are facts (at most 10). "
        "B each: bytes on disk for one memory. "
        "first s: a new process until its first answer."
    )
    console.print(table)
    for row in rows:
        if row.error:
            console.print(f"{row.peer}: {row.error}", markup=False)


def _cells(row: Row, reference: Row) -> list[str]:
    return [
        _number(row.bulk_per_second, 0),
        _number(middle(row.adds, "p50"), 2),
        _number(middle(row.adds, "p95"), 2),
        _number(middle(row.adds, "cpu_ms"), 2),
        _number(ratio(row.adds, reference.adds), 1),
        _number(middle(row.searches, "p50"), 2),
        _number(middle(row.searches, "p95"), 2),
        _number(middle(row.searches, "cpu_ms"), 2),
        _number(ratio(row.searches, reference.searches), 1),
        _number(row.hit_rate, 3),
        str(row.short) if row.asked else "-",
        _number(row.clients_qps, 0),
        _number(row.resident_mb, 0),
        _number(row.server_mb, 0),
        _number(row.bytes_per_memory, 0),
        _number(row.first_answer_seconds, 2),
    ]


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def show_sizes(console: Console, relations: Sequence[Relation], count: int, *, title: str) -> None:
    """Each table's and index's bytes for one memory, and its share."""
    total = sum(relation.size_bytes for relation in relations)
    table = Table(title=f"{title}: {total / count:.0f} bytes for one memory", title_justify="left")
    for column in ("relation", "of table"):
        table.add_column(column)
    for column in ("bytes each", "share"):
        table.add_column(column, justify="right")
    for relation in relations:
        if relation.size_bytes >= total / 1000:
            of = "" if relation.relation == relation.table_name else relation.table_name
            share = f"{relation.size_bytes / total:.1%}"
            table.add_row(relation.relation, of, f"{relation.size_bytes / count:.0f}", share)
    console.print(table)


def write(
    path: Path, rows: Sequence[Row], options: Mapping[str, object], sizes: Mapping[str, Sequence[Relation]]
) -> None:
    """Everything measured, single durations included."""
    document = {
        "options": options,
        "stores": [asdict(row) | {"hit_rate": row.hit_rate} for row in rows],
        "sizes": {peer: [asdict(relation) for relation in relations] for peer, relations in sizes.items()},
    }
    path.write_text(json.dumps(document, indent=1, default=str), encoding="utf-8")
