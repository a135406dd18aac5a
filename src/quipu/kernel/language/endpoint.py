"""The address of a model, and the messages when something there goes wrong. Never shows the key."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from quipu.errors import LanguageFailed
from quipu.kernel.base.openai_client import open_client
from quipu.kernel.redact import redact

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAIError

_MOST_CHARACTERS: Final = 300
_UNREACHED = ("ConnectError", "ConnectTimeout")
_HINTS = {
    400: "Shorten the text, or set QUIPU_LLM_MODEL to a model that takes it.",
    401: "Check QUIPU_LLM_API_KEY.",
    403: "Check QUIPU_LLM_API_KEY, and what it may use.",
    404: "Check QUIPU_LLM_MODEL, and that QUIPU_LLM_BASE_URL ends before /chat/completions, as in …/v1.",
    429: "It is busy, or the quota of the key is used up: try again later.",
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model at the base URL of a server that speaks OpenAI's protocol."""

    model: str
    url: str = field(repr=False)
    key: str | None = field(default=None, repr=False)

    @property
    def shown(self) -> str:
        """The address without a password that may stand in it."""
        return redact(self.url).text

    def client(self, *, retries: int, timeout_seconds: float) -> AsyncOpenAI:
        """Return a client of the endpoint. Raises ``MissingExtra``."""
        what = "A language model"
        return open_client(self.url, self.key, what=what, retries=retries, timeout_seconds=timeout_seconds)

    def failed(self, error: OpenAIError) -> LanguageFailed:
        """Return our error for one of the SDK's."""
        status = getattr(error, "status_code", None)
        cause = "" if status is not None or error.__cause__ is None else f" ({error.__cause__})"
        return LanguageFailed(
            f"The language model {self.model!r} at {self.shown} did not answer: "
            f"{self._safe(f'{error}{cause}').rstrip('.')}.",
            hint=_hint(status),
        )

    def senseless(self, answer: object) -> LanguageFailed:
        """Return our error for a senseless answer: a web page, or an error in place of the answer."""
        inside = getattr(answer, "error", None)
        detail = f": {self._safe(str(inside))}" if inside else "."
        return LanguageFailed(
            f"What is at {self.shown} does not answer as OpenAI's protocol says{detail}", hint=_HINTS[404]
        )

    def late(self, timeout_seconds: float) -> LanguageFailed:
        """Return our error for an answer that takes too long."""
        return LanguageFailed(
            f"The language model {self.model!r} at {self.shown} did not answer within {timeout_seconds:g} s.",
            hint="Raise QUIPU_LLM_TIMEOUT_SECONDS if the server only needs longer.",
        )

    def _safe(self, text: str) -> str:
        """Return a server's words, short and without secrets: some repeat the key that they refuse."""
        bare = text.replace(self.key, "…") if self.key else text
        return redact(bare).text[:_MOST_CHARACTERS]


def is_web_address(url: str) -> bool:
    """Return True for an address that can be asked: ``http://`` or ``https://``, a host, perhaps a port."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def cost_nothing(error: OpenAIError) -> bool:
    """Return True if a failed request surely used no tokens: the server refused it, or was never reached."""
    # By name: the SDK has changed the library whose errors these are.
    return hasattr(error, "status_code") or type(error.__cause__).__name__ in _UNREACHED


def _hint(status: int | None) -> str:
    if status is None:
        return "Is the server running? Check QUIPU_LLM_BASE_URL."
    return _HINTS.get(status, "Try again later; `quipu doctor` shows whether the server can be reached.")
