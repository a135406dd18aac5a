"""One run: every system on every conversation, judged question by question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from quality.measures import Outcome, Summary, judge, summarise
from quality.model import Conversation, Question, System


@dataclass(frozen=True, slots=True)
class Answer:
    """What one system returned for one question, and how good it is."""

    system: str
    conversation: str
    question: Question
    ranked: tuple[str, ...]
    outcome: Outcome


def ask(
    systems: Sequence[System],
    conversations: Iterable[Conversation],
    *,
    depth: int,
    progress: Callable[[str], None],
) -> list[Answer]:
    """The answers of all systems to all questions with a known answer, in order."""
    answers: list[Answer] = []
    for conversation in conversations:
        session_of = conversation.sessions()
        questions = [question for question in conversation.questions if question.was_told]
        for system in systems:
            progress(f"{conversation.name}: {system.name}")
            ranked = system.rank(conversation, questions, depth=depth)
            for question, ids in zip(questions, ranked, strict=True):
                outcome = judge(ids, question.evidence, question.evidence_sessions, session_of)
                answers.append(Answer(system.name, conversation.name, question, tuple(ids), outcome))
    return answers


def summary_of(answers: Iterable[Answer], system: str, keep: Callable[[Answer], bool]) -> Summary:
    """The means of one system over the answers to keep."""
    return summarise([answer.outcome for answer in answers if answer.system == system and keep(answer)])
