"""``quipu import``: what was recorded elsewhere."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import click
from rich.console import RenderableType
from rich.table import Table

from quipu import Memory
from quipu.interfaces.cli import claude
from quipu.interfaces.cli.call import Call, common, erased_too, in_one_space, in_space
from quipu.interfaces.cli.input import FilePath
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.program import program
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import archives
from quipu.interfaces.cli.views import imports as views
from quipu.interfaces.cli.views.report import left_out, report
from quipu.interfaces.cli.views.text import visible
from quipu.interfaces.problems import USAGE
from quipu.record.model import Refusal, Report
from quipu.record.readers import jsonl
from quipu.record.readers.claude_code import Inserted

_EXAMPLES: Final = """\b
Examples:
  quipu import conversations.zip                     # what would come?
  quipu import conversations.zip --yes
  quipu import mem0 ~/.mem0 --space work --yes
  quipu import chat.mbox --as 'Ana <ana@example.org>=ana'
"""
_GOES_ON: Final = "What came is there; the same command again does the rest."
_UNCHANGED: Final = "Nothing was taken in; the same command again does it from the beginning."
Lines = Iterable[Mapping[str, object] | Refusal]


class _Formats(click.Group):
    """Commands of formats of ours; anything else is what another system wrote, by its source or its path."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the first word, or the one that takes a path."""
        if args and args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return "path", load, args

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the sources below the commands."""
        from quipu.app.imports.registry import SOURCES  # noqa: PLC0415 - all readers load with it

        with formatter.section("Sources"):
            formatter.write_dl([(one.name, f"{one.title}: {one.takes}.") for one in SOURCES])
        super().format_epilog(ctx, formatter)


@click.group(
    "import",
    cls=_Formats,
    no_args_is_help=False,
    epilog=_EXAMPLES,
    subcommand_metavar="[SOURCE] PATH | COMMAND [ARGS]...",
    context_settings={"ignore_unknown_options": True},
)
def command() -> None:
    """Bring what another system remembers: PATH is a file, folder or zip of it, or the URL of its server.

    The source is recognised, or named. Without --yes it is only shown what would come: how many records of
    each kind, whose they are, and what is not taken. Each record keeps its origin; `quipu imports undo` takes
    an import out again.

    Doing it again brings only what is new, so an import that was cut off is finished by doing it again. An
    archive of a space is taken in once, into a space that is empty.
    """


@command.command("path", short_help="Take in what another system wrote; `path` may be left out.")
@click.argument("words", nargs=-1, required=True, metavar="[SOURCE] PATH")
@in_space
@click.option("--user", metavar="NAME", help="Whose it is, where the source names nobody.")
@click.option("--as", "joined", multiple=True, metavar="NAME=USER", help="Who a person of the source is.")
@click.option("--yes", is_flag=True, help="Do it. Without this, only what would come is shown.")
@erased_too
@common
@click.pass_context
def load(
    ctx: click.Context,
    call: Call,
    words: tuple[str, ...],
    space: str,
    user: str | None,
    joined: tuple[str, ...],
    yes: bool,
    erased_too: bool,
) -> None:
    """Take in what another system remembers: a file, folder or zip of it, or the URL of its server.

    The word `path` may be left out: `quipu import conversations.zip`. The source is recognised, or named.
    Without --yes it is only shown what would come.
    """
    *sources, path = words
    if len(sources) > 1:
        raise click.UsageError("Name a source and a path, or a path alone.", ctx)
    source = sources[0] if sources else None
    with (
        opened(call) as (screen, memory),
        screen.progress(
            "importing" if yes else "reading", total=None, unit="records", again=_GOES_ON
        ) as steps,
    ):
        done = memory.imports.load(
            path,
            space=space,
            source=source,
            user=user,
            names=dict(map(_person, joined)),
            preview=not yes,
            erased_too=erased_too,
            progress=steps.advance,
        )
    screen.answer(done, views.report(done))
    if not yes:
        screen.note("\nNothing was changed. To do it, add --yes.")
    elif done.id is not None:
        screen.note(f"\nTo take it out again: {program()} imports undo {done.id} --space {space}")


def _person(given: str) -> tuple[str, str]:
    name, _, user = given.rpartition("=")
    if not name or not user:
        raise click.BadParameter("a name, =, and a user: 'Ana <ana@example.org>=ana'.", param_hint="--as")
    return name, user


@command.command("jsonl")
@click.argument("file", type=FilePath(path_type=Path, exists=True, dir_okay=False, allow_dash=True))
@in_space
@erased_too
@common
def import_jsonl(call: Call, file: Path, space: str, erased_too: bool) -> int:
    """Take in a file of JSON lines, or - for standard input.

    A line is {"content", "id", "session", "role", "speaker", "time", "user"}; only content is required.
    Lines that cannot be taken are reported with their number, the rest is taken. Exit code 2 if none was.
    """
    piped = str(file) == "-"
    lines = jsonl.read(sys.stdin.buffer if piped else file)
    with opened(call) as (screen, memory):
        total = None if piped else _count_lines(file, screen)
        reports = take(memory, screen, lines, space=space, total=total, erased_too=erased_too)
    screen.answer(reports, report(reports))
    return _code([reports])


@command.command("quipu", short_help="Take in an archive that `quipu export` wrote.")
@click.argument("path", type=FilePath(path_type=Path, exists=True))
@in_space
@click.option("--preview", is_flag=True, help="Only verify the archive, and count what is in it.")
@erased_too
@common
def import_archive(call: Call, path: Path, space: str, preview: bool, erased_too: bool) -> None:
    """Take in an archive that `quipu export` wrote, whole or not at all.

    The space must be new or empty. Every file is verified before anything is written; what was forgotten here
    since the archive was made stays out. A worker makes the index, or the first recalls do.
    """
    with (
        opened(call) as (screen, memory),
        screen.progress("importing", total=None, unit="records", again=_UNCHANGED) as steps,
    ):
        done = memory.archives.load(
            path, space=space, preview=preview, erased_too=erased_too, progress=steps.advance
        )
    screen.answer(done, archives.loaded(done))


@command.command("claude-code", short_help="Take in recorded sessions of Claude Code.")
@click.argument("path", type=FilePath(path_type=Path), required=False)
@in_one_space("One space for all projects.")
@erased_too
@common
def import_claude_code(call: Call, path: Path | None, space: str | None, erased_too: bool) -> int:
    """Take in what people and agent said in recorded sessions of Claude Code.

    PATH is a directory with sessions or one .jsonl file; ~/.claude/projects if not given, or projects in
    CLAUDE_CONFIG_DIR. Each project goes to a space of its own, named like the directory that the session was
    started in; --space puts all into one.
    """
    files = claude.recordings((path or claude.default_path()).expanduser())
    groups = {space: files} if space else claude.by_project(files)
    skipped: Counter[str] = Counter()
    inserted = Inserted()
    with opened(call) as (screen, memory):
        done = {
            name: take(
                memory,
                screen,
                claude.messages(group, skipped=skipped, inserted=inserted),
                space=name,
                total=None,
                text=f"Importing {name}",
                erased_too=erased_too,
            )
            for name, group in sorted(groups.items())
        }
    answer = {"spaces": done, "skipped": skipped, "inserted_characters": inserted.characters}
    screen.answer(answer, *_by_space(done), *left_out(inserted.characters))
    if skipped:
        screen.note(
            f"Passed over: {', '.join(f'{number:,} {kind}' for kind, number in skipped.most_common())}."
        )
    name = next(iter(done))
    screen.note(f'\nAsk: {program()} recall --space {name} "Why did we …?"')
    return _code(list(done.values()))


def take(
    memory: Memory,
    screen: Screen,
    lines: Lines,
    *,
    space: str,
    total: int | None,
    text: str = "Importing",
    erased_too: bool = False,
) -> Report:
    """Import into a space with progress."""
    with screen.progress(text, total=total, unit="lines") as steps:
        return memory.import_messages(lines, space=space, progress=steps.advance, erased_too=erased_too)


def _by_space(done: Mapping[str, Report]) -> list[RenderableType]:
    table = Table("space", "taken in", "known", "withheld", "refused", "secrets", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    for name, entry in done.items():
        numbers = (
            entry.imported,
            entry.duplicates,
            entry.withheld,
            len(entry.refused),
            sum(entry.redacted.values()),
        )
        table.add_row(visible(name), *(f"{number:,}" for number in numbers))
    return [table, *(report(entry) for entry in done.values() if entry.refused or entry.withheld)]


def _count_lines(file: Path, screen: Screen) -> int | None:
    """Count the lines if somebody watches and it can be done without reading a pipe."""
    if not screen.watched or not file.is_file():
        return None
    with file.open("rb") as opened_file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: opened_file.read(1 << 20), b""))


def _code(reports: list[Report]) -> int:
    """Return success, unless there were lines and none of them could be taken."""
    taken = sum(r.imported + r.duplicates + r.echoes + r.withheld for r in reports)
    return USAGE if taken == 0 and any(r.refused for r in reports) else 0
