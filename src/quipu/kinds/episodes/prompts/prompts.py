"""Putting prompts in, and waiting for their answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

import anyio
from typing_extensions import Doc

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.parameters import Example, Limit, OnlySession, Space, TheSession
from quipu.kernel.base.prompt_text import without_invisible
from quipu.kernel.base.scope import check_name, optional_name, reads_only, whole
from quipu.kernel.base.text import clean
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.queue.outbox import put
from quipu.kernel.redact import redact
from quipu.kinds.episodes.prompts import store
from quipu.kinds.episodes.prompts.model import Prompt, PromptStatus
from quipu.kinds.episodes.queues import HISTORY, PROMPTS

_LONGEST = 200_000
_LONGEST_WAIT_SECONDS = 3600.0
_LOOK_AGAIN_SECONDS = 1.0  # nobody tells of a job that is given up


class AsyncPrompts:
    """Prompts: put in here, answered by a worker."""

    def __init__(self, database: Database, *, clock: Clock, settings: Settings) -> None:
        self._database = database
        self._clock = clock
        self._settings = settings

    async def prompt(
        self,
        text: Annotated[
            str,
            Doc("The text to answer; at most 200,000 characters."),
            Example("What did I plan for Friday?"),
        ],
        *,
        space: Space,
        session: TheSession,
        user: Annotated[str | None, Doc("The person who asks."), Example("ana")] = None,
    ) -> Prompt:
        """Have a worker answer a prompt, with what is remembered, and write both down.

        It waits in the queue (topic `prompt_queue`); the call returns at once. Secrets in it are taken out.

        Raises:
            BadInput: It is empty, too long, or only memory that was recalled.
        """
        content = self._prepared(text)
        check_name("session", session)
        user = optional_name("user", user)
        async with self._database.write(check_name("space", space)) as tx:
            if not (await tx.marks()).hear(content).text.strip():
                raise BadInput("it is only what was recalled.", field="text", hint="Ask something beside it.")
            number = await store.put(tx, session=session, user=user, content=content, now=self._clock.now())
            await put(tx, PROMPTS, {"prompt": str(number)}, key=str(number), session=session, user=user)
            return (await store.prompts(tx, id_=number, limit=1))[0]

    async def answer(self, session: TheSession, *, space: Space) -> Prompt:
        """Have a worker answer the last message of a conversation (topic `chat_history`).

        Raises:
            NotFound: There is no such session, or its last message is not a user's.
        """
        check_name("session", session)
        async with self._database.write(check_name("space", space)) as tx:
            number = await store.request(tx, session=session, now=self._clock.now())
            if number is None:
                raise NotFound(
                    f"Nothing waits for an answer in {session!r}.",
                    hint="Observe what the user said first, or send it as a prompt.",
                )
            await put(tx, HISTORY, {"session": session}, key=session[:400], session=session)
            return (await store.prompts(tx, id_=number, limit=1))[0]

    @reads_only
    async def prompts(
        self,
        *,
        space: Space,
        session: OnlySession = None,
        status: Annotated[
            PromptStatus | None, Doc("Only prompts with this status."), Example("waiting")
        ] = None,
        limit: Limit = 50,
    ) -> Sequence[Prompt]:
        """List prompts with their answers, the latest first.

        Raises:
            BadInput: An argument is invalid; the error names it.
        """
        whole("limit", limit)
        session = optional_name("session", session)
        async with self._database.list_read(check_name("space", space)) as tx:
            if tx is None:
                return []
            return await store.prompts(tx, session=session, status=status, limit=limit)

    async def await_reply(
        self,
        prompt: Annotated[UUID | str, Doc("The id of the prompt.")],
        *,
        space: Space,
        timeout_seconds: Annotated[float, Doc("The seconds to wait, 0 to 3,600.")] = 60.0,
    ) -> Prompt:
        """Wait until a prompt is answered or has failed, and return it; ``waiting`` when the time is over.

        Raises:
            NotFound: There is no such prompt.
            BadInput: ``timeout_seconds`` is not 0 to 3,600.
        """
        number = _uuid(prompt)
        if not 0 <= timeout_seconds <= _LONGEST_WAIT_SECONDS:
            raise BadInput("it can be 0 to 3,600.", field="timeout_seconds")
        check_name("space", space)
        waiting = await self._prompt(number, space)
        if waiting.status != "waiting":
            return waiting
        with anyio.move_on_after(timeout_seconds):
            async with self._database.owner() as conn:
                await conn.execute("listen quipu_replies")
                waiting = await self._prompt(number, space)
                while waiting.status == "waiting":
                    async for notice in conn.notifies(timeout=_LOOK_AGAIN_SECONDS):
                        if notice.payload == str(number):
                            break
                    waiting = await self._prompt(number, space)
        return waiting

    async def _prompt(self, number: UUID, space: str) -> Prompt:
        async with self._database.list_read(space) as tx:
            prompts = [] if tx is None else await store.prompts(tx, id_=number, limit=1)
        if not prompts:
            raise NotFound(f"There is no prompt {number} in this space.")
        return prompts[0]

    def _prepared(self, text: object) -> str:
        if not isinstance(text, str) or not without_invisible(text).strip():
            raise BadInput("it is empty.", field="text", hint="A prompt is some text.")
        if len(text) > _LONGEST:
            raise BadInput(f"it has {len(text):,} characters; {_LONGEST:,} are the most.", field="text")
        cleaned = clean(text).text
        return redact(cleaned).text if self._settings.redact else cleaned


def _uuid(given: UUID | str) -> UUID:
    try:
        return given if isinstance(given, UUID) else UUID(given)
    except ValueError:
        raise BadInput(f"{str(given)[:80]!r} is no id of a prompt.", field="prompt") from None
