"""Recall: questions, the reasons for an answer, and text for prompts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from quipu.errors import NotFound
from quipu.interfaces.rest.door import Reading, Writing, refused, room
from quipu.interfaces.rest.models import Answer, RequestBody
from quipu.recall import ranking
from quipu.recall.model import Certainty, Hit, Source

router = room("recall", prefix="")

_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_QUESTIONS: Final = 100


def _of_an_entry(text: str) -> str:
    if not -(2**63) <= int(text) < 2**63:
        raise ValueError("no memory has such an id")
    return text


_Id = Annotated[str, Field(pattern=r"^-?[0-9]{1,19}$", max_length=20), AfterValidator(_of_an_entry)]


class RecallOptions(RequestBody):
    """Filters of a question."""

    user: Annotated[str | None, Field(description="Only what is kept for this person.")] = None
    session: Annotated[str | None, Field(description="Only this session.")] = None
    kinds: Annotated[list[str] | None, Field(examples=[["message", "ledger"]])] = None
    since: Annotated[str | None, Field(description="From this time on.", examples=["2026-05-01"])] = None
    until: Annotated[str | None, Field(description="Before this time.")] = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 10
    filter: Annotated[
        dict[str, Any] | None,
        Field(
            description="Only what these conditions on its metadata, or a document's value, hold for.",
            examples=[{"topic": "travel", "rank": {"gte": 3}}],
        ),
    ] = None

    def filters(self) -> dict[str, Any]:
        """Return the filters as arguments of a recall."""
        names = ("user", "session", "kinds", "since", "until", "limit", "filter")
        return {name: getattr(self, name) for name in names}


class Recall(RecallOptions):
    """A question, and what narrows it."""

    question: Annotated[str, Field(examples=["Where does Ana live?"])]


class SourceAnswer(Answer):
    """Source of a memory."""

    message: str | None
    session: str | None
    speaker: str | None
    role: str | None
    user: str | None
    span: Annotated[tuple[int, int] | None, Field(description="Of a passage: its characters in the message.")]


class RepeatAnswer(Answer):
    """Another time that the line was said."""

    id: str
    happened_at: datetime
    source: SourceAnswer


class ChangeAnswer(Answer):
    """The other end of a link: the statement that is replaced, or that replaces."""

    id: str
    text: Annotated[str, Field(description="Its beginning, at most 120 characters.")]
    happened_at: datetime
    source: SourceAnswer
    reason: str | None


class FoldedAnswer(Answer):
    """A memory that stands under another: one was derived from the other."""

    kind: str
    id: str
    text: str
    happened_at: datetime
    source: SourceAnswer


class HitAnswer(Answer):
    """One memory that came back."""

    kind: str
    id: str
    text: str
    score: Annotated[float, Field(description="0 to 1, the sum of the parts.")]
    parts: Annotated[dict[str, float], Field(description="The share of each signal.")]
    happened_at: datetime
    recorded_at: datetime
    source: SourceAnswer
    repeats: Annotated[list[RepeatAnswer], Field(description="Other times that the same was said.")]
    certainty: Annotated[Certainty, Field(description="Says how sure it is that it answers.")]
    supersedes: Annotated[list[ChangeAnswer], Field(description="Earlier statements that it replaces.")]
    superseded_by: Annotated[list[ChangeAnswer], Field(description="Later statements that replace it.")]
    folded: Annotated[
        list[FoldedAnswer],
        Field(description="What was derived from this message, or the messages that it was derived from."),
    ]
    notice: Annotated[str, Field(description="Says why a re-ranker had no say in the order; else empty.")]
    metadata: dict[str, Any]


class Hits(Answer):
    """The memories that answer a question, best first, and whether it is known at all."""

    known: Annotated[float, Field(description="0 to 1: the probability that this was told.")]
    notice: Annotated[str, Field(description="Says that nothing is known; else empty.")]
    hits: list[HitAnswer]


def _hits(answer: ranking.Answer) -> Hits:
    hits = [HitAnswer.model_validate(hit) for hit in answer]
    return Hits(known=answer.known, notice=answer.notice, hits=hits)


@router.post("/recall", summary="Ask a question")
async def recall(request: Recall, here: Reading) -> Hits:
    """Return the memories that answer it, best first, each with its score, its parts and its source."""
    return _hits(await here.memory.recall(request.question, space=here.space, **request.filters()))


class RecallMany(RecallOptions):
    """Questions, and what narrows all of them."""

    questions: Annotated[
        list[str],
        Field(
            min_length=1,
            max_length=_MOST_QUESTIONS,
            examples=[["Where does Ana live?", "What was broken?"]],
        ),
    ]


class Answers(Answer):
    """The hits of each question, in their order."""

    answers: list[Hits]


@router.post("/recall/many", summary="Ask many questions at once")
async def recall_many(request: RecallMany, here: Reading) -> Answers:
    """Answer each as ``/recall`` does; they are embedded together. At most 100."""
    answers = await here.memory.recall_many(request.questions, space=here.space, **request.filters())
    return Answers(answers=[_hits(one) for one in answers])


class RecallBlock(Recall):
    """A question of which the answer is to stand in a prompt."""

    budget_tokens: Annotated[int, Field(ge=1, le=1_000_000, examples=[800])]
    limit: Annotated[  # pyright: ignore[reportIncompatibleVariableOverride]
        int | None, Field(ge=1, le=1000, description="The most memories; without it, as many as fit.")
    ] = None


class BlockAnswer(Answer):
    """Text for a prompt, and the memories in it."""

    text: str
    tokens: int
    hits: list[HitAnswer]


@router.post("/recall/block", summary="Get memories as text for a prompt")
async def recall_block(request: RecallBlock, here: Writing) -> BlockAnswer:
    """Return at most ``budget_tokens``, open loops first. It counts as use: it needs ``write``."""
    made = await here.memory.recall_block(
        request.question, budget_tokens=request.budget_tokens, space=here.space, **request.filters()
    )
    return BlockAnswer.model_validate(made)


class Why(Recall):
    """A question, and one of the memories that came back."""

    kind: Annotated[str, Field(examples=["message"])]
    id: Annotated[_Id, Field(examples=["4711"])]


class ReasonAnswer(Answer):
    """One signal: what it added to the score, and what that means."""

    signal: str
    amount: float
    sentence: str


class OriginAnswer(Answer):
    """Where a memory was imported from."""

    source: str
    version: str | None
    label: str
    source_id: str
    import_id: str
    sha256: str
    brought_at: datetime
    raw: Any


class WhyAnswer(Answer):
    """Explanation of a memory that came back."""

    hit: HitAnswer
    reasons: list[ReasonAnswer]
    words: Annotated[list[str], Field(description="Words of the question that it has.")]
    before: Annotated[list[str], Field(description="The turns before it in its session.")]
    after: list[str]
    origin: Annotated[OriginAnswer | None, Field(description="Where it was imported from.")] = None


@router.post(
    "/why",
    summary="Explain why a memory came back",
    responses=refused(_404="It does not answer that question."),
)
async def why(request: Why, here: Reading) -> WhyAnswer:
    """Ask the question again with the same filters, then explain the memory of that kind and id."""
    hits = await here.memory.recall(request.question, space=here.space, **request.filters())
    hit = next((hit for hit in hits if (hit.kind, hit.id) == (request.kind, request.id)), None)
    if hit is None:
        raise NotFound("That memory does not come back for this question.", hint="Ask again with /recall.")
    return WhyAnswer.model_validate(await here.memory.why(hit))


class ReinforcedHit(RequestBody):
    """A memory that was of use."""

    kind: Annotated[str, Field(examples=["episodes"])]
    id: Annotated[_Id, Field(examples=["4711"])]


class Reinforce(RequestBody):
    """Memories that were of use, such as in a prompt."""

    hits: Annotated[list[ReinforcedHit], Field(min_length=1, max_length=1000)]


class ReinforceAnswer(Answer):
    """Number of uses that count: a repetition within an hour does not."""

    counted: int


@router.post("/reinforce", summary="Note that memories were of use")
async def reinforce(request: Reinforce, here: Writing) -> ReinforceAnswer:
    """Let those that age do so from now on."""
    hits = [_named(one, here.space) for one in request.hits]
    return ReinforceAnswer(counted=await here.memory.reinforce(hits))


def _named(one: ReinforcedHit, space: str) -> Hit:
    """Return the memory as far as it matters for noting its use."""
    nothing: Mapping[str, float] = {}
    return Hit(one.kind, one.id, "", 0.0, nothing, _NEVER, _NEVER, Source(None, None), space=space)
