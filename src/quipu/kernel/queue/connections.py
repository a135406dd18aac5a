"""Content of ``connections.json``: names of topics in the queue, and the Redis that carries jobs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import quote

from quipu.errors import ConfigError
from quipu.kernel.config import Settings

_FORM: Final = 'It looks like this: {"topics": {"prompt_queue": "prompt-queue"}}'
_SECTIONS: Final = ("topics", "redis")
_HOST: Final = re.compile(r"[\w.-]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")
_REDIS: Final[Mapping[str, type]] = {
    "url": str,
    "host": str,
    "port": int,
    "db": int,
    "username": str,
    "password": str,
    "ssl": bool,
}


@dataclass(frozen=True, slots=True)
class Connections:
    """``topics`` are names by topic, not checked yet; ``redis_url`` is None where no Redis is named."""

    topics: Mapping[str, object] = field(default_factory=dict[str, object])
    redis_url: str | None = None


def read(path: Path) -> Connections:
    """Return what a file says: ``{"topics": …, "redis": …}``, or the topics alone.

    Raises:
        ConfigError: it cannot be read, or has something in it that means nothing here.
    """
    try:
        held: Any = json.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"QUIPU_CONNECTIONS: {path} cannot be read: {error}.", hint=_FORM) from error
    if not isinstance(held, dict):
        raise ConfigError(f"QUIPU_CONNECTIONS: {path} has no object of topics.", hint=_FORM)
    sections = cast("dict[str, Any]", held)
    if not sections.keys() & set(_SECTIONS):
        return Connections(sections)
    _known(path, "the section", sections, _SECTIONS)
    topics = sections.get("topics", {})
    if not isinstance(topics, dict):
        raise ConfigError(f"QUIPU_CONNECTIONS: {path} has no object of topics.", hint=_FORM)
    redis = sections.get("redis")
    return Connections(cast("dict[str, object]", topics), None if redis is None else _url(path, redis))


def redis_url(settings: Settings) -> str | None:
    """Return the Redis that carries jobs: QUIPU_REDIS_URL, else that of QUIPU_CONNECTIONS.

    Raises:
        ConfigError: see ``read``.
    """
    if settings.redis_url is not None or settings.connections is None:
        return settings.redis_url
    return read(settings.connections).redis_url


def _url(path: Path, given: object) -> str:
    hint = f"It is an object of {', '.join(_REDIS)}."
    if not isinstance(given, dict):
        raise ConfigError(f"{path}: redis is no object.", hint=hint)
    redis = {name: value for name, value in cast("dict[str, Any]", given).items() if value is not None}
    _known(path, "in redis", redis, tuple(_REDIS))
    for name, value in redis.items():
        if type(value) is not _REDIS[name]:
            raise ConfigError(f"{path}: redis.{name} is no {_REDIS[name].__name__}.", hint=hint)
    if "url" in redis:
        if len(redis) > 1:
            raise ConfigError(f"{path}: redis has a url and more.", hint="The url says all of it.")
        return redis["url"]
    host = redis.get("host", "localhost")
    if not _HOST.fullmatch(host):
        raise ConfigError(f"{path}: redis.host is no name or address of a server.", hint=hint)
    where = f"[{host}]" if ":" in host else host
    who = f"{quote(redis.get('username', ''), safe='')}:{quote(redis.get('password', ''), safe='')}@"
    scheme = "rediss" if redis.get("ssl") else "redis"
    return f"{scheme}://{who if who != ':@' else ''}{where}:{redis.get('port', 6379)}/{redis.get('db', 0)}"


def _known(path: Path, what: str, given: Mapping[str, object], names: Sequence[str]) -> None:
    for name in given:
        if name not in names:
            raise ConfigError(
                f"QUIPU_CONNECTIONS: {path} has {what} {name!r}, which nothing here reads.",
                hint=f"Take it out. Read are: {', '.join(names)}.",
            )
