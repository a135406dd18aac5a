"""A language model behind a server that speaks OpenAI's ``/chat/completions`` (OpenAI, Ollama, vLLM ...)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from anyio import move_on_after

from quipu.kernel.language import asking
from quipu.kernel.language.answer import Said
from quipu.kernel.language.asking import Send
from quipu.kernel.language.dialect import Dialect
from quipu.kernel.language.endpoint import Endpoint, cost_nothing
from quipu.kernel.language.model import Budget, Shape
from quipu.kernel.language.prompt import Turn, check_purpose, tokens_of

if TYPE_CHECKING:
    from pydantic import BaseModel

ANSWER_TOKENS: Final = 4096
_RETRIES: Final = 2


class RemoteLanguage:
    """Answers from a server. The SDK repeats what may pass (429, 5xx, no connection) twice, with pauses.

    ``timeout_seconds`` is for one answer as a whole: waiting, repeating and repairing included. Every request
    is paid from the budget before it is made, at the most that it can cost; what it did cost is known after.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        budget: Budget,
        timeout_seconds: float = 60.0,
        retries: int = _RETRIES,
        answer_tokens: int = ANSWER_TOKENS,
    ) -> None:
        self.name = f"openai:{endpoint.model}"
        self._endpoint = endpoint
        self._budget = budget
        self._timeout_seconds = timeout_seconds
        self._answer_tokens = answer_tokens
        self._dialect = Dialect()
        self._client = endpoint.client(retries=retries, timeout_seconds=timeout_seconds)

    async def structured(self, *, instructions: str, text: str, shape: type[Shape], purpose: str) -> Shape:
        """Return the answer as a valid ``shape``. See ``Language``."""
        send = self._sender(check_purpose(purpose), shape)
        with move_on_after(self._timeout_seconds):
            return await asking.structured(send, instructions=instructions, text=text, shape=shape)
        raise self._endpoint.late(self._timeout_seconds)

    async def say(self, *, instructions: str, text: str, purpose: str) -> str:
        """Return the answer in free words. See ``Language``."""
        send = self._sender(check_purpose(purpose), None)
        with move_on_after(self._timeout_seconds):
            return await asking.say(send, instructions=instructions, text=text)
        raise self._endpoint.late(self._timeout_seconds)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    def _sender(self, purpose: str, shape: type[BaseModel] | None) -> Send:
        async def send(turns: Sequence[Turn]) -> Said:
            return await self._paid(turns, purpose=purpose, shape=shape)

        return send

    async def _paid(self, turns: Sequence[Turn], *, purpose: str, shape: type[BaseModel] | None) -> Said:
        from openai import APITimeoutError, OpenAIError  # noqa: PLC0415 - the extra is there by now

        asked = tokens_of(*(turn.content for turn in turns))
        reserved = await self._budget.reserve(purpose, asked + self._answer_tokens)
        try:
            completion = await self._complete(turns, shape)
        except OpenAIError as error:
            if cost_nothing(error):
                await self._budget.settle(reserved, used=0)
            if isinstance(error, APITimeoutError):
                raise self._endpoint.late(self._timeout_seconds) from error
            raise self._endpoint.failed(error) from error
        said = _said(completion)
        used = _used(completion) or asked + tokens_of(said.text if said else "")
        await self._budget.settle(reserved, used=used)
        if said is None:
            raise self._endpoint.senseless(completion)
        return said

    async def _complete(self, turns: Sequence[Turn], shape: type[BaseModel] | None) -> object:
        """Return the server's completion; keep the dialect that it took for the next request."""
        from openai import BadRequestError, UnprocessableEntityError  # noqa: PLC0415 - as above

        dialect: Dialect | None = self._dialect
        while True:
            asked = dialect.request(turns, shape=shape, answer_tokens=self._answer_tokens)
            try:
                completion = await self._create(asked)
            except (BadRequestError, UnprocessableEntityError) as error:
                lesser = dialect.lesser(str(error), shaped=shape is not None)
                if lesser is None:
                    raise
                dialect = lesser
            else:
                self._dialect = dialect
                return completion

    async def _create(self, asked: dict[str, Any]) -> object:
        # As one function of anything: what it is declared as differs with every argument.
        create = cast(Callable[..., Awaitable[object]], self._client.chat.completions.create)
        try:
            return await create(model=self._endpoint.model, **asked)
        except ValueError:  # what says that it is JSON and is none, the SDK does not catch
            return None


def _said(completion: object) -> Said | None:
    """Return the words of a completion; None if there is no answer in it: the SDK lets everything through."""
    choices = getattr(completion, "choices", None)
    if not choices:
        return None
    message = getattr(choices[0], "message", None)
    content = getattr(message, "content", None) or getattr(message, "refusal", None)
    cut_off = getattr(choices[0], "finish_reason", None) == "length"
    return Said(content if isinstance(content, str) else "", cut_off=cut_off)


def _used(completion: object) -> int | None:
    """Return the tokens that the server counted; None if it does not count."""
    used = getattr(getattr(completion, "usage", None), "total_tokens", None)
    return used if isinstance(used, int) and used > 0 else None
