"""A language model as evaluator: what it cites must be there, and the policy has the last word."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

from pydantic import BaseModel, Field

from quipu.kernel.base.text import excerpt
from quipu.kernel.language.model import Language
from quipu.kernel.language.prompt import entry
from quipu.kernel.policy.policy import Policy, safety
from quipu.kinds.longterm.model import (
    WORK,
    Category,
    Deletion,
    Edit,
    Evaluation,
    Importance,
    Inclusion,
    MemorySource,
)
from quipu.kinds.longterm.rules import normal_form
from quipu.kinds.longterm.sati import SatiEvaluationInput, SatiExistingMemory, SatiTurn

VERSION: Final = 2
"""To be raised with every change of the prompt that finds more or better."""

PURPOSE: Final = "longterm.evaluate"
"""Under which the tokens are counted."""

LONGEST_TURN: Final = 4_000
LONGEST_OF_THE_ASSISTANT: Final = 600

BATCH_CHARACTERS: Final = 12_000
"""Turns of so many characters are read with one request; of more, several are made."""

_CONTEXT: Final = 8  # turns before a further batch that are shown with it
_LONGEST_EXCERPT: Final = 1_000
_PROMPT: Final = Path(__file__).with_name("prompts") / "evaluate.md"

_LONGEST = 1_000
_MOST = 50


class IncludedMemory(BaseModel):
    """A new memory."""

    category: Category
    importance: Importance
    summary: str = Field(min_length=1, max_length=_LONGEST, description="One sentence that stands alone.")
    reason: str = Field(default="", max_length=_LONGEST)
    turn: int = Field(ge=0, description="The number of the user's turn that says it.")
    requested: bool = Field(default=False, description="The user asked for it to be remembered.")


class EditedMemory(BaseModel):
    """A memory that is to read otherwise; what is null stays as it is."""

    id: str
    summary: str | None = Field(default=None, min_length=1, max_length=_LONGEST)
    importance: Importance | None = None
    details: str | None = Field(default=None, max_length=_LONGEST)
    reason: str = Field(default="", max_length=_LONGEST)
    turn: int = Field(ge=0)


class DeletedMemory(BaseModel):
    """A memory that holds no longer, or is to be forgotten."""

    id: str
    reason: str = Field(default="", max_length=_LONGEST)
    turn: int = Field(ge=0)


class EvaluatedConversation(BaseModel):
    """Everything that is to be done, possibly nothing."""

    inclusions: list[IncludedMemory] = Field(default_factory=list[IncludedMemory], max_length=_MOST)
    edits: list[EditedMemory] = Field(default_factory=list[EditedMemory], max_length=_MOST)
    deletions: list[DeletedMemory] = Field(default_factory=list[DeletedMemory], max_length=_MOST)


class RemoteEvaluator:
    """Asks a language model once for each batch of turns. Each model is an evaluator of its own name."""

    def __init__(self, language: Language, *, policy: Policy | None = None) -> None:
        self._language = language
        self._policy = policy or Policy()
        self.name = f"llm:{language.name}"
        self.version = VERSION

    async def evaluate(self, conversation: SatiEvaluationInput, *, since: int = 0) -> Evaluation:
        """Return the model's changes that hold: their ids exist, and the user said their turns.

        The rest, and what the policy refuses, is dropped and counted. A conversation in which the user said
        nothing is not sent.

        Raises:
            LanguageFailed: no answer, or none that fits.
            BudgetSpent: the tokens of the day are used up.
        """
        evaluator = f"{self.name}:{self.version}"
        said = spoken(conversation, since=since)
        answer = EvaluatedConversation()
        for turns in batches(conversation, since=since):
            if said.keys() & set(turns):
                answer = _both(answer, await self._read(conversation, turns, answer, since=since))
        return AnswerCheck(conversation, said, self._policy).evaluation(answer, evaluator)

    async def _read(
        self, conversation: SatiEvaluationInput, turns: range, answer: EvaluatedConversation, *, since: int
    ) -> EvaluatedConversation:
        """Return the model's answer to a batch; it is told what it included before."""
        included = (*conversation.existing_memory_summaries, *(one.summary for one in answer.inclusions))
        first = 0 if turns.start == since else max(0, turns.start - _CONTEXT)
        return await self._language.structured(
            instructions=instructions(),
            text=shown(
                conversation.model_copy(update={"existing_memory_summaries": included}), turns, first=first
            ),
            shape=EvaluatedConversation,
            purpose=PURPOSE,
        )


class AnswerCheck:
    """Holds an answer against what was said and what is known."""

    def __init__(
        self, conversation: SatiEvaluationInput, said: Mapping[int, SatiTurn], policy: Policy
    ) -> None:
        self._said = said
        self._policy = policy
        self._known = {one.id: one for one in conversation.existing_memories}
        summaries = [one.summary for one in conversation.existing_memories]
        self._forms = {normal_form(one) for one in (*summaries, *conversation.existing_memory_summaries)}

    def evaluation(self, answer: EvaluatedConversation, evaluator: str) -> Evaluation:
        """Return the changes of an answer that hold, each memory once."""
        deletions = {one.id: made for one in answer.deletions if (made := self._deletion(one))}
        edits = {
            one.id: made for one in answer.edits if one.id not in deletions and (made := self._edit(one))
        }
        inclusions = {
            normal_form(one.summary): made for one in answer.inclusions if (made := self._inclusion(one))
        }
        asked_for = len(answer.deletions) + len(answer.edits) + len(answer.inclusions)
        stands = len(deletions) + len(edits) + len(inclusions)
        return Evaluation(
            inclusions=tuple(inclusions.values()),
            edits=tuple(edits.values()),
            deletions=tuple(deletions.values()),
            evaluator=evaluator,
            dropped=asked_for - stands,
        )

    def _inclusion(self, one: IncludedMemory) -> Inclusion | None:
        turn, work = self._said.get(one.turn), one.category in WORK
        if turn is None:
            return None
        cut = partial(self._policy.cut, requested=one.requested, work=work, source=turn.content)
        summary = cut(" ".join(one.summary.split()))
        source = self._source(turn, one.turn, requested=one.requested, work=work)
        if source is None or not summary or normal_form(summary) in self._forms:
            return None
        harms = safety(summary)
        importance = "medium" if one.requested and one.importance == "low" else one.importance
        return Inclusion(
            category="constraint" if harms else one.category,
            importance="high" if harms else importance,
            summary=summary,
            reason=self._reason(one.reason, turn, one.requested, work),
            sources=(source,),
            requested=one.requested,
        )

    def _edit(self, one: EditedMemory) -> Edit | None:
        turn, memory = self._said.get(one.turn), self._known.get(one.id)
        if turn is None or memory is None:
            return None
        work = memory.category in WORK
        source = self._source(turn, one.turn, requested=False, work=work)
        cut = partial(self._policy.cut, requested=False, work=work, source=turn.content)
        summary = cut(" ".join(one.summary.split())) if one.summary else None
        details = cut(one.details) if one.details else None
        if source is None or "" in (summary, details) or _changes_nothing(one, summary, memory):
            return None
        return Edit(
            id=one.id,
            importance=one.importance,
            summary=summary,
            details=details,
            reason=self._reason(one.reason, turn, False, work),
            sources=(source,),
            expected_version=memory.version,
        )

    def _deletion(self, one: DeletedMemory) -> Deletion | None:
        turn, memory = self._said.get(one.turn), self._known.get(one.id)
        if turn is None or memory is None:
            return None
        work = memory.category in WORK
        source = self._source(turn, one.turn, requested=False, work=work)
        return Deletion(
            id=one.id,
            reason=self._reason(one.reason, turn, False, work),
            sources=() if source is None else (source,),
            expected_version=memory.version,
        )

    def _reason(self, reason: str, turn: SatiTurn, requested: bool, work: bool) -> str:
        refused = self._policy.refused(reason, requested=requested, work=work, source=turn.content)
        return "" if refused else reason

    def _source(self, turn: SatiTurn, at: int, *, requested: bool, work: bool) -> MemorySource | None:
        """Return the source without clauses that the policy refuses; None if nothing is left."""
        kept = self._policy.cut(turn.content, requested=requested, work=work)
        if not kept:
            return None
        text = excerpt(kept, _LONGEST_EXCERPT)
        return MemorySource(
            excerpt=text, turn=at, message=turn.id, session=turn.session, happened_at=turn.time
        )


def spoken(conversation: SatiEvaluationInput, *, since: int) -> dict[int, SatiTurn]:
    """Return the user's words from a turn on, by the number of the turn."""
    turns = enumerate(conversation.recent_conversation)
    return {at: turn for at, turn in turns if at >= since and turn.role == "user" and turn.content.strip()}


def batches(conversation: SatiEvaluationInput, *, since: int) -> list[range]:
    """Return the turns from a turn on in runs that are read with one request each."""
    runs: list[range] = []
    start, size = since, 0
    for at, turn in enumerate(conversation.recent_conversation):
        if at < since:
            continue
        length = len(_cut(turn))
        if at > start and size + length > BATCH_CHARACTERS:
            runs.append(range(start, at))
            start, size = at, 0
        size += length
    end = len(conversation.recent_conversation)
    return [*runs, range(start, end)] if start < end else runs


def instructions() -> str:
    """Return the instructions for the model."""
    return _PROMPT.read_text("utf-8")


def shown(conversation: SatiEvaluationInput, turns: range, *, first: int = 0) -> str:
    """Return memories and turns as the model reads them, the turns from ``first`` on as context only."""
    known = [
        entry(f"{one.id} [{one.category}, {one.importance}]", one.summary)
        for one in conversation.existing_memories
    ]
    known += [entry("(no id)", one) for one in conversation.existing_memory_summaries]
    said = conversation.recent_conversation
    lines = [
        entry(f"[{at} {said[at].role}{'' if at in turns else ', only context'}]", _cut(said[at]))
        for at in range(first, turns.stop)
    ]
    return "\n".join(["Memories:", *(known or ["none"]), "", "Conversation:", *lines])


def _cut(turn: SatiTurn) -> str:
    """Return the words of a turn as they are shown: long ones are cut, the assistant's sooner."""
    longest = LONGEST_TURN if turn.role == "user" else LONGEST_OF_THE_ASSISTANT
    text = turn.content.strip()
    return text if len(text) <= longest else f"{text[:longest]} [...]"


def _both(one: EvaluatedConversation, other: EvaluatedConversation) -> EvaluatedConversation:
    return EvaluatedConversation.model_construct(
        inclusions=[*one.inclusions, *other.inclusions],
        edits=[*one.edits, *other.edits],
        deletions=[*one.deletions, *other.deletions],
    )


def _changes_nothing(one: EditedMemory, summary: str | None, memory: SatiExistingMemory) -> bool:
    same = summary is None or normal_form(summary) == normal_form(memory.summary)
    return same and not one.details and one.importance in (None, memory.importance)
