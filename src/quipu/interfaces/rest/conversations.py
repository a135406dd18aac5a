"""Conversations: their status, topics, threads and exchanges; prompts that wait for an answer."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from quipu.interfaces.rest.asking import Id, Most, OfSession, SomeSession, SomeUser, TheSession, User, given
from quipu.interfaces.rest.door import Reading, Writing, refused, room
from quipu.interfaces.rest.models import Asked
from quipu.interfaces.rest.pages import Page, Paging
from quipu.interfaces.rest.told.conversations import (
    ConversationTold,
    DialogueTold,
    PromptTold,
    ThreadTold,
    TopicTold,
)
from quipu.interfaces.rest.told.items import HowMany, Items
from quipu.kinds.episodes.conversing.model import ConversationStatus
from quipu.kinds.episodes.prompting.model import PromptStatus

router = room("conversations")

_GONE = refused(_404="There is no such session.")
_Status = Annotated[ConversationStatus | Literal["all"], Query(description="Which ones.")]


@router.get("", summary="Conversations, the latest first")
async def listing(
    here: Reading,
    page: Paging,
    user: User = None,
    topic: Annotated[str | None, Query(description="Only of this topic.", examples=["travel"])] = None,
    status: _Status = "active",
) -> Page[ConversationTold]:
    """Those that are active; others where asked for."""
    found = await here.memory.conversations.listing(
        space=here.space,
        user=user,
        topic=topic,
        status=None if status == "all" else status,
        limit=page.limit + 1,
        offset=page.counted("conversations"),
    )
    return page.of_counted("conversations", [ConversationTold.model_validate(one) for one in found])


@router.get("/one", summary="A conversation", responses=_GONE)
async def show(session: TheSession, here: Reading) -> DialogueTold:
    """With its messages and its exchanges, the oldest first, up to 10,000 of each."""
    return DialogueTold.model_validate(await here.memory.conversations.show(session, space=here.space))


class Changed(Asked):
    """What is to change of a conversation; null leaves a part as it is."""

    session: Annotated[str, Field(examples=["s1"])]
    title: Annotated[str | None, Field(examples=["The move to Lisbon"])] = None
    topic: str | None = None
    status: Annotated[ConversationStatus | None, Field(description="`deleted` takes it out of sight.")] = None


@router.patch("/one", summary="Change a conversation", responses=_GONE)
async def change(asked: Changed, here: Writing) -> ConversationTold:
    """Its title, topic or status. What was said stays; `/forget` is what erases."""
    changed = await here.memory.conversations.change(space=here.space, **given(asked))
    return ConversationTold.model_validate(changed)


@router.get("/threads", summary="Threads, the latest first")
async def threads(
    here: Reading, user: User = None, session: OfSession = None, limit: Most = 50
) -> Items[ThreadTold]:
    """Of a person, or of the channel that a session belongs to."""
    found = await here.memory.conversations.threads(space=here.space, user=user, session=session, limit=limit)
    return Items(items=[ThreadTold.model_validate(one) for one in found])


@router.get("/topics", summary="What is talked of")
async def topics(here: Reading, user: User = None, limit: Most = 50) -> Items[TopicTold]:
    """The latest first."""
    found = await here.memory.conversations.topics(space=here.space, user=user, limit=limit)
    return Items(items=[TopicTold.model_validate(one) for one in found])


class Reread(Asked):
    """Which conversations are to be read anew."""

    session: SomeSession = None


@router.post("/reread", summary="Read exchanges anew")
async def reread(asked: Reread, here: Writing) -> HowMany:
    """Where they were read by others than who would read them now; how many sessions that is."""
    read = await here.memory.conversations.reread(space=here.space, session=asked.session)
    return HowMany(count=read)


class Prompted(Asked):
    """A prompt that a worker is to answer."""

    text: Annotated[str, Field(max_length=200_000, examples=["What did I plan for Friday?"])]
    session: Annotated[str, Field(examples=["s1"])]
    user: SomeUser = None


@router.post("/prompts", status_code=202, summary="Put a prompt in")
async def prompt(asked: Prompted, here: Writing) -> PromptTold:
    """A worker answers it, with what is remembered, and writes both down; ask `/prompts/{id}` for it."""
    put = await here.memory.conversations.prompt(space=here.space, **given(asked))
    return PromptTold.model_validate(put)


@router.get("/prompts", summary="Prompts, the latest first")
async def prompts(
    here: Reading,
    session: OfSession = None,
    status: Annotated[
        PromptStatus | None, Query(description="Only with this status.", examples=["waiting"])
    ] = None,
    limit: Most = 50,
) -> Items[PromptTold]:
    """With their answers."""
    found = await here.memory.conversations.prompts(
        space=here.space, session=session, status=status, limit=limit
    )
    return Items(items=[PromptTold.model_validate(one) for one in found])


@router.get("/prompts/{id}", summary="A prompt", responses=refused(_404="There is no such prompt."))
async def await_reply(
    id: Id,
    here: Reading,
    wait_seconds: Annotated[float, Query(ge=0, le=50, description="Wait so long for the answer.")] = 0.0,
) -> PromptTold:
    """Once it is answered, or has failed, or (still `waiting`) when the time is over."""
    found = await here.memory.conversations.await_reply(id, space=here.space, timeout_seconds=wait_seconds)
    return PromptTold.model_validate(found)


class Last(Asked):
    """Whose last word is to be answered."""

    session: Annotated[str, Field(examples=["s1"])]


@router.post("/answer", status_code=202, summary="Have the last word answered", responses=_GONE)
async def answer(asked: Last, here: Writing) -> PromptTold:
    """What was said last in a conversation is answered by a worker."""
    put = await here.memory.conversations.answer(asked.session, space=here.space)
    return PromptTold.model_validate(put)
