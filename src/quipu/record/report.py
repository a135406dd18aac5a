"""Report of what was taken in, and of what was not and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from quipu.record.model import Refusal
from quipu.record.prepare import Prepared


@dataclass(frozen=True, slots=True)
class Report:
    """The account of one observation or import; every message is in exactly one of the first five.

    ``imported``: stored and searchable now. ``duplicates``: were stored already, word for word.
    ``echoes``: were nothing but memory that we had recalled ourselves. ``refused``: with the reason.
    ``withheld``: were erased, or are of a session as it was when it was erased, and left out (imports only).
    ``cut_characters``: memory of this space that came back and was cut out; ``foreign_characters``: memory of
    other spaces or installations, which is kept as text and not indexed; ``unmatched_marks``: marks of this
    space in front of other words than they were made for, which are kept and indexed like any words.
    ``redacted``: secrets cut out, by kind. ``repaired``: characters that no database can store, replaced
    by U+FFFD. ``assumed_utc``: times that came without a zone. ``ignored``: keys we have no place for.
    ``ids``: the ids under which the stored ones can be found again (observe only).
    """

    imported: int = 0
    duplicates: int = 0
    echoes: int = 0
    refused: tuple[Refusal, ...] = ()
    withheld: int = 0
    cut_characters: int = 0
    foreign_characters: int = 0
    unmatched_marks: int = 0
    redacted: Mapping[str, int] = field(default_factory=dict[str, int])
    repaired: int = 0
    assumed_utc: int = 0
    ignored: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    seconds: float = 0.0


class Tally:
    """A report in the making."""

    def __init__(self) -> None:
        self.imported = 0
        self.duplicates = 0
        self.echoes = 0
        self.withheld = 0
        self.refused: list[Refusal] = []
        self.ids: list[str] = []
        self._came_back: Counter[str] = Counter()
        self._redacted: Counter[str] = Counter()
        self._repaired = 0
        self._assumed_utc = 0
        self._ignored: dict[str, None] = {}

    @property
    def done(self) -> int:
        """Number of messages dealt with."""
        return self.imported + self.duplicates + self.echoes + self.withheld + len(self.refused)

    def read(self, prepared: Iterable[Prepared]) -> None:
        """Count what was done to messages on their way in."""
        for p in prepared:
            self._redacted.update(p.secrets)
            self._came_back.update(p.heard.counts)
            self._repaired += p.message.repaired
            self._assumed_utc += p.message.assumed_utc
            self._ignored.update(dict.fromkeys(p.message.ignored))

    def report(self, *, seconds: float) -> Report:
        """Return the account as it stands."""
        return Report(
            imported=self.imported,
            duplicates=self.duplicates,
            echoes=self.echoes,
            refused=tuple(self.refused),
            withheld=self.withheld,
            **self._came_back,
            redacted=dict(self._redacted),
            repaired=self._repaired,
            assumed_utc=self._assumed_utc,
            ignored=tuple(self._ignored),
            ids=tuple(self.ids),
            seconds=seconds,
        )
