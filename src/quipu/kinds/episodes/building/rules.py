"""The builder that needs nobody: rules, prototypes and the sentences in which most of it lies."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from quipu.kernel.embedding.model import Embedder, Vectors
from quipu.kinds.episodes.building import central, feeling, telling
from quipu.kinds.episodes.building.intent import intent, nearness
from quipu.kinds.episodes.building.meaning import INTENTS, Mood, meaning
from quipu.kinds.episodes.building.model import Material
from quipu.kinds.episodes.building.sentences import asks
from quipu.kinds.episodes.building.telling import Sentence
from quipu.kinds.episodes.building.worth import LEAST, worth
from quipu.kinds.episodes.shapes import Condensed, Factors, Feelings

VERSION: Final = 2

MOST_SENTENCES: Final = 40
"""So many are embedded; of more, those that tell most by their words."""

GIST_SENTENCES: Final = 3
LONGEST_GIST: Final = 700
KEPT: Final = 2.0
"""What the chunker kept counts as much as a fact with names and times in it."""

NOTHING: Final = "Nothing was said that is kept."
OF_USER: Final = 1.5
"""Somebody's own words count for more than an assistant's."""


class RuleBuilder:
    """Condenses by rules. The embedder may know no meaning: then sentences are near that share words."""

    name = "rules"
    version = VERSION
    measures_novelty = False

    async def build(self, material: Material, embedder: Embedder) -> Condensed:
        """Build an episode; its novelty stays 0, because only the memory knows what it knows."""
        said = telling.spoken(material.utterances)
        candidates, weights = _candidates(material, said)
        vectors = await embedder.embed(candidates)
        meant = await meaning(embedder)
        loops = telling.open_loops(material.utterances, said)
        mine = [one.text for one in said if one.role == "user"] or [one.text for one in said]
        wanted = intent(mine, nearness(vectors, meant.intents, INTENTS))
        ended = meant.endings(candidates, vectors) if wanted.type == "problem-solving" else {}
        felt = _felt(material, said, meant.moods(candidates, vectors))
        return Condensed(
            intent=wanted,
            context=telling.circumstances(material.utterances, said, topic=material.topic),
            action=telling.action(said, material.chunks, topic=material.topic),
            emotion=feeling.emotion(felt),
            outcome=telling.outcome(said, material.chunks, ended),
            gist=_gist(material, candidates, vectors, weights),
            salience_factors=Factors(
                novelty=0,
                emotional=round(3 * feeling.strength(felt), 2),
                commitment=telling.commitment(said, material.chunks),
                unresolved=bool(loops),
            ),
            open_loops=loops,
        )


def _felt(material: Material, said: Sequence[Sentence], moods: Mapping[str, Mood]) -> list[Feelings]:
    """Return the feelings of each exchange; if words do not say them, by what a person's sentences mean."""
    felt = [chunk.emotion for chunk in material.chunks]
    if len(material.ends) != len(felt):
        return felt
    found: list[list[Mood]] = [[] for _ in felt]
    for one in said:
        place = bisect_left(material.ends, one.message)
        if one.role == "user" and one.told() in moods and place < len(found) and not asks(one.text):
            found[place].append(moods[one.told()])
    return feeling.with_moods(felt, found)


def _candidates(material: Material, said: Sequence[Sentence]) -> tuple[list[str], list[float]]:
    """Return the likeliest sentences for the gist, each made to stand alone, and how likely each is."""
    own = {one.told(): worth(one.text) * (OF_USER if one.role == "user" else 1.0) for one in said}
    kept = {gist.content: KEPT * gist.confidence / 10 for chunk in material.chunks for gist in chunk.gists}
    found = {**own, **kept}
    likely = set(sorted(found, key=lambda text: -found[text])[:MOST_SENTENCES])
    return [text for text in found if text in likely], [
        max(LEAST, found[text]) for text in found if text in likely
    ]


def _gist(material: Material, candidates: Sequence[str], vectors: Vectors, weights: Sequence[float]) -> str:
    """Return one to three sentences; if nothing is said in sentences, the words themselves."""
    if not candidates:
        words = " ".join(" ".join(one.text.split()) for one in material.utterances).strip()
        return f"{material.utterances[0].who}: {words[:LONGEST_GIST]}" if words else NOTHING
    ranked = central.ranks(vectors, weights)
    return joined([candidates[place] for place in central.chosen(vectors, ranked, most=GIST_SENTENCES)])


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
