"""Findings of ``quipu doctor`` on the language model: its name, its state, its use of today."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

from quipu.interfaces.cli.opening import owned
from quipu.interfaces.cli.views.text import count
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import stored_settings
from quipu.kernel.db.doctor import Finding
from quipu.kernel.language.budget import spent
from quipu.kernel.language.choose import named
from quipu.kernel.language.remote import reach

_MOST_PURPOSES: Final = 3


async def model(settings: Settings) -> AsyncIterator[Finding]:
    """Yield which language model is chosen and if it can be reached; it is asked nothing.

    Raises:
        LanguageFailed: it cannot be reached.
        ConfigError: only part of what is needed is set.
        MissingExtra: the SDK is not installed.
    """
    endpoint = named(settings)
    if endpoint is None:
        yield Finding("language", "ok", "rules; no language model is set, so no text leaves for one")
        return
    found = await reach(endpoint)
    told = f"{endpoint.model} at {endpoint.shown}"
    match found:
        case "served":
            yield Finding("language", "ok", f"{told}, which is there")
        case "unlisted":
            yield Finding("language", "ok", f"{told}, which answers and does not list its models")
        case "not served":
            yield Finding("language", "warn", f"{told}, which does not list it", "Check QUIPU_LLM_MODEL.")


async def spending(settings: Settings) -> AsyncIterator[Finding]:
    """Yield how much of today's tokens is used, and for what most; nothing if no model is set."""
    if settings.llm_model is None:
        return
    async with owned(settings) as conn:
        purposes = await spent(conn, SystemClock().now().date())
        most = settings.over(await stored_settings(conn)).llm_daily_tokens
    tokens = sum(one.tokens for one in purposes)
    requests = count(sum(one.requests for one in purposes), "request")
    told = f"{tokens:,} of {most:,} tokens used today (UTC), {requests}"
    for one in sorted(purposes, key=lambda one: -one.tokens)[:_MOST_PURPOSES]:
        told += f"; {one.purpose} {one.tokens:,}"
    if tokens < most:
        yield Finding("tokens", "ok", told)
    else:
        yield Finding("tokens", "warn", told, "Raise llm_daily_tokens: quipu settings.")
