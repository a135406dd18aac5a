"""Shapes of what is understood from an exchange and from an episode, as in seed 003, whoever fills them.

Rules and language models both answer in these, so both are held to the same ranges. Scales of the origin
(0 to 10, 1 to 10, 0 to 3) stay inside the shapes; what is scored with is 0 to 1.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Mode = Literal["RESPOND", "ACT", "CLARIFY", "ACKNOWLEDGE", "IGNORE"]
GistType = Literal["decision", "intent", "preference", "uncertainty", "fact", "commitment"]
TraitCategory = Literal["core", "preference", "physical", "relationship", "general"]
IntentType = Literal[
    "exploration",
    "confirmation",
    "problem-solving",
    "planning",
    "reflection",
    "reframing",
    "evaluation",
    "recreational",
]
Direction = Literal["open-ended", "narrowing", "decision-making", "sense-making"]
Valence = Literal["positive", "negative", "mixed", "neutral"]
Intensity = Literal["low", "medium", "high"]

OutOfTen = Annotated[float, Field(ge=0, le=10)]
Unit = Annotated[float, Field(ge=0, le=1)]
Factor = Annotated[float, Field(ge=0, le=3)]
Words = Annotated[str, Field(min_length=1, max_length=4_000)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class Shape(BaseModel):
    """A shape: nothing unknown in it, and never changed once made."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Scope(Shape):
    """Purpose and mood of an exchange. ``confidence``: 0 to 10."""

    intent: Name
    sentiment: Name
    emotion: Name
    confidence: OutOfTen


class Feelings(Shape):
    """Strength of each feeling, 0 to 10, and how sure that is, 0 to 10."""

    sadness: OutOfTen = 0
    joy: OutOfTen = 0
    fear: OutOfTen = 0
    anger: OutOfTen = 0
    surprise: OutOfTen = 0
    disgust: OutOfTen = 0
    confidence: OutOfTen = 0


class Gist(Shape):
    """One thing worth keeping of an exchange, in a sentence that stands alone. ``confidence``: 0 to 10."""

    type: GistType
    content: Words
    confidence: OutOfTen


class Trait(Shape):
    """Something that is so of a person. ``confidence``: 0 to 1; figurative speech is not literal."""

    key: Name
    value: Words
    category: TraitCategory
    confidence: Unit
    source: Literal["explicit", "inferred"]
    is_literal: bool = True


class Fact(Shape):
    """A fact that was said. ``key`` is snake_case, ``confidence`` 0 to 1."""

    key: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
    value: Words
    confidence: Unit


class Style(Shape):
    """Style in which a person speaks: each 1 to 10, 5.5 if nothing is known; ``confidence`` 0 to 10."""

    verbosity: Annotated[float, Field(ge=1, le=10)] = 5.5
    directness: Annotated[float, Field(ge=1, le=10)] = 5.5
    formality: Annotated[float, Field(ge=1, le=10)] = 5.5
    abstraction: Annotated[float, Field(ge=1, le=10)] = 5.5
    humour: Annotated[float, Field(ge=1, le=10)] = 5.5
    certainty: Annotated[float, Field(ge=1, le=10)] = 5.5
    challenge: Annotated[float, Field(ge=1, le=10)] = 5.5
    depth: Annotated[float, Field(ge=1, le=10)] = 5.5
    pace: Annotated[float, Field(ge=1, le=10)] = 5.5
    confidence: OutOfTen = 0


class Chunk(Shape):
    """All that an exchange yields."""

    scope: Scope
    emotion: Feelings
    gists: Annotated[tuple[Gist, ...], Field(max_length=8)] = ()
    user_traits: Annotated[tuple[Trait, ...], Field(max_length=20)] = ()
    facts: Annotated[tuple[Fact, ...], Field(max_length=5)] = ()
    communication_style: Style = Style()


class Intent(Shape):
    """Intent of somebody, and where it went."""

    type: IntentType
    direction: Direction


class Circumstances(Shape):
    """In which situation something was said (column ``context``)."""

    situational: str = ""
    conversational: str = ""
    constraints: tuple[str, ...] = ()


class Emotion(Shape):
    """Emotion over an episode; ``arc`` says how it changed over the turns."""

    type: Name
    valence: Valence
    intensity: Intensity
    arc: str


class Factors(Shape):
    """Factors of salience: 0 to 3 each, and whether something stayed open."""

    novelty: Factor
    emotional: Factor
    commitment: Factor
    unresolved: bool


class Condensed(Shape):
    """Content of an episode: the fields of the seed that somebody has to write."""

    intent: Intent
    context: Circumstances
    action: str
    emotion: Emotion
    outcome: str
    gist: Words
    salience_factors: Factors
    open_loops: tuple[Words, ...] = ()
