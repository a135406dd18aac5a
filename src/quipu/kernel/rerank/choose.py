"""From the settings to the re-ranker they name, or to none: then recall has its own order."""

from __future__ import annotations

from quipu.errors import ConfigError
from quipu.kernel.config import Settings
from quipu.kernel.language.endpoint import is_web_address
from quipu.kernel.rerank.local import LocalReranker
from quipu.kernel.rerank.remote import RemoteReranker
from quipu.kernel.rerank.reranker import Reranker
from quipu.kernel.rerank.stored import find_reranker
from quipu.kernel.rerank.transformers import TransformersReranker


def choose(settings: Settings) -> Reranker | None:
    """Return the re-ranker that ``rerank`` names: an added one, ``st:NAME``, ``endpoint:NAME``; None if none.

    Raises ``ModelMissing``, ``MissingExtra`` or ``ConfigError``, each with the way out.
    """
    if settings.rerank is None:
        return None
    kind, colon, name = settings.rerank.partition(":")
    if not colon:
        return LocalReranker(find_reranker(kind, home=settings.home), threads=settings.embedding_threads)
    if kind not in ("endpoint", "st"):
        raise ConfigError(
            f"QUIPU_RERANK: {kind!r} is not a kind of re-ranker.",
            hint="Write the name of an added one, 'st:NAME' or 'endpoint:NAME'.",
        )
    if not name:
        raise ConfigError(f"QUIPU_RERANK: a name is missing after '{kind}:'.", hint=f"Write '{kind}:NAME'.")
    return TransformersReranker(name) if kind == "st" else _remote(name, settings)


def _remote(name: str, settings: Settings) -> Reranker:
    url, key = settings.rerank_url, settings.rerank_key
    if url is None:
        raise ConfigError(
            f"Where the server of the re-ranker {name!r} is, is not known.",
            hint="Set QUIPU_RERANK_URL to its base, e.g. http://localhost:8000/v1.",
        )
    if not is_web_address(url):
        raise ConfigError(
            "QUIPU_RERANK_URL is no address of a server.", hint="It begins with http:// or https://."
        )
    return RemoteReranker(name, url=url, key=key.reveal() if key else None)
