"""Measure how the time of what reads texts grows with their length: four times for four times the text.

    python bench/linear.py                        every reader, on every piece of text, repeated
    python bench/linear.py --only redact          one of them
    python bench/linear.py --characters 4000      smaller texts: does it run at all?

A reader is given texts of two lengths, the second four times the first. Shown is its worst piece: the
processor time of both, the best of several tries, and how many times longer the second took. 4 is linear,
16 is quadratic. With ``--check`` the exit code is 1 where one takes more than nine times as long.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO

from rich.console import Console
from rich.table import Table

from quipu.errors import BadInput
from quipu.kernel.base.text import Marks, clean, count_words, excerpt
from quipu.kernel.embedding.embedder import prepare as prepare_to_embed
from quipu.kernel.prose.sentences import sentences
from quipu.kernel.prose.signs import asks_about_asker, asks_when
from quipu.kernel.redact import redact
from quipu.kinds.ledger.signals.complaints import judge
from quipu.kinds.ledger.signals.words import sentences as complaints
from quipu.recall.question import Name, mentioned, windows, without
from quipu.recall.terms import bag, best_passage, question_terms, tells_time
from quipu.record.model import Incoming, prepare
from quipu.upkeep.snapshots.reader import Dump

Reader = Callable[[str], object]

TIMES = 4
TRIES = 3
MOST_GROWTH = 9.0
GRACE_SECONDS = 0.01  # what is done in less has no growth to speak of
NOW, FIRST = datetime(2026, 3, 14, tzinfo=UTC), datetime(2023, 6, 1, tzinfo=UTC)
PEOPLE = [Name(number, f"Person{number} Family{number % 50}", 0.1) for number in range(300)]
TERMS = question_terms("the boat", ("english",))
MARKS = Marks.of_nobody()
PIECES = (
    *(
        "x",
        "A",
        "a_",
        "a/b",
        "1.",
        "1-",
        "=",
        '"',
        "a@",
        "://",
        "<",
        " ",
        "\n ",
        "? ",
        "...",
        "`",
        "(((",
        "'",
    ),
    *("中", "の", "😀", "e\u0301", "\u202e", "ß", "May 1 ", "3 ago ", "2024年", "Xyzab Qrstu ", "no, "),
    *(
        "Bearer ",
        "-----BEGIN ",
        "sk-ant-",
        "password=",
        "eyJ",
        "<quipu-memory>\n",
        "every time you ",
        "'' ;\n",
        "/* */;\n",
    ),
    *("not slow wait ", "one hour and a half ", "x" * 399 + ". "),
)


def statements(text: str) -> int:
    """How many statements a dump has, as far as it is one."""
    with suppress(BadInput):
        return sum(1 for _ in Dump(BytesIO(text.encode())).statements())
    return 0


READERS: dict[str, Reader] = {
    "clean": clean,
    "count_words": count_words,
    "excerpt": lambda text: excerpt(text, 200),
    "redact": redact,
    "prepare a message": lambda text: prepare(Incoming(text), language="auto", secrets=True, marks=MARKS),
    "prepare to embed": lambda text: prepare_to_embed(text, max_tokens=256),
    "sentences": sentences,
    "complaints": lambda text: [judge(sentence.text) for sentence in complaints(text)],
    "bag": bag,
    "question_terms": lambda text: question_terms(text, ("english", "german")),
    "best_passage": lambda text: best_passage(text, TERMS),
    "names": lambda text: without(text, mentioned(text, PEOPLE)),
    "asks_about_asker": asks_about_asker,
    "dates": lambda text: windows(text, now=NOW, first=FIRST, last=NOW),
    "asks_when": asks_when,
    "tells_time": tells_time,
    "a dump": lambda text: statements("select '" + text),
    "a dump in dollars": lambda text: statements("select $a$" + text),
    "a dump in comments": lambda text: statements("/* ;\n" + text),
}


@dataclass(frozen=True, slots=True)
class Growth:
    """The processor time of a reader on a piece, repeated, and on four times as much."""

    piece: str
    short_seconds: float
    long_seconds: float

    @property
    def times(self) -> float:
        """How many times longer the longer text took."""
        return self.long_seconds / max(self.short_seconds, GRACE_SECONDS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench/linear.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=sorted(READERS), help="one reader")
    parser.add_argument("--characters", type=int, default=20_000, help="length of the shorter text")
    parser.add_argument(
        "--check", action="store_true", help="fail where one takes more than nine times as long"
    )
    options = parser.parse_args(arguments)
    chosen = {options.only: READERS[options.only]} if options.only else READERS
    worst = {name: _worst(reader, options.characters) for name, reader in chosen.items()}
    _show(worst)
    return int(options.check and any(growth.times > MOST_GROWTH for growth in worst.values()))


def _worst(reader: Reader, characters: int) -> Growth:
    return max((_growth(reader, piece, characters) for piece in PIECES), key=lambda growth: growth.times)


def _growth(reader: Reader, piece: str, characters: int) -> Growth:
    long = (piece * TIMES * characters)[: TIMES * characters]
    return Growth(piece, _seconds(reader, long[:characters]), _seconds(reader, long))


def _seconds(reader: Reader, text: str) -> float:
    spent: list[float] = []
    for _ in range(TRIES):
        begun = time.process_time()
        reader(text)
        spent.append(time.process_time() - begun)
    return min(spent)


def _show(worst: dict[str, Growth]) -> None:
    table = Table("reader", "worst piece", "short, ms", "four times, ms", "times")
    for name, growth in worst.items():
        short, long = growth.short_seconds * 1000, growth.long_seconds * 1000
        table.add_row(name, repr(growth.piece[:20]), f"{short:.1f}", f"{long:.1f}", f"{growth.times:.1f}")
    Console().print(table)


if __name__ == "__main__":
    sys.exit(main())
