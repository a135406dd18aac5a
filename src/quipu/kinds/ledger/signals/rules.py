"""What the words of one sentence complain about. Pure, deterministic, linear in the sentence's length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from quipu.kinds.ledger.signals.lexicon import lexicon, read
from quipu.kinds.ledger.signals.model import THEMES, Theme
from quipu.kinds.ledger.signals.patterns import Span
from quipu.kinds.ledger.signals.words import Word

_DENIAL_REACH: Final = 5
_PRAISE_REACH: Final = 3
_TOPIC_REACH: Final = 10
_BEFORE_PENALTY: Final = 1.5
"""What is complained of stands after the complaint more often than before it."""

_SLOW_TOPICS: Final[dict[str, tuple[Theme, ...]]] = {
    "topics.host": ("wait_time", "host_queue"),
    "topics.seat": ("wait_time",),
    "topics.food": ("kitchen_delay",),
    "topics.service": ("service_speed",),
}
_BAD_TOPICS: Final[dict[str, tuple[Theme, ...]]] = {
    "topics.host": ("host_queue",),
    "topics.door": ("host_queue",),
    "topics.price": ("value",),
    "topics.queue": ("wait_time",),
    "topics.kitchen": ("kitchen_delay",),
    "topics.people": ("other",),
    "topics.food": ("food_quality",),
    "topics.service": ("other",),
}
_DOOR_TOPICS: Final[dict[str, tuple[Theme, ...]]] = {
    "topics.host": ("host_queue",),
    "topics.door": ("host_queue",),
    "topics.people": ("other",),
}
_FLAW_TOPICS: Final[dict[str, tuple[Theme, ...]]] = {
    "topics.food": ("food_quality",),
    "topics.people": (),
    "topics.service": (),
}
_LISTED_AS: Final[dict[str, Theme]] = {f"themes.{theme}": theme for theme in THEMES}
_EXPLAINING: Final = frozenset(("praise", "neutral", "void", "redeem"))
_KIND: Final = frozenset(("good", "tasty", "quick", "glad"))
_WEAKLY: Final[dict[str, Theme]] = {"weak.value": "value", "weak.other": "other"}
_ADDING: Final = frozenset(("excess", "general"))
"""Families that count only where nothing else is complained of."""

_ASKING: Final = frozenset("how is are do does did can could what when where which will has have".split())


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
    """What the words of a sentence complain about; an unsettled verdict leaves it to the embedding."""
    words = read(sentence)
    if _asks(sentence, words):
        return Verdict((), True)
    said = _Said(words)
    found: dict[Theme, Complaint] = {}
    for span, themes in said.complaints():
        for theme in themes:
            found.setdefault(theme, Complaint(theme, words[span.first].start, words[span.last].end))
    ordered = tuple(found[theme] for theme in THEMES if theme in found)
    return Verdict(ordered, bool(ordered) or said.praises)


def _asks(sentence: str, words: Sequence[Word]) -> bool:
    return sentence.rstrip().endswith("?") and bool(words) and words[0].text in _ASKING


class _Said:
    """The phrases of one sentence, after those that others explain away have been set aside."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._words = words
        spans = lexicon().patterns.find(words)
        self._topics = [span for span in spans if span.family.startswith("topics.")]
        self._kept = _unexplained(span for span in spans if not span.family.startswith("topics."))
        masks = [span for span in self._kept if span.family in {"praise", "neutral"}]
        self._topics = [t for t in self._topics if not any(mask.meets(t) for mask in masks)]
        self._masked = {at for mask in masks for at in range(mask.first, mask.last + 1)}
        self._kind = [s for s in self._kept if s.family in _KIND and not self._denied(s)]
        self.praises = bool(masks or self._kind)

    def complaints(self) -> list[tuple[Span, tuple[Theme, ...]]]:
        """Where something is complained of, and of which themes."""
        found: list[tuple[Span, tuple[Theme, ...]]] = []
        for span in sorted(self._kept, key=lambda s: (s.family in _ADDING, s.first)):
            if span.family in _ADDING and self._adds_nothing(span, found):
                continue
            themes = self._themes(span)
            if themes and self._voided(span, themes):
                self.praises = True
            elif themes:
                found.append((span, themes))
        return found

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
                return () if self._softened(span) else self._slow(span)
            case "bad":
                return () if self._intensifies(span) else self._bad(span)
            case "excess":
                return () if self._intensifies(span) else self._nearest(span, _BAD_TOPICS)
            case "manners":
                return self._nearest(span, _DOOR_TOPICS) or ("other",)
            case "neglect":
                themes = self._nearest(span, _DOOR_TOPICS)
                return themes if "host_queue" in themes else ("service_speed",)
            case "weak.value" | "weak.other":
                return () if self._kindly(span, clause=True) else (_WEAKLY[span.family],)
            case "flaw":
                return () if self._kindly(span, clause=False) else self._nearest(span, _FLAW_TOPICS)
            case "general":
                return ("other",)
            case family:
                return (_LISTED_AS[family],)

    def _slow(self, span: Span) -> tuple[Theme, ...]:
        waits = any(other.family == "wait" for other in self._kept)
        return self._nearest(span, _SLOW_TOPICS) or (("wait_time",) if waits else ("service_speed",))

    def _bad(self, span: Span) -> tuple[Theme, ...]:
        return self._nearest(span, _BAD_TOPICS) or ("other",)

    def _adds_nothing(self, span: Span, found: Sequence[tuple[Span, tuple[Theme, ...]]]) -> bool:
        if span.family == "general":
            return bool(found)
        if any(topic.first == span.last + 1 for topic in self._topics):
            return False
        breath = self._words[span.first].breath
        return any(self._words[other.first].breath == breath for other, _ in found)

    def _intensifies(self, span: Span) -> bool:
        """Whether an unkind word only strengthens the kind one after it: "insanely good"."""
        return any(kind.first == span.last + 1 for kind in self._kind)

    def _kindly(self, span: Span, *, clause: bool) -> bool:
        """Whether something kind is said in the same breath, or in the same clause."""
        words, at = self._words, span.first
        if clause:
            return any(words[kind.first].clause == words[at].clause for kind in self._kind)
        return any(words[kind.first].breath == words[at].breath for kind in self._kind)

    def _softened(self, span: Span) -> bool:
        """Whether something kind is said of a wait, or it was a short one."""
        if self._kindly(span, clause=False) or any(kind.family == "quick" for kind in self._kind):
            return True
        breath = [w for w in self._words if w.breath == self._words[span.first].breath]
        return any("@short" in word.keys for word in breath)

    def _voided(self, span: Span, themes: tuple[Theme, ...]) -> bool:
        """Whether the complaint is said of another time or place, or taken back."""
        breath = self._words[span.first].breath
        for other in self._kept:
            after = self._words[other.first].breath - breath
            if other.family == "void" and after in {-1, 0}:
                return True
            if other.family == "redeem" and themes == ("value",) and after in {0, 1} and not self._denied(other):
                return True
        return False

    def _nearest(self, span: Span, themes: dict[str, tuple[Theme, ...]]) -> tuple[Theme, ...]:
        """The themes of the topic nearest to a span: in its breath, else in its clause."""
        where = self._words[span.first]
        best: tuple[bool, float, int] | None = None
        chosen: tuple[Theme, ...] = ()
        ranks = list(themes)
        for topic in self._topics:
            word = self._words[topic.first]
            if topic.family not in themes or word.clause != where.clause:
                continue
            distance = _distance(span, topic)
            rank = (word.breath != where.breath, distance, ranks.index(topic.family))
            if distance <= _TOPIC_REACH and (best is None or rank < best):
                best, chosen = rank, themes[topic.family]
        return chosen

    def _denied(self, span: Span) -> bool:
        """Whether a negation before the span, in the same breath, turns it round."""
        if span.family == "glad":
            return False
        reach = _PRAISE_REACH if span.family in _KIND else _DENIAL_REACH
        for at in range(max(0, span.first - reach), span.first):
            word = self._words[at]
            if word.breath != self._words[span.first].breath or at in self._masked:
                continue
            if "@not" in word.keys or word.keys & _NOT:
                return True
            if word.keys & _NONE and span.family != "long":
                return True
        return False


_NOT: Final = frozenset(f"={word}" for word in "not never cannot cant dont didnt wasnt isnt doesnt wont".split())
_NONE: Final = frozenset(
    f"={word}" for word in "no none nothing nobody noone without neither nor hardly barely zero".split()
)


def _distance(span: Span, topic: Span) -> float:
    if topic.first > span.last:
        return topic.first - span.last
    if topic.last < span.first:
        return span.first - topic.last + _BEFORE_PENALTY
    return 0


def _unexplained(spans: Iterable[Span]) -> list[Span]:
    """The spans that no longer one covers, and that no longer mask meets; in the order of the sentence."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda s: (-s.length, s.first, s.family)):
        masks = span.family in {"praise", "neutral"}
        if any(o.covers(span) or ((masks or o.family in {"praise", "neutral"}) and o.meets(span)) for o in kept):
            continue
        kept.append(span)
    return sorted(kept, key=lambda s: (s.first, s.last, s.family))
