"""Questions whose answer is known to be in memory or not, what recall says of that, and numbers that fit."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from quality.model import Conversation, Question
from quality.ours import Ours, by_user
from quality.report import kind_of
from quipu import Memory
from quipu.recall import ranking
from quipu.recall.ranking import Answer

_SEED = 7
_FOREIGN = 60
_MOST_FOREIGN = 150
_KEPT = 0.97
_SURE, _LIKELY = 0.5, 0.2
_BINS = 10
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Posed:
    """A question to be asked in a conversation: ``is_told`` says whether that tells the answer."""

    conversation: str
    question: Question
    is_told: bool
    is_foreign: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what recall returned."""

    posed: Posed
    answer: Answer

    @property
    def kind(self) -> str:
        """The kind of conversation."""
        return kind_of(self.posed.conversation)

    @property
    def half(self) -> str:
        """The half that the question belongs to."""
        return self.posed.question.half


def questions(conversations: Sequence[Conversation]) -> list[Posed]:
    """The questions of each conversation, and foreign ones of the others in its language."""
    chance = random.Random(_SEED)
    posed: list[Posed] = []
    for here in conversations:
        own = [q for q in here.questions if q.category != "adversarial"]
        posed += [Posed(here.name, question, question.was_told, False) for question in own]
        others = [one for one in conversations if one is not here and one.language == here.language]
        others = others or [one for one in conversations if one is not here]
        pool = [
            (there, question)
            for there in others
            for question in there.questions
            if question.was_told and question.category != "adversarial"
        ]
        count = min(len(pool), _MOST_FOREIGN, max(_FOREIGN, sum(q.was_told for q in own)))
        users = sorted({q.user for q in own if q.user})
        for there, question in chance.sample(pool, count):
            user = chance.choice(users) if users else None
            posed.append(Posed(here.name, _moved(question, there, here, user), False, True))
    return posed


def _moved(question: Question, there: Conversation, here: Conversation, user: str | None) -> Question:
    """The question of another conversation as it would be asked here: its people are those of this one."""
    text, names = question.text, _people(here)
    for place, other in enumerate(_people(there) if names else ()):
        name = names[place % len(names)].split()[0]
        for form in {other, other.split()[0]}:
            if len(form) > 1:
                text = re.sub(rf"\b{re.escape(form)}\b" if form.isascii() else re.escape(form), name, text)
    return Question(text, (), frozenset(), question.category, question.half, user=user)


def _people(conversation: Conversation) -> list[str]:
    counts = Counter(message.speaker for message in conversation.messages if message.speaker)
    return [name for name, _ in counts.most_common()]


def ask(
    memory: Memory,
    conversations: Sequence[Conversation],
    posed: Sequence[Posed],
    *,
    progress: Callable[[str], None],
) -> list[Asked]:
    """Ask every question in its conversation."""
    ours, asked = Ours(memory), list[Asked]()
    for conversation in conversations:
        progress(conversation.name)
        space = ours.take_in(conversation)
        own = [one for one in posed if one.conversation == conversation.name]
        for user, places in by_user([one.question for one in own]).items():
            texts = [own[place].question.text for place in places]
            answers = memory.recall_many(texts, space=space, user=user, kinds=("message",), limit=10)
            asked += [Asked(own[place], answer) for place, answer in zip(places, answers, strict=True)]
    return asked


def fit(asked: Sequence[Asked]) -> ranking.Numbers:
    """The numbers that fit best; every kind counts the same, and so do answerable and foreign questions."""
    told = np.array([one.posed.is_told for one in asked], dtype=float)
    signs = np.array([ranking.signs(one.answer) for one in asked])
    known = logistic(signs, told, _weights([(one.kind, one.posed.is_told) for one in asked]))
    odds = known[0] + signs @ known[1:]
    nothing = float(np.quantile(1 / (1 + np.exp(-odds[told == 1])), 1 - _KEPT))
    rows = [
        (one.kind, sign, hit.source.message in one.posed.question.evidence)
        for one, odd in zip(asked, odds, strict=True)
        for hit, sign in zip(one.answer, ranking.signs_of_hits(one.answer, float(odd)), strict=True)
    ]
    right = np.array([is_right for _, _, is_right in rows], dtype=float)
    hit = logistic(
        np.array([sign for _, sign, _ in rows]), right, _weights([(kind, 0) for kind, _, _ in rows])
    )
    return ranking.Numbers(
        known=tuple(known.tolist()), hit=tuple(hit.tolist()), nothing=nothing, sure=_SURE, likely=_LIKELY
    )


def write(path: Path, numbers: ranking.Numbers) -> None:
    """Write the numbers as data, with the command that fits them."""
    known, hit = numbers.known, numbers.hit
    path.write_text(
        "# Written by `python bench/confidence.py --fit`; what they are is said in `recall/ranking.py`.\n"
        f"known = [{', '.join(f'{n:.4g}' for n in known)}]\n"
        f"hit = [{', '.join(f'{n:.4g}' for n in hit)}]\n"
        f"nothing = {numbers.nothing:.2f}\nsure = {numbers.sure}\nlikely = {numbers.likely}\n",
        encoding="utf-8",
    )


def _weights(groups: Sequence[tuple[str, object]]) -> Floats:
    counts = Counter(groups)
    return np.array([100 / counts[group] for group in groups])


def logistic(signs: Floats, outcomes: Floats, weights: Floats, *, pull: float = 1.0) -> Floats:
    """The constant and the weight of each sign, by Newton's method with a slight pull towards 0."""
    mean, spread = signs.mean(0), signs.std(0) + 1e-9
    rows = np.c_[np.ones(len(signs)), (signs - mean) / spread]
    towards = pull * np.eye(rows.shape[1])
    towards[0, 0] = 0
    found = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (weights * (outcomes - chance)) - towards @ found
        found += np.linalg.solve(
            rows.T @ (rows * (weights * chance * (1 - chance))[:, None]) + towards, slope
        )
    return np.r_[found[0] - (found[1:] * mean / spread).sum(), found[1:] / spread]


def auc(values: Sequence[float], outcomes: Sequence[bool]) -> float | None:
    """The chance that a true one has the higher value, half of it where they are equal."""
    true = [value for value, outcome in zip(values, outcomes, strict=True) if outcome]
    false = np.array([value for value, outcome in zip(values, outcomes, strict=True) if not outcome])
    if not true or not len(false):
        return None
    return fmean(float((false < value).mean() + (false == value).mean() / 2) for value in true)


def calibration_error(values: Sequence[float], outcomes: Sequence[bool]) -> float | None:
    """The mean distance of what is said from what is so, in ten bins; both outcomes count the same."""
    share = fmean(outcomes) if outcomes else 0
    if share in (0, 1):
        return None
    bins: defaultdict[int, list[tuple[float, float, float]]] = defaultdict(list)
    for value, outcome in zip(values, outcomes, strict=True):
        weight = 0.5 / (share if outcome else 1 - share) / len(values)
        bins[min(int(value * _BINS), _BINS - 1)].append((weight, value, float(outcome)))
    return sum(abs(sum(w * (v - o) for w, v, o in rows)) for rows in bins.values())


def show(console: Console, asked: Sequence[Asked]) -> None:
    """One table of what is known, one of how often sure and likely hits are right; by kind and half."""
    table = Table(title="Known or not: answerable against foreign questions", title_justify="left")
    for head in ("kind", "half", "n", "foreign", "AUC", "calibration error", "kept", "foreign refused"):
        table.add_column(head)
    table.add_column("AUC, never told (n)")
    hits = Table(title="Hits among the first ten: right, % (n)", title_justify="left")
    for head in ("kind", "half", "sure", "likely", "maybe"):
        hits.add_column(head)
    for (kind, half), rows in _grouped(asked).items():
        table.add_row(kind, half, *_known_cells(rows))
        hits.add_row(kind, half, *_hit_cells(rows))
    console.print(table)
    console.print(hits)


def _grouped(asked: Sequence[Asked]) -> Mapping[tuple[str, str], list[Asked]]:
    groups: defaultdict[tuple[str, str], list[Asked]] = defaultdict(list)
    for one in asked:
        groups[one.kind, one.half].append(one)
        if one.kind != "locomo":
            groups["all of our own", one.half].append(one)
    return dict(sorted(groups.items()))


def _known_cells(rows: Sequence[Asked]) -> list[str]:
    told = [one for one in rows if one.posed.is_told]
    foreign = [one for one in rows if one.posed.is_foreign]
    never = [one for one in rows if not one.posed.is_told and not one.posed.is_foreign]
    values = [one.answer.known for one in (*told, *foreign)]
    outcomes = [one.posed.is_told for one in (*told, *foreign)]
    unheard = auc(
        [one.answer.known for one in (*told, *never)], [one.posed.is_told for one in (*told, *never)]
    )
    return [
        str(len(told)),
        str(len(foreign)),
        _number(auc(values, outcomes)),
        _number(calibration_error(values, outcomes)),
        _percent([not one.answer.notice for one in told]),
        _percent([bool(one.answer.notice) for one in foreign]),
        f"{_number(unheard)} ({len(never)})" if never else "-",
    ]


def _hit_cells(rows: Sequence[Asked]) -> list[str]:
    found: defaultdict[str, list[bool]] = defaultdict(list)
    for one in rows:
        for hit in one.answer:
            found[hit.certainty].append(hit.source.message in one.posed.question.evidence)
    return [f"{_percent(found[name])} ({len(found[name])})" for name in ("sure", "likely", "maybe")]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _percent(outcomes: Sequence[bool]) -> str:
    return f"{100 * fmean(outcomes):.1f}" if outcomes else "-"
