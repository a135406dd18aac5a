"""Measure how fast the files of a directory are taken in as documents, found again, and erased.

    python bench/documents.py                  5,000 files of Markdown
    python bench/documents.py --files 200      a small run: does it work at all?
    python bench/documents.py --check          exit code 1 where a promise is broken
    python bench/documents.py --model NAME     with a model that embeds; the default makes vectors of hashes

The files are made in a temporary directory from a seed: headings, paragraphs, lists of made-up words. The
second pass reads the same files; it has to write nothing, and to take a tenth of the first. Then sentences of
some files are asked for, each to be found at its line. At last all is erased, the tables are rewritten, and
the files of the database are read for the word that stood in every document.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from pace import usage
from pace.server import home
from quipu import AsyncMemory
from quipu.kernel.config import Settings

SPACE, PATH = "bench", "handbook"
MOST_SHARE = 0.1
ASKED = 50
MARKER = "quaggaflint"
_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo", "hu", "ka")
_WORDS = sorted({a + b + c for a in _SYLLABLES for b in _SYLLABLES for c in _SYLLABLES})


@dataclass(frozen=True)
class Quote:
    """A sentence that stands in one file only, and where."""

    text: str
    source: str


@dataclass(frozen=True)
class Figures:
    """One run."""

    files: int
    passages_left: int
    first_seconds: float
    second_seconds: float
    second_changes: int
    at_line: int
    asked: int
    places_left: int
    bytes_left: int

    @property
    def share(self) -> float:
        """Of the first pass that the second takes."""
        return self.second_seconds / self.first_seconds

    @property
    def broken(self) -> bool:
        """True if a promise is broken."""
        return bool(
            self.share > MOST_SHARE
            or self.second_changes
            or self.at_line < self.asked
            or self.places_left
            or self.bytes_left
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code: 1 where --check fails."""
    options = _parse(arguments)
    busy = usage.load()
    with TemporaryDirectory(prefix="quipu-files-") as folder, home(None, name="documents") as place:
        quotes = write(Path(folder), options.files, random.Random(options.seed))
        figures = asyncio.run(_measured(Settings(home=place, embedding_model=options.model), folder, quotes))
    _show(figures, f"{options.files:,} files as documents, {options.model}, {busy} at the start")
    return int(options.check and figures.broken)


def write(folder: Path, count: int, chance: random.Random) -> list[Quote]:
    """Write files; a sentence of each."""
    quotes: list[Quote] = []
    for number in range(count):
        name = f"{chance.choice('abcdefgh')}/{chance.choice('abcdefgh')}/{number:05}.md"
        lines = [f"# {_sentence(chance, 3)}", "", f"{MARKER} {_sentence(chance, 12)}.", ""]
        for _ in range(chance.randint(2, 5)):
            lines += [f"## {_sentence(chance, 2)}", "", *_paragraph(chance), "", *_list(chance), ""]
        quote = f"The {_sentence(chance, 2)} of number {number} weighs {chance.randint(100, 10**6)} grams."
        heading = chance.choice([at for at, line in enumerate(lines) if line.startswith("## ")])
        lines[heading + 2] = quote
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines), "utf-8")
        quotes.append(Quote(quote, f"{PATH}/{name}:{heading + 1}"))
    return quotes


def _sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choice(_WORDS) for _ in range(words))


def _paragraph(chance: random.Random) -> list[str]:
    return [f"{_sentence(chance, chance.randint(8, 14))}." for _ in range(chance.randint(2, 5))]


def _list(chance: random.Random) -> list[str]:
    return [f"- {_sentence(chance, 5)}" for _ in range(chance.randint(0, 4))]


async def _measured(settings: Settings, folder: str, quotes: Sequence[Quote]) -> Figures:
    async with AsyncMemory(settings=settings) as memory:
        await memory.documents.put("warm", "up", space=SPACE, body="The first text loads the model.")
        await memory.documents.index(space=SPACE)
        first = await memory.documents.sync(folder, path=PATH, space=SPACE)
        second = await memory.documents.sync(folder, path=PATH, space=SPACE)
        assert first.written == len(quotes), first
        asked = quotes[:: max(1, len(quotes) // ASKED)]
        hits = [await memory.recall(one.text, space=SPACE) for one in asked]
        left = await memory.documents.index(space=SPACE)
        done = await memory.documents.erase(PATH, space=SPACE, confirm=True)
        assert done.receipt
        await memory.rewrite_freed(done.receipt, space=SPACE, confirm=True)
        checked = await memory.check_erasure(done.receipt, [MARKER], space=SPACE)
        left_in = [one for one in checked.places if one.found]
        return Figures(
            files=len(quotes),
            passages_left=left,
            first_seconds=first.seconds,
            second_seconds=second.seconds,
            second_changes=second.written + second.renamed + second.removed,
            at_line=sum(
                bool(found) and found[0].source.message == one.source
                for one, found in zip(asked, hits, strict=True)
            ),
            asked=len(asked),
            places_left=len(left_in),
            bytes_left=_bytes_left(settings.home),
        )


def _bytes_left(home: Path) -> int:
    """Bytes of the marker in the data files."""
    files = (one for one in home.rglob("base/**/*") if one.is_file())
    return sum(one.read_bytes().count(MARKER.encode()) for one in files) * len(MARKER)


def _show(figures: Figures, title: str) -> None:
    """Print the table."""
    table = Table("figure", "measured", "promised", title=title)
    rows = (
        ("first pass, files/s", f"{figures.files / figures.first_seconds:,.0f}", ""),
        ("first pass, s", f"{figures.first_seconds:.1f}", ""),
        ("second pass, s", f"{figures.second_seconds:.2f}", ""),
        ("second pass, share of the first", f"{figures.share:.3f}", f"at most {MOST_SHARE:g}"),
        ("second pass, documents changed", f"{figures.second_changes:,}", "0"),
        ("passages left to index", f"{figures.passages_left:,}", "0"),
        ("quotes found first, at their line", f"{figures.at_line} of {figures.asked}", "all"),
        ("places with a word of it after erase", f"{figures.places_left:,}", "0"),
        ("bytes of it in the data files", f"{figures.bytes_left:,}", "0"),
    )
    for row in rows:
        table.add_row(*row)
    Console(width=110).print(table)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/documents.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=5_000, help="files in the directory (default 5000)")
    parser.add_argument("--seed", type=int, default=7, help="of the generator (default 7)")
    parser.add_argument("--model", default="hashing", help="the model that embeds (default hashing)")
    parser.add_argument("--check", action="store_true", help="exit code 1 where a promise is broken")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
