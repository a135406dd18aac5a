"""The page of recall: its form, the answers, why something came back, and saying that it is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends, Form, Query
from pydantic import AfterValidator
from starlette.responses import Response

from quipu.app.memory import AsyncMemory
from quipu.errors import BadInput, NotFound
from quipu.interfaces.web.feedback import Remedy, remedy
from quipu.interfaces.web.fields import Word, page_router
from quipu.interfaces.web.links import Value
from quipu.interfaces.web.navigation import place
from quipu.interfaces.web.page_context import PageContext, SentForm, ShownPage
from quipu.recall.model import Hit
from quipu.recall.ranking import Answer

router = page_router()

KINDS: Final = (
    ("message", "Messages"),
    ("ledger", "Facts and evidence"),
    ("lesson", "Lessons"),
    ("episodes", "Episodes"),
    ("longterm", "Long-term"),
    ("document", "Documents"),
    ("tables", "Tables"),
)
NAMES: Final = dict(KINDS)
COLOURS: Final = {
    "meaning": 0,
    "words": 1,
    "session": 2,
    "speaker": 3,
    "people": 3,
    "date": 4,
    "when": 4,
    "tells": 5,
    "topic": 5,
    "intent": 5,
    "activation": 6,
    "freshness": 6,
    "length": 7,
    "rerank": 1,
}
"""Colour of a signal; signals of the same sort share one."""

Place = Annotated[str, Query(max_length=100)]


LIMITS: Final = (10, 20, 50)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallQuery:
    """A question and what narrows it; empty words narrow nothing."""

    question: Annotated[str, Query(alias="q", max_length=100_000), AfterValidator(str.strip)] = ""
    user: Word = None
    session: Word = None
    kind: Annotated[list[str] | None, Query()] = None
    since: Word = None
    until: Word = None
    limit: Annotated[int, Query(ge=1, le=50)] = LIMITS[0]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of memory that are wanted; none of them means all."""
        return tuple(one for one in self.kind or () if one)

    def query(self) -> dict[str, Value]:
        """Return the question as the address of the page has it."""
        return {
            "q": self.question,
            "user": self.user,
            "session": self.session,
            "kind": self.kinds,
            "since": self.since,
            "until": self.until,
            "limit": None if self.limit == LIMITS[0] else self.limit,
        }

    async def answer(self, memory: AsyncMemory, *, space: str) -> Answer:
        """Return the hits that answer it; none for an empty question."""
        if not self.question or not space:
            return Answer()
        return await memory.recall(
            self.question,
            space=space,
            user=self.user,
            session=self.session,
            kinds=self.kinds or None,
            since=self.since,
            until=self.until,
            limit=self.limit,
        )

    async def hit(self, memory: AsyncMemory, place: str, *, space: str) -> Hit:
        """Return the hit at a place (``kind:id``).

        Raises:
            NotFound: it does not answer the question any more.
        """
        for one in await self.answer(memory, space=space):
            if place_of(one) == place:
                return one
        raise NotFound("That memory is no longer found.", hint="Go back and ask again.")


def place_of(hit: Hit) -> str:
    """Return the name of a hit in an address."""
    return f"{hit.kind}:{hit.id}"


Asking = Annotated[RecallQuery, Depends(RecallQuery)]


@dataclass(frozen=True, slots=True)
class Shown:
    """A hit as the page shows it: where its acts lead, and what its parts add up to."""

    hit: Hit
    why: str
    open: str | None
    wrong: str | None
    replaced: str | None
    forget: str | None

    @property
    def summary(self) -> str:
        """Its parts in words, for those who cannot see the bar."""
        parts = ", ".join(f"{name} {amount:.2f}" for name, amount in self.hit.parts.items())
        return f"Score {self.hit.score:.2f}: {parts}"


@router.get("/recall")
async def show(page: ShownPage, asking: Asking) -> Response:
    """Ask, and see what comes back."""
    answer = await asking.answer(page.memory, space=page.space)
    return page.render(
        "recall.html",
        asking=asking,
        hits=[_shown(page, asking, hit) for hit in answer],
        notice=answer.notice,
        kinds=KINDS,
        names=NAMES,
        limits=[str(one) for one in LIMITS],
        colours=COLOURS,
    )


@router.get("/recall/why")
async def why(page: ShownPage, asking: Asking, hit: Place) -> Response:
    """Show the reasons behind one hit."""
    recalled = await asking.hit(page.memory, hit, space=page.space)
    explanation = await page.memory.why(recalled)
    back = page.link("/recall", **asking.query())
    return page.render(
        "why.html", explanation=explanation, shown=_shown(page, asking, recalled), back=back, colours=COLOURS
    )


@router.get("/recall/wrong")
async def wrong(page: ShownPage, asking: Asking, hit: Place) -> Response:
    """Show the ways to correct or remove a wrong hit."""
    recalled = await asking.hit(page.memory, hit, space=page.space)
    return page.render(
        "wrong.html",
        hit=recalled,
        remedy=_remedy(recalled),
        action=page.link("/recall/wrong", **asking.query(), hit=hit),
        back=page.link("/recall", **asking.query()),
    )


@router.post("/recall/wrong")
async def put_right(
    page: SentForm,
    asking: Asking,
    hit: Place,
    right: Annotated[str, Form(max_length=20_000)] = "",
    act: Annotated[str, Form(max_length=20)] = "correct",
) -> Response:
    """Take a memory back, or put what is right in its place."""
    recalled = await asking.hit(page.memory, hit, space=page.space)
    done = _remedy(recalled)
    back = page.link("/recall", **asking.query())
    if act == "take-back":
        await done.take_back(page.memory, recalled)
        return page.back(back, news=f"Removed. {done.taking}")
    if done.put_right is None or not right.strip():
        raise BadInput("say what is right.", field="right")
    await done.put_right(page.memory, recalled, right.strip())
    return page.back(back, news=f"The {done.name} is corrected; the earlier version is kept.")


def _remedy(hit: Hit) -> Remedy:
    way = remedy(hit)
    if way is None:
        raise BadInput("This was said or found and cannot be corrected.", hint="It can be forgotten instead.")
    return way


def _shown(page: PageContext, asking: RecallQuery, hit: Hit) -> Shown:
    query, named, shown = asking.query(), place_of(hit), place(hit)
    return Shown(
        hit,
        why=page.link("/recall/why", **query, hit=named),
        open=page.link(shown[0], **shown[1]) if shown else None,
        wrong=page.link("/recall/wrong", **query, hit=named) if remedy(hit) else None,
        replaced=_relations(page, hit),
        forget=_forgetting(page, hit),
    )


def _relations(page: PageContext, hit: Hit) -> str | None:
    """Return the address of what replaces a message; None for a hit of another kind."""
    if hit.kind != "message":
        return None
    return page.link("/recall/relations", message=hit.source.message, session=hit.source.session)


def _forgetting(page: PageContext, hit: Hit) -> str | None:
    """Return the address that forgets a hit's source: the message, or its session."""
    source = hit.source
    if hit.kind == "message":
        return page.link("/erasure", message=source.message, session=source.session)
    if source.session:
        return page.link("/erasure", session=source.session)
    return page.link("/erasure", user=source.user) if source.user else None
