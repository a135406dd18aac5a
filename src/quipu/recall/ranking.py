"""Ranking: the weights of the signals and their scale, each thing told once, and how sure an answer is."""

from __future__ import annotations

import math
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from itertools import dropwhile
from pathlib import Path
from typing import Final

from quipu.recall.model import Certainty, Cited, Found, Hit, LinkedStatement, Repeat

SIGNALS: Final = ("meaning", "words", "session", "speaker", "people", "date", "when", "tells", "length")
_FEW_THREADS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weight of each signal where it applies (docs/decisions/recall.md has the measurements).

    meaning: cosine of question and entry in context. words: BM25F over own and inherited words, divided
    by the best. session: BM25 of the whole thread, where threads are many. speaker: said by the one
    person named. asker: said by a user, where the asker asks about themselves. people: said where
    everybody named takes part. date: of the time asked about. when: tells of a time, if a time is asked
    for. tells: is not itself a question, where people talk (to an assistant, questions tell much).
    length: not just "ok" (full from 30 words on).
    """

    meaning: float = 1.0
    words: float = 0.26
    session: float = 0.2
    speaker: float = 0.15
    asker: float = 0.36
    people: float = 0.4
    date: float = 0.6
    when: float = 0.25
    tells: float = 0.18
    length: float = 0.1

    @property
    def longest(self) -> float:
        """The most that ``length`` can add."""
        return self.length * math.log(31)


def session_weight(weights: Weights, threads: int) -> float:
    """Return the weight of whole sessions: nothing if there is one, all of it from 21 sessions on."""
    return weights.session * min(1.0, max(0, threads - 1) / _FEW_THREADS)


def selectivity(share: float) -> float:
    """Return the weight of a condition that a share (0 to 1) of the space satisfies: 1 up to 13.5 %."""
    return 1.0 if share <= 0 else max(0.0, min(1.0, -math.log(share) / 2))


def log_odds(weights: Sequence[float], values: Sequence[float]) -> float:
    """Return the log-odds of a logistic function: a constant, and the weight of each value."""
    constant, *rest = weights
    return constant + sum(weight * value for weight, value in zip(rest, values, strict=True))


def scored(added: Sequence[float], *, most: float) -> tuple[float, dict[str, float]]:
    """Return the score and its parts on the scale 0 to 1: what each of ``SIGNALS`` added, in their order.

    It is divided by ``most``, what the signals in force can add up to.
    """
    scaled = {signal: round(part / most, 6) for signal, part in zip(SIGNALS, added, strict=True) if part}
    return round(min(1.0, sum(scaled.values())), 6), scaled


_WORD: Final = re.compile(r"\w+")
_NO_WORD: Final = {code: " " for code in range(128) if not _WORD.match(chr(code))}
ECHO: Final = "echo"
"""Name of the part that an earlier asking of the question has."""

_LOST: Final = -0.8
"""What an earlier asking of the question loses of its score."""

_ALIKE: Final = 0.8
_READ: Final = 2_000

_FEW: Final = 3
"""Most messages that a memory may rest on to stand for one of them; one that rests on more condenses them."""

_BETTER: Final = 1.1
"""So many times the score of its message a derived memory needs to be shown in its place."""

# A line with and without these is the same line: anywhere in it, or before its first word.
_ANYWHERE: Final = frozenset(("a", "an", "the", "please", "pls"))
_OPENING: Final = frozenset(
    ("ah", "anyway", "btw", "hey", "hi", "hmm", "oh", "ok", "okay", "so", "uh", "um", "well", "yeah", "yes")
)

# The words that open a question which somebody typed without its mark.
# fmt: off
_ASKING: Final = frozenset(
    (
        "who", "whom", "whose", "what", "when", "where", "which", "why", "how", "do", "does", "did", "is",
        "are", "was", "were", "am", "can", "could", "will", "would", "should", "have", "has", "had",
        "wer", "wen", "wem", "was", "wann", "wo", "woher", "wohin", "welche", "welcher", "welches",
        "warum", "wie", "hat", "habe", "ist", "sind", "qui", "que", "quoi", "quand", "ou", "quel",
        "quelle", "quels", "pourquoi", "comment", "est", "quien", "cuando", "donde", "cual", "por",
        "como", "chi", "cosa", "quando", "dove", "quale", "perche",
    )
)
# fmt: on
_ASKING_CJK: Final = re.compile("[吗呢谁哪]|什么|怎么|何时|几[点个]|多少|為什麼|为什么|誰|いつ|どこ|何|か$")


class Answer(list[Hit]):
    """The hits that answer a question, best first; a list of them that also says whether memory knows.

    ``known`` is the probability (0 to 1) that what is asked was told at all. ``notice`` is empty, or says in
    a sentence that nothing is known; the hits are then only what comes nearest.
    """

    __slots__ = ("known", "notice")

    def __init__(self, hits: Iterable[Hit] = (), *, known: float = 0.0, notice: str = "") -> None:
        super().__init__(hits)
        self.known = known
        self.notice = notice

    def of(self, hits: Iterable[Hit]) -> Answer:
        """Return the answer with these hits in place of its own."""
        return Answer(hits, known=self.known, notice=self.notice)

    def __repr__(self) -> str:
        """Return the hits with what is said of them."""
        return f"Answer({super().__repr__()}, known={self.known}, notice={self.notice!r})"


@dataclass(frozen=True, slots=True)
class Distinct:
    """One entry of the answer, with the others that say the same, what it replaces and what replaces it.

    ``copies`` are all entries that are this one: itself, its repeats, and copies in resumed sessions.
    ``folded`` are the entries that stand under it, and ``rests_on`` the messages that it was derived from if
    none of them was found itself.
    """

    found: Found
    repeats: tuple[Repeat, ...] = ()
    copies: tuple[int, ...] = ()
    folded: tuple[Found, ...] = ()
    rests_on: tuple[int, ...] = ()
    supersedes: tuple[LinkedStatement, ...] = ()
    superseded_by: tuple[LinkedStatement, ...] = ()


def once(question: str, found: Sequence[Found], cited: Mapping[int, Cited]) -> list[Distinct]:
    """Return the entries, best first, each thing once; entries that are not in ``cited`` are left out.

    Lines in the same words are one entry, the best of them: capitals, punctuation, accents and words like
    "please" do not count, but numbers do, and so does who said it. The copies of one line that resumed
    sessions hold are one as well, and are no repeats. An earlier asking of the question counts against
    itself, for it tells nothing (part ``echo``).
    """
    asked = frozenset(words(question))
    there = [hit for hit in found if hit.id in cited]
    said = {hit.id: words(cited[hit.id].text) for hit in there}
    weighed = (_weighed(hit, cited[hit.id].text, said[hit.id], asked) for hit in there)
    alike: dict[object, list[Found]] = {}
    for hit in sorted(weighed, key=_rank):
        cite = cited[hit.id]
        who = (cite.source.speaker or cite.source.role, cite.source.user)
        key = (*who, tuple(said[hit.id]), cite.text[_READ:]) if said[hit.id] else hit.id
        alike.setdefault(key, []).append(hit)
    return [
        Distinct(hits[0], tuple(_again(hits, cited)), tuple(hit.id for hit in hits))
        for hits in alike.values()
    ]


def fold(hits: Sequence[Distinct], sources: Mapping[int, Sequence[int]]) -> list[Distinct]:
    """Return the entries, best first, each derived one and the best message that it rests on as one.

    ``sources`` are the messages of derived entries. An entry that rests on many messages folds into the best
    of them, whatever its score. One of whose messages none is there stands for itself, and tells the last
    three that it rests on. Other messages that an entry rests on stay where they are.
    """
    said = {id_: hit for hit in reversed(hits) if hit.found.id not in sources for id_ in hit.copies}
    derived: dict[int, list[Distinct]] = {}
    alone: list[Distinct] = []
    for hit in hits:
        rests_on = sources.get(hit.found.id)
        if rests_on is None:
            continue
        message = max((said[id_] for id_ in rests_on if id_ in said), key=_score_of, default=None)
        if message is None:
            alone.append(replace(hit, rests_on=tuple(rests_on[-_FEW:])))
        else:
            derived.setdefault(message.found.id, []).append(hit)
    others = (hit for hit in hits if hit.found.id not in sources)
    together = [_together(hit, derived.get(hit.found.id, []), sources) for hit in others]
    return sorted([*together, *alone], key=_score_of, reverse=True)


def _again(hits: Sequence[Found], cited: Mapping[int, Cited]) -> Iterator[Repeat]:
    """Yield the other times that the first of some entries was said; copies of one line are one time."""
    lines: set[tuple[str | None, datetime, str]] = set()
    for hit in hits if len(hits) > 1 else ():
        cite = cited[hit.id]
        line = (cite.source.message, cite.happened_at, cite.text)
        if lines and line not in lines:
            yield Repeat(str(hit.id), cite.happened_at, cite.source)
        lines.add(line)


def words(text: str) -> list[str]:
    """Return the words that make a line the same as another, in order; of its first 2,000 characters."""
    plain = text[:_READ].casefold()
    if plain.isascii():
        found = plain.translate(_NO_WORD).split()  # the same, and faster
    else:
        plain = "".join(c for c in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(c))
        found = _WORD.findall(plain)
    told = [word for word in found if word not in _ANYWHERE]
    return list(dropwhile(_OPENING.__contains__, told)) or found


def _weighed(hit: Found, text: str, said: Sequence[str], asked: frozenset[str]) -> Found:
    """Return the entry, with less of a score if it is the question."""
    if not is_asking(text, said, asked):
        return hit
    loss = round(_LOST * hit.score, 6)
    return replace(hit, score=round(hit.score + loss, 6), parts={**hit.parts, ECHO: loss})


def is_asking(text: str, said: Sequence[str], asked: frozenset[str]) -> bool:
    """Return True if a text of the words ``said`` does nothing but ask the question with the words ``asked``.

    Without a question mark it must have the same words, and open as a question does: "ship 5 carries wool"
    answers whoever asks with these words.
    """
    marked = text.rstrip(" )]'\"”’").endswith(("?", "？"))
    if not marked and not (said and (said[0] in _ASKING or _asks_in_cjk(text))):
        return False
    alike = len(asked.intersection(said))
    return alike >= (_ALIKE if marked else 1.0) * len(asked.union(said)) > 0


def _asks_in_cjk(text: str) -> bool:
    return not text.isascii() and bool(_ASKING_CJK.search(text))


def _rank(hit: Found) -> float:
    return -hit.score


def _together(
    message: Distinct, derived: Sequence[Distinct], sources: Mapping[int, Sequence[int]]
) -> Distinct:
    """Return a message and what was derived from it as one entry."""
    if not derived:
        return message
    few = [one for one in derived if len(sources[one.found.id]) <= _FEW]
    best = max(few, key=_score_of, default=message)
    shown = best if _score_of(best) > _BETTER * _score_of(message) else message
    return replace(shown, folded=tuple(one.found for one in (message, *derived) if one is not shown))


def _score_of(hit: Distinct) -> float:
    return hit.found.score


NUMBERS: Final = Path(__file__).with_name("ranking.toml")
NOTHING: Final = "Nothing is known of this."
NEAREST: Final = "Nothing is known of this; what follows only comes nearest."
_FIRST: Final = 10
_MOST_ODDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Numbers:
    """Fitted numbers.

    ``known`` and ``hit`` are the constant and the weight of each sign, as `signs` and `signs_of_hits` give
    them. Below ``nothing`` (0 to 1) nothing is known; from ``sure`` and ``likely`` on a hit is called that.
    """

    known: tuple[float, ...]
    hit: tuple[float, ...]
    nothing: float
    sure: float
    likely: float


def judged(hits: Sequence[Hit]) -> Answer:
    """Return an answer of hits, best first, with how sure each is and whether memory knows of it at all.

    Where nothing is known every hit is a "maybe", and so is an earlier asking of the question; what a later
    statement replaces is never "sure".
    """
    numbers = _numbers()
    odds = log_odds(numbers.known, signs(hits))
    known = round(_chance(odds), 4) if hits else 0.0
    if known < numbers.nothing:
        return Answer(hits, known=known, notice=NEAREST if hits else NOTHING)
    of_hits = [_chance(log_odds(numbers.hit, one)) for one in signs_of_hits(hits, odds)]
    called = [_called(hit, one, numbers) for hit, one in zip(hits, of_hits, strict=True)]
    sure = (
        hit if hit.certainty == one else replace(hit, certainty=one)
        for hit, one in zip(hits, called, strict=True)
    )
    return Answer(sure, known=known)


def signs(hits: Sequence[Hit]) -> tuple[float, float, float]:
    """Return the signs that memory knows the answer: of the first ten hits, without askings of the question.

    It is the best score, the best cosine, and the most that a hit has of both meaning and words (its cosine
    times its coverage).
    """
    told = [hit for hit in hits[:_FIRST] if ECHO not in hit.parts]
    return (
        max((hit.score for hit in told), default=0.0),
        max((hit.cosine for hit in told), default=0.0),
        max((hit.cosine * hit.coverage for hit in told), default=0.0),
    )


def signs_of_hits(hits: Sequence[Hit], odds: float) -> list[tuple[float, float, float]]:
    """Return the signs that each hit answers the question.

    It is the log-odds that memory knows, by how much its score is above the best of the others, and 1 for a
    hit that is itself a question.
    """
    best, second = sorted([*(hit.score for hit in hits), 0.0, 0.0], reverse=True)[:2]
    return [
        (odds, hit.score - (second if hit.score == best else best), float(_asks(hit.text))) for hit in hits
    ]


def _called(hit: Hit, chance: float, numbers: Numbers) -> Certainty:
    if ECHO in hit.parts or chance < numbers.likely:
        return "maybe"
    return "sure" if chance >= numbers.sure and not hit.superseded_by else "likely"


def _asks(text: str) -> bool:
    return text.rstrip(" )]'\"”’»").endswith(("?", "？", "؟"))


def _chance(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-_MOST_ODDS, min(_MOST_ODDS, odds))))


@cache
def _numbers() -> Numbers:
    read = tomllib.loads(NUMBERS.read_text("utf-8"))
    read |= {signs: tuple(read[signs]) for signs in ("known", "hit")}
    return Numbers(**read)
