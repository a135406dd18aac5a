"""The address of a model, and the messages when something there goes wrong. Never shows the key."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from quipu.errors import LanguageFailed
from quipu.kernel.base.openai_client import open_client
from quipu.kernel.language.dialects import Anthropic, Dialect, Form, dialect
from quipu.kernel.language.events import at
from quipu.kernel.redact import redact

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAIError, RequestOptions

_MOST_CHARACTERS: Final = 300
_VERSION: Final = {"anthropic-version": "2023-06-01"}
_LATER: Final = (
    "It asks to wait {:,.0f} s, which is longer than QUIPU_LLM_TIMEOUT_SECONDS leaves: try again after that."
)
_UNREACHED = ("ConnectError", "ConnectTimeout")
_HINTS = {
    400: "Shorten the text, or set QUIPU_LLM_MODEL to a model that takes it.",
    401: "Check QUIPU_LLM_API_KEY.",
    403: "Check QUIPU_LLM_API_KEY, and what it may use.",
    404: "Check QUIPU_LLM_MODEL, QUIPU_LLM_DIALECT, and that QUIPU_LLM_BASE_URL ends before /chat/completions"
    " or /messages, as in …/v1.",
    429: "It is busy, or the quota of the key is used up: try again later.",
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model at the base URL of a server, and how the server speaks.

    ``form`` is how it is asked for an answer in a shape; None if nobody has found that out.
    """

    model: str
    url: str = field(repr=False)
    key: str | None = field(default=None, repr=False)
    speaks: str = "openai"
    form: Form | None = None

    @property
    def name(self) -> str:
        """The model and the dialect, as they stand beside what the model wrote."""
        return f"{self.speaks}:{self.model}"

    @property
    def shown(self) -> str:
        """The address without a password that may stand in it."""
        return redact(self.url).text

    @property
    def dialect(self) -> Dialect:
        """The dialect in which the server is first asked."""
        return dialect(self.speaks, self.form)

    def client(self, *, timeout_seconds: float) -> AsyncOpenAI:
        """Return a client of the endpoint, which asks once. Raises ``MissingExtra``."""
        what = "A language model"
        return open_client(self.url, self.key, what=what, retries=0, timeout_seconds=timeout_seconds)

    @property
    def options(self) -> RequestOptions:
        """Options of a request to the server: how it is told who asks, where that is not OpenAI's way."""
        if self.speaks != Anthropic.name:
            return {}
        from openai import Omit  # noqa: PLC0415 - the extra is there, or there would be no client

        return {"headers": {"x-api-key": self.key or "none", **_VERSION, "Authorization": Omit()}}

    def failed(self, error: OpenAIError, *, wait_seconds: float | None = None) -> LanguageFailed:
        """Return our error for one of the SDK's; ``wait_seconds`` is how long the server asks to wait."""
        status = getattr(error, "status_code", None)
        cause = "" if status is not None or error.__cause__ is None else f" ({error.__cause__})"
        return LanguageFailed(
            f"{self._who} at {self.shown} did not answer: {self._safe(f'{error}{cause}').rstrip('.')}.",
            hint=_hint(status) if wait_seconds is None else _LATER.format(wait_seconds),
        )

    def senseless(self, answer: object) -> LanguageFailed:
        """Return our error for a senseless answer: a web page, or an error in place of the answer."""
        inside = at(answer, "error")
        detail = f": {self._safe(str(inside))}" if inside else "."
        return LanguageFailed(
            f"What is at {self.shown} does not answer as the protocol of {self.speaks} says{detail}",
            hint=_HINTS[404],
        )

    def late(self, timeout_seconds: float) -> LanguageFailed:
        """Return our error for an answer that takes too long."""
        return LanguageFailed(
            f"{self._who} at {self.shown} did not answer within {timeout_seconds:g} s.",
            hint="Raise QUIPU_LLM_TIMEOUT_SECONDS if the server only needs longer.",
        )

    @property
    def _who(self) -> str:
        return f"The language model {self.model!r}" if self.model else "The server of language models"

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
