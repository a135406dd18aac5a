"""Claims of an exchange about a person: from its chunk, and from corrections of beliefs. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from quipu.kernel.base.text import excerpt
from quipu.kinds.episodes.extraction.beliefs.keys import cue_of, form_of, key_of
from quipu.kinds.episodes.extraction.beliefs.model import Claim, Held
from quipu.kinds.episodes.extraction.turns import Sentence, SpokenTurn, sentences
from quipu.kinds.episodes.shapes import Chunk, Fact, Trait

_LONGEST_VALUE: Final = 500
_LONGEST_EXCERPT: Final = 300
_VALUE: Final = r"[^\s,.;!?]+(?: [^\s,.;!?]+){0,4}?"
_LEAD: Final = r"(?:but |it's |it is |it was |i'm |i am |rather |in |to |at )?"
_WHEN: Final = r"(?: (?:last|this|yesterday|today|in|on|for|because)\b.*)?"
_SWAPS: Final = tuple(
    re.compile(text, re.IGNORECASE)
    for text in (
        rf"\bnot (?:in |at |to )?(?P<old>{_VALUE})[,;] {_LEAD}(?P<new>{_VALUE})[.!]*$",
        rf"\b{_LEAD}(?P<new>{_VALUE}),? (?:and )?not (?:in |at |to )?(?P<old>{_VALUE})(?: any ?more)?[.!]*$",
        rf"\bfrom (?P<old>{_VALUE}) to (?P<new>{_VALUE}){_WHEN}[.!]*$",
        rf"\b(?P<old>{_VALUE}) (?:is|was) (?:wrong|not right|a mistake)[,;.]? {_LEAD}(?P<new>{_VALUE})[.!]*$",
    )
)
_INSTEAD: Final = re.compile(
    r"(?i)^(?:no|nope|actually|sorry)\b[,.!]? (?:it's|it is|that's|i'm|i am)(?: actually| now)?"
    rf" (?P<new>{_VALUE})[.!]*$"
)
_NO_LONGER: Final = re.compile(
    r"(?i)\b(?:no longer|(?:don't|do not|doesn't|isn't|am not|is not)\b.{1,60}\bany ?(?:more|longer))\b"
)
_PLAIN: Final = re.compile(r"[^\w]+")


@dataclass(frozen=True, slots=True)
class ClaimExchange:
    """An exchange as beliefs hear it.

    ``before``: the turn just before it, if any. ``is_of_several``: more than one person speaks around it.
    """

    turns: Sequence[SpokenTurn]
    chunk: Chunk | None
    user: str | None
    before: SpokenTurn | None = None
    is_of_several: bool = False

    @property
    def person(self) -> str:
        """Person whom it is about: its user, or the one who speaks; "" if nobody is named."""
        if self.user is not None:
            return self.user
        voices = {turn.voice for turn in self.turns if not turn.by_agent and turn.voice != "user"}
        return voices.pop() if len(voices) == 1 else ""

    @property
    def is_of_others(self) -> bool:
        """True if several speak, and here somebody who has another name than its user."""
        if self.user is None or not self.is_of_several:
            return False
        voices = {turn.voice.casefold() for turn in self.turns if not turn.by_agent and turn.voice != "user"}
        return any(self.user.casefold() not in voice.split() for voice in voices)


def claimed(heard: ClaimExchange) -> list[Claim]:
    """Return the claims in an exchange's chunk, without figures of speech and without agents' words."""
    chunk, said = heard.chunk, [turn for turn in heard.turns if not turn.by_agent]
    if chunk is None or not said or heard.is_of_others:
        return []
    claims = [_of_trait(heard, said, trait) for trait in chunk.user_traits if trait.is_literal]
    claims += [_of_fact(heard, said, fact) for fact in chunk.facts]
    distinct = {(one.key, form_of(one.value)): one for one in reversed(claims)}
    return list(reversed(distinct.values()))


def corrections(heard: ClaimExchange, held: Sequence[Held], claims: Sequence[Claim]) -> list[Claim]:
    """Return corrections of a person's beliefs in an exchange that its chunk does not state itself.

    "Not Berlin, Lisbon" names the old value; "no, it's Lisbon" answers an agent that named it; "I don't live
    in Berlin any more" only ends it.
    """
    known = {one.key for one in claims}
    corrected: list[Claim] = []
    if heard.is_of_others:
        return corrected
    before = heard.before
    for turn in heard.turns:
        if not turn.by_agent:
            for sentence in sentences(turn.text):
                corrected += [
                    one for one in _of_sentence(heard, turn, sentence, held, before) if one.key not in known
                ]
        before = turn
    return corrected


def _of_sentence(
    heard: ClaimExchange,
    turn: SpokenTurn,
    sentence: Sentence,
    held: Sequence[Held],
    before: SpokenTurn | None,
) -> Iterator[Claim]:
    if sentence.asks:
        return
    for old, new in _swapped(sentence.text):
        for one in held:
            if one.form == old and form_of(new) != old:
                yield _correcting(heard, turn, sentence, one, new)
                return
    if before is not None and before.by_agent and (instead := _INSTEAD.match(sentence.text)):
        named = [one for one in held if f" {one.form} " in f" {_spoken(before.text)} "]
        if len(named) == 1 and _alike(named[0].value, instead["new"]):
            yield _correcting(heard, turn, sentence, named[0], instead["new"])
            return
    if _NO_LONGER.search(sentence.text):
        spoken = f" {_spoken(sentence.text)} "
        named = [one for one in held if f" {one.form} " in spoken]
        if len(named) == 1:
            yield _correcting(heard, turn, sentence, named[0], named[0].value, denies=True)


def _swapped(text: str) -> Iterator[tuple[str, str]]:
    """Yield pairs of an old form and a new value that a sentence may name."""
    for pattern in _SWAPS:
        for match in pattern.finditer(text):
            yield form_of(match["old"]), match["new"].strip()


def _correcting(
    heard: ClaimExchange,
    turn: SpokenTurn,
    sentence: Sentence,
    held: Held,
    value: str,
    *,
    denies: bool = False,
) -> Claim:
    return Claim(
        person=held.person,
        user=heard.user,
        key=held.key,
        value=value,
        nature=held.nature,
        category=held.category,
        confidence=0.95,
        source="explicit_correction",
        message=turn.message,
        excerpt=excerpt(sentence.text, _LONGEST_EXCERPT),
        said_at=turn.at,
        cue="corrected",
        denies=denies,
        old=held.form,
    )


def _of_trait(heard: ClaimExchange, said: Sequence[SpokenTurn], trait: Trait) -> Claim:
    turn, sentence = _where(said, trait.value)
    cue = cue_of(sentence.text.lower()) if sentence else None
    return Claim(
        person=heard.person,
        user=heard.user,
        key=key_of(trait.key),
        value=excerpt(trait.value, _LONGEST_VALUE),
        nature="trait",
        category=trait.category,
        confidence=trait.confidence,
        source="explicit_correction" if cue and trait.source == "explicit" else trait.source,
        message=turn.message,
        excerpt=excerpt(sentence.text if sentence else turn.text, _LONGEST_EXCERPT),
        said_at=turn.at,
        cue=cue,
    )


def _of_fact(heard: ClaimExchange, said: Sequence[SpokenTurn], fact: Fact) -> Claim:
    turn, sentence = _where(said, fact.value)
    cue = cue_of(sentence.text.lower()) if sentence else None
    return Claim(
        person=heard.person,
        user=heard.user,
        key=key_of(fact.key),
        value=excerpt(fact.value, _LONGEST_VALUE),
        nature="fact",
        category="general",
        confidence=fact.confidence,
        source="explicit_correction" if cue else "explicit",
        message=turn.message,
        excerpt=excerpt(sentence.text if sentence else turn.text, _LONGEST_EXCERPT),
        said_at=turn.at,
        cue=cue,
    )


def _where(said: Sequence[SpokenTurn], value: str) -> tuple[SpokenTurn, Sentence | None]:
    """Return the last turn and sentence that name a value; else those that share most words with it."""
    spoken = f" {_spoken(value)} "
    best: tuple[int, SpokenTurn, Sentence | None] = (0, said[0], None)
    for turn in reversed(said):
        for sentence in reversed(sentences(turn.text)):
            words = f" {_spoken(sentence.text)} "
            if spoken in words:
                return turn, sentence
            shared = len(set(spoken.split()) & set(words.split()))
            if shared > best[0]:
                best = shared, turn, sentence
    return best[1], best[2]


def _spoken(text: str) -> str:
    return _PLAIN.sub(" ", text.casefold()).strip()


def _alike(old: str, new: str) -> bool:
    """Return True if two values are of one sort: both begin with a capital, or both have digits."""
    if any(c.isdigit() for c in old) or any(c.isdigit() for c in new):
        return any(c.isdigit() for c in old) and any(c.isdigit() for c in new)
    return old[:1].isupper() == new[:1].isupper()
