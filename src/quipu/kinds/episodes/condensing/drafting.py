"""Exchanges that belong together become the draft of an episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from pydantic import ValidationError

from quipu.errors import LanguageFailed
from quipu.kernel.embedding.model import Embedder
from quipu.kernel.language.model import Language
from quipu.kernel.redact import redact
from quipu.kinds.episodes.condensing.model import Builder, Material
from quipu.kinds.episodes.condensing.remote import RemoteBuilder
from quipu.kinds.episodes.condensing.rules import RuleBuilder
from quipu.kinds.episodes.condensing.store import Exchange, Spoken
from quipu.kinds.episodes.filing import entries as filing
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
        """Whose it is, where all of it is the same person's."""
        users = {one.user for one in self.exchanges}
        return next(iter(users)) if len(users) == 1 else None

    @property
    def text(self) -> str:
        """What it is found by."""
        return filing.text_of(gist=self.said.gist, outcome=self.said.outcome)


class Drafting:
    """Writes drafts: by ``language`` where there is one; where that fails by rules, which is noted."""

    def __init__(self, language: Language | None, *, secrets: bool) -> None:
        self._rules = RuleBuilder()
        self._secrets = secrets
        self.builder: Builder = self._rules if language is None else RemoteBuilder(language)

    async def draft(
        self, id_: UUID, exchanges: Sequence[Exchange], spoken: Sequence[Spoken], embedder: Embedder
    ) -> Draft:
        """The draft of an episode of some exchanges, one or more, and their messages."""
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
        return Draft(
            id=id_,
            exchanges=exchanges,
            messages=[one.said.id for one in spoken],
            said=without_secrets(said) if self._secrets else said,
            topic=topic,
            builder=builder.name,
            version=builder.version,
            measured=not builder.measures_novelty,
            trouble=trouble,
        )


def with_novelty(said: Condensed, novelty: float) -> Condensed:
    """The same with its novelty, 0 to 3."""
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


def without_secrets(said: Condensed) -> Condensed:
    """The same without secrets: a model may put together again what was cut out apart."""
    return said.model_copy(
        update={
            "gist": redact(said.gist).text,
            "action": redact(said.action).text,
            "outcome": redact(said.outcome).text,
            "open_loops": tuple(redact(one).text for one in said.open_loops),
            "context": said.context.model_copy(
                update={
                    "situational": redact(said.context.situational).text,
                    "conversational": redact(said.context.conversational).text,
                    "constraints": tuple(redact(one).text for one in said.context.constraints),
                }
            ),
        }
    )


def _topic(exchanges: Sequence[Exchange]) -> str:
    """The topic of most of them; of equals the first."""
    names = [one.topic for one in exchanges if one.topic]
    return max(dict.fromkeys(names), key=names.count) if names else ""


def _chunk(exchange: Exchange) -> Chunk:
    """What was understood of an exchange. What an older version wrote and this one cannot read is nothing."""
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
