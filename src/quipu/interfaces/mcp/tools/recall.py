"""Recall: what is known about something, and why a memory came back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import Field

from quipu.errors import NotFound
from quipu.interfaces.mcp.bounds import fitting, more, shortened
from quipu.interfaces.mcp.model import Arguments, Desk, ToolAnswer, tool
from quipu.recall.ranking import NOTHING

if TYPE_CHECKING:
    from quipu.recall.model import Hit

KindName = Literal["message", "ledger", "lesson", "episodes", "longterm", "tables"]
Question = Annotated[str, Field(min_length=1, max_length=4_000, description="In plain words.")]
_LOOKED_THROUGH: Final = 100


class RecallArguments(Arguments):
    """Question, and what narrows it."""

    question: Question
    kinds: Annotated[
        list[KindName] | None,
        Field(
            description="Only these: message (what was said), ledger (facts), lesson (what lasts of "
            "coding sessions), episodes, longterm (about people), tables (rows)."
        ),
    ] = None
    session: Annotated[str | None, Field(description="Only this session.")] = None
    since: Annotated[str | None, Field(description="From this time on (ISO 8601).")] = None
    until: Annotated[str | None, Field(description="Before this time (ISO 8601).")] = None
    limit: Annotated[int, Field(ge=1, le=30, description="At most.")] = 8


class Memory(ToolAnswer):
    """One memory that came back."""

    kind: str
    id: str
    memory: str
    score: Annotated[float, Field(description="0 to 1.")]
    parts: Annotated[dict[str, float], Field(description="Shares of its signals.")]
    certainty: Annotated[str, Field(description="sure, likely or maybe")]
    happened_at: str
    by: str | None
    session: str | None
    message: Annotated[str | None, Field(description="The id that forget takes.")]
    notes: str

    def text(self) -> str:
        """Return a line: when, who, what, and the ids that name it."""
        ids = [f"{self.kind} {self.id}", *([f"message {self.message}"] if self.message else ())]
        ids += [f"session {self.session}"] if self.session else []
        ids += [self.notes] if self.notes else []
        text = " ".join(self.memory.split())
        sure = f"{self.certainty}, {self.score:.2f}"
        return f"- {self.happened_at[:16]} {self.by or 'somebody'}: {text} [{', '.join(ids)}; {sure}]"


class RecallAnswer(ToolAnswer):
    """Memories, best first."""

    memories: list[Memory]
    left_out: Annotated[int, Field(description="That did not fit.")] = 0
    known: Annotated[float, Field(description="0 to 1: was it told at all?")] = 0.0
    notice: str = ""

    def text(self) -> str:
        """Return a line for each memory, after the notice if there is one."""
        if not self.memories:
            return NOTHING
        lines = "\n".join([*([self.notice] if self.notice else ()), *(one.text() for one in self.memories)])
        return lines + more(self.left_out, "narrow it by kinds, session, since, until or limit.")

    @property
    def is_memory(self) -> bool:
        """True if there are any."""
        return bool(self.memories)


@tool("Recall memories", level="read")
async def recall(desk: Desk, arguments: RecallArguments) -> RecallAnswer:
    """Search everything remembered: past conversations, facts, lessons, episodes, table rows.

    Use it before answering whatever may depend on earlier sessions, people, decisions or preferences. Ask
    in plain words, one question a call. Returns memories, best first, with when, who, ids and how sure each
    is. Do not guess where nothing is known.
    """
    caller = desk.caller
    hits = await desk.memory.recall(
        arguments.question,
        space=caller.space,
        user=caller.user,
        session=arguments.session,
        kinds=arguments.kinds,
        since=arguments.since,
        until=arguments.until,
        limit=arguments.limit,
    )
    shown, left_out = fitting([_memory(hit) for hit in hits])
    if caller.level != "read":
        await desk.memory.reinforce(hits[: len(shown)])
    notice = " ".join(filter(None, (hits.notice, hits[0].notice if hits else "")))
    return RecallAnswer(memories=shown, left_out=left_out, known=hits.known, notice=notice)


def _memory(hit: Hit) -> Memory:
    return Memory(
        kind=hit.kind,
        id=hit.id,
        memory=shortened(hit.text),
        score=round(hit.score, 4),
        certainty=hit.certainty,
        parts={name: round(part, 4) for name, part in hit.parts.items()},
        happened_at=hit.happened_at.isoformat(),
        by=hit.source.speaker or hit.source.role,
        session=hit.source.session,
        message=hit.source.message if hit.kind == "message" else None,
        notes=shortened("; ".join(filter(None, (hit.said_again, hit.changed)))),
    )


class WhyArguments(Arguments):
    """Memory to explain, and the question that it came back to."""

    question: Question
    kind: Annotated[KindName, Field(description="Its kind, as recall told it.")]
    id: Annotated[str, Field(min_length=1, max_length=100, description="Its id, as recall told it.")]


class Reason(ToolAnswer):
    """One signal."""

    signal: str
    amount: float
    meaning: str

    def text(self) -> str:
        """Return a line: what it added, and why."""
        return f"- {self.amount:+.2f} {self.signal}: {self.meaning}"


class WhyAnswer(ToolAnswer):
    """Reasons why a memory came back, and its origin."""

    memory: Memory
    reasons: list[Reason]
    shared_words: list[str]
    said_before: list[str]
    said_after: list[str]

    def text(self) -> str:
        """Return the memory, its reasons, and what was said around it."""
        lines = [self.memory.text(), *(reason.text() for reason in self.reasons)]
        lines += [f"Words of the question in it: {', '.join(self.shared_words)}"] if self.shared_words else []
        around = [*(f"  before: {turn}" for turn in self.said_before)]
        around += [f"  after: {turn}" for turn in self.said_after]
        return "\n".join([*lines, *around])

    @property
    def is_memory(self) -> bool:
        """Always."""
        return True


@tool("Explain a memory", level="read")
async def why(desk: Desk, arguments: WhyArguments) -> WhyAnswer:
    """Explain why recall returned a memory.

    It shows what each signal added, the words shared with the question, and what was said around it. Use
    it to check a surprising memory or to cite its source.
    """
    caller = desk.caller
    hits = await desk.memory.recall(
        arguments.question, space=caller.space, user=caller.user, limit=_LOOKED_THROUGH
    )
    hit = next((hit for hit in hits if (hit.kind, hit.id) == (arguments.kind, arguments.id)), None)
    if hit is None:
        raise NotFound(
            f"{arguments.kind} {arguments.id} is not among the first {_LOOKED_THROUGH} answers "
            "to that question.",
            hint="Call recall with the same question, and give kind and id as it tells them.",
        )
    explanation = await desk.memory.why(hit)
    return WhyAnswer(
        memory=_memory(hit),
        reasons=[
            Reason(signal=r.signal, amount=round(r.amount, 4), meaning=r.sentence)
            for r in explanation.reasons
        ],
        shared_words=list(explanation.words),
        said_before=shortened(explanation.before, longest=600),
        said_after=shortened(explanation.after, longest=600),
    )
