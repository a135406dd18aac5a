"""A language model behind a server, in either dialect: paid, asked, asked again where it is busy, read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final, Literal, Self

from anyio import current_effective_deadline, current_time, move_on_after, sleep
from pydantic import BaseModel

from quipu.kernel.base.clock import Clock, SystemClock
from quipu.kernel.language import answer
from quipu.kernel.language.answer import Fault, Send
from quipu.kernel.language.dialects import Dialect, Fields, Form
from quipu.kernel.language.endpoint import Endpoint, cost_nothing
from quipu.kernel.language.events import document
from quipu.kernel.language.model import Budget, Reply, Shape
from quipu.kernel.language.prompt import Turn, check_purpose, tokens_of
from quipu.kernel.telemetry.groups import MODEL, TOKENS
from quipu.kernel.telemetry.spans import Span, span

if TYPE_CHECKING:
    from openai import OpenAIError

ANSWER_TOKENS: Final = 4096
_RETRIES: Final = 2
_FIRST_PAUSE_SECONDS: Final = 0.5
_WORTH_TELLING_SECONDS: Final = 1.0
_PASSING: Final = frozenset((408, 409, 429))
TRIAL: Final = "language.trial"
"""Under which the tokens of finding out how a server is asked are counted."""


class _Day(BaseModel):
    """Something that nobody answers in JSON without being held to it."""

    weekday: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


_TRIAL: Final = (
    Turn("system", "Answer with the day of the week that the text is about."),
    Turn("user", "The day after Monday."),
)


class RemoteLanguage:
    """Answers from a server. What may pass (429, 5xx, no connection) is asked twice more, with pauses.

    A server that says how long to wait (``Retry-After``) is waited for. ``timeout_seconds`` is for one answer
    as a whole: waiting, repeating and repairing included; a wait that is longer ends it at once. Every
    request is paid from the budget before it is made, at the most that it can cost; what it did cost is known
    after.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        budget: Budget,
        timeout_seconds: float = 60.0,
        retries: int = _RETRIES,
        answer_tokens: int = ANSWER_TOKENS,
        clock: Clock | None = None,
    ) -> None:
        self.name = endpoint.name
        self._endpoint = endpoint
        self._budget = budget
        self._timeout_seconds = timeout_seconds
        self._retries = retries
        self._answer_tokens = answer_tokens
        self._clock = clock or SystemClock()
        self._dialect = endpoint.dialect
        self._client = endpoint.client(timeout_seconds=timeout_seconds)

    async def structured(self, *, instructions: str, text: str, shape: type[Shape], purpose: str) -> Shape:
        """Return the answer as a valid ``shape``. See ``Language``."""
        send = self._sender(check_purpose(purpose), shape)
        with move_on_after(self._timeout_seconds):
            return await answer.structured(send, instructions=instructions, text=text, shape=shape)
        raise self._endpoint.late(self._timeout_seconds)

    async def say(self, *, instructions: str, text: str, purpose: str) -> str:
        """Return the answer in free words. See ``Language``."""
        send = self._sender(check_purpose(purpose), None)
        with move_on_after(self._timeout_seconds):
            return await answer.say(send, instructions=instructions, text=text)
        raise self._endpoint.late(self._timeout_seconds)

    async def find_form(self) -> Form:
        """Return the best form in which the server holds an answer to a shape, and use it from now on.

        It is asked in each form something that is answered otherwise unless it is held to the shape.

        Raises:
            LanguageFailed, BudgetSpent: as ``structured``.
        """
        send = self._sender(TRIAL, _Day)
        with move_on_after(self._timeout_seconds):
            while weaker := self._dialect.weaker():
                asked = self._dialect.form
                held = answer.read(answer.plain(await send(_TRIAL)), _Day)
                if self._dialect.form == "plain" or not isinstance(held, Fault):
                    break
                if self._dialect.form == asked:
                    self._dialect = replace(self._dialect, form=weaker.form)
            return self._dialect.form
        raise self._endpoint.late(self._timeout_seconds)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def __aenter__(self) -> Self:
        """Return the model itself; its connections are closed with the block."""
        return self

    async def __aexit__(self, *raised: object) -> None:
        """Close the connections."""
        await self.aclose()

    def _sender(self, purpose: str, shape: type[BaseModel] | None) -> Send:
        async def send(turns: Sequence[Turn]) -> Reply:
            return await self._paid(turns, purpose=purpose, shape=shape)

        return send

    async def _paid(self, turns: Sequence[Turn], *, purpose: str, shape: type[BaseModel] | None) -> Reply:
        asked = {"gen_ai.operation.name": "chat", "gen_ai.request.model": self._endpoint.model}
        with span(MODEL, "chat", {**asked, "quipu.purpose": purpose}) as seen:
            return await self._answered(turns, shape, purpose, seen)

    async def _answered(
        self, turns: Sequence[Turn], shape: type[BaseModel] | None, purpose: str, seen: Span
    ) -> Reply:
        from openai import APITimeoutError, OpenAIError  # noqa: PLC0415 - the extra is there by now

        question_tokens = tokens_of(*(turn.content for turn in turns))
        reserved = await self._budget.reserve(purpose, question_tokens + self._answer_tokens)
        try:
            answered = document(await self._complete(turns, shape))
        except OpenAIError as error:
            if cost_nothing(error):
                await self._budget.settle(reserved, used=0)
            if isinstance(error, APITimeoutError):
                raise self._endpoint.late(self._timeout_seconds) from error
            raise self._endpoint.failed(error, wait_seconds=self._too_long(error)) from error
        reply = self._dialect.reply(answered)
        used = self._dialect.used(answered) or question_tokens + tokens_of(reply.text if reply else "")
        seen.note({TOKENS: used})
        await self._budget.settle(reserved, used=used)
        if reply is None:
            raise self._endpoint.senseless(answered)
        return reply

    async def _complete(self, turns: Sequence[Turn], shape: type[BaseModel] | None) -> str:
        """Return the server's answer; keep the dialect that it took for the next request."""
        from openai import BadRequestError, UnprocessableEntityError  # noqa: PLC0415 - as above

        dialect: Dialect | None = self._dialect
        while True:
            body = dialect.request(
                turns, model=self._endpoint.model, shape=shape, answer_tokens=self._answer_tokens
            )
            try:
                answered = await self._asked(dialect.path, body)
            except (BadRequestError, UnprocessableEntityError) as error:
                lesser = dialect.lesser(str(error), shaped=shape is not None)
                if lesser is None:
                    raise
                dialect = lesser
            else:
                self._dialect = dialect
                return answered

    async def _asked(self, path: str, body: Fields) -> str:
        """Return the body of the answer; what may pass is asked again after a pause, if there is time."""
        from openai import APIConnectionError, APIStatusError  # noqa: PLC0415 - as above

        for attempt in range(self._retries):
            try:
                return await self._client.post(path, cast_to=str, body=body, options=self._endpoint.options)
            except (APIConnectionError, APIStatusError) as error:
                if not _may_pass(error) or self._too_long(error) is not None:
                    raise
                pause = self._wait(error)
                await sleep(_FIRST_PAUSE_SECONDS * 2**attempt if pause is None else pause)
        return await self._client.post(path, cast_to=str, body=body, options=self._endpoint.options)

    def _wait(self, error: OpenAIError) -> float | None:
        """Return the seconds that a server asks to wait; None if it does not say."""
        response = getattr(error, "response", None)
        return None if response is None else wait_seconds(response.headers, now=self._clock.now())

    def _too_long(self, error: OpenAIError) -> float | None:
        """Return the seconds that a server asks to wait if they are more than there are; else None."""
        pause = self._wait(error)
        left = current_effective_deadline() - current_time()
        return pause if pause is not None and pause > max(left, _WORTH_TELLING_SECONDS) else None


def wait_seconds(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Return the seconds to wait by the headers of an answer (RFC 9110, 10.2.3); None if they do not say."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "")
        try:
            return max(0.0, float(value) * unit)
        except ValueError:
            pass
    try:
        return max(0.0, (parsedate_to_datetime(headers.get("retry-after", "")) - now).total_seconds())
    except (TypeError, ValueError):
        return None


def _may_pass(error: OpenAIError) -> bool:
    """Return True for a failure that another try may not meet: busy, broken, not reached; no lost time."""
    from openai import APITimeoutError  # noqa: PLC0415 - as above

    status = getattr(error, "status_code", None)
    if status is None:
        return not isinstance(error, APITimeoutError)
    return status in _PASSING or status >= 500
