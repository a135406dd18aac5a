"""The topics of jobs, and what they are called in the queue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from quipu.errors import BadInput, ConfigError
from quipu.kernel.queue.connections import read

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
    found = {topic: topic.replace("_", "-") for topic in topics} | SEED_TOPICS
    if connections is None:
        return found
    for topic, name in read(connections).topics.items():
        if topic not in found:
            raise ConfigError(
                f"{connections} names the topic {topic!r}: no job here has it, so nobody would take one.",
                hint=f"Take it out. There are: {', '.join(sorted(found))}.",
            )
        found[topic] = _checked(connections, topic, name)
    if len(set(found.values())) < len(found):
        raise ConfigError(f"{connections} gives two topics the same name.", hint="Each needs its own.")
    return found


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
