"""A language model behind a server that speaks OpenAI's ``/chat/completions`` (OpenAI, Ollama, vLLM ...)."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, Self, cast

from anyio import move_on_after

from quipu.kernel.language import answer
from quipu.kernel.language.answer import Reply, Send
from quipu.kernel.language.endpoint import Endpoint, cost_nothing
from quipu.kernel.language.model import Budget, Shape
from quipu.kernel.language.prompt import Turn, check_purpose, schema, tokens_of

if TYPE_CHECKING:
    from pydantic import BaseModel

ANSWER_TOKENS: Final = 4096
_RETRIES: Final = 2
_TIMEOUT_SECONDS: Final = 5.0
Reach = Literal["served", "not served", "unlisted"]


_UNFIT = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Dialect:
    """Features that a server understands.

    ``json_schema``: it holds answers to a JSON schema. ``temperature``: it accepts a temperature.
    ``old_ceiling``: the longest answer is called ``max_tokens``; servers that do not know the newer name
    ignore it, and an answer without a ceiling could cost anything, so the old one is tried first.
    """

    json_schema: bool = True
    temperature: bool = True
    old_ceiling: bool = True

    def request(
        self, turns: Sequence[Turn], *, shape: type[BaseModel] | None, answer_tokens: int
    ) -> dict[str, Any]:
        """Return the arguments of a request."""
        fields: dict[str, Any] = {
            "messages": [{"role": turn.role, "content": turn.content} for turn in turns],
            "max_tokens" if self.old_ceiling else "max_completion_tokens": answer_tokens,
        }
        if self.temperature:
            fields["temperature"] = 0
        if self.json_schema and shape is not None:
            named = {"name": _UNFIT.sub("_", shape.__name__)[:64], "schema": schema(shape)}
            fields["response_format"] = {"type": "json_schema", "json_schema": named}
        return fields

    def lesser(self, refusal: str, *, shaped: bool) -> Self | None:
        """Return the dialect to try after a refusal, by its words; None if it is not about the dialect.

        Servers name an argument that they do not take, except the schema, of which they complain in all ways;
        so after any other refusal we try once more without it. The schema is in the prompt, too.
        """
        if self.old_ceiling and "max_completion_tokens" in refusal:
            return replace(self, old_ceiling=False)
        if self.temperature and "temperature" in refusal:
            return replace(self, temperature=False)
        return replace(self, json_schema=False) if self.json_schema and shaped else None


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
            return await answer.structured(send, instructions=instructions, text=text, shape=shape)
        raise self._endpoint.late(self._timeout_seconds)

    async def say(self, *, instructions: str, text: str, purpose: str) -> str:
        """Return the answer in free words. See ``Language``."""
        send = self._sender(check_purpose(purpose), None)
        with move_on_after(self._timeout_seconds):
            return await answer.say(send, instructions=instructions, text=text)
        raise self._endpoint.late(self._timeout_seconds)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    def _sender(self, purpose: str, shape: type[BaseModel] | None) -> Send:
        async def send(turns: Sequence[Turn]) -> Reply:
            return await self._paid(turns, purpose=purpose, shape=shape)

        return send

    async def _paid(self, turns: Sequence[Turn], *, purpose: str, shape: type[BaseModel] | None) -> Reply:
        from openai import APITimeoutError, OpenAIError  # noqa: PLC0415 - the extra is there by now

        question_tokens = tokens_of(*(turn.content for turn in turns))
        reserved = await self._budget.reserve(purpose, question_tokens + self._answer_tokens)
        try:
            completion = await self._complete(turns, shape)
        except OpenAIError as error:
            if cost_nothing(error):
                await self._budget.settle(reserved, used=0)
            if isinstance(error, APITimeoutError):
                raise self._endpoint.late(self._timeout_seconds) from error
            raise self._endpoint.failed(error) from error
        reply = _said(completion)
        used = _used(completion) or question_tokens + tokens_of(reply.text if reply else "")
        await self._budget.settle(reserved, used=used)
        if reply is None:
            raise self._endpoint.senseless(completion)
        return reply

    async def _complete(self, turns: Sequence[Turn], shape: type[BaseModel] | None) -> object:
        """Return the server's completion; keep the dialect that it took for the next request."""
        from openai import BadRequestError, UnprocessableEntityError  # noqa: PLC0415 - as above

        dialect: Dialect | None = self._dialect
        while True:
            request = dialect.request(turns, shape=shape, answer_tokens=self._answer_tokens)
            try:
                completion = await self._create(request)
            except (BadRequestError, UnprocessableEntityError) as error:
                lesser = dialect.lesser(str(error), shaped=shape is not None)
                if lesser is None:
                    raise
                dialect = lesser
            else:
                self._dialect = dialect
                return completion

    async def _create(self, request: dict[str, Any]) -> object:
        # As one function of anything: what it is declared as differs with every argument.
        create = cast(Callable[..., Awaitable[object]], self._client.chat.completions.create)
        try:
            return await create(model=self._endpoint.model, **request)
        except ValueError:  # what says that it is JSON and is none, the SDK does not catch
            return None


def _said(completion: object) -> Reply | None:
    """Return the words of a completion; None if there is no answer in it: the SDK lets everything through."""
    choices = getattr(completion, "choices", None)
    if not choices:
        return None
    message = getattr(choices[0], "message", None)
    content = getattr(message, "content", None) or getattr(message, "refusal", None)
    cut_off = getattr(choices[0], "finish_reason", None) == "length"
    return Reply(content if isinstance(content, str) else "", cut_off=cut_off)


def _used(completion: object) -> int | None:
    """Return the tokens that the server counted; None if it does not count."""
    used = getattr(getattr(completion, "usage", None), "total_tokens", None)
    return used if isinstance(used, int) and used > 0 else None


async def reach(endpoint: Endpoint) -> Reach:
    """Check that the server lists the model; ``unlisted`` if it answers but lists none.

    Raises:
        LanguageFailed: nobody answers there, or not to us.
        MissingExtra: the SDK is not installed.
    """
    from openai import NotFoundError, OpenAIError  # noqa: PLC0415 - an optional extra

    client = endpoint.client(retries=0, timeout_seconds=_TIMEOUT_SECONDS)
    async with client:
        with move_on_after(_TIMEOUT_SECONDS):
            try:
                listed = await client.get("/models", cast_to=object)
            except NotFoundError:
                return "unlisted"
            except OpenAIError as error:
                raise endpoint.failed(error) from error
            except ValueError as error:  # what says that it is JSON and is none
                raise endpoint.senseless(None) from error
            return _judged(endpoint, listed)
    raise endpoint.late(_TIMEOUT_SECONDS)


def _judged(endpoint: Endpoint, listed: object) -> Reach:
    if not isinstance(listed, dict):
        raise endpoint.senseless(listed)
    models = cast(dict[str, object], listed).get("data")
    if not isinstance(models, list):
        return "unlisted"
    names = {
        str(cast(dict[str, object], one).get("id"))
        for one in cast(list[object], models)
        if isinstance(one, dict)
    }
    # Ollama lists a model with its tag and knows it without.
    return "served" if names & {endpoint.model, f"{endpoint.model}:latest"} else "not served"
