"""An exchange read by rules: deterministic, offline, total over any text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from anyio import to_thread

from quipu.kinds.episodes.chunking.emotion import Felt, feel
from quipu.kinds.episodes.chunking.facts import facts, traits
from quipu.kinds.episodes.chunking.gists import Judged, gists, judge
from quipu.kinds.episodes.chunking.model import Chunked, Talk
from quipu.kinds.episodes.chunking.style import measure
from quipu.kinds.episodes.shapes import Chunk, Scope

NAME: Final = "rules"
VERSION: Final = 1
"""To be raised with every change of the rules that finds more or better."""

_QUICK_CHARACTERS: Final = 4_000


_REQUESTING: Final = "requesting"
_ASKING: Final = "asking"
_NAMES: Final = {
    "decision": "deciding",
    "commitment": "committing",
    "preference": "telling a preference",
    "uncertainty": "weighing",
    "intent": "planning",
    "fact": "telling",
}


def scope(judged: Sequence[Judged], felt: Felt) -> Scope:
    """Return the intent of most sentences (in a tie, the rarest type), the sentiment and the emotion."""
    asked = [one for one in judged if one.asked]
    types = Counter(one.type for one in asked if one.type is not None)
    questions = sum(one.text.rstrip().endswith("?") for one in asked)
    if types:
        order = list(_NAMES)
        best = min(types, key=lambda one: (-types[one], order.index(one)))
        intent = _REQUESTING if best == "intent" and questions else _NAMES[best]
    else:
        intent = _ASKING if questions else "chatting"
    sure = 6.0 if types else 4.0 if questions else 2.0
    return Scope(intent=intent, sentiment=felt.valence, emotion=felt.dominant, confidence=sure)


def chunk(talk: Talk) -> Chunk:
    """Return the content of an exchange. Feelings, facts, traits and style are of the one who began it."""
    judged = judge(talk)
    asked = [turn.text for turn in talk.turns if turn.asked]
    felt = feel("\n".join(asked))
    return Chunk(
        scope=scope(judged, felt),
        emotion=felt.feelings,
        gists=gists(judged),
        user_traits=traits(judged),
        facts=facts(judged),
        communication_style=measure(asked),
    )


class RulesChunker:
    """Reads exchanges by rules: those in English; of others it keeps emoji, style and little else."""

    name = NAME
    version = VERSION

    async def read(self, talks: Sequence[Talk]) -> list[Chunked]:
        """Return the content of each exchange."""
        if sum(len(turn.text) for talk in talks for turn in talk.turns) < _QUICK_CHARACTERS:
            return _read(talks)
        return await to_thread.run_sync(_read, talks)


def _read(talks: Sequence[Talk]) -> list[Chunked]:
    return [Chunked(chunk(talk), NAME, VERSION) for talk in talks]
