"""The commands of ``quipu longterm`` for files of the seed: import-sqlite, export-sqlite."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from rich.text import Text

from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.commands.longterm_narrowed import of_user
from quipu.interfaces.cli.opening import opened
from quipu.interfaces.cli.paths import FilePath
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.text import count, visible
from quipu.kinds.longterm.sqlite.model import MemoriesImported

_SHOWN: Final = 20


@click.command("import-sqlite")
@click.argument("file", type=FilePath(path_type=Path))
@in_space
@of_user
@common
@click.pass_obj
def import_sqlite(call: Call, file: Path, space: str, user: str | None) -> None:
    """Take in FILE, a santi-memory.db or sati-memory.db, as memories of a user.

    Hashes are made anew, categories and importances checked. FILE is only read; doing it again changes
    nothing.
    """
    screen = Screen(call)
    with opened(call, screen) as memory, screen.busy("Importing memories"):
        found = memory.longterm.import_sqlite(file.expanduser(), space=space, user=user)
    screen.answer(found, *map(Text, _lines(found)))


@click.command("export-sqlite")
@click.argument("file", type=FilePath(path_type=Path))
@in_space
@of_user
@common
@click.pass_obj
def export_sqlite(call: Call, file: Path, space: str, user: str | None) -> None:
    """Write FILE, which must not be there yet, with exactly the table and indices of the design."""
    screen = Screen(call)
    with opened(call, screen) as memory, screen.busy("Writing"):
        done = memory.longterm.export_sqlite(file.expanduser(), space=space, user=user)
    lines = [f"Written to {done.path}: {count(done.written, 'memory', 'memories')}."]
    if done.repeated:
        lines.append(f"{done.repeated:,} say what another says and are left out: the file holds that once.")
    lines.append(f"Export {done.id}, SHA-256 {done.sha256}.")
    screen.answer(done, *map(Text, lines))


COMMANDS: Final = (import_sqlite, export_sqlite)


def _lines(found: MemoriesImported) -> Iterator[str]:
    yield (
        f"New: {found.new:,}, and {found.archived:,} archived; known before: {found.known:,};"
        f" repeated: {found.repeated:,}"
    )
    for title, counts in (("Put right", found.mended), ("Secrets cut out", found.redacted)):
        if counts:
            yield f"{title}: {', '.join(f'{number:,} {what}' for what, number in counts.items())}"
    if found.refused:
        yield f"Refused: {count(len(found.refused), 'row')}"
        for row in found.refused[:_SHOWN]:
            yield f"  {visible(row.id)}: {visible(row.why)}"
        if len(found.refused) > _SHOWN:
            yield f"  … and {len(found.refused) - _SHOWN:,} more (--json has all)"
