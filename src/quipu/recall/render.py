"""Hits as they are shown: a block for a prompt, and the reasons for a hit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from quipu.kernel.base.prompt_text import defused
from quipu.kernel.base.text import Marks, excerpt, sized
from quipu.recall.model import Hit
from quipu.recall.terms import bag, passage, question_terms

_FEWEST_CHARACTERS = 40
_LINE_CHARACTERS = 360
_SHORT_ID = 12
_OPEN, RULES = "Open:", "Rules:"
OF_BUDGET = 0.25  # rules get a quarter of it, reminders as much, and so do lines that only come near
_OF_BOTH = 0.4
_NEAR = frozenset(("date", "newer", "order"))
HARDLY = 0.05  # of answerable questions one in a hundred is known with less, of others one in three
_FLOOR = 0.2  # of the hits below, without a word of the question, one in forty answers it


@dataclass(frozen=True, slots=True)
class Block:
    """A prompt block: its text, an estimate of its tokens that errs upwards, and the hits that are in it.

    ``left_out`` counts the hits for which there was no room.

    The text is marked as memory, so that it is never taken in again, and holds nothing that a model could
    take for the frame of its prompt; it is empty where nothing fits or nothing is known.
    """

    text: str
    tokens: int
    hits: tuple[Hit, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A standing rule as a line of a block, and the id of the hit that its message would be."""

    line: str
    hit: str | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """Form of a block: the line and the heading of a hit, and the most characters of its text.

    ``in_time``: the headings stand in the order of time, not in that of their best hits. ``folds``: what a
    better hit replaces has no line of its own, for the line of that hit tells it.
    """

    line: Callable[[Hit, str], str]
    heading: Callable[[Hit], str]
    most_characters: int
    in_time: bool = False
    folds: bool = False


def block(
    hits: Sequence[Hit],
    *,
    budget_tokens: int,
    marks: Marks,
    terms: Mapping[str, tuple[int, ...]] | None = None,
    reminders: Sequence[str] = (),
    notice: str = "",
    known: float = 1.0,
    layout: Layout | None = None,
    rules: Sequence[RuleLine] = (),
) -> Block:
    """Put the best hits that fit into a block: a line each, under a heading for each day and session.

    The days and sessions follow each other as their best hits do; within one, lines are in the order of
    time. A long text is shown by the passage, of at most 360 characters, that has most of the question's
    ``terms``; without these, by its beginning. The last may be cut short. Before them stand the standing
    ``rules`` and then the ``reminders``, each as far as they fit into a quarter of the budget, both into two
    fifths; the message of a rule that is shown is not shown again. ``marks`` are those of the space. A
    ``notice`` that nothing is known stands before the lines; where what is asked is ``known`` with less than
    .05, they get a quarter of the budget. Another ``layout`` has other lines and headings.
    """
    form = layout or RANKED
    quarter = int(budget_tokens * OF_BUDGET)
    ruled = paragraph(RULES, [one.line for one in rules], budget_tokens=quarter)
    left = min(OF_BUDGET, _OF_BOTH - estimate_tokens("\n".join(ruled)) / budget_tokens)
    opening = [*ruled, *paragraph(_OPEN, reminders, budget_tokens=int(budget_tokens * left))]
    opening += [notice] if notice and hits else []
    page = _Page(budget_tokens, opening, form, of_lines=quarter if known < HARDLY else budget_tokens)
    repeated = {one.hit for one in rules[: max(0, len(ruled) - 2)]} if page.is_opened else set[str | None]()
    wanted = [hit for hit in hits if hit.kind != "message" or hit.id not in repeated]
    for hit in wanted:
        if form.folds and page.tells(hit):
            page.taken.append(hit)
            continue
        text = passage(hit.text, terms or {}, most=form.most_characters)
        if page.add(hit, form.line(hit, text)):
            continue
        shorter = _shortened(page, hit, text)
        if shorter is not None:
            page.add(hit, shorter)
        break
    text = marks.mark(page.text)
    return Block(text, estimate_tokens(text), tuple(page.taken), len(wanted) - len(page.taken))


def is_remote(hit: Hit) -> bool:
    """Return True for a hit with no word of the question and far from it in meaning.

    One of the time that the question names is not, nor one that stands beside what it replaces.
    """
    return not hit.coverage and hit.cosine < _FLOOR and _NEAR.isdisjoint(hit.parts)


class _Page:
    """Lines under their headings, within a budget of tokens."""

    def __init__(self, budget_tokens: int, opening: Sequence[str], layout: Layout, *, of_lines: int) -> None:
        self.taken: list[Hit] = []
        self.layout = layout
        self._opening = list(opening)
        self._groups: dict[str, list[tuple[datetime, str]]] = {}
        self._size = _sized(sized("\n".join(opening).strip()))
        if _tokens(*self._size) > budget_tokens:  # the marks alone fill a small budget
            self._opening = []
            self._size = _sized(sized(""))
        self._budget = min(budget_tokens, _tokens(*self._size) + of_lines)

    def add(self, hit: Hit, line: str) -> bool:
        """Add the line of a hit; returns False, and adds nothing, if it does not fit."""
        if not self.fits(hit, line):
            return False
        heading = self.layout.heading(hit)
        self._size = self._with(heading, line)
        self._groups.setdefault(heading, []).append((hit.happened_at, line))
        self.taken.append(hit)
        return True

    def fits(self, hit: Hit, line: str) -> bool:
        """Return True if there is room for the line of a hit, and for its heading where that is new."""
        return _tokens(*self._with(self.layout.heading(hit), line)) <= self._budget

    def tells(self, hit: Hit) -> bool:
        """Return True if the line of another message tells what it replaces: this hit."""
        lines = {one.id for one in self.taken if one.kind == "message"}
        return hit.kind == "message" and any(one.id in lines for one in hit.superseded_by)

    @property
    def is_opened(self) -> bool:
        """True if it begins with what it was to begin with."""
        return bool(self._opening)

    @property
    def text(self) -> str:
        """The whole text."""
        lines = list(self._opening)
        groups = self._groups.items()
        for heading, group in sorted(groups, key=_earliest) if self.layout.in_time else groups:
            lines.append(heading)
            lines += [line for _, line in sorted(group, key=lambda timed: timed[0])]
        return "\n".join(lines)

    def _with(self, heading: str, line: str) -> tuple[int, int]:
        latin, others = _sized(line if heading in self._groups else f"{heading}\n{line}")
        return self._size[0] + latin + 1, self._size[1] + others


def _earliest(group: tuple[str, Sequence[tuple[datetime, str]]]) -> datetime:
    return min(at for at, _ in group[1])


def estimate_tokens(text: str) -> int:
    """Estimate the tokens that a model sees, rather more than less: 3.5 Latin letters or one other each."""
    return _tokens(*_sized(text))


def _sized(text: str) -> tuple[int, int]:
    """Return the numbers of Latin letters and of other characters."""
    latin = len(text) if text.isascii() else sum(c < "\u0250" for c in text)
    return latin, len(text) - latin


def _tokens(latin: int, others: int) -> int:
    return -(-latin * 2 // 7) + others


def paragraph(head: str, every: Sequence[str], *, budget_tokens: int) -> list[str]:
    """Return the lines of a paragraph and an empty one, as far as they fit; nothing if none does."""
    lines: list[str] = []
    for one in every:
        longer = [*(lines or [head]), defused(f"- {' '.join(one.split())}")]
        if estimate_tokens("\n".join(longer)) > budget_tokens:
            break
        lines = longer
    return [*lines, ""] if lines else []


def _heading(hit: Hit) -> str:
    session = f", {_short(hit.source.session)}" if hit.source.session else ""
    return defused(f"{hit.happened_at:%Y-%m-%d}{session}")


def _line(hit: Hit, text: str, *, fold: bool) -> str:
    who = hit.source.speaker or hit.source.role or hit.kind
    said = " ".join(text.split())
    half = "half remembered, " if "half_remembered" in hit.parts else ""
    notes = "; ".join(
        filter(None, (_short(hit.source.message or hit.id), hit.said_again, hit.changed if fold else ""))
    )
    return defused(f"- {hit.happened_at:%H:%M} {half}{who}: {said} ({notes})")


RANKED: Final = Layout(partial(_line, fold=False), _heading, _LINE_CHARACTERS)
"""Form of a block: the days and sessions in the order of their best hits."""

PRESENT: Final = Layout(partial(_line, fold=True), _heading, _LINE_CHARACTERS, folds=True)
"""The form for questions about what holds now: the line of a newer statement tells what it replaces."""


def _short(name: str) -> str:
    """Return an id short enough for a line: the first eight characters of a longer one."""
    return name if len(name) <= _SHORT_ID else f"{name[:8]}…"


def _shortened(page: _Page, hit: Hit, text: str) -> str | None:
    """Return the line of a hit cut to fit; None if too little of it would be left to be of use."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        fits = page.fits(hit, page.layout.line(hit, excerpt(text, middle)))
        low, high = (middle, high) if fits else (low, middle - 1)
    return page.layout.line(hit, excerpt(text, low)) if low >= _FEWEST_CHARACTERS else None


_SENTENCES = {
    "meaning": "It lies near the question in meaning, its neighbours taken into account.",
    "words": "It, or a message beside it, has words of the question.",
    "session": "The whole conversation is about what the question asks.",
    "speaker": "It was said by the person whom the question is about.",
    "people": "Everybody whom the question names takes part in that conversation.",
    "date": "It is of the time that the question names.",
    "when": "The question asks for a time, and it tells one.",
    "tells": "It tells something; among people, a question is seldom the answer.",
    "length": "It is not just a word or two.",
    "echo": "It is the question itself, asked before, and tells nothing.",
    "newer": "The question asks for what holds now, and this is newer than the memory below it.",
    "order": "The question asks for what was, and this is one of two that replace each other.",
    "rule": "It is a standing rule that may apply: one of the first places is kept for it.",
    "rerank": "The re-ranker, which read question and memory together, finds that it answers.",
    "activation": "It comes to mind easily: it happened lately, or was used often.",
    "freshness": "It has hardly faded since it happened or was last used.",
    "topic": "The question has words of its topic.",
    "intent": "The question speaks of what was wanted then, such as planning or solving a problem.",
    "half_remembered": "Only half remembered: it has few of the question's words and was not used for long.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a memory was imported from.

    ``source`` is the system and ``version`` its own, ``label`` the file or server, with its digest.
    ``source_id`` is the id that the record had there, and ``raw`` the record without secrets; None where it
    was too large to keep. ``target`` is the id of what it became, of a message its number.
    """

    kind: str
    source_id: str
    target: str
    raw: Any
    source: str
    version: str | None
    label: str
    sha256: str
    import_id: str
    brought_at: datetime


@dataclass(frozen=True, slots=True)
class Why:
    """Reasons for a hit, by weight, with the question's words in it and the turns around it.

    ``words`` are empty where the hit shares none with the question. ``before`` and ``after`` are the turns
    beside it in its session, "speaker: text", oldest first. ``origin`` is where it was imported from, if it
    was.
    """

    hit: Hit
    reasons: tuple[Reason, ...]
    words: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """One signal: what it added to the score (0 to 1), and what that means."""

    signal: str
    amount: float
    sentence: str


def explain(
    hit: Hit,
    *,
    languages: Sequence[str],
    before: Sequence[str],
    after: Sequence[str],
    origin: Origin | None = None,
) -> Why:
    """Explain a hit; ``languages`` are those of its space."""
    parts = sorted(hit.parts.items(), key=lambda part: -part[1])
    reasons = [Reason(signal, amount, _SENTENCES[signal]) for signal, amount in parts]
    reasons += [Reason("rerank", 0.0, hit.notice)] if hit.notice else []
    return Why(hit, tuple(reasons), tuple(shared_words(hit, languages)), tuple(before), tuple(after), origin)


def shared_words(hit: Hit, languages: Sequence[str]) -> list[str]:
    """Return the words of the question that the text of the hit has itself, in any form."""
    asked = question_terms(hit.question, languages)
    held = {h for language in languages for h in bag(hit.text, language=language).hashes.tolist()}
    return [word for word, hashes in asked.items() if not held.isdisjoint(hashes)]
