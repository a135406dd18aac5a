"""Measure what is kept of conversations: how much of the facts, and how much of it is false.

    python bench/derived.py                        every labelled conversation, a line for each
    python bench/derived.py --set tune --show      what was kept, statement by statement, with its verdict
    python bench/derived.py --only life-nora       one conversation

Each conversation of bench/derived/{tune,report} is observed session by session, a worker derives what it
can, and what stands at the end is read through the public interface: long-term memories, beliefs, lessons,
standing rules and open loops. A labelled fact is kept where a statement has its words; of those that ended
before the last session none is missed where it is gone, so the share of those that hold is told apart. A
statement is wrong
where it has the words of a trap, stale where it has those of a fact that had ended. Other statements are
judged by hand in bench/derived/judged.json, by readers who know neither the rules nor who wrote them; what
nobody judged is counted apart. Beside it: every sentence of the user with "I" or "my", kept as it is.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from rich.console import Console
from rich.table import Table

from quipu import Memory
from quipu.kernel.prose.sentences import sentences

_HERE: Final = Path(__file__).with_name("derived")
_SETS: Final = ("tune", "report")
_FIRST_PERSON: Final = frozenset((
    "i", "i'm", "i've", "im", "ive", "my", "we", "our", "ich", "mein", "meine", "wir", "unser", "unsere",
    "yo", "mi", "mis", "me", "nosotros",
))  # fmt: skip
_DATED: Final = re.compile(r"\([A-Z][a-z]+ \d{4}\)")
"""A statement that says when it was so stays true."""

_ROLES: Final = ("user", "assistant")
_VERDICTS: Final = ("true", "stale", "wrong", "meaningless")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement and the kind of memory that keeps it."""

    kind: str
    text: str

    def has(self, words: Sequence[Sequence[str]]) -> bool:
        """Return True if the statement has a word of every group."""
        lower = self.text.casefold().replace("’", "'")
        return all(any(word.casefold() in lower for word in group) for group in words)


@dataclass(slots=True)
class Tally:
    """Verdicts on the statements of one conversation, and which of its facts were kept."""

    verdicts: dict[str, int] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)
    facts: frozenset[str] = frozenset()
    standing: frozenset[str] = frozenset()

    def row(self) -> list[str]:
        """Return the cells of a line: statements, verdicts, share true of those judged, share kept."""
        judged = sum(self.verdicts.get(one, 0) for one in _VERDICTS)
        total = judged + self.verdicts.get("unjudged", 0)
        true = self.verdicts.get("true", 0)
        return [
            str(total),
            *(str(self.verdicts.get(one, 0)) for one in (*_VERDICTS, "unjudged")),
            f"{100 * true / judged:.0f} %" if judged else "-",
            _share(self.kept, self.facts),
            _share(self.kept & self.standing, self.standing),
        ]


def _share(some: Collection[str], of: Collection[str]) -> str:
    return f"{100 * len(some) / len(of):.0f} %" if of else "-"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bench/derived.py", description=__doc__)
    parser.add_argument("--set", choices=_SETS, help="only the conversations of this set")
    parser.add_argument("--only", help="only conversations whose name begins so")
    parser.add_argument("--show", action="store_true", help="list what was kept, and facts that were not")
    parser.add_argument("--dump", type=Path, help="write the statements that nobody judged as JSON")
    options = parser.parse_args(arguments)
    console = Console(width=140)
    judged = _judged()
    table = _table()
    unjudged: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as home, Memory(home=home) as memory:
        for path in _conversations(options.set, options.only):
            labelled = json.loads(path.read_text("utf-8"))
            kept = _kept(memory, path.stem, labelled)
            tally, told = _tallied(labelled, kept, judged.get(path.stem, {}))
            table.add_row(path.parent.name, path.stem, "Quipu", *tally.row())
            plain, _ = _tallied(labelled, list(_first_person(labelled)), {})
            table.add_row("", "", "every I-sentence", *plain.row())
            unjudged[path.stem] = [one.text for one, verdict in told if verdict == "unjudged"]
            if options.show:
                _show(console, labelled, tally, told)
    console.print(table)
    if options.dump:
        options.dump.write_text(json.dumps(unjudged, ensure_ascii=False, indent=1), "utf-8")
    return 0


def _table() -> Table:
    table = Table(title="What is kept of conversations")
    for name in ("set", "conversation", "by"):
        table.add_column(name)
    for name in ("kept", *_VERDICTS, "unjudged", "true of judged", "facts kept", "of those that hold"):
        table.add_column(name, justify="right")
    return table


def _judged() -> Mapping[str, Mapping[str, str]]:
    path = _HERE / "judged.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def _conversations(only_set: str | None, only: str | None) -> list[Path]:
    paths = [
        path for one in _SETS if only_set in (None, one) for path in sorted((_HERE / one).glob("*.json"))
    ]
    return [path for path in paths if only is None or path.stem.startswith(only)]


def _kept(
    memory: Memory, name: str, labelled: Mapping[str, Any], *, extractor: Literal["rules", "llm"] = "rules"
) -> list[Statement]:
    """Observe a conversation, derive what can be, and return what stands then."""
    for number, session in enumerate(labelled["sessions"]):
        memory.observe(
            [
                {
                    "id": message["id"],
                    "role": message["role"],
                    "content": message["text"],
                    "time": session["started"],
                    **({"speaker": message["name"]} if "name" in message else {}),
                }
                for message in session["messages"]
            ],
            space=name,
            session=f"{name}-{number}",
            user=labelled["user"],
        )
        memory.work()
        memory.lessons.extract(space=name, session=f"{name}-{number}", extractor=extractor)
    return [
        *(Statement("longterm", one.summary) for one in memory.longterm.list(space=name, limit=500)),
        *(
            Statement("belief", f"{one.person}: {one.key.replace('_', ' ')}: {one.value}")
            for one in memory.beliefs.list(space=name, limit=500)
        ),
        *(Statement("lesson", one.fact) for one in memory.lessons.list(space=name, limit=500)),
        *(Statement("rule", one.text) for one in memory.rules.list(space=name, limit=500)),
        *(
            Statement("loop", one.text if one.by in _ROLES else f"{one.by}: {one.text}")
            for one in memory.loops.list(space=name, limit=500)
        ),
    ]


def _first_person(labelled: Mapping[str, Any]) -> Iterable[Statement]:
    for session in labelled["sessions"]:
        for message in session["messages"]:
            if message["role"] == "user":
                for one in sentences(message["text"]):
                    if _FIRST_PERSON & set(one.text.casefold().replace("’", "'").split()):
                        yield Statement("sentence", one.text)


def _tallied(
    labelled: Mapping[str, Any], kept: Sequence[Statement], judged: Mapping[str, str]
) -> tuple[Tally, list[tuple[Statement, str]]]:
    tally = Tally(
        facts=frozenset(one["id"] for one in labelled["facts"]),
        standing=frozenset(one["id"] for one in labelled["facts"] if not one.get("until")),
    )
    told: list[tuple[Statement, str]] = []
    for one in kept:
        facts = [fact for fact in labelled["facts"] if one.has(fact["words"])]
        tally.kept.update(fact["id"] for fact in facts)
        verdict = judged.get(one.text) or _verdict(one, facts, labelled["traps"])
        tally.verdicts[verdict] = tally.verdicts.get(verdict, 0) + 1
        told.append((one, verdict))
    return tally, told


def _verdict(one: Statement, facts: Sequence[Mapping[str, Any]], traps: Sequence[Mapping[str, Any]]) -> str:
    if facts:
        lasts = any(not fact.get("until") for fact in facts) or _DATED.search(one.text)
        return "true" if lasts else "stale"
    return "wrong" if any(one.has(trap["words"]) for trap in traps) else "unjudged"


def _show(
    console: Console, labelled: Mapping[str, Any], tally: Tally, told: Sequence[tuple[Statement, str]]
) -> None:
    for one, verdict in told:
        console.print(f"{verdict:12} {one.kind:9} {one.text}", markup=False, highlight=False)
    for fact in labelled["facts"]:
        if fact["id"] not in tally.kept:
            console.print(f"not kept     {fact['says']}  {fact['from']}", markup=False, highlight=False)


if __name__ == "__main__":
    sys.exit(main())
