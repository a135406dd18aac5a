"""Putting prompts in, and waiting for their answers."""

from __future__ import annotations

from uuid import UUID

import anyio

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.clock import Clock
from quipu.kernel.base.scope import check_name, optional_name
from quipu.kernel.base.text import clean
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.queue.outbox import put
from quipu.kernel.redact import redact
from quipu.kinds.episodes.prompting import store
from quipu.kinds.episodes.prompting.model import Prompt, PromptStatus
from quipu.kinds.episodes.queues import HISTORY, PROMPTS

_MOST = 1_000
_LONGEST = 200_000
_LONGEST_WAIT_SECONDS = 3600.0
_LOOK_AGAIN_SECONDS = 1.0  # nobody tells of a job that is given up


class AsyncPrompting:
    """Prompts: put in here, answered by a worker."""

    def __init__(self, database: Database, *, clock: Clock, settings: Settings) -> None:
        self._database = database
        self._clock = clock
        self._settings = settings

    async def prompt(self, text: str, *, space: str, session: str, user: str | None = None) -> Prompt:
        """Put a prompt in: a worker answers it, with what is remembered, and writes both down.

        It waits in the queue (topic ``prompt_queue``) and comes back at once. Secrets in it are taken out.

        Raises:
            BadInput: it is empty, or longer than 200,000 characters.
        """
        content = self._prepared(text)
        check_name("session", session)
        user = optional_name("user", user)
        async with self._database.writing(check_name("space", space)) as within:
            number = await store.put(
                within, session=session, user=user, content=content, now=self._clock.now()
            )
            await put(within, PROMPTS, {"prompt": str(number)}, key=str(number), session=session, user=user)
            return (await store.prompts(within, id_=number, limit=1))[0]

    async def answer(self, session: str, *, space: str) -> Prompt:
        """Have what was said last in a conversation answered by a worker (topic ``chat_history``).

        Raises:
            NotFound: there is no such session, or the last word in it was not a user's.
        """
        check_name("session", session)
        async with self._database.writing(check_name("space", space)) as within:
            number = await store.request(within, session=session, now=self._clock.now())
            if number is None:
                raise NotFound(
                    f"Nothing waits for an answer in {session!r}.",
                    hint="observe() what the user said, or use prompt().",
                )
            await put(within, HISTORY, {"session": session}, key=session[:400], session=session)
            return (await store.prompts(within, id_=number, limit=1))[0]

    async def prompts(
        self,
        *,
        space: str,
        session: str | None = None,
        status: PromptStatus | None = None,
        limit: int = 50,
    ) -> list[Prompt]:
        """Prompts with their answers, the latest first.

        Raises:
            BadInput: ``limit`` is not 1 to 1,000.
        """
        if not 1 <= limit <= _MOST:
            raise BadInput(f"it can be 1 to {_MOST:,}.", field="limit")
        session = optional_name("session", session)
        async with self._database.looking(check_name("space", space)) as within:
            if within is None:
                return []
            return await store.prompts(within, session=session, status=status, limit=limit)

    async def await_reply(self, prompt: UUID | str, *, space: str, timeout_seconds: float = 60.0) -> Prompt:
        """The prompt once it is answered, or has failed, or (still ``waiting``) when the time is over.

        Raises:
            NotFound: there is no such prompt.
            BadInput: ``timeout_seconds`` is not 0 to 3,600.
        """
        number = _uuid(prompt)
        if not 0 <= timeout_seconds <= _LONGEST_WAIT_SECONDS:
            raise BadInput("it can be 0 to 3,600.", field="timeout_seconds")
        check_name("space", space)
        found = await self._prompt(number, space)
        if found.status != "waiting":
            return found
        with anyio.move_on_after(timeout_seconds):
            async with self._database.owner() as conn:
                await conn.execute("listen quipu_replies")
                found = await self._prompt(number, space)
                while found.status == "waiting":
                    async for notice in conn.notifies(timeout=_LOOK_AGAIN_SECONDS):
                        if notice.payload == str(number):
                            break
                    found = await self._prompt(number, space)
        return found

    async def _prompt(self, number: UUID, space: str) -> Prompt:
        async with self._database.looking(space) as within:
            found = [] if within is None else await store.prompts(within, id_=number, limit=1)
        if not found:
            raise NotFound(f"There is no prompt {number} in this space.")
        return found[0]

    def _prepared(self, text: object) -> str:
        if not isinstance(text, str) or not text.strip():
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
