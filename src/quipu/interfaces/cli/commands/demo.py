"""``quipu demo``: recorded conversations go in, plain questions bring the right memories back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.text import Text

from quipu import Memory
from quipu.interfaces.cli import claude
from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.commands.imports import Lines, take
from quipu.interfaces.cli.input import FilePath
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.program import program
from quipu.interfaces.cli.samples import samples
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.hits import hits
from quipu.interfaces.cli.views.report import one_line
from quipu.interfaces.cli.views.text import count
from quipu.recall.model import Hit
from quipu.record.model import Report
from quipu.record.readers import jsonl

_SPACE, _OWN_SPACE = "demo", "demo-own"
_SHOWN = 3
_FOR_ANY_PROJECT = (
    "What did we decide against, and why?",
    "Which test failed, and what was the cause?",
    "How is the project built and run?",
    "What is still to be done?",
    "Which error took us long to understand?",
)


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question of the demo and the ids of the messages that are known to answer it, if any are."""

    question: str
    evidence: tuple[str, ...] = ()


@click.command()
@click.option(
    "--from", "origin", type=FilePath(path_type=Path), metavar="DIR", help="Your own Claude Code sessions."
)
@common
def command(call: Call, origin: Path | None) -> None:
    """Import recorded conversations, ask questions in plain words, and show what comes back and why.

    Without --from these are the samples that ship with the project (space "demo"): a few words of Ana, who
    moves house, a chat of four friends, and sessions of two coding projects. With it, your own sessions
    (space "demo-own").
    """
    screen = Screen(call)
    space = _SPACE if origin is None else _OWN_SPACE
    sources = _samples() if origin is None else _own(screen, origin)
    with opened(call) as (_, memory):
        imported = [_import(memory, screen, name, lines, space=space) for name, lines in sources.items()]
        questions = (
            _sample_questions() if origin is None else [DemoQuestion(text) for text in _FOR_ANY_PROJECT]
        )
        answers = memory.recall_many([one.question for one in questions], space=space, limit=_SHOWN)
    for one, answer in zip(questions, answers, strict=True):
        screen.show(Text(), Text(one.question, style="bold underline"))
        screen.show(hits(answer, expected=one.evidence, characters=280))
    _conclude(screen, space, imported, questions, answers)


def _samples() -> dict[str, Lines]:
    here = samples()
    sessions = claude.recordings(here / "claude-code" / "projects")
    return {
        "a few words of Ana": jsonl.read(here / "ana.jsonl"),
        "a chat of four friends": jsonl.read(here / "chat.jsonl"),
        "sessions of two coding projects": claude.messages(sessions),
    }


def _own(screen: Screen, origin: Path) -> dict[str, Lines]:
    files = claude.recordings(origin.expanduser())
    screen.note("Stopping is safe at any time: what was taken in stays, and doing it again goes on.")
    return {f"sessions from {count(len(files), 'file')}": claude.messages(files)}


def _import(memory: Memory, screen: Screen, name: str, lines: Lines, *, space: str) -> Report:
    done = take(memory, screen, lines, space=space, total=None, text=f"Importing {name}")
    screen.show(Text.assemble(("Imported ", "bold"), (name, "bold"), f": {one_line(done)}"))
    return done


def _sample_questions() -> list[DemoQuestion]:
    listed = json.loads((samples() / "questions.json").read_text("utf-8"))
    return [DemoQuestion(one["question"], tuple(one["evidence"])) for one in listed]


def _rank(one: DemoQuestion, hits: Sequence[Hit]) -> int | None:
    """Return the rank (1 …) of the first message that is known to answer; None if none came back."""
    return next((rank for rank, hit in enumerate(hits, 1) if hit.source.message in one.evidence), None)


def _conclude(
    screen: Screen,
    space: str,
    imported: list[Report],
    questions: list[DemoQuestion],
    hit_lists: Sequence[Sequence[Hit]],
) -> None:
    ranks = [_rank(one, answer) for one, answer in zip(questions, hit_lists, strict=True)]
    answers = [
        {"question": one.question, "evidence": one.evidence, "rank": rank, "hits": answer}
        for one, rank, answer in zip(questions, ranks, hit_lists, strict=True)
    ]
    shown = [Text()]
    known = sum(bool(one.evidence) for one in questions)
    if known:
        first = ranks.count(1)
        share = f"All {known}" if first == known else f"{first} of {known}"
        shown.append(Text(f"{share} questions were answered by the first memory."))
    shown.append(Text.assemble(("Go on with\n", "bold"), *(f"  {line}\n" for line in _next_steps(space))))
    screen.answer({"space": space, "imported": imported, "answers": answers}, *shown)


def _next_steps(space: str) -> list[str]:
    quipu = program()
    return [
        f'{quipu} recall --space {space} "your own question"',
        f"{quipu} why 1                      why the first of them came back",
        f'{quipu} observe "I moved to Lisbon in May." --space me',
        f"{quipu} import claude-code         your own sessions, a space for each project",
        f"{quipu} forget --space {space} --everything",
        f"{quipu} --help",
    ]
