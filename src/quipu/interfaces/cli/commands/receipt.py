"""``quipu receipt``: signed receipts of erasures, and whether they hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.paths import FilePath
from quipu.interfaces.cli.piped import text_of
from quipu.interfaces.cli.screen import Screen
from quipu.upkeep.erasure.model import Receipt, Verified
from quipu.upkeep.erasure.receipts import key_of, plain, read, verify

_FAILED = 1


@click.group()
@common
def command() -> None:
    """Show signed receipts of what was forgotten; they hold no content and no names."""


@command.command("list")
@click.option("--space", "-s", metavar="SPACE", help="Only those of this space.")
@common
@click.pass_obj
def listed(call: Call, space: str | None) -> None:
    """List the receipts, oldest first; with --json whole, as `quipu receipt verify` takes them.

    Example: quipu receipt list --json > receipts.json
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.receipts.list(space=space)
    shown = _table(found) if found else Text("No receipts.", style="dim")
    screen.answer({"receipts": [plain(one) for one in found]}, shown)


@command.command()
@click.argument("id", metavar="ID")
@common
@click.pass_obj
def show(call: Call, id: str) -> None:
    """Show the receipt ID, and the note on what was left on the disk; with --json as it is signed.

    Example: quipu receipt show ID --json > receipt.json
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.receipts.get(id)
    screen.answer({"receipts": [plain(one) for one in found]}, *_whole(found))


@command.command()
@common
@click.pass_obj
def key(call: Call) -> None:
    """Print the public key that verifies the receipts of this database, and its fingerprint.

    Example: quipu receipt key
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.receipts.key()
    screen.answer(found, Text(found.public_key), Text(f"fingerprint {found.fingerprint}", style="dim"))


@command.command("verify")
@click.argument("file", type=FilePath(path_type=Path, allow_dash=True))
@click.option("--key", metavar="KEY", help="The public key that you trust, or a file that holds it.")
@common
@click.pass_obj
def verified(call: Call, file: Path, key: str | None) -> None:
    """Verify receipts in FILE (- for standard input), without a database.

    The exit code is 1 where one does not hold. Without --key, the key comes from the file: that proves only
    that all were signed with the same one.

    Example: quipu receipt verify receipt.json --key key.txt
    """
    screen = Screen(call)
    found = verify(read(text_of(file, field="file")), key=None if key is None else key_of(_key(key)))
    screen.answer(found, *_verdict(found))
    if not found.holds:
        raise click.exceptions.Exit(_FAILED)


def _key(given: str) -> str:
    try:
        is_file = Path(given).is_file()
    except OSError:  # too long for the name of a file
        is_file = False
    return text_of(given, field="key").partition("\n")[0] if is_file else given


def _table(receipts: Sequence[Receipt]) -> Table:
    table = Table("number", "id", "space", "when", "what", "rows", box=None, pad_edge=False)
    for one in receipts:
        rows = one.document.get("rows", {})
        table.add_row(
            str(one.number),
            one.id,
            str(one.document.get("space")),
            str(one.document.get("at")),
            " in ".join(one.document.get("erased", [])) or str(one.document.get("type")),
            f"{sum(rows.values()):,}",
        )
    return table


def _whole(receipts: Sequence[Receipt]) -> Iterator[Text | Table]:
    for one in receipts:
        table = Table("name", "value", box=None, pad_edge=False, show_header=False)
        for name, value in one.document.items():
            table.add_row(name, str(value))
        yield table
        yield Text("")


def _verdict(found: Verified) -> Iterator[Text]:
    if found.holds:
        yield Text(f"{found.receipts} receipts hold.", style="bold")
    for fault in found.faults:
        yield Text(f"Does not hold: {fault}.", style="bold")
    if found.missing:
        yield Text(f"Not in the file: {', '.join(map(str, found.missing))}.")
    told = "the key that you gave" if found.key_given else "it was in the file; compare it with one you trust"
    yield Text(f"Key {found.key}: {told}.", style="dim")
