"""SAQ's queues in Redis: an optional extra."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import anyio
from saq import Queue

from quipu.errors import ConfigError, DatabaseUnavailable, MissingExtra

_PAUSE_SECONDS: Final = 1.0


def queue(url: str, name: str) -> Queue:
    """A queue in the Redis at ``url``; nothing is asked of it yet.

    Raises:
        MissingExtra: the library for Redis is not installed.
        ConfigError: ``url`` is no address.
    """
    try:
        from redis.asyncio import Redis  # noqa: PLC0415 - an optional extra
        from redis.asyncio.retry import Retry  # noqa: PLC0415 - as above
        from redis.backoff import NoBackoff  # noqa: PLC0415 - as above
        from redis.exceptions import RedisError  # noqa: PLC0415 - as above
        from saq.queue.redis import RedisQueue  # noqa: PLC0415 - as above
    except ImportError as error:
        raise MissingExtra("redis", "A queue in Redis") from error
    try:
        # Tried again by us, after a pause that ends when the worker is to stop.
        client = Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
            url, retry=Retry(NoBackoff(), 0), health_check_interval=30
        )
    except ValueError as error:
        raise ConfigError(
            "QUIPU_REDIS_URL, or redis of QUIPU_CONNECTIONS, is no address of a Redis server.",
            hint="It looks like this: redis://host:6379/0",
        ) from error
    _pause_after(RedisError, client)
    return RedisQueue(client, name=name)


def _pause_after(failure: type[Exception], client: Any) -> None:
    """Have who listens wait before it asks a Redis again that is gone.

    SAQ asks at once, without end; where a Unix socket refuses at once, nothing else would ever run.
    """
    make = client.pubsub

    def pubsub(**given: Any) -> Any:
        made = make(**given)
        ask = made.get_message

        async def patiently(**given: Any) -> Any:
            try:
                return await ask(**given)
            except (failure, OSError):
                await anyio.sleep(_PAUSE_SECONDS)
                raise

        made.get_message = patiently
        return made

    client.pubsub = pubsub


@contextmanager
def told() -> Generator[None]:
    """Errors of Redis inside the block leave it as ours; for those who have a queue, and so the library."""
    from redis.exceptions import RedisError  # noqa: PLC0415 - an optional extra

    try:
        yield
    except RedisError as error:
        raise DatabaseUnavailable(
            f"Redis does not answer: {error}",
            hint="QUIPU_REDIS_URL, or redis of QUIPU_CONNECTIONS, says where it is. Is it running?",
        ) from error
