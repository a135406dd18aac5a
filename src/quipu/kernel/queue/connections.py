"""Content of ``connections.json``: names of topics in the queue, and the Redis that carries jobs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, cast
from urllib.parse import quote

from quipu.errors import BadInput, ConfigError
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


SEED_TOPICS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "chat_history": "llm-chat",
        "prompt_queue": "prompt-queue",
        "memory_chunker": "memory-chunker-queue",
        "episodic_memory": "episodic-memory-queue",
    }
)
_LONGEST: Final = 50  # with what SAQ adds it is the name of a channel, which has 63 bytes at most


def names(topics: Iterable[str], connections: Path | None) -> dict[str, str]:
    """Return the queue's name for each topic, the seed's topics included.

    ``connections`` is a file with other names: ``{"topics": {TOPIC: NAME}}``, or the inner part alone.

    Raises:
        ConfigError: it cannot be read, names a topic that nobody has, or gives two topics one name.
    """
    spellings = {topic: topic.replace("_", "-") for topic in topics} | SEED_TOPICS
    if connections is None:
        return spellings
    for topic, name in read(connections).topics.items():
        if topic not in spellings:
            raise ConfigError(
                f"{connections} names the topic {topic!r}: no job here has it, so nobody would take one.",
                hint=f"Take it out. There are: {', '.join(sorted(spellings))}.",
            )
        spellings[topic] = _checked(connections, topic, name)
    if len(set(spellings.values())) < len(spellings):
        raise ConfigError(f"{connections} gives two topics the same name.", hint="Each needs its own.")
    return spellings


def chosen(wanted: Iterable[str], known: Mapping[str, str]) -> set[str]:
    """Return the wanted topics, named by themselves or by the queue's names; all of ``known`` if none is.

    Raises:
        BadInput: there is no such topic; it names those that there are.
    """
    by_name = {name: topic for topic, name in known.items()} | {topic: topic for topic in known}
    wanted = list(wanted)
    for name in wanted:
        if name not in by_name:
            there = ", ".join(f"{topic} ({queue})" for topic, queue in sorted(known.items())) or "none"
            raise BadInput(f"nobody works on {name!r}.", field="topics", hint=f"There are: {there}.")
    return {by_name[name] for name in wanted} or set(known)


def _checked(path: Path, topic: str, name: object) -> str:
    if (
        not isinstance(name, str)
        or not name.strip()
        or not name.isprintable()
        or len(name.encode()) > _LONGEST
    ):
        raise ConfigError(
            f"{path} calls the topic {topic!r} {name!r}.", hint=f"A name is text of 1 to {_LONGEST} bytes."
        )
    return name


@dataclass(frozen=True, slots=True)
class Connections:
    """``topics`` are names by topic, not checked yet; ``redis_url`` is None where no Redis is named."""

    topics: Mapping[str, object] = field(default_factory=dict[str, object])
    redis_url: str | None = None


def read(path: Path) -> Connections:
    """Return the content of a file: ``{"topics": …, "redis": …}``, or the topics alone.

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


def _url(path: Path, entry: object) -> str:
    hint = f"It is an object of {', '.join(_REDIS)}."
    if not isinstance(entry, dict):
        raise ConfigError(f"{path}: redis is no object.", hint=hint)
    redis = {name: value for name, value in cast("dict[str, Any]", entry).items() if value is not None}
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


def _known(path: Path, what: str, values: Mapping[str, object], names: Sequence[str]) -> None:
    for name in values:
        if name not in names:
            raise ConfigError(
                f"QUIPU_CONNECTIONS: {path} has {what} {name!r}, which nothing here reads.",
                hint=f"Take it out. Read are: {', '.join(names)}.",
            )
