"""Measure how fast secrets are cut out, on prose, source code and hostile texts.

    python bench/redaction.py [--conversations locomo10.json] [--megabytes MB] [--json]

Prints microseconds for a message of ordinary prose, megabytes a second of many texts at once, and the seconds
that a megabyte of the worst text takes which is nothing but beginnings of one form, for each anchor of
``forms.toml``. Exits with code 1 if a form takes more than LIMIT_SECONDS there, or if a turn of the
conversations (LoCoMo's form) is changed: nobody says a secret in them.
"""

from __future__ import annotations

import argparse
import json
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from quipu.kernel.redact import redact
from quipu.kernel.redact.forms import FORMS
from quipu.kernel.redact.many import redact_many

LIMIT_SECONDS = 3.0
PROSE = "We met at the harbour at 10, and Ana said that the boat needs new paint before we sail to Lisbon. "
FILLING = (
    "",
    "7",
    "a7_",
    "7kQ2mX9vB4nT6wZ8",
    "\n7a",
    '" + "7a',
    "=",
    " -p ",
    " -",
    ":",
    "%3D",
    "A" * 24 + "7",
)


def seconds(work: Callable[[], object]) -> float:
    """The processor time of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def sources(megabytes: float) -> list[str]:
    """Source files of Python's library."""
    found: list[str] = []
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py")):
        if sum(map(len, found)) > megabytes * 1e6:
            break
        found.append(path.read_text(encoding="utf-8", errors="replace"))
    return found


def turns(path: Path) -> list[str]:
    """What was said in conversations in LoCoMo's form."""
    conversations = json.loads(path.read_text(encoding="utf-8"))
    return [
        turn["text"]
        for one in conversations
        for session in one["conversation"].values()
        if isinstance(session, list)
        for turn in session
    ]


def hostile(characters: int) -> list[tuple[float, str]]:
    """The seconds for the worst texts, worst first; each is a unit repeated up to that many characters."""
    anchors = [anchor for form in (*FORMS.tokens, *FORMS.following) for anchor in form.anchors]
    words = [word for command in (*FORMS.commands, *FORMS.places) for word in command.words]
    others = (
        "password",
        "api_key",
        "://a:b",
        "authorization:",
        "cookie: sid=",
        "phrase ",
        'auth"',
        "\\u0022",
    )
    spent: list[tuple[float, str]] = []
    for beginning in dict.fromkeys((*anchors, *words, *others)):
        for filling in FILLING:
            unit = beginning + filling
            text = unit * (characters // len(unit))
            spent.append((seconds(lambda text=text: redact(text)), unit))
    return sorted(spent, reverse=True)


def measured(found: Sequence[str], conversations: Path | None, characters: int) -> dict[str, Any]:
    """All figures."""
    said = turns(conversations) if conversations else []
    worst = [(spent * 1e6 / characters, unit) for spent, unit in hostile(characters)[:5]]
    size = sum(map(len, found)) / 1e6
    return {
        "prose_microseconds": 1e3 * seconds(lambda: [redact(PROSE) for _ in range(1_000)]),
        "many_megabytes_a_second": size / seconds(lambda: redact_many(found)),
        "turns": len(said),
        "turns_changed": sum(bool(redact(one).counts) for one in said),
        "hostile_seconds_a_megabyte": [[round(spent, 2), unit] for spent, unit in worst],
    }


def main() -> int:
    """Measure and print; whether a limit was broken."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--conversations", type=Path)
    parser.add_argument("--megabytes", type=float, default=10.0)
    parser.add_argument("--characters", type=int, default=20_000, help="of each hostile text")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = measured(sources(given.megabytes), given.conversations, given.characters)
    print(json.dumps(figures) if given.json else "\n".join(f"{k}: {v}" for k, v in figures.items()))
    return int(figures["turns_changed"] > 0 or figures["hostile_seconds_a_megabyte"][0][0] > LIMIT_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
