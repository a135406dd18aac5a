"""From the settings to the language model they name, or to none: then the rules of each kind do the work."""

from __future__ import annotations

import os
from typing import Final, cast

from quipu.errors import ConfigError
from quipu.kernel.config import Settings
from quipu.kernel.language.dialects import DIALECTS, Form
from quipu.kernel.language.endpoint import Endpoint, is_web_address
from quipu.kernel.language.model import Budget, Language

UNNAMED: Final = "`quipu llm use` finds one; or set QUIPU_LLM_BASE_URL and QUIPU_LLM_MODEL, or use the rules."
"""The way out where a model was asked for and none is named."""


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

    return RemoteLanguage(
        endpoint,
        budget=budget,
        timeout_seconds=settings.llm_timeout_seconds,
        answer_tokens=settings.llm_answer_tokens,
    )


def named(settings: Settings) -> Endpoint | None:
    """Return the endpoint of the settings; None if none of it is set.

    Both the address and the model must be given: no text goes to an address that nobody wrote down. Where
    the program or its environment gives the address, nothing that is kept in the database is put beside it.

    Raises:
        ConfigError: only part of what is needed is set.
    """
    own = settings.origin("llm_base_url") != "database"
    url = settings.llm_base_url
    model = _beside(settings, "llm_model", settings.llm_model, own=own)
    variable = _beside(settings, "llm_key_env", settings.llm_key_env, own=own)
    key = keyed(settings, variable)
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
    speaks = _beside(settings, "llm_dialect", settings.llm_dialect, own=own)
    form = _beside(settings, "llm_form", settings.llm_form, own=own)
    return Endpoint(model, url, key, speaks or DIALECTS[0], cast(Form | None, form))


def _beside(settings: Settings, name: str, value: str | None, *, own: bool) -> str | None:
    """Return a value, but none that the database keeps beside an address of the program's ``own``."""
    return None if own and settings.origin(name) == "database" else value


def keyed(settings: Settings, variable: str | None) -> str | None:
    """Return the key, of a variable of the environment or of the settings; it is kept nowhere.

    Raises:
        ConfigError: the variable that is to hold it is not set.
    """
    if variable is None:
        return settings.llm_api_key.reveal() if settings.llm_api_key else None
    if key := os.environ.get(variable):
        return key
    raise ConfigError(
        f"{variable}, which holds the key for the language model, is not set here.",
        hint="Set it for every process that asks the model: workers and servers, too.",
    )
