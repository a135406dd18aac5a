"""Check that a model can be reached without asking it anything: no tokens, no text of anybody."""

from __future__ import annotations

from typing import Final, Literal, cast

from anyio import move_on_after

from quipu.kernel.language.endpoint import Endpoint

Reach = Literal["served", "not served", "unlisted"]

_TIMEOUT_SECONDS: Final = 5.0


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
