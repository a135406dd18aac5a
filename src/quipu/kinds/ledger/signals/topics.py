"""Topic of a complaint: the one nearest to it, and the theme that the two make together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from quipu.kinds.ledger.signals.model import Theme
from quipu.kinds.ledger.signals.patterns import Span
from quipu.kinds.ledger.signals.words import Word

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
