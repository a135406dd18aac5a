"""Exchanges that belong together become the draft of an episode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pydantic import ValidationError

from quipu.errors import LanguageFailed
from quipu.kernel.embedding.embedder import Embedder
from quipu.kernel.language.model import Language
from quipu.kernel.policy.policy import Policy
from quipu.kernel.redact import redact
from quipu.kinds.episodes import indexing
from quipu.kinds.episodes.building.builders import NOTHING, RemoteBuilder, RuleBuilder
from quipu.kinds.episodes.building.model import Builder, Material
from quipu.kinds.episodes.building.store import Exchange, Spoken
from quipu.kinds.episodes.policy import UNKNOWN, Retold
from quipu.kinds.episodes.shapes import Chunk, Condensed, Factors

LONGEST_TROUBLE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An episode before it is written: what it is made of, what it says, and by whom it was written.

    ``measured``: its novelty is to be measured; the builder did not say.
    """

    id: UUID
    exchanges: Sequence[Exchange]
    messages: Sequence[int]
    said: Condensed
    topic: str
    builder: str
    version: int
    measured: bool
    trouble: str | None = None

    @property
    def user(self) -> str | None:
        """Owner, if all of it is the same person's."""
        users = {one.user for one in self.exchanges}
        return next(iter(users)) if len(users) == 1 else None

    @property
    def text(self) -> str:
        """Text that finds it."""
        return indexing.text_of(gist=self.said.gist, outcome=self.said.outcome)


class Drafter:
    """Writes drafts through ``language``; without one, or if it fails, by rules, and notes the failure."""

    def __init__(self, language: Language | None, *, secrets: bool) -> None:
        self._rules = RuleBuilder()
        self._secrets = secrets
        self.builder: Builder = self._rules if language is None else RemoteBuilder(language)

    async def draft(
        self,
        id_: UUID,
        exchanges: Sequence[Exchange],
        spoken: Sequence[Spoken],
        embedder: Embedder,
        *,
        policy: Policy,
    ) -> Draft:
        """Draft an episode of one or more exchanges and their messages, within the policy."""
        topic = _topic(exchanges)
        material = Material(
            utterances=[one.said for one in spoken],
            chunks=[_chunk(one) for one in exchanges],
            topic=topic,
            ends=[one.last for one in exchanges],
        )
        builder, trouble = self.builder, None
        try:
            said = await builder.build(material, embedder)
        except LanguageFailed as error:
            builder, trouble = self._rules, redact(str(error)).text[:LONGEST_TROUBLE]
            said = await builder.build(material, embedder)
        # A model may put together again what was cut out apart, or tell what it was not told.
        said = worded(said, Retold(policy, (one.said.text for one in spoken if one.said.role == "user")).cut)
        if self._secrets:
            said = worded(said, lambda text: redact(text).text)
        return Draft(
            id=id_,
            exchanges=exchanges,
            messages=[one.said.id for one in spoken],
            said=said,
            topic=topic,
            builder=builder.name,
            version=builder.version,
            measured=not builder.measures_novelty,
            trouble=trouble,
        )


def with_novelty(said: Condensed, novelty: float) -> Condensed:
    """Return the episode with its novelty, 0 to 3."""
    factors = said.salience_factors
    return said.model_copy(
        update={
            "salience_factors": Factors(
                novelty=novelty,
                emotional=factors.emotional,
                commitment=factors.commitment,
                unresolved=factors.unresolved,
            )
        }
    )


def worded(said: Condensed, change: Callable[[str], str]) -> Condensed:
    """Return the episode with each text changed; if its gist becomes empty, it says that nothing was said."""
    context, emotion = said.context, said.emotion
    return said.model_copy(
        update={
            "gist": change(said.gist) or NOTHING,
            "action": change(said.action),
            "outcome": change(said.outcome),
            "open_loops": _left(said.open_loops, change),
            "emotion": emotion.model_copy(
                update={"type": change(emotion.type) or UNKNOWN, "arc": change(emotion.arc)}
            ),
            "context": context.model_copy(
                update={
                    "situational": change(context.situational),
                    "conversational": change(context.conversational),
                    "constraints": _left(context.constraints, change),
                }
            ),
        }
    )


def _left(texts: Sequence[str], change: Callable[[str], str]) -> tuple[str, ...]:
    return tuple(text for text in map(change, texts) if text)


def _topic(exchanges: Sequence[Exchange]) -> str:
    """Return the topic of most exchanges; the first in a tie."""
    names = [one.topic for one in exchanges if one.topic]
    return max(dict.fromkeys(names), key=names.count) if names else ""


def _chunk(exchange: Exchange) -> Chunk:
    """Return the content of an exchange; an empty one if an older version's cannot be read."""
    try:
        return Chunk.model_validate(exchange.chunk) if exchange.chunk else EMPTY
    except ValidationError:
        return EMPTY


EMPTY: Final = Chunk.model_validate(
    {
        "scope": {"intent": "unknown", "sentiment": "neutral", "emotion": "neutral", "confidence": 0},
        "emotion": {},
    }
)
