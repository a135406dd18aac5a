"""From the settings to the language model they name, or to none: then the rules of each kind do the work."""

from __future__ import annotations

from quipu.errors import ConfigError
from quipu.kernel.config import Settings
from quipu.kernel.language.endpoint import Endpoint, is_web_address
from quipu.kernel.language.model import Budget, Language


def choose(settings: Settings, *, budget: Budget) -> Language | None:
    """Return the model that the settings name, its requests paid from ``budget``; None if they name none.

    The first call imports the SDK, which takes a second or two: run it in a thread.

    Raises:
        ConfigError: only part of what is needed is set.
        MissingExtra: the SDK is not installed.
    """
    endpoint = named(settings)
    if endpoint is None:
        return None
    # Not at the top: most programs have no model and need not load what talks to one.
    from quipu.kernel.language.remote import RemoteLanguage  # noqa: PLC0415

    return RemoteLanguage(endpoint, budget=budget, timeout_seconds=settings.llm_timeout_seconds)


def named(settings: Settings) -> Endpoint | None:
    """Return the endpoint of the settings; None if none of it is set.

    Both the address and the model must be given: no text goes to an address that nobody wrote down.

    Raises:
        ConfigError: only part of what is needed is set.
    """
    url, model, key = settings.llm_base_url, settings.llm_model, settings.llm_api_key
    if url is None and model is None and key is None:
        return None
    if url is None:
        raise ConfigError(
            "Where the language model is served is not known.",
            hint="Set QUIPU_LLM_BASE_URL to the server's base, e.g. http://localhost:11434/v1.",
        )
    if not is_web_address(url):
        raise ConfigError(
            "QUIPU_LLM_BASE_URL is no address of a server.", hint="It begins with http:// or https://."
        )
    if model is None:
        raise ConfigError(
            "Which language model is to be asked is not known.",
            hint="Set QUIPU_LLM_MODEL to a name that the server knows.",
        )
    return Endpoint(model, url, key.reveal() if key else None)
