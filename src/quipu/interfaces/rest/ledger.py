"""The ledger: facts and assumptions, what stands, and how it came to be."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from quipu.interfaces.rest.asking import (
    Most,
    Number,
    OfSession,
    SomeReason,
    SomeSession,
    SomeTime,
    SomeTurn,
    SomeUser,
    Until,
    User,
    given,
)
from quipu.interfaces.rest.door import Administering, Reading, Writing, refused, room
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.pages import Page, Paging
from quipu.interfaces.rest.told.items import Items
from quipu.interfaces.rest.told.ledger import (
    ChangeTold,
    DifferenceTold,
    EventTold,
    RebuiltTold,
    RegisteredKeyTold,
    ValueTold,
)
from quipu.kinds.ledger.model import Cap, Namespace, Scope, ValueSource

router = room("ledger")

_Key = Annotated[str, Field(examples=["tone"])]
_NOTHING = refused(_409="Somebody wrote to the key at the same time.")


class Named(Asked):
    """A key of a session or a person, and who changes it and why."""

    key: _Key
    session: SomeSession = None
    user: SomeUser = None
    scope: Scope | None = None
    namespace: Namespace | None = None
    turn: SomeTurn = None
    correlation_id: Annotated[str | None, Field(examples=["req-7"])] = None
    reason: SomeReason = None
    actor: Annotated[str | None, Field(description="Who or what writes it.", examples=["planner"])] = None


class Corrected(Named):
    """The value that is right."""

    value: Annotated[Any, Field(description="Of the shape that the key has.", examples=["brief"])]
    expires_at: SomeTime = None


class ValueSaid(Corrected):
    """Something that is so, and how it is known."""

    source: ValueSource = "explicit"


class Assumed(Corrected):
    """Something that is assumed for want of knowledge."""

    cap: Annotated[Cap, Field(description="Bounds the confidence of what is concluded from it.")] = "medium"


@router.post("/set", summary="Say what is so", responses=_NOTHING)
async def set_value(asked: ValueSaid, here: Writing) -> ChangeTold:
    """Over an assumption it is a correction; over something stronger it is recorded and changes nothing."""
    return ChangeTold.model_validate(await here.memory.ledger.set(space=here.space, **given(asked)))


@router.post("/assume", summary="Note an assumption", responses=_NOTHING)
async def assume(asked: Assumed, here: Writing) -> ChangeTold:
    """To be disclosed or confirmed; it never replaces what was said or inferred."""
    return ChangeTold.model_validate(await here.memory.ledger.assume(space=here.space, **given(asked)))


@router.post("/correct", summary="Correct a value", responses=_NOTHING)
async def correct(asked: Corrected, here: Writing) -> ChangeTold:
    """Put an explicit value in the place of what stands."""
    return ChangeTold.model_validate(await here.memory.ledger.correct(space=here.space, **given(asked)))


@router.post("/expire", summary="End a value whose time is over", responses=_NOTHING)
async def expire(asked: Named, here: Writing) -> ChangeTold:
    """It stands no more; its history stays."""
    return ChangeTold.model_validate(await here.memory.ledger.expire(space=here.space, **given(asked)))


@router.post("/delete", summary="Take a value back", responses=_NOTHING)
async def delete(asked: Named, here: Writing) -> ChangeTold:
    """It stands no more; its history stays. What removes that too is `/forget`."""
    return ChangeTold.model_validate(await here.memory.ledger.delete(space=here.space, **given(asked)))


class Undone(Asked):
    """How an event is undone."""

    force: Annotated[bool, Field(description="What came after it goes as well.")] = False


@router.post(
    "/events/{number}/undo",
    summary="Undo an event",
    responses=refused(_404="There is no such event.", _409="Somebody wrote to the key at the same time."),
)
async def undo(number: Number, asked: Undone, here: Writing) -> ChangeTold:
    """Append the event that makes its key what it was before; the history stays whole."""
    return ChangeTold.model_validate(
        await here.memory.ledger.undo(number, space=here.space, force=asked.force)
    )


_AsOf = Annotated[
    str | None, Query(description="Believed at this moment.", examples=["2026-05-04T10:00:00Z"])
]


@router.get("/state", summary="What holds for a session or a person")
async def state(
    here: Reading, session: OfSession = None, user: User = None, as_of: _AsOf = None
) -> dict[str, ValueTold]:
    """By key. In a session its own values come first, and the preferences of its person fill the gaps."""
    found = await here.memory.ledger.state(space=here.space, session=session, user=user, as_of=as_of)
    return {key: ValueTold.model_validate(value) for key, value in found.items()}


@router.get("/values", summary="Everything that stands")
async def values(
    here: Reading, page: Paging, session: OfSession = None, user: User = None
) -> Page[ValueTold]:
    """In a session and for a person, or in the whole space, by key."""
    found = await here.memory.ledger.values(
        space=here.space, session=session, user=user, limit=page.limit + 1, offset=page.counted("values")
    )
    return page.of_counted("values", [ValueTold.model_validate(one) for one in found])


@router.get("/assumptions", summary="What is only assumed")
async def assumptions(
    here: Reading, page: Paging, session: OfSession = None, user: User = None
) -> Page[ValueTold]:
    """To be disclosed or confirmed."""
    found = await here.memory.ledger.open_assumptions(
        space=here.space, session=session, user=user, limit=page.limit + 1, offset=page.counted("assumptions")
    )
    return page.of_counted("assumptions", [ValueTold.model_validate(one) for one in found])


@router.get("/events", summary="What was written")
async def events(
    here: Reading,
    session: OfSession = None,
    user: User = None,
    before: Annotated[
        int | None, Query(ge=1, le=2**63 - 1, description="Only before this event.", examples=[17])
    ] = None,
    limit: Most = 50,
) -> Items[EventTold]:
    """The latest first: in a session and of its person, or in the whole space."""
    found = await here.memory.ledger.events(
        space=here.space, session=session, user=user, before=before, limit=limit
    )
    return Items(items=[EventTold.model_validate(one) for one in found])


@router.get("/history", summary="Every event of a key")
async def history(
    here: Reading,
    key: Annotated[str, Query(description="The key.", examples=["tone"])],
    session: OfSession = None,
    user: User = None,
) -> Items[EventTold]:
    """Oldest first: when, why, who, old and new."""
    found = await here.memory.ledger.history(key, space=here.space, session=session, user=user)
    return Items(items=[EventTold.model_validate(one) for one in found])


@router.get("/keys", summary="Keys whose values have a shape")
async def keys(here: Reading) -> Items[RegisteredKeyTold]:
    """By pattern: those that everybody knows, and those that programs registered in this space."""
    found = await here.memory.ledger.keys(space=here.space)
    return Items(items=[RegisteredKeyTold.model_validate(one) for one in found])


@router.get("/diff", summary="What is believed otherwise than before")
async def diff(
    here: Reading,
    since: Annotated[str, Query(description="The earlier moment.", examples=["2026-05-01"])],
    until: Until = None,
    session: OfSession = None,
    user: User = None,
) -> Items[DifferenceTold]:
    """The keys that were believed otherwise at ``until`` (or now) than at ``since``."""
    found = await here.memory.ledger.diff(since, until, space=here.space, session=session, user=user)
    return Items(items=[DifferenceTold.model_validate(one) for one in found])


@router.post("/rebuild", summary="Replay the events")
async def rebuild(here: Administering) -> RebuiltTold:
    """Drop what stands and replay it from the events; ``changed`` is 0 where it was what they say."""
    return RebuiltTold.model_validate(await here.memory.ledger.rebuild(space=here.space))
