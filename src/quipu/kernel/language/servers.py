"""Servers of language models: those that are known by name, which of them run, and which models they have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, Literal, cast

from anyio import move_on_after

from quipu.errors import LanguageFailed
from quipu.kernel.language.endpoint import Endpoint
from quipu.kernel.language.events import at, text_at

_TIMEOUT_SECONDS: Final = 5.0
# Servers list these beside the models that answer.
_NO_TALKERS: Final = ("embed", "rerank", "whisper", "tts", "moderation")
Reach = Literal["served", "not served", "unlisted"]


@dataclass(frozen=True, slots=True)
class Server:
    """A server by its name: where it is unless somebody says otherwise, and how it is started.

    ``local``: it runs on this machine, so it is looked for. ``key``: the variable that usually holds its key.
    """

    url: str
    start: str
    local: bool = True
    key: str | None = None
    speaks: str = "openai"


KNOWN: Final[Mapping[str, Server]] = {
    "ollama": Server("http://127.0.0.1:11434/v1", "ollama serve"),
    "lmstudio": Server("http://127.0.0.1:1234/v1", "lms server start"),
    "llamacpp": Server("http://127.0.0.1:8080/v1", "llama-server -m MODEL.gguf"),
    "vllm": Server("http://127.0.0.1:8000/v1", "vllm serve MODEL"),
    "openai": Server("https://api.openai.com/v1", "", local=False, key="OPENAI_API_KEY"),
    "anthropic-compatible": Server(
        "https://api.anthropic.com/v1", "", local=False, key="ANTHROPIC_API_KEY", speaks="anthropic"
    ),
}


@dataclass(frozen=True, slots=True)
class Found:
    """A server that answers, at the address at which it does; ``models`` is None if it lists none."""

    endpoint: Endpoint
    models: Sequence[str] | None

    @property
    def talkers(self) -> list[str]:
        """Models that may answer; embedding models and their like are left out."""
        return [one for one in self.models or () if not any(word in one.lower() for word in _NO_TALKERS)]


async def running(servers: Mapping[str, Server]) -> dict[str, Found]:
    """Return the servers that answer, with their models, by name. Raises ``MissingExtra``."""
    found: dict[str, Found] = {}
    for name, server in servers.items():
        with suppress(LanguageFailed):
            answered = await find(Endpoint("", server.url, speaks=server.speaks))
            if answered.models is not None:
                found[name] = answered
    return found


async def find(endpoint: Endpoint) -> Found:
    """Return the server at an address, or at ``/v1`` below it where the models are only listed there.

    Raises:
        LanguageFailed: nobody answers there, or not to us.
        MissingExtra: the SDK is not installed.
    """
    trouble: LanguageFailed | None = None
    try:
        if (models := await listed(endpoint)) is not None:
            return Found(endpoint, models)
    except LanguageFailed as error:
        trouble = error
    if not (bare := endpoint.url.rstrip("/")).endswith("/v1"):
        with suppress(LanguageFailed):
            below = replace(endpoint, url=f"{bare}/v1")
            if (models := await listed(below)) is not None:
                return Found(below, models)
    if trouble is not None:
        raise trouble
    return Found(endpoint, None)


async def reach(endpoint: Endpoint) -> Reach:
    """Check that the server lists the model; ``unlisted`` if it answers but lists none. See ``find``."""
    names = await listed(endpoint)
    if names is None:
        return "unlisted"
    # Ollama lists a model with its tag and knows it without.
    return "served" if {endpoint.model, f"{endpoint.model}:latest"} & set(names) else "not served"


async def listed(endpoint: Endpoint) -> Sequence[str] | None:
    """Return the names of the server's models, asking none of them; None if it lists none. See ``find``."""
    from openai import NotFoundError, OpenAIError  # noqa: PLC0415 - an optional extra

    client = endpoint.client(timeout_seconds=_TIMEOUT_SECONDS)
    async with client:
        with move_on_after(_TIMEOUT_SECONDS):
            try:
                answer = await client.get("/models", cast_to=object, options=endpoint.options)
            except NotFoundError:
                return None
            except OpenAIError as error:
                raise endpoint.failed(error) from error
            except ValueError as error:  # what says that it is JSON and is none
                raise endpoint.senseless(None) from error
            document: object = answer
            if not isinstance(document, dict):
                raise endpoint.senseless(None)
            models = at(cast(object, document), "data")
            if not isinstance(models, list):
                return None
            return [name for one in cast(list[object], models) if (name := text_at(one, "id"))]
    raise endpoint.late(_TIMEOUT_SECONDS)
