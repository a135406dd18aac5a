"""Measure what it costs to condense conversations, and whether recall is as good with episodes as without.

    python bench/episodes.py                           2,000 exchanges through the whole offline pipeline
    python bench/episodes.py --exchanges 10000         and whether memory stays flat over so many
    python bench/episodes.py --quality locomo10.json   turns found with episodes and without
    python bench/episodes.py --quality own             the same for our own kinds, in bench/data

The pipeline is: taken in, read by the chunker, grouped, condensed, embedded and filed. ``observe`` is
measured beside it: one turn at a time, with all of this behind it.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean, median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from quality import locomo, own
from quality.measures import recall_at
from quality.model import Conversation, Question
from quipu import Memory
from quipu.kernel.config import load
from quipu.recall.model import Hit

Row = tuple[float, float, float, float]
SPACE = "bench"
TOPICS = ("memory_chunker", "episodic_memory")
THEN = datetime(2025, 1, 6, 9, tzinfo=UTC)
PER_SESSION = 10
_TALK = (
    ("I want to plan the {0} in {1}. We decided on the {2} of May.", "Noted: the {0} in {1}, in May."),
    ("The {0} fails with an error since yesterday, I am annoyed.", "Which version of the {0} is it?"),
    ("Version {2}. It worked in {1} last week.", "Set the flag for {1}, then it starts."),
    ("That fixed it, thank you!", "You're welcome. I'll send you the notes on the {0} tomorrow."),
    ("My sister moved to {1} and loves the {0} there.", "How wonderful! What does she like most?"),
)
_THINGS = (
    "boat",
    "parser",
    "garden",
    "festival",
    "kitchen",
    "report",
    "train",
    "exhibition",
    "server",
    "hike",
)
_PLACES = ("Lisbon", "Oslo", "Graz", "Kyoto", "Porto", "Bergen", "Turin")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench/episodes.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--exchanges", type=int, default=2_000)
    parser.add_argument("--quality", metavar="FILE", help="path of locomo10.json, or own")
    parser.add_argument("--model", default="all-MiniLM-L6-v2", help="the embedding model")
    options = parser.parse_args(arguments)
    console = Console(width=110)
    with _memory(options.model) as memory:
        if options.quality is not None:
            told = (
                own.load(names=own.SCENES) if options.quality == "own" else locomo.load(Path(options.quality))
            )
            _quality(memory, told, console)
        else:
            _pace(memory, options.exchanges, console)
    return 0


@contextmanager
def _memory(model: str) -> Iterator[Memory]:
    with tempfile.TemporaryDirectory(prefix="quipu-bench-", ignore_cleanup_errors=True) as temporary:
        Path(temporary).chmod(0o711)  # when we are root, another account runs the server and must get in
        settings = replace(load(None, {}), home=Path(temporary) / "home", embedding_model=model)
        with Memory(settings=settings) as memory:
            yield memory


def _exchanges(first: int, count: int) -> Iterator[dict[str, object]]:
    for number in range(first, first + count):
        session, place = divmod(number, PER_SESSION)
        at = THEN + timedelta(hours=6 * session, minutes=2 * place)
        thing, where = _THINGS[number * 7 % len(_THINGS)], _PLACES[number * 3 % len(_PLACES)]
        for role, text in zip(("user", "assistant"), _TALK[number % len(_TALK)], strict=True):
            yield {
                "session": f"s{session}",
                "role": role,
                "user": f"user{session % 5}",
                "content": text.format(thing, where, number % 28 + 1),
                "time": at.isoformat(),
            }


def _pace(memory: Memory, exchanges: int, console: Console) -> None:
    step = max(PER_SESSION, exchanges // 10 // PER_SESSION * PER_SESSION)
    table = Table("exchanges", "taken in a second", "through all of it a second", "memory, MB")
    for first in range(0, exchanges, step):
        begun = perf_counter()
        memory.import_messages(_exchanges(first, step), space=SPACE)
        taken = perf_counter()
        memory.work(topics=TOPICS)
        done = perf_counter()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        table.add_row(
            f"{first + step:,}",
            f"{step / (taken - begun):,.0f}",
            f"{step / (done - begun):,.0f}",
            f"{peak:,.0f}",
        )
    console.print(table)
    stats = memory.episodes.stats(space=SPACE)
    console.print(f"{stats.episodes:,} episodes of {stats.exchanges:,} exchanges; {stats.waiting} wait.")
    seconds = [_observed(memory, number) for number in range(60)][10:]
    console.print(f"observe, one turn: median {1000 * median(seconds):.1f} ms with all of it behind it")


def _observed(memory: Memory, number: int) -> float:
    begun = perf_counter()
    memory.observe(
        [{"role": "user", "content": f"Turn {number}: the boat in Oslo is painted blue by now."}],
        space=SPACE,
        session="live",
        user="user0",
    )
    return perf_counter() - begun


def _quality(memory: Memory, dialogues: Sequence[Conversation], console: Console) -> None:
    """Evidence among the first ten: of messages alone, with episodes, and with what episodes are made of."""
    heads = ("", "questions", "episodes", "messages alone", "with, messages", "with, what of", "among ten")
    table = Table(*heads, title="% of the evidence in the first 10; episodes among them")
    every: list[Row] = []
    for dialogue in dialogues:
        rows, made = _asked(memory, dialogue)
        every += rows
        table.add_row(dialogue.name, str(len(rows)), str(made), *_means(rows))
    table.add_row("all", str(len(every)), "", *_means(every))
    console.print(table)


def _asked(memory: Memory, dialogue: Conversation) -> tuple[list[Row], int]:
    space = f"bench-{dialogue.name}"
    memory.import_messages((message.as_dict() for message in dialogue.messages), space=space)
    questions = [question for question in dialogue.questions if question.evidence]
    before = _hits(memory, questions, space)
    memory.work(topics=TOPICS)
    after = _hits(memory, questions, space)
    made = {
        episode.id: [message.id for message in memory.episodes.messages(episode.id, space=space)]
        for episode in memory.episodes.list(space=space, limit=1_000)
    }
    rows: list[Row] = []
    for question, alone, both in zip(questions, before, after, strict=True):
        whole = [id_ for hit in both for id_ in made.get(_id(hit), [_id(hit)])]
        rows.append(
            (
                recall_at([_id(hit) for hit in alone], question.evidence, 10),
                recall_at([_id(hit) for hit in both], question.evidence, 10),
                recall_at(whole, question.evidence, len(whole)),
                sum(hit.kind == "episodes" for hit in both),
            )
        )
    return rows, len(made)


def _hits(memory: Memory, questions: Sequence[Question], space: str) -> list[list[Hit]]:
    """The first ten for each question, asked by its person."""
    found: list[list[Hit]] = [[] for _ in questions]
    for user in dict.fromkeys(question.user for question in questions):
        places = [place for place, question in enumerate(questions) if question.user == user]
        texts = [questions[place].text for place in places]
        answers = memory.recall_many(texts, space=space, user=user, limit=10)
        for place, hits in zip(places, answers, strict=True):
            found[place] = hits
    return found


def _means(rows: Sequence[Row]) -> list[str]:
    *shares, among = (fmean(column) for column in zip(*rows, strict=True))
    return [*(f"{100 * share:.1f}" for share in shares), f"{among:.2f}"]


def _id(hit: Hit) -> str:
    return str(hit.source.message)


if __name__ == "__main__":
    sys.exit(main())
