"""The pages of episodes: the timeline, and how one faded and was refreshed."""

from __future__ import annotations

from itertools import groupby
from typing import Final, Literal

from starlette.responses import Response

from quipu.interfaces.web.fields import Sure, Word, page_router, slice_of, whole
from quipu.interfaces.web.formats import day
from quipu.interfaces.web.links import Value
from quipu.interfaces.web.page_context import SentForm, ShownPage
from quipu.kinds.episodes.decay.model import ORDERS, EpisodeCurve

router = page_router()

_SHOWN: Final = 25
_MESSAGES: Final = 60
_VERSIONS: Final = 10
_URGENT: Final = 5


@router.get("/episodes")
async def show(
    page: ShownPage,
    user: Word = None,
    session: Word = None,
    topic: Word = None,
    state: Word = None,
    order: Word = None,
    after: Word = None,
) -> Response:
    """Show the episodes, latest first (by day), or those that weigh most."""
    if not page.space:
        return page.render("nothing.html", title="Episodes")
    memory, narrowed = page.memory, {"user": user, "session": session, "topic": topic}
    chosen = order if order in ORDERS else "recent"
    rows = await memory.episodes.list(
        space=page.space,
        state="archived" if state == "archived" else "live",
        order=chosen,
        user=user,
        session=session,
        topic=topic,
        limit=_SHOWN + 1,
        after=after,
    )
    shown = slice_of(rows, size=_SHOWN, key=lambda one: one.id)
    query: dict[str, Value] = {**narrowed, "state": state, "order": order}
    days = groupby(shown.rows, key=lambda one: day(one.happened_at) if chosen == "recent" else "")
    return page.render(
        "episodes.html",
        days=[(name, list(some)) for name, some in days],
        loops=await memory.loops.remind(space=page.space, user=user, session=session, limit=_URGENT),
        chosen={**narrowed, "state": state or "live", "order": chosen},
        orders=ORDERS,
        next=shown.after and page.link("/episodes", **query, after=shown.after),
        first=after and page.link("/episodes", **query),
    )


@router.get("/episodes/{number}")
async def episode(page: ShownPage, number: str) -> Response:
    """Show one episode: what it was, how it fades, what was said in it."""
    episodes, key = page.memory.episodes, whole(number)
    curve = await episodes.curve(key, space=page.space)
    messages = await episodes.messages(key, space=page.space)
    return page.render(
        "episode.html",
        one=curve.episode,
        curve=curve,
        lines=[(point.at, point.state.freshness) for point in curve.points],
        refreshes=[point.at for point in curve.points if point.used],
        summary=_summary(curve),
        messages=messages[:_MESSAGES],
        more=len(messages) - _MESSAGES,
        history=(await episodes.history(key, space=page.space))[:_VERSIONS],
    )


@router.get("/episodes/{number}/erase")
async def ask(page: ShownPage, number: str) -> Response:
    """Show the preview of erasing an episode."""
    preview = await page.memory.episodes.erase(number, space=page.space)
    return page.confirm(
        title="Erase this episode?",
        sentence="It is erased for good, and its messages are not summarised again. The messages stay.",
        counts={name: count for name, count in preview.counts.items() if count},
        action=page.link(f"/episodes/{number}/erase"),
        button="Erase",
        back=page.link(f"/episodes/{number}"),
    )


@router.post("/episodes/{number}/erase")
async def erase(page: SentForm, number: str, confirmed: Sure = False) -> Response:
    """Erase an episode for good."""
    if not confirmed:
        return page.back(page.link(f"/episodes/{number}/erase"))
    await page.memory.episodes.erase(number, space=page.space, confirm=True)
    return page.back(page.link("/episodes"), news="The episode is erased; its messages stay.")


@router.post("/episodes/{number}/{act}")
async def change(page: SentForm, number: str, act: Literal["archive", "unarchive", "reinforce"]) -> Response:
    """Archive an episode, bring it back, or note that it was of use."""
    episodes = page.memory.episodes
    if act == "archive":
        await episodes.archive(number, space=page.space)
        news = "The episode is archived: recall no longer finds it; it can be unarchived."
    elif act == "unarchive":
        await episodes.unarchive(number, space=page.space)
        news = "The episode is unarchived."
    else:
        counted = await episodes.reinforce([number], space=page.space)
        news = "The episode is fresh again." if counted else "It was used a moment ago, which counts once."
    return page.back(page.link(f"/episodes/{number}"), news=news)


def _summary(curve: EpisodeCurve) -> str:
    """Describe the curve in a sentence."""
    one, last = curve.episode, curve.points[-1]
    uses = "once" if one.uses == 1 else f"{one.uses} times"
    refreshed = f"It was used {uses}. " if one.uses else "It was never used. "
    ahead = f"unused it will be {last.state.freshness:.2f} on {day(last.at)}."
    return f"Fresh on {day(one.happened_at)}. {refreshed}Now it is {one.freshness:.2f}; {ahead}"
