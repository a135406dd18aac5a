"""Measure how well recall finds the messages that answer a question.

    python bench/recall.py locomo --data locomo10.json      ten long chats of two people
    python bench/recall.py own                              our own kinds, in bench/data
    python bench/recall.py all --data locomo10.json         both

Two baselines stand in the same table: BM25 alone, and the cosine of the same embedding model.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from quality import locomo, own
from quality.bm25 import Bm25
from quality.budgets import buy
from quality.cosine import Cosine
from quality.derived import compare
from quality.model import Conversation, Question, System, asked_before
from quality.ours import Ours
from quality.report import show, show_budgets, show_changes, show_derived, write
from quality.run import ask
from quipu import Memory

SYSTEMS = ("quipu", "bm25", "cosine")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = _parse(arguments)
    console = Console(width=200)
    conversations = _chosen(options)
    with _systems(options) as (systems, ours):
        answers = ask(systems, conversations, depth=options.depth, progress=_progress)
        names = [system.name for system in systems]
        show(console, answers, names)
        show_changes(console, answers, names)
        if options.budgets:
            show_budgets(console, buy(systems, conversations, progress=_progress), names)
        if options.derived and ours is not None:
            show_derived(console, compare(ours, conversations, progress=_progress))
        if ours is not None:
            _show_seconds(console, ours, conversations)
        if options.json:
            write(options.json, answers, names, ours.parts if ours else {})
            console.print(f"Every question is in {options.json}")
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/recall.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("set", choices=("locomo", "own", "all"))
    parser.add_argument("--data", type=Path, help="path of locomo10.json")
    parser.add_argument("--kind", action="append", help="only these conversations, by name (repeatable)")
    parser.add_argument("--half", choices=("tune", "report", "all"), default="all")
    parser.add_argument(
        "--limit-questions", type=int, metavar="N", help="the first N questions of each conversation"
    )
    parser.add_argument(
        "--systems", default=",".join(SYSTEMS), help="comma-separated, of: " + ", ".join(SYSTEMS)
    )
    parser.add_argument(
        "--asked-before", type=int, default=0, metavar="N", help="let every question have been asked N times"
    )
    parser.add_argument("--depth", type=int, default=50, help="hits asked for per question (default 50)")
    parser.add_argument(
        "--budgets",
        action="store_true",
        help="measure blocks for prompts too: evidence and answer for tokens",
    )
    parser.add_argument(
        "--derived", action="store_true", help="derive memories too, and ask all kinds beside messages alone"
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write all figures and every question there"
    )
    parser.add_argument("--home", type=Path, help="keep the embedded database there (default: temporary)")
    parser.add_argument("--url", help="use this PostgreSQL server")
    options = parser.parse_args(arguments)
    if options.set != "own" and options.data is None:
        parser.error(f"{options.set} needs --data with the path of locomo10.json")
    unknown = set(options.systems.split(",")) - set(SYSTEMS)
    if unknown:
        parser.error(f"unknown systems: {', '.join(sorted(unknown))}")
    return options


def _chosen(options: argparse.Namespace) -> list[Conversation]:
    found = locomo.load(options.data) if options.set in ("locomo", "all") else []
    if options.set in ("own", "all"):
        found += own.load()
    if options.kind:
        found = [conversation for conversation in found if conversation.name in options.kind]
    cut = [replace(conversation, questions=_questions(conversation, options)) for conversation in found]
    return [
        asked_before(conversation, options.asked_before) for conversation in cut if conversation.questions
    ]


def _questions(conversation: Conversation, options: argparse.Namespace) -> tuple[Question, ...]:
    wanted = [q for q in conversation.questions if options.half in ("all", q.half)]
    return tuple(wanted[: options.limit_questions])


@contextmanager
def _systems(options: argparse.Namespace) -> Iterator[tuple[list[System], Ours | None]]:
    names = options.systems.split(",")
    baselines: list[System] = [
        system for name, system in (("bm25", Bm25()), ("cosine", Cosine())) if name in names
    ]
    if "quipu" not in names:
        yield baselines, None
        return
    with tempfile.TemporaryDirectory(prefix="quipu-bench-", ignore_cleanup_errors=True) as temporary:
        Path(temporary).chmod(0o711)  # when we are root, another account runs the server and must get in
        home = options.home or (None if options.url else Path(temporary) / "home")
        with Memory(home=home, url=options.url) as memory:
            ours = Ours(memory)
            yield [ours, *baselines], ours


def _show_seconds(console: Console, ours: Ours, conversations: Sequence[Conversation]) -> None:
    messages = sum(len(conversation.messages) for conversation in conversations)
    questions = sum(len(conversation.questions) for conversation in conversations)
    console.print(
        f"Quipu: {messages} messages taken in within {ours.import_seconds:.1f} s "
        f"({messages / max(ours.import_seconds, 1e-9):.0f}/s), "
        f"{questions} questions in {ours.recall_seconds:.1f} s "
        f"({1000 * ours.recall_seconds / max(questions, 1):.1f} ms each, in batches)"
    )


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
