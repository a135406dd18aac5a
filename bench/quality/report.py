"""The tables for people and the JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from quality.budgets import BUDGETS, Bought, is_covered, mean
from quality.derived import CUTS, Beside
from quality.measures import SESSION_CUTS, TURN_CUTS, Summary, is_newest_first
from quality.model import HALVES
from quality.run import Answer, summary_of


def kind_of(conversation: str) -> str:
    """The ten LoCoMo conversations are one kind; each of our own files is another."""
    return "locomo" if conversation.startswith("locomo-") else conversation


def show(console: Console, answers: Sequence[Answer], systems: Sequence[str]) -> None:
    """Two tables for each kind of conversation: all measures, and r@10 by category."""
    for kind in dict.fromkeys(kind_of(answer.conversation) for answer in answers):
        own = [answer for answer in answers if kind_of(answer.conversation) == kind]
        console.print(_measures_table(kind, own, systems))
        console.print(_category_table(kind, own, systems))


def _measures_table(kind: str, answers: Sequence[Answer], systems: Sequence[str]) -> Table:
    sizes = summary_of(answers, systems[0], lambda _: True)
    title = f"{kind}, % (turns n={sizes.turn_count}, sessions n={sizes.session_count})"
    table = Table(title=title, title_justify="left")
    table.add_column("system")
    heads = [*(f"r@{k}" for k in TURN_CUTS), "MRR", *(f"session R@{k}" for k in SESSION_CUTS)]
    heads += [f"any session @{k}" for k in SESSION_CUTS]
    for head in (*heads, "r@10 tune", "r@10 report"):
        table.add_column(head, justify="right")
    for system in systems:
        total = summary_of(answers, system, lambda _: True)
        cells = [*total.turns.values(), total.mrr, *total.sessions.values(), *total.any_session.values()]
        cells += _half_cells(answers, system)
        table.add_row(system, *(_percent(cell) for cell in cells))
    return table


def show_changes(console: Console, answers: Sequence[Answer], systems: Sequence[str]) -> None:
    """One table for the questions about values that changed, by half; nothing where there are none."""
    asked = [answer for answer in answers if answer.question.newest and answer.question.outdated]
    for kind in dict.fromkeys(kind_of(answer.conversation) for answer in asked):
        own = [answer for answer in asked if kind_of(answer.conversation) == kind]
        table = Table(title=f"{kind}, values that changed, %", title_justify="left")
        for head in ("system", "half", "asked of now (n)", "newest above outdated", "newest is first"):
            table.add_column(head)
        for head in ("asked of the past or the change (n)", "r@1", "r@10"):
            table.add_column(head)
        for system in systems:
            for half in ("tune", "report"):
                rows = [a for a in own if a.system == system and a.question.half == half]
                table.add_row(system, half, *_change_cells(rows))
        console.print(table)


def _change_cells(answers: Sequence[Answer]) -> list[str]:
    now = [answer for answer in answers if answer.question.asks in (None, "present")]
    then = [answer for answer in answers if answer.question.asks in ("past", "change")]
    above = [is_newest_first(a.ranked, a.question.newest, a.question.outdated) for a in now]
    first = [a.ranked[:1] and a.ranked[0] in a.question.newest for a in now]
    shares = [[a.outcome.turns[k] for a in then if a.outcome.turns] for k in (1, 10)]
    counted = [_percent(mean([float(bool(one)) for one in row])) for row in (above, first)]
    return [str(len(now)), *counted, str(len(then)), *(_percent(mean(row)) for row in shares)]


def show_budgets(console: Console, bought: Sequence[Bought], systems: Sequence[str]) -> None:
    """One table for each kind: the evidence and the words of the answer in a block of each budget."""
    for kind in dict.fromkeys(kind_of(one.conversation) for one in bought):
        table = Table(title=f"{kind}, blocks for prompts", title_justify="left")
        table.add_column("measure")
        table.add_column("system")
        for budget in BUDGETS:
            table.add_column(f"{budget:,} tokens", justify="right")
        own = [one for one in bought if kind_of(one.conversation) == kind]
        for measure, cell in _OF_BLOCKS.items():
            for system in systems:
                rows = [[o for o in own if o.system == system and o.budget == budget] for budget in BUDGETS]
                table.add_row(measure, system, *(cell(row) for row in rows))
        console.print(table)


def show_derived(console: Console, compared: Sequence[Beside]) -> None:
    """One table of all kinds of conversation: messages alone beside all kinds of memory, by half."""
    table = Table(title="messages alone / all kinds of memory, %", title_justify="left")
    table.add_column("conversations")
    table.add_column("half")
    for head in ("n", *(f"r@{k}" for k in CUTS)):
        table.add_column(head, justify="right")
    for kind in dict.fromkeys(kind_of(one.conversation) for one in compared):
        for half in HALVES:
            rows = [
                one for one in compared if kind_of(one.conversation) == kind and one.question.half == half
            ]
            pairs = [
                f"{_percent(mean([one.alone[cut] for one in rows]))} / "
                f"{_percent(mean([one.together[cut] for one in rows]))}"
                for cut in range(len(CUTS))
            ]
            table.add_row(kind, half, str(len(rows)), *pairs)
    console.print(table)


_OF_BLOCKS: Mapping[str, Callable[[Sequence[Bought]], str]] = {
    "evidence, %": lambda row: _percent(mean([one.evidence for one in row])),
    "lists covered, %": lambda row: _percent(mean([is_covered(one) for one in row])),
    "answer words, %": lambda row: _percent(mean([one.words for one in row])),
    "tokens used": lambda row: f"{mean([one.tokens for one in row]) or 0:.0f}",
}


def _half_cells(answers: Sequence[Answer], system: str) -> list[float | None]:
    halves = [summary_of(answers, system, _in_half(half)) for half in ("tune", "report")]
    return [half.turns[10] if half.turn_count else None for half in halves]


def _category_table(kind: str, answers: Sequence[Answer], systems: Sequence[str]) -> Table:
    table = Table(title=f"{kind}, r@10 by category, %", title_justify="left")
    table.add_column("system")
    categories = sorted({answer.question.category for answer in answers})
    for category in categories:
        n = summary_of(answers, systems[0], _in_category(category)).turn_count
        table.add_column(f"{category} ({n})", justify="right")
    for system in systems:
        found = [summary_of(answers, system, _in_category(category)) for category in categories]
        table.add_row(system, *(_percent(summary.turns[10]) for summary in found))
    return table


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def _in_half(half: str) -> Callable[[Answer], bool]:
    return lambda answer: answer.question.half == half


def _in_category(category: str) -> Callable[[Answer], bool]:
    return lambda answer: answer.question.category == category


def write(
    path: Path, answers: Sequence[Answer], systems: Sequence[str], parts: Mapping[tuple[str, str], object]
) -> None:
    """All figures and every question with what each system returned; ``parts`` are our scores by question."""
    by_kind: dict[str, list[Answer]] = {}
    for answer in answers:
        by_kind.setdefault(kind_of(answer.conversation), []).append(answer)
    document = {
        "kinds": {kind: _figures(own, systems) for kind, own in by_kind.items()},
        "questions": _questions(answers, parts),
    }
    path.write_text(json.dumps(document, ensure_ascii=False, indent=1), encoding="utf-8")


def _figures(answers: Sequence[Answer], systems: Sequence[str]) -> dict[str, object]:
    categories = sorted({answer.question.category for answer in answers})
    return {
        system: {
            "all": _plain(summary_of(answers, system, lambda _: True)),
            "halves": {
                half: _plain(summary_of(answers, system, _in_half(half))) for half in ("tune", "report")
            },
            "categories": {c: _plain(summary_of(answers, system, _in_category(c))) for c in categories},
        }
        for system in systems
    }


def _plain(summary: Summary) -> dict[str, object]:
    return asdict(summary)


def _questions(answers: Sequence[Answer], parts: Mapping[tuple[str, str], object]) -> list[dict[str, object]]:
    rows: dict[tuple[str, int], dict[str, object]] = {}
    for answer in answers:
        question = answer.question
        row = rows.setdefault(
            (answer.conversation, id(question)),
            {
                "conversation": answer.conversation,
                "question": question.text,
                "category": question.category,
                "half": question.half,
                "evidence": question.evidence,
                "ranks": {},
                "ranked": {},
                "hits": parts.get((answer.conversation, question.text), []),
            },
        )
        _put(row, "ranks", answer, [_rank(answer.ranked, id_) for id_ in question.evidence])
        _put(row, "ranked", answer, list(answer.ranked))
    return list(rows.values())


def _put(row: dict[str, object], key: str, answer: Answer, value: object) -> None:
    by_system = row[key]
    if isinstance(by_system, dict):
        by_system[answer.system] = value


def _rank(ranked: Sequence[str], id_: str) -> int | None:
    return ranked.index(id_) + 1 if id_ in ranked else None
