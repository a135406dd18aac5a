"""A question taken apart: what it asks for, whom it is about, which time it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from quipu.recall.dates import Window, asks_when, windows
from quipu.recall.languages import DEFAULT
from quipu.recall.names import Mention, Name, asks_about_asker, mentioned, without
from quipu.recall.terms import question_terms

# A name that (nearly) everybody shares a thread with says nothing in the words: it only finds greetings.
_EVERYWHERE = 0.9


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the search must know it.

    ``meaning`` is the text to embed. ``terms`` maps each word to the hashes that it may be filed under.
    ``speakers`` are the people whose own words are asked for; ``people`` all who are named.
    """

    text: str
    meaning: str
    terms: Mapping[str, tuple[int, ...]]
    mentions: tuple[Mention, ...]
    asker: bool
    when: bool
    windows: tuple[Window, ...]

    @property
    def speakers(self) -> tuple[int, ...]:
        """The one person named; nobody where two or more are."""
        return (self.mentions[0].person.id,) if len(self.mentions) == 1 else ()

    @property
    def people(self) -> tuple[int, ...]:
        """Everybody named."""
        return tuple(m.person.id for m in self.mentions)


def understand(
    text: str,
    *,
    people: Sequence[Name],
    languages: Sequence[str],
    now: datetime,
    first: datetime,
    last: datetime,
) -> Question:
    """Take a question apart.

    ``people`` are those of the space, ``languages`` those its entries are written in, ``first`` and
    ``last`` the times of its oldest and newest entry.
    """
    mentions = mentioned(text, people)
    everywhere = [m for m in mentions if m.person.share >= _EVERYWHERE]
    return Question(
        text=text,
        meaning=without(text, mentions),
        terms=question_terms(without(text, everywhere), list(languages) or [DEFAULT]),
        mentions=tuple(mentions),
        asker=not mentions and asks_about_asker(text),
        when=asks_when(text),
        windows=tuple(windows(text, now=now, first=first, last=last)),
    )
