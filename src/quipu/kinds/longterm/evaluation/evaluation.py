"""Evaluations, as a caller meets them: of a conversation at hand, or of a session of the record."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Annotated

from typing_extensions import Doc

from quipu.kernel.base.parameters import Example, Space
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.base.text import Marks, mentions
from quipu.kernel.config import Settings
from quipu.kernel.db.space import ErasedMeanwhile
from quipu.kernel.policy.policy import policy
from quipu.kinds.longterm.changes import changed
from quipu.kinds.longterm.evaluation import evaluators
from quipu.kinds.longterm.evaluation.model import Applied, Evaluator, EvaluatorName, SessionEvaluation
from quipu.kinds.longterm.evaluation.sessions import Sessions
from quipu.kinds.longterm.evaluation.writer import apply, checked, held, refusing, texts
from quipu.kinds.longterm.lookup import AsyncLongtermLookup
from quipu.kinds.longterm.model import Evaluation
from quipu.kinds.longterm.sati import SatiEvaluationInput, SatiMemoryResult, read


class AsyncEvaluations(AsyncLongtermLookup):
    """Finds out what a conversation says of the user, and keeps, changes and forgets accordingly."""

    async def evaluate(
        self,
        conversation: SatiEvaluationInput | Mapping[str, object],
        *,
        evaluator: Evaluator | EvaluatorName | None = None,
        space: str | None = None,
    ) -> Evaluation:
        """Return the memories to include, edit and delete after a conversation. Nothing is written.

        ``conversation`` is the seed's input, or its document. Memories with ids can be edited and deleted;
        one known by its summary only is not included again. ``evaluator`` is ``rules``, ``llm``, one of your
        own, or that of the setting ``longterm_evaluator``. ``SatiMemoryResult.of`` turns the result into the
        seed's single shape. Memory that was put into a turn is not read: blocks with the marks of the
        ``space``, and blocks that others marked; without a space, everything in the form of a marked block.

        Raises:
            BadInput: the document cannot be read, or there is no such evaluator.
            QuipuError: a language model was asked and failed.
        """
        conversation = await self._spoken(
            read(SatiEvaluationInput, conversation), optional_name("space", space)
        )
        async with self._named(evaluator, await self._database.settings()) as chosen:
            return await chosen.evaluate(conversation)

    async def apply(
        self,
        evaluation: Evaluation | SatiMemoryResult | Mapping[str, object],
        *,
        space: str,
        user: str | None = None,
        session: str | None = None,
    ) -> Applied:
        """Do what an evaluation asks for, in one transaction; to do it again changes nothing.

        ``evaluation`` is what ``evaluate`` returned, or the seed's single shape (``should_store``) or its
        document. Clauses that the policy refuses are cut; what it refuses whole, or somebody
        changed meanwhile, is left as it is and counted.

        Raises:
            BadInput: an argument cannot be taken, or a part of the evaluation; names it, such as
                ``inclusions[2].summary``.
        """
        if not isinstance(evaluation, Evaluation):
            evaluation = read(SatiMemoryResult, evaluation).evaluation()
        evaluation = checked(evaluation)
        user, session = optional_name("user", user), optional_name("session", session)
        settings = await self._database.settings(check_name("space", space))
        kept_of_people = policy(settings.policy)
        evaluation = held(evaluation, kept_of_people)
        return await changed(
            self._database,
            self._models,
            lambda changes: apply(changes, evaluation, user=user, session=session),
            space=space,
            clock=self._clock,
            by=evaluation.evaluator or "evaluation",
            texts=texts(evaluation),
            refuses=refusing(kept_of_people),
        )

    async def evaluate_session(
        self,
        session: Annotated[str, Doc("The session to evaluate."), Example("s1")],
        *,
        space: Space,
        evaluator: Annotated[
            Evaluator | EvaluatorName | None, Doc("The evaluator; without it, the one of the settings.")
        ] = None,
        preview: Annotated[bool, Doc("Write nothing; look at the next 40 turns only.")] = False,
    ) -> SessionEvaluation:
        """Evaluate what a session said since it was last evaluated, and do what it asks for.

        Workers do this too. Doing it again changes nothing.

        Raises:
            NotFound: There is no such session.
            BadInput: There is no such evaluator.
            LanguageFailed: The language model failed; what was done before stays.
        """
        space, session = check_name("space", space), check_name("session", session)
        settings = await self._database.settings(space)
        async with self._named(evaluator, settings) as chosen:
            sessions = Sessions(
                self._database,
                self._models,
                self._search,
                chosen,
                clock=self._clock,
                policy=policy(settings.policy),
            )
            total = SessionEvaluation(session=session, more=True)
            while total.more:
                stretch = await sessions.waiting(session, space=space)
                try:
                    done = await sessions.advance(session, stretch, space=space, preview=preview)
                except ErasedMeanwhile:
                    continue
                total = _and(total, done)
                if preview:
                    break
        return total

    async def _spoken(self, conversation: SatiEvaluationInput, space: str | None) -> SatiEvaluationInput:
        """Return the input without memory that was put into its turns."""
        turns = conversation.recent_conversation
        if not any(mentions(turn.content) for turn in turns):
            return conversation
        marks = Marks.of_nobody() if space is None else await self._database.marks(space)
        spoken = tuple(turn.model_copy(update={"content": marks.hear(turn.content).spoken}) for turn in turns)
        return conversation.model_copy(update={"recent_conversation": spoken})

    def _named(
        self, evaluator: Evaluator | EvaluatorName | None, settings: Settings
    ) -> AbstractAsyncContextManager[Evaluator]:
        return evaluators.named(
            evaluator,
            database=self._database,
            models=self._models,
            settings=settings,
            clock=self._clock,
        )


def _and(total: SessionEvaluation, one: SessionEvaluation) -> SessionEvaluation:
    applied = Applied(
        memories=(*total.applied.memories, *one.applied.memories),
        refused=total.applied.refused + one.applied.refused,
    )
    return replace(
        one,
        turns=total.turns + one.turns,
        evaluations=(*total.evaluations, *one.evaluations),
        applied=applied,
        dropped=total.dropped + one.dropped,
    )
