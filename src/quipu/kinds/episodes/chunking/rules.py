"""An exchange read by rules: deterministic, offline, total over any text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from anyio import to_thread

from quipu.kinds.episodes.chunking.emotion import feel
from quipu.kinds.episodes.chunking.facts import facts, traits
from quipu.kinds.episodes.chunking.gists import gists, judge
from quipu.kinds.episodes.chunking.model import Chunked, Talk
from quipu.kinds.episodes.chunking.scope import scope
from quipu.kinds.episodes.chunking.style import measure
from quipu.kinds.episodes.shapes import Chunk

NAME: Final = "rules"
VERSION: Final = 1
"""To be raised with every change of the rules that finds more or better."""

_QUICK_CHARACTERS: Final = 4_000


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
