"""The two builders of episodes: rules that need no language model, and a language model."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from quipu.kernel.embedding.embedder import Embedder, Vectors
from quipu.kernel.language.model import Language
from quipu.kernel.language.prompt import entry, label, latest
from quipu.kinds.episodes.building import emotion, narrative
from quipu.kinds.episodes.building.model import Material
from quipu.kinds.episodes.building.narrative import Sentence, intent, nearness
from quipu.kinds.episodes.building.prototypes import INTENTS, Mood, meaning
from quipu.kinds.episodes.building.sentences import LEAST, asks, worth
from quipu.kinds.episodes.shapes import Condensed, Factors, Feelings

RULES_VERSION: Final = 2

MOST_SENTENCES: Final = 40
"""So many are embedded; of more, those that tell most by their words."""

GIST_SENTENCES: Final = 3
LONGEST_GIST: Final = 700
KEPT: Final = 2.0
"""What the chunker kept counts as much as a fact with names and times in it."""

NOTHING: Final = "Nothing was said that is kept."
OF_USER: Final = 1.5
"""Somebody's own words count for more than an assistant's."""


DAMPING: Final = 0.85
STEPS: Final = 30
SAME: Final = 0.8
"""Sentences nearer to each other than that say the same."""


PROMPT_VERSION: Final = 1
"""To be raised with every change of the prompt by which it writes better."""

PURPOSE: Final = "episodes.build"
"""Under which the tokens are counted."""

LONGEST_MESSAGE: Final = 1_500
"""So much of a message is shown to the model; of all of them MOST_CHARACTERS characters."""

MOST_CHARACTERS: Final = 24_000
_PROMPT: Final = Path(__file__).with_name("prompts") / "episode.md"


class RuleBuilder:
    """Condenses by rules. The embedder may know no meaning: then sentences are near that share words."""

    name = "rules"
    version = RULES_VERSION
    measures_novelty = False

    async def build(self, material: Material, embedder: Embedder) -> Condensed:
        """Build an episode; its novelty stays 0, because only the memory knows what it knows."""
        said = narrative.spoken(material.utterances)
        candidates, weights = _candidates(material, said)
        vectors = await embedder.embed(candidates)
        meant = await meaning(embedder)
        loops = narrative.open_loops(material.utterances, said)
        mine = [one.text for one in said if one.role == "user"] or [one.text for one in said]
        wanted = intent(mine, nearness(vectors, meant.intents, INTENTS))
        ended = meant.endings(candidates, vectors) if wanted.type == "problem-solving" else {}
        felt = _felt(material, said, meant.moods(candidates, vectors))
        return Condensed(
            intent=wanted,
            context=narrative.circumstances(material.utterances, said, topic=material.topic),
            action=narrative.action(said, material.chunks, topic=material.topic),
            emotion=emotion.emotion(felt),
            outcome=narrative.outcome(said, material.chunks, ended),
            gist=_gist(material, candidates, vectors, weights),
            salience_factors=Factors(
                novelty=0,
                emotional=round(3 * emotion.strength(felt), 2),
                commitment=narrative.commitment(said, material.chunks),
                unresolved=bool(loops),
            ),
            open_loops=loops,
        )


def _felt(material: Material, said: Sequence[Sentence], moods: Mapping[str, Mood]) -> list[Feelings]:
    """Return the feelings of each exchange; if words do not say them, by what a person's sentences mean."""
    felt = [chunk.emotion for chunk in material.chunks]
    if len(material.ends) != len(felt):
        return felt
    moods_of: list[list[Mood]] = [[] for _ in felt]
    for one in said:
        place = bisect_left(material.ends, one.message)
        if one.role == "user" and one.told() in moods and place < len(moods_of) and not asks(one.text):
            moods_of[place].append(moods[one.told()])
    return emotion.with_moods(felt, moods_of)


def _candidates(material: Material, said: Sequence[Sentence]) -> tuple[list[str], list[float]]:
    """Return the likeliest sentences for the gist, each made to stand alone, and how likely each is."""
    own = {one.told(): worth(one.text) * (OF_USER if one.role == "user" else 1.0) for one in said}
    kept = {gist.content: KEPT * gist.confidence / 10 for chunk in material.chunks for gist in chunk.gists}
    weights = {**own, **kept}
    likely = set(sorted(weights, key=lambda text: -weights[text])[:MOST_SENTENCES])
    return [text for text in weights if text in likely], [
        max(LEAST, weights[text]) for text in weights if text in likely
    ]


def _gist(material: Material, candidates: Sequence[str], vectors: Vectors, weights: Sequence[float]) -> str:
    """Return one to three sentences; if nothing is said in sentences, the words themselves."""
    if not candidates:
        words = " ".join(" ".join(one.text.split()) for one in material.utterances).strip()
        return f"{material.utterances[0].who}: {words[:LONGEST_GIST]}" if words else NOTHING
    ranked = ranks(vectors, weights)
    return joined([candidates[place] for place in chosen(vectors, ranked, most=GIST_SENTENCES)])


def joined(told: Sequence[str]) -> str:
    """Join sentences to at most 700 characters; a speaker who goes on is named once."""
    text, speaker = "", ""
    for one in told:
        who = one.split(": ", 1)[0] if ": " in one else ""
        shown = one.removeprefix(f"{who}: ") if who and who == speaker else one
        longer = f"{text} {shown}".strip()
        if text and len(longer) > LONGEST_GIST:
            break
        text, speaker = longer[:LONGEST_GIST], who
    return text


def ranks(vectors: Vectors, weights: Sequence[float]) -> list[float]:
    """Return the centrality of each sentence: LexRank (Erkan and Radev 2004) with cosines for edges, sum 1.

    ``vectors`` have unit length, shape (n, d). ``weights`` say how likely each is to be jumped to, above 0;
    sentences that somebody found worth keeping weigh more.
    """
    if not len(vectors):
        return []
    prior = np.asarray(weights, dtype=np.float64)
    prior = prior / prior.sum()
    edges = np.maximum(0.0, vectors.astype(np.float64) @ vectors.T.astype(np.float64))
    np.fill_diagonal(edges, 0.0)
    rows = edges.sum(axis=1, keepdims=True)
    flow = np.where(rows > 0, edges / np.where(rows > 0, rows, 1), prior)
    rank = prior
    for _ in range(STEPS):
        rank = (1 - DAMPING) * prior + DAMPING * (rank @ flow)
    return [float(one) for one in rank * prior / (rank * prior).sum()]


def chosen(vectors: Vectors, ranked: Sequence[float], *, most: int) -> list[int]:
    """Return the places of the most central sentences that do not repeat each other, in order."""
    places: list[int] = []
    for place in sorted(range(len(ranked)), key=lambda place: (-ranked[place], place)):
        if len(places) == most:
            break
        if all(float(vectors[place] @ vectors[other]) < SAME for other in places):
            places.append(place)
    return sorted(places)


class RemoteBuilder:
    """Condenses through a language model. Each model is a builder of its own name."""

    version = PROMPT_VERSION
    measures_novelty = True

    def __init__(self, language: Language) -> None:
        self._language = language
        self.name = f"llm:{language.name}"

    async def build(self, material: Material, embedder: Embedder) -> Condensed:  # noqa: ARG002 - of the protocol
        """Return the model's answer, checked against the shape.

        Raises:
            LanguageFailed, BudgetSpent: it did not.
        """
        return await self._language.structured(
            instructions=_PROMPT.read_text("utf-8"), text=shown(material), shape=Condensed, purpose=PURPOSE
        )


def shown(material: Material) -> str:
    """Return the messages as the model reads them; long ones are cut, and of many the middle is left out."""
    said = [
        entry(f"[{one.at:%Y-%m-%d %H:%M} {label(one.who)}]", _cut(one.text)) for one in material.utterances
    ]
    text = "\n".join(said)
    if len(text) > MOST_CHARACTERS:
        first = text[: MOST_CHARACTERS // 2].rsplit("\n", 1)[0]
        text = f"{first}\n[...]\n{latest(said, most=MOST_CHARACTERS // 2)}"
    return f"Topic: {label(material.topic)}\n\n{text}" if material.topic else text


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]} [...]"
