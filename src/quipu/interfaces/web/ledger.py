"""The pages of the ledger: assumptions, recent changes, and the facts about somebody at a time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Final

from fastapi import Form
from starlette.responses import Response

from quipu.errors import BadInput
from quipu.interfaces.web.feedback import like
from quipu.interfaces.web.fields import Filled, Number, Sure, Text, Word, page_router, slice_of
from quipu.interfaces.web.page_context import PageContext, SentForm, ShownPage
from quipu.kinds.ledger.model import Event

router = page_router()

_MOST_ASSUMED: Final = 20
_MOST_VALUES: Final = 150
_EVENTS: Final = 50
MOMENTS: Final = 200
"""Number of changes that the slider reaches back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slider:
    """The changes of a session or a person, in their order, and the one that is looked at.

    ``step`` counts from 0; None: how it is now. ``upto`` is the last event of them, which keeps the places of
    the slider when more is written meanwhile.
    """

    events: tuple[Event, ...]
    step: int | None

    @property
    def at(self) -> datetime | None:
        """The moment that is looked at; None for now."""
        return None if self.step is None else self.events[self.step].created_at

    @property
    def last(self) -> int:
        """The place of now: behind the last change."""
        return len(self.events)

    @property
    def upto(self) -> int | None:
        """The id of the last change."""
        return self.events[-1].id if self.events else None


@router.get("/ledger")
async def show(
    page: ShownPage,
    session: Word = None,
    user: Word = None,
    step: Number = None,
    upto: Number = None,
    key: Word = None,
    before: Number = None,
) -> Response:
    """Show assumptions and changes of the space, or the facts about a session or a person, now or then."""
    if not page.space:
        return page.render("nothing.html", title="Ledger")
    if session or user:
        return await _known(page, session=session, user=user, step=step, upto=upto, key=key)
    ledger = page.memory.ledger
    rows = await ledger.events(space=page.space, before=before, limit=_EVENTS + 1)
    shown = slice_of(rows, size=_EVENTS, key=lambda event: str(event.id))
    assumed = await ledger.assumptions(space=page.space, limit=_MOST_ASSUMED + 1)
    return page.render(
        "ledger.html",
        events=shown.rows,
        next=shown.after and page.link("/ledger", before=shown.after),
        first=before and page.link("/ledger"),
        assumed=assumed[:_MOST_ASSUMED],
        more=len(assumed) > _MOST_ASSUMED,
        recommendations=await page.memory.evidence.list(space=page.space, limit=5),
        session=None,
        user=None,
    )


@router.get("/ledger/history")
async def history(page: ShownPage, key: str, session: Word = None, user: Word = None) -> Response:
    """Show the history of a value, and a form to correct it."""
    ledger = page.memory.ledger
    events = await ledger.history(key, space=page.space, session=session, user=user)
    standing = await ledger.list(space=page.space, session=session, user=user, key=key)
    return page.render(
        "ledger_history.html",
        key=key,
        events=list(reversed(events))[:MOMENTS],
        more=len(events) - MOMENTS,
        standing=standing,
        session=session,
        user=user,
        act=page.link("/ledger/correct", key=key, session=session, user=user),
        back=page.link("/ledger", session=session, user=user),
    )


@router.post("/ledger/correct")
async def correct(
    page: SentForm,
    key: str,
    value: Text = "",
    act: Annotated[str, Form(max_length=20)] = "correct",
    reason: Filled = None,
    session: Word = None,
    user: Word = None,
) -> Response:
    """Put another value in the place of what stands; or say that what was assumed is so."""
    ledger, words = page.memory.ledger, value.strip()
    stands = (await ledger.state(space=page.space, session=session, user=user)).get(key)
    if stands is None:
        raise BadInput("that key has no value any more.", hint="Go back and look again.")
    if not words and act != "confirm":
        raise BadInput("say what is right.", field="value")
    right = stands.value if act == "confirm" else like(stands, words)
    await ledger.set(
        key,
        right,
        space=page.space,
        session=stands.session if stands.scope == "session" else session,
        user=stands.user,
        scope=stands.scope,
        namespace=stands.namespace,
        reason=reason or ("confirmed" if act == "confirm" else "corrected") + " on the page of the ledger",
    )
    news = f"{key} is known now, not assumed." if act == "confirm" else f"{key} is corrected."
    return page.back(page.link("/ledger/history", key=key, session=session, user=user), news=news)


@router.get("/ledger/undo")
async def ask(page: ShownPage, event: int, key: str, session: Word = None, user: Word = None) -> Response:
    """Ask before an event is undone."""
    back = page.link("/ledger/history", key=key, session=session, user=user)
    return page.confirm(
        title="Undo this change?",
        sentence=f"The earlier value of {key} becomes current again. The history keeps this change.",
        action=page.link("/ledger/undo", event=event, key=key, session=session, user=user),
        button="Undo",
        back=back,
    )


@router.post("/ledger/undo")
async def undo(
    page: SentForm,
    event: int,
    key: str,
    session: Word = None,
    user: Word = None,
    confirmed: Sure = False,
) -> Response:
    """Have a key be what it was before its latest event."""
    back = page.link("/ledger/history", key=key, session=session, user=user)
    if not confirmed:
        return page.back(back)
    await page.memory.ledger.undo(event, space=page.space)
    return page.back(back, news=f"Undone: {key} is what it was before.")


async def _known(
    page: PageContext,
    *,
    session: str | None,
    user: str | None,
    step: int | None,
    upto: int | None,
    key: str | None,
) -> Response:
    ledger = page.memory.ledger
    events = await ledger.events(
        space=page.space,
        session=session,
        user=user,
        before=None if upto is None else upto + 1,
        limit=MOMENTS,
    )
    place = step if step is not None and step < len(events) else None
    slider = Slider(events=tuple(reversed(events)), step=place)
    state = await ledger.state(space=page.space, session=session, user=user, as_of=slider.at)
    values = [one for one in state.values() if key is None or key.lower() in one.key.lower()]
    named = {"session": session, "user": user, "key": key, "upto": slider.upto}
    return page.render(
        "ledger_known.html",
        slider=slider,
        changed=slider.events[place].key if place is not None else None,
        values=values[:_MOST_VALUES],
        more=len(values) - _MOST_VALUES,
        session=session,
        user=user,
        key=key,
        earlier=_step(page, named, slider, -1),
        later=_step(page, named, slider, 1),
        now=page.link("/ledger", session=session, user=user, key=key),
    )


def _step(page: PageContext, named: dict[str, str | int | None], slider: Slider, by: int) -> str | None:
    """Return the address of the change before or after; None if there is none."""
    place = (slider.last if slider.step is None else slider.step) + by
    if not 0 <= place <= slider.last or not slider.events:
        return None
    return page.link("/ledger", **named, step=place)
