"""From the settings to the embedder they name. Nothing is ever chosen in place of what was asked for."""

from __future__ import annotations

from quipu.errors import ConfigError
from quipu.kernel.config import Settings
from quipu.kernel.embedding.embedder import Embedder, LocalEmbedder
from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.kernel.embedding.remote import RemoteEmbedder
from quipu.kernel.embedding.stored import find_model
from quipu.kernel.embedding.transformers import TransformersEmbedder


def choose(settings: Settings) -> Embedder:
    """Return the embedder that ``embedding_model`` names: a model, ``hashing``, ``st:NAME``, ``openai:NAME``.

    Raises ``ModelMissing``, ``MissingExtra`` or ``ConfigError``, each with the way out.
    """
    kind, colon, name = settings.embedding_model.partition(":")
    if not colon:
        return _by_name(kind, settings)
    match kind:
        case "openai":
            return _remote(name, settings)
        case "st":
            return TransformersEmbedder(_named(name, kind))
        case _:
            raise ConfigError(
                f"QUIPU_EMBEDDING_MODEL: {kind!r} is not a kind of embedder.",
                hint="Write a model's name, 'hashing', 'st:NAME' or 'openai:NAME'.",
            )


def _by_name(name: str, settings: Settings) -> Embedder:
    if name == "hashing":
        return HashEmbedder(dimensions=settings.embedding_dimensions or 384)
    return LocalEmbedder(find_model(name, home=settings.home), threads=settings.embedding_threads)


def _remote(name: str, settings: Settings) -> Embedder:
    if settings.embedding_dimensions is None:
        raise ConfigError(
            f"How long the vectors of {name!r} are is not known.",
            hint="Set QUIPU_EMBEDDING_DIMENSIONS to the length that the server returns.",
        )
    if settings.embedding_url is None:
        raise ConfigError(
            f"Where the server of {name!r} is, is not known.",
            hint="Set QUIPU_EMBEDDING_URL to its base, e.g. http://localhost:11434/v1.",
        )
    key = settings.embedding_key
    return RemoteEmbedder(
        _named(name, "openai"),
        url=settings.embedding_url,
        key=key.reveal() if key else None,
        dimensions=settings.embedding_dimensions,
    )


def _named(name: str, kind: str) -> str:
    if not name:
        raise ConfigError(
            f"QUIPU_EMBEDDING_MODEL: a name is missing after '{kind}:'.", hint=f"Write '{kind}:NAME'."
        )
    return name
