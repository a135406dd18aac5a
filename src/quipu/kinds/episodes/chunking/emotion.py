"""Emotions in a text: a small lexicon with negation, intensifiers and emoji. Pure, linear.

Each word of the lexicon feels like one of six emotions (Ekman's), as strongly as its list says. "Very"
makes it half as strong again, "a bit" weaker, "not" turns it: what is not good is a little bad, what is not
bad a little good.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, cast

import Stemmer

from quipu.kernel.prose.lexicon import beside
from quipu.kinds.episodes.shapes import Feelings, Valence

Emotion = Literal["joy", "sadness", "fear", "anger", "surprise", "disgust"]
EMOTIONS: Final[tuple[Emotion, ...]] = ("joy", "sadness", "fear", "anger", "surprise", "disgust")

_STRENGTHS: Final = {"strong": 3.0, "plain": 2.0, "mild": 1.0}
_REACH: Final = 3  # words: how far "not" and "very" reach
_MOST_CHARACTERS: Final = 8_000
_FAINT: Final = 1.5  # a single mild word says nothing of how somebody feels
_FULL: Final = 10.0
_PER_STRENGTH: Final = 2.4
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[.!?;:\n]+")
_SHOUT = re.compile(r"!{2,}")
_CLAUSE_END: Final = frozenset(".!?;:\n")


@dataclass(frozen=True, slots=True)
class Felt:
    """Strength of each emotion (0 and up), the number of words behind it, and the sums for and against."""

    strengths: Mapping[Emotion, float]
    signs: int
    pleasant: float
    unpleasant: float

    @property
    def valence(self) -> Valence:
        """Pleasant or unpleasant; ``mixed`` if both are said about as strongly."""
        more, less = max(self.pleasant, self.unpleasant), min(self.pleasant, self.unpleasant)
        if more < _FAINT:
            return "neutral"
        if less >= 0.6 * more and less >= 1.5:
            return "mixed"
        return "positive" if self.pleasant > self.unpleasant else "negative"

    @property
    def dominant(self) -> str:
        """The emotion that shows most; ``neutral`` where none does."""
        best = max(EMOTIONS, key=lambda one: self.strengths.get(one, 0.0))
        return best if self.strengths.get(best, 0.0) >= 1.0 else "neutral"

    @property
    def feelings(self) -> Feelings:
        """Strengths on the scale of the seed, 0 to 10."""
        scaled = {one: round(min(_FULL, _PER_STRENGTH * value), 1) for one, value in self.strengths.items()}
        return Feelings(**cast("dict[str, Any]", scaled), confidence=min(_FULL, 2.0 + 2.0 * self.signs))


@dataclass(frozen=True, slots=True)
class _Lexicon:
    words: Mapping[str, tuple[Emotion, float]]
    emoji: Mapping[str, Emotion]
    signs: re.Pattern[str]
    phrases: re.Pattern[str]
    instead: Mapping[str, str]
    unfelt: frozenset[str]
    negators: frozenset[str]
    intensifiers: frozenset[str]
    diminishers: frozenset[str]


def feel(text: str) -> Felt:
    """Return the emotions in a text; in a long one, at its beginning."""
    lexicon = _lexicon()
    text = text[:_MOST_CHARACTERS]
    strengths = dict.fromkeys(EMOTIONS, 0.0)
    signs, pleasant, unpleasant = 0, 0.0, 0.0
    for sign in lexicon.signs.findall(text):
        emotion = lexicon.emoji[sign]
        strengths[emotion] += 1.5
        signs += 1
        pleasant += 1.5 * (emotion == "joy")
        unpleasant += 1.5 * (emotion not in ("joy", "surprise"))
    plain = text.lower().replace("’", "'")
    plain = lexicon.phrases.sub(lambda match: lexicon.instead.get(match[0], " "), plain)
    loud = 1.3 if _SHOUT.search(text) else 1.0
    for emotion, strength in _words(plain, lexicon):
        signs += 1
        if strength > 0:
            strengths[emotion] += strength * loud
        good = emotion == "joy"
        pleasant += loud * max(0.0, strength) * good + max(0.0, -strength) * 0.5 * (
            not good and emotion != "surprise"
        )
        unpleasant += (
            loud * max(0.0, strength) * (not good and emotion != "surprise") + max(0.0, -strength) * good
        )
        if strength < 0 and good:
            strengths["sadness"] += -strength * 0.8
    if loud > 1.0 and not unpleasant:
        pleasant += 1.5
    return Felt(strengths, signs, pleasant, unpleasant)


def _words(plain: str, lexicon: _Lexicon) -> list[tuple[Emotion, float]]:
    """Return each emotional word with its strength: below 0 if it is denied."""
    feelings: list[tuple[Emotion, float]] = []
    recent: list[str] = []
    tokens: list[str] = _WORD.findall(plain)
    for word, stem in zip(tokens, _stems(tokens), strict=True):
        if word[0] in _CLAUSE_END or word in ("but", "however", "though", "although"):
            recent.clear()
            continue
        known = None if word in lexicon.unfelt else lexicon.words.get(stem)
        if known is not None:
            emotion, strength = known
            strength *= 1.5 if any(one in lexicon.intensifiers for one in recent[-2:]) else 1.0
            strength *= 0.6 if any(one in lexicon.diminishers for one in recent[-2:]) else 1.0
            denied = any(one in lexicon.negators or one.endswith("n't") for one in recent[-_REACH:])
            feelings.append((emotion, -0.8 * strength if denied else strength))
        recent.append(word)
    return feelings


@cache
def _lexicon() -> _Lexicon:
    data: dict[str, Any] = beside(__file__, "lexicon")
    words: dict[str, tuple[Emotion, float]] = {}
    for emotion in EMOTIONS:
        for level, strength in _STRENGTHS.items():
            for stem in _stems(data[emotion].get(level, "").split()):
                words.setdefault(stem, (emotion, strength))
    emoji: dict[str, Emotion] = {
        sign: emotion for emotion in EMOTIONS for sign in data["emoji"][emotion].split()
    }
    instead = dict(pair.strip().split("=") for pair in data["not_felt"]["instead"].split(","))
    phrases = sorted(
        [*instead, *map(str.strip, data["not_felt"]["phrases"].split(","))], key=len, reverse=True
    )
    turns: dict[str, str] = data["turns"]
    signs = sorted(emoji, key=len, reverse=True)
    return _Lexicon(
        words,
        emoji,
        re.compile("|".join(_sign(sign) for sign in signs)),
        re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases))})\b"),
        instead,
        frozenset(data["not_felt"]["words"].split()),
        *(frozenset(turns[name].split()) for name in ("negators", "intensifiers", "diminishers")),
    )


def _sign(sign: str) -> str:
    """Return a pattern for an emoji anywhere, or for letters and signs only where they stand alone."""
    return rf"(?<!\S){re.escape(sign)}(?!\w)" if sign.isascii() else re.escape(sign)


def _stems(words: list[str]) -> list[str]:
    # A stemmer must not be shared by threads, and costs little to make.
    stemmer = cast("Any", Stemmer).Stemmer("english", 0)
    return cast("list[str]", stemmer.stemWords(words))
