"""The client of a server that speaks OpenAI's protocol; the SDK is imported here and nowhere before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from quipu.errors import MissingExtra

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_LOCAL_KEY: Final = "none"
"""Servers without keys take any; the SDK insists on one."""


def open_client(url: str, key: str | None, *, what: str, retries: int, timeout_seconds: float) -> AsyncOpenAI:
    """Return a client; ``what`` it is for is named where the SDK is not installed.

    Raises:
        MissingExtra: the SDK is not installed.
    """
    try:
        from openai import AsyncOpenAI  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise MissingExtra("llm", what) from error
    return AsyncOpenAI(base_url=url, api_key=key or _LOCAL_KEY, max_retries=retries, timeout=timeout_seconds)
