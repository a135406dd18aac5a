"""The evaluator by rules: deterministic, offline, and without a model unless an embedder is at hand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

from quipu.kernel.embedding.embedder import Embedder
from quipu.kernel.embedding.prototypes import embed, listed, prototypes
from quipu.kernel.policy.policy import Policy
from quipu.kinds.longterm.evaluation import requests
from quipu.kinds.longterm.evaluation.conversation import JudgedTurn
from quipu.kinds.longterm.evaluation.grammar import grammar
from quipu.kinds.longterm.evaluation.known import KnownMemory, as_known, known
from quipu.kinds.longterm.evaluation.outcome import Outcome, bare
from quipu.kinds.longterm.evaluation.people import given
from quipu.kinds.longterm.evaluation.words import spelled
from quipu.kinds.longterm.model import CATEGORIES, Category, Evaluation, MemorySource

if TYPE_CHECKING:
    from quipu.kinds.longterm.sati import SatiEvaluationInput

VERSION: Final = 7
"""To be raised with every change of the rules that finds more or better."""


class Conversation:
    """Conversation in which the user's words are judged; the assistant's only explain short answers.

    ``meanings`` are categories of clauses that no family of sayings fits. ``undecided`` are such clauses that
    have none yet, True for those that the user asked to remember.
    """

    def __init__(
        self, existing: list[KnownMemory], *, policy: Policy, meanings: Mapping[str, Category] | None = None
    ) -> None:
        self.undecided: dict[str, bool] = {}
        self._meanings = meanings or {}
        self._outcome = Outcome(existing, policy=policy)
        self._heard = ""
        self._play = requests.RolePlay()
        self._learned = frozenset(name.lower() for one in existing for name, _ in one.names())

    def heard(self, text: str) -> None:
        """Take a turn of the assistant."""
        self._heard = text

    def said(
        self,
        text: str,
        *,
        turn: int,
        judged: bool = True,
        message: str | None = None,
        session: str | None = None,
        time: datetime | None = None,
        speaker: str | None = None,
    ) -> None:
        """Take a turn of the user, or of a named ``speaker`` who is somebody else.

        One that was evaluated before is only listened to (``judged=False``).
        """
        hidden = bare(text)
        plain = spelled(hidden.text)
        played = self._play.goes_on(plain) or grammar().guarded(("fiction",), plain)
        if judged and played:
            self._outcome.words = text
            self._outcome.judge("passed over", "a story or a role")
        elif judged:
            self._outcome.begin(
                MemorySource(excerpt="", turn=turn, message=message, session=session, happened_at=time)
            )
            self._learned |= given(plain)
            reading = JudgedTurn(self._outcome, hidden, self._heard, self._meanings, self._learned, speaker)
            reading.read()
            self.undecided |= reading.undecided
        self._heard = ""

    def evaluation(self, evaluator: str) -> Evaluation:
        """Return the result of all turns together."""
        return self._outcome.evaluation(evaluator)


class RulesEvaluator:
    """Reads English, German and Spanish; of other languages it keeps nothing.

    ``embedder`` decides where words do not, in English.
    """

    def __init__(self, embedder: Embedder | None = None, *, policy: Policy | None = None) -> None:
        self.name = "rules"
        self.version = VERSION
        self._embedder = embedder
        self._policy = policy or Policy()

    async def evaluate(self, conversation: SatiEvaluationInput, *, since: int = 0) -> Evaluation:
        """Evaluate the user's turns from the turn ``since`` on: what to keep, change or forget.

        The turns before them were evaluated already; they show what an answer answers. Raises
        ``EmbeddingError``.
        """
        existing = [*map(as_known, conversation.existing_memories)]
        existing += [
            known(id="?", category="context", importance="low", summary=one)
            for one in conversation.existing_memory_summaries
        ]
        read = self._read(conversation, existing, since=since, meanings={})
        if self._embedder is not None and read.undecided:
            meanings = await by_meaning(self._embedder, read.undecided)
            if meanings:
                read = self._read(conversation, existing, since=since, meanings=meanings)
        return read.evaluation(f"{self.name}:{self.version}")

    def _read(
        self,
        conversation: SatiEvaluationInput,
        existing: list[KnownMemory],
        *,
        since: int,
        meanings: Mapping[str, Category],
    ) -> Conversation:
        read = Conversation(existing, policy=self._policy, meanings=meanings)
        for at, turn in enumerate(conversation.recent_conversation):
            text = turn.content
            if turn.role == "assistant":
                read.heard(text)
            else:
                read.said(
                    text, turn=at, judged=at >= since, message=turn.id, session=turn.session, time=turn.time,
                    speaker=(turn.speaker or "").strip() or None,
                )  # fmt: skip
        return read


NEAR_ENOUGH: Final = 0.45
MARGIN: Final = 0.12
"""A category must be so much nearer than what lasts in no way."""

MOST: Final = 400
"""Clauses of one evaluation that are embedded: it costs about 2 ms for each."""


async def by_meaning(embedder: Embedder, clauses: Mapping[str, bool]) -> dict[str, Category]:
    """Return the categories of clauses that seem to last; True marks those asked to be remembered.

    Raises ``EmbeddingError``.
    """
    texts = list(clauses)[:MOST]
    known = await prototypes("longterm", embedder, *listed(__file__, CATEGORIES))
    vectors = await embed(embedder, texts)
    decided = known.decide(
        vectors, near_enough=NEAR_ENOUGH, margin=MARGIN, settled=[clauses[text] for text in texts]
    )
    pairs = zip(texts, decided, strict=True)
    return {text: CATEGORIES[place] for text, place in pairs if place is not None}
