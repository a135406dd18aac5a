"""SAQ's queues in Redis. Importing this needs the optional library for it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import anyio
from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from saq.queue.redis import RedisQueue

from quipu.errors import ConfigError, DatabaseUnavailable

_PAUSE_SECONDS: Final = 1.0


class _PubSub(PubSub):
    """Waits before it asks a Redis again that is gone.

    SAQ asks at once, without end; where a Unix socket refuses at once, nothing else would ever run.
    """

    async def get_message(self, *given: Any, **named: Any) -> Any:
        """Return the next message; where there is no Redis, raise after a pause."""
        try:
            return await super().get_message(*given, **named)  # pyright: ignore[reportUnknownVariableType]
        except (RedisError, OSError):
            await anyio.sleep(_PAUSE_SECONDS)
            raise


class _Redis(Redis):
    def pubsub(self, **given: Any) -> PubSub:
        """Return the listener."""
        return _PubSub(self.connection_pool, **given)


def queue(url: str, name: str) -> RedisQueue:
    """Return a queue in the Redis at ``url``; nothing is asked of it yet.

    Raises:
        ConfigError: ``url`` is no address.
    """
    try:
        # Tried again by us, after a pause that ends when the worker is to stop.
        client = _Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
            url, retry=Retry(NoBackoff(), 0), health_check_interval=30
        )
    except ValueError as error:
        raise ConfigError(
            "QUIPU_REDIS_URL, or redis of QUIPU_CONNECTIONS, is no address of a Redis server.",
            hint="It looks like this: redis://host:6379/0",
        ) from error
    return RedisQueue(client, name=name)


@contextmanager
def told() -> Generator[None]:
    """Let errors of Redis inside the block leave it as ours."""
    try:
        yield
    except RedisError as error:
        raise DatabaseUnavailable(
            f"Redis does not answer: {error}",
            hint="QUIPU_REDIS_URL, or redis of QUIPU_CONNECTIONS, says where it is. Is it running?",
        ) from error
