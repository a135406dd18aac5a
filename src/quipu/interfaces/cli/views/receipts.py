"""Receipts of erasures, and what retention took, as people read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.layout import Rows, amounts
from quipu.interfaces.cli.views.text import count, day_and_time, visible
from quipu.kinds.ledger.retention.model import RetentionReport
from quipu.upkeep.erasure.model import Erasure, PublicKey, Receipt, Verified

table = Rows[Receipt](
    {
        "number": lambda one: str(one.number),
        "id": lambda one: one.id,
        "space": lambda one: str(one.document.get("space")),
        "when": lambda one: str(one.document.get("at")),
        "what": lambda one: " in ".join(one.document.get("erased", [])) or str(one.document.get("type")),
        "rows": lambda one: f"{sum(one.document.get('rows', {}).values()):,}",
    },
    none="No receipts.",
)
"""A line for each receipt."""


def went(report: RetentionReport) -> RenderableType:
    """Show the erased rows by kind and by table, or the preview."""
    if not report.counts:
        return Text(f"Nothing in the space {visible(report.space)!r} is past its time.")
    limits, would = report.limits, "had to " if report.done else "would "
    idle = f"idle since {day_and_time(limits.sessions)} UTC"
    lines = (
        (report.sessions, f"{count(report.sessions, 'session')}, {idle}, {would}go"),
        (report.emptied, f"{count(report.emptied, 'session')}, {idle}, {would}stay for evidence alone"),
        (report.expired, f"{count(report.expired, 'value')} {would}expire"),
        (report.excerpts, f"{count(report.excerpts, 'excerpt')} of evidence {would}go"),
    )
    taken = amounts(report.counts, "gone" if report.done else "would go", "rows")
    return Group(*(Text(line) for number, line in lines if number), taken)


def whole(receipts: Sequence[Receipt]) -> RenderableType:
    """Show all that a receipt says, and the notes after it."""
    shown: list[RenderableType] = []
    for receipt in receipts:
        table = Table("name", "value", box=None, pad_edge=False, show_header=False)
        for name, value in receipt.document.items():
            table.add_row(name, str(value))
        shown += [table, Text("")]
    return Group(*shown)


def key(key: PublicKey) -> RenderableType:
    """Show the public key, and the fingerprint by which people compare it."""
    return Group(Text(key.public_key), Text(f"fingerprint {key.fingerprint}", style="dim"))


def verdict(verified: Verified) -> Iterator[Text]:
    """Show if receipts hold, what does not, and whose key said so."""
    if verified.holds:
        yield Text(f"{verified.receipts} receipts hold.", style="bold")
    for fault in verified.faults:
        yield Text(f"Does not hold: {fault}.", style="bold")
    if verified.missing:
        yield Text(f"Not in the file: {', '.join(map(str, verified.missing))}.")
    source = (
        "the key that you gave" if verified.key_given else "it was in the file; compare it with one you trust"
    )
    yield Text(f"Key {verified.key}: {source}.", style="dim")


def erased(done: Erasure) -> RenderableType:
    """Show the preview of an erasure, or its receipt."""
    rows = [Text(f"{count(number, 'row')} of {name}") for name, number in done.counts.items() if number]
    if done.receipt is None:
        return Group(Text("Would be erased:", style="bold"), *rows)
    return Group(*rows, Text(f"Erased. Receipt {done.receipt}, {day_and_time(done.erased_at)} UTC."))
