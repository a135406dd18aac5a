"""Complaints in one sentence: its phrases weighed against each other, and their topics. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from quipu.kinds.ledger.signals.lexicon import Span, lexicon, read
from quipu.kinds.ledger.signals.model import THEMES, Theme
from quipu.kinds.ledger.signals.words import Word

_DENIAL_REACH: Final = 5
_PRAISE_REACH: Final = 3
_REDEEMING_BREATHS: Final = 3
_REDEEMABLE: Final[tuple[tuple[Theme, ...], ...]] = (("value",), ("wait_time",))

_LISTED_AS: Final[dict[str, Theme]] = {f"themes.{theme}": theme for theme in THEMES}
_EXPLAINING: Final = frozenset(("praise", "neutral", "void", "redeem"))
_WAITING: Final = frozenset(("wait", "queue", "line", "stand", "hold"))
_KIND: Final = frozenset(("good", "tasty", "quick", "glad"))
_WEAKLY: Final[dict[str, Theme]] = {"weak.value": "value", "weak.other": "other"}
_QUALIFYING: Final = frozenset(("void", "redeem"))
_ADDING: Final = frozenset(("excess", "general"))
"""Families that count only where nothing else is complained of."""


Themes: TypeAlias = Mapping[str, tuple[Theme, ...]]
"""Family of a topic -> what is complained of. The first of two families wins where both are as near."""

SLOW: Final[Themes] = {
    "topics.host": ("wait_time", "host_queue"),
    "topics.seat": ("wait_time",),
    "topics.food": ("kitchen_delay",),
    "topics.service": ("service_speed",),
}
BAD: Final[Themes] = {
    "topics.host": ("host_queue",),
    "topics.door": ("host_queue",),
    "topics.price": ("value",),
    "topics.queue": ("wait_time",),
    "topics.kitchen": ("kitchen_delay",),
    "topics.people": ("other",),
    "topics.place": ("other",),
    "topics.food": ("food_quality",),
    "topics.service": ("other",),
}
DOOR: Final[Themes] = {
    "topics.host": ("host_queue",),
    "topics.door": ("host_queue",),
}
FLAW: Final[Themes] = {
    "topics.food": ("food_quality",),
    "topics.place": ("other",),
    "topics.people": (),
    "topics.service": (),
}

_REACH: Final = 10
_BEFORE_PENALTY: Final = 1.5
"""What is complained of stands after the complaint more often than before it."""


class Topics:
    """The topics of one sentence."""

    def __init__(self, words: Sequence[Word], topics: Sequence[Span]) -> None:
        self._words = words
        self._topics = topics

    def follow(self, span: Span) -> bool:
        """Return True if a topic stands right behind the span."""
        return any(topic.first == span.last + 1 for topic in self._topics)

    def nearest(
        self, span: Span, themes: Themes, *, behind: bool = False, anywhere: bool = False
    ) -> tuple[Theme, ...]:
        """Return the themes of the topic nearest to a span: in its breath, else in its clause; or none.

        ``behind``: only topics after the span's first word count. ``anywhere``: other clauses count too.
        """
        where = self._words[span.first]
        ranks = list(themes)
        best: tuple[bool, float, int] | None = None
        chosen: tuple[Theme, ...] = ()
        for topic in self._topics:
            word = self._words[topic.first]
            if topic.family not in themes or (word.clause != where.clause and not anywhere):
                continue
            if behind and topic.first < span.first:
                continue
            distance = _distance(span, topic)
            rank = (word.breath != where.breath, distance, ranks.index(topic.family))
            if distance <= _REACH and (best is None or rank < best):
                best, chosen = rank, themes[topic.family]
        return chosen


def _distance(span: Span, topic: Span) -> float:
    if topic.first > span.last:
        return topic.first - span.last
    if topic.last < span.first:
        return span.first - topic.last + _BEFORE_PENALTY
    return 0


class Phrases:
    """The phrases of one sentence, after those that others explain away have been set aside."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = words
        spans = lexicon().patterns.find(words)
        self._kept = _unexplained(span for span in spans if not span.family.startswith("topics."))
        masks = [span for span in self._kept if span.family in {"praise", "neutral"}]
        self._topics = Topics(words, _clear(spans, masks))
        self._masked = {at for mask in masks for at in range(mask.first, mask.last + 1)}
        self._kind = [s for s in self._kept if s.family in _KIND and not self._denied(s)]
        self.praises = bool(masks or self._kind)
        """Whether something kind, or nothing at all, is said in so many words. Final after `complaints`."""

    def complaints(self) -> list[tuple[Span, tuple[Theme, ...]]]:
        """Return the places of complaints, and their themes."""
        spans: list[tuple[Span, tuple[Theme, ...]]] = []
        for span in sorted(self._kept, key=lambda s: (s.family in _ADDING, s.first)):
            if span.family in _ADDING and self._adds_nothing(span, spans):
                continue
            themes = self._themes(span)
            if themes and self._voided(span, themes):
                self.praises = True
            elif themes:
                spans.append((span, themes))
        return spans

    def _themes(self, span: Span) -> tuple[Theme, ...]:
        if span.family in _EXPLAINING:
            return ()
        if span.family in _KIND:
            return self._unkind(span) if self._denied(span) else ()
        if self._denied(span):
            self.praises = True
            return ()
        return self._said_of(span)

    def _unkind(self, span: Span) -> tuple[Theme, ...]:
        match span.family:
            case "quick":
                return self._slow(span)
            case "tasty":
                return ("food_quality",)
            case _:
                return self._bad(span)

    def _said_of(self, span: Span) -> tuple[Theme, ...]:
        match span.family:
            case "slow" | "long":
                return self._slow(span)
            case "wait":
                return () if self._softened(span) else self._waited_for(span)
            case "bad":
                return () if self._intensifies(span) else self._bad(span)
            case "foul":
                return self._topics.nearest(span, BAD) or ("food_quality",)
            case "excess":
                return () if self._intensifies(span) else self._topics.nearest(span, BAD)
            case "manners":
                return self._at_the_door(span) or ("other",)
            case "neglect":
                return self._at_the_door(span) or ("service_speed",)
            case "weak.value" | "weak.other":
                return () if self._kindly(span, clause=True) else (_WEAKLY[span.family],)
            case "flaw":
                return () if self._kindly(span, clause=False) else self._topics.nearest(span, FLAW)
            case "general":
                return ("other",)
            case family:
                return (_LISTED_AS[family],)

    def _slow(self, span: Span) -> tuple[Theme, ...]:
        waits = any(s.family == "wait" for s in self._kept) or any(w.keys & _WAITING for w in self._words)
        default: tuple[Theme, ...] = ("wait_time",) if waits else ("service_speed",)
        return self._topics.nearest(span, SLOW) or self._topics.nearest(span, SLOW, anywhere=True) or default

    def _waited_for(self, span: Span) -> tuple[Theme, ...]:
        return self._topics.nearest(span, SLOW, behind=True) or ("wait_time",)

    def _at_the_door(self, span: Span) -> tuple[Theme, ...]:
        return self._topics.nearest(span, DOOR)

    def _bad(self, span: Span) -> tuple[Theme, ...]:
        return self._topics.nearest(span, BAD) or ("other",)

    def _adds_nothing(self, span: Span, spans: Sequence[tuple[Span, tuple[Theme, ...]]]) -> bool:
        if span.family == "general":
            return bool(spans)
        if self._topics.follow(span):
            return False
        breath = self._words[span.first].breath
        return any(self._words[other.first].breath == breath for other, _ in spans)

    def _intensifies(self, span: Span) -> bool:
        """Return True if an unkind word only strengthens the kind one after it: "insanely good"."""
        return any(kind.first == span.last + 1 for kind in self._kind)

    def _kindly(self, span: Span, *, clause: bool) -> bool:
        """Return True if something kind is said in the same breath, or in the same clause."""
        here = self._words[span.first]
        for kind in self._kind:
            there = self._words[kind.first]
            same = there.clause == here.clause if clause else there.breath == here.breath
            if same and kind.last != span.first - 1:  # "incredibly salty" is not kind
                return True
        return False

    def _softened(self, span: Span) -> bool:
        """Return True if something kind is said of a wait, or it was a short one."""
        quick = any(kind.family == "quick" and kind.last > span.first for kind in self._kind)
        if quick or self._kindly(span, clause=False):
            return True
        breath = [w for w in self._words if w.breath == self._words[span.first].breath]
        return any("@short" in word.keys for word in breath)

    def _voided(self, span: Span, themes: tuple[Theme, ...]) -> bool:
        """Return True if the complaint is about another time or place, or taken back."""
        breath = self._words[span.first].breath
        for other in self._kept:
            after = self._words[other.first].breath - breath
            if other.family == "void" and after in {-1, 0}:
                return True
            if (
                other.family == "redeem"
                and themes in _REDEEMABLE
                and 0 <= after <= _REDEEMING_BREATHS
                and not self._denied(other)
            ):
                return True
        return False

    def _denied(self, span: Span) -> bool:
        """Return True if a negation before the span, in the same breath, reverses it."""
        if span.family == "glad":
            return False
        denials = [at for at in range(span.first) if self._denies(at, span)]
        reach = _PRAISE_REACH if span.family in _KIND else _DENIAL_REACH
        if not denials or denials[-1] < span.first - reach:
            return False
        return len(denials) == 1 or span.family not in _KIND  # "nothing that I did not love" is praise

    def _denies(self, at: int, span: Span) -> bool:
        """Return True if the word ``at`` is a negation that reaches the span's breath and kind."""
        word, known = self._words[at], lexicon()
        if word.breath != self._words[span.first].breath or at in self._masked:
            return False
        return bool(word.keys & known.denying or (word.keys & known.excluding and span.family != "long"))


def _clear(spans: Iterable[Span], masks: Sequence[Span]) -> list[Span]:
    """Return the topics among the spans, without those that a mask explains away."""
    topics = (span for span in spans if span.family.startswith("topics."))
    return [topic for topic in topics if not any(mask.meets(topic) for mask in masks)]


def _unexplained(spans: Iterable[Span]) -> list[Span]:
    """Return the longest of spans that share a word, the first in a tie; in the order of the sentence.

    Only a void or a redemption may share words with others: it says how to take them.
    """
    kept: list[Span] = []
    for span in sorted(spans, key=lambda s: (-s.length, s.first, s.family)):
        if not any(other.covers(span) or _compete(other, span) for other in kept):
            kept.append(span)
    return sorted(kept, key=lambda s: (s.first, s.last, s.family))


def _compete(one: Span, other: Span) -> bool:
    return one.meets(other) and not {one.family, other.family} & _QUALIFYING


_ASKING: Final = frozenset((
    "how", "is", "are", "do", "does", "did", "can", "could", "what", "when", "where", "which", "will", "has",
    "have",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Complaint:
    """A theme and the words that show it: characters ``start`` to ``end`` of the sentence."""

    theme: Theme
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """``complaints``: one a theme, in the themes' order. ``settled``: words decided, even if for nothing."""

    complaints: tuple[Complaint, ...]
    settled: bool


def judge(sentence: str) -> Verdict:
    """Judge what a sentence's words complain about; an unsettled verdict leaves it to the embedding."""
    words = read(sentence)
    if _asks(sentence, words):
        return Verdict((), True)
    said = Phrases(words)
    complaints: dict[Theme, Complaint] = {}
    for span, themes in said.complaints():
        for theme in themes:
            complaints.setdefault(theme, Complaint(theme, words[span.first].start, words[span.last].end))
    ordered = tuple(complaints[theme] for theme in THEMES if theme in complaints)
    return Verdict(ordered, bool(ordered) or said.praises)


def _asks(sentence: str, words: Sequence[Word]) -> bool:
    return sentence.rstrip().endswith("?") and bool(words) and words[0].text in _ASKING
