"""The settings of one process: arguments first, then ``QUIPU_*`` in the environment, then defaults."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from quipu.errors import ConfigError


def default_home() -> Path:
    """``~/.quipu``: where the embedded database, added models and logs live."""
    return Path.home() / ".quipu"


class Settings(BaseSettings):
    """What can be set from outside. Each field is ``QUIPU_`` + its name in capitals."""

    model_config = SettingsConfigDict(env_prefix="QUIPU_", extra="ignore", frozen=True)

    home: Annotated[Path, Field(description="Directory of the embedded database and of added models.")] = (
        Field(default_factory=default_home)
    )
    database_url: Annotated[
        str | None, Field(description="postgresql:// URL of a server to use instead of the embedded one.")
    ] = None
    pg_bin: Annotated[
        Path | None, Field(description="Directory with other PostgreSQL binaries to embed.")
    ] = None
    pg_user: Annotated[
        str | None,
        Field(description="Account that runs the embedded server when we are root (postgres or nobody)."),
    ] = None
    shared_buffers_mb: Annotated[
        int, Field(ge=16, le=65_536, description="Page cache of the embedded server, MB.")
    ] = 256
    pool_size: Annotated[int, Field(ge=1, le=200, description="Connections that one process may hold.")] = 8
    connect_seconds: Annotated[
        float, Field(gt=0, le=300, description="How long to wait for a connection, seconds.")
    ] = 10
    statement_seconds: Annotated[
        float, Field(ge=0, le=3600, description="Longest time for one statement, seconds; 0 is no limit.")
    ] = 60
    embedding_model: Annotated[
        str, Field(description="Name of an added model, 'hashing', 'st:NAME' or 'openai:NAME'.")
    ] = "all-MiniLM-L6-v2"
    embedding_threads: Annotated[int, Field(ge=1, le=64, description="Threads for embedding in bulk.")] = 2
    embedding_url: Annotated[
        str | None, Field(description="Base URL of an OpenAI-compatible embedding server.")
    ] = None
    embedding_key: Annotated[SecretStr | None, Field(description="Key for that server.")] = None
    embedding_dimensions: Annotated[
        int | None, Field(ge=8, le=4000, description="Vector length that the remote model returns.")
    ] = None
    language: Annotated[
        str, Field(description="Language of new spaces: 'auto', or a name such as 'english' or 'german'.")
    ] = "auto"
    redact: Annotated[bool, Field(description="Remove secrets before anything is stored.")] = True


def load(settings: Settings | None, given: Mapping[str, object]) -> Settings:
    """``settings``, or those of the environment, with the ``given`` ones put in their place.

    Raises:
        ConfigError: naming the variable that is wrong.
    """
    try:
        if settings is None:
            return Settings(**dict(given))  # pyright: ignore[reportArgumentType]
        return settings.model_copy(update=dict(given))
    except ValidationError as error:
        first = error.errors()[0]
        name = "QUIPU_" + "_".join(str(part) for part in first["loc"]).upper()
        raise ConfigError(
            f"{name}: {first['msg']}.", hint="docs/reference/settings.md lists what can be set."
        ) from error
