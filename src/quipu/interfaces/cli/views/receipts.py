"""Receipts of erasures as people read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.upkeep.erasure.model import PublicKey, Receipt, Verified


def table(receipts: Sequence[Receipt]) -> Table | Text:
    """Show a line for each receipt."""
    if not receipts:
        return Text("No receipts.", style="dim")
    table = Table("number", "id", "space", "when", "what", "rows", box=None, pad_edge=False)
    for receipt in receipts:
        document = receipt.document
        table.add_row(
            str(receipt.number),
            receipt.id,
            str(document.get("space")),
            str(document.get("at")),
            " in ".join(document.get("erased", [])) or str(document.get("type")),
            f"{sum(document.get('rows', {}).values()):,}",
        )
    return table


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
