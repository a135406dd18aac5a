"""``quipu receipts``: signed receipts of erasures, and whether they hold."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.derived import derived
from quipu.interfaces.cli.input import FilePath, text_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import receipts as views
from quipu.upkeep.erasure.model import Receipt
from quipu.upkeep.erasure.receipts import key_of, plain, read
from quipu.upkeep.erasure.receipts import verify as verify_all

_HELP: Final = """\
Show and verify signed receipts of what was forgotten; they hold no content and no names.

With --json, receipts are printed as they are signed, which is what `quipu receipts verify` takes.
"""
_EXAMPLES: Final = """\b
Examples:
  quipu receipts list --json > receipts.json
  quipu receipts get ID --json > receipt.json
  quipu receipts key > key.txt
  quipu receipts verify receipt.json --key key.txt
"""
_FAILED: Final = 1


@click.command()
@click.argument("file", type=FilePath(path_type=Path, allow_dash=True))
@click.option("--key", metavar="KEY", help="The public key that you trust, or a file that holds it.")
@common
def verify(call: Call, file: Path, key: str | None) -> None:
    """Verify receipts in FILE (- for standard input), without a database.

    Each signature is checked, and the chain where receipts follow each other. The exit code is 1 where one
    does not hold. Without --key, the key comes from the file: that proves only that all were signed with the
    same one.
    """
    screen = Screen(call)
    verified = verify_all(read(text_of(file, field="file")), key=None if key is None else key_of(_key(key)))
    screen.answer(verified, *views.verdict(verified))
    if not verified.holds:
        raise click.exceptions.Exit(_FAILED)


def _key(path: str) -> str:
    try:
        is_file = Path(path).is_file()
    except OSError:  # too long for the name of a file
        is_file = False
    return text_of(path, field="key").partition("\n")[0] if is_file else path


command = derived("receipts", help=_HELP, epilog=_EXAMPLES, beside=(verify,), documents={Receipt: plain})
