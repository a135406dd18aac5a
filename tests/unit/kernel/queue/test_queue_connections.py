"""The sections of ``connections.json``."""

from __future__ import annotations

import json
from pathlib import Path
from traceback import format_exception

import pytest

from quipu.errors import ConfigError
from quipu.kernel.config import Settings
from quipu.kernel.queue.connections import read, redis_url


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return tmp_path / "connections.json"


@pytest.mark.parametrize(
    ("redis", "url"),
    [
        ({}, "redis://localhost:6379/0"),
        ({"host": "queue.example.com", "port": 6380, "db": 2}, "redis://queue.example.com:6380/2"),
        ({"host": "h", "password": "a:b@/c"}, "redis://:a%3Ab%40%2Fc@h:6379/0"),
        ({"username": "ana", "password": "x", "ssl": True}, "rediss://ana:x@localhost:6379/0"),
        ({"host": "h", "password": None}, "redis://h:6379/0"),
        ({"host": "::1", "port": 6380}, "redis://[::1]:6380/0"),
        ({"url": "redis://elsewhere/3"}, "redis://elsewhere/3"),
    ],
)
def test_the_redis_section_says_where_the_queue_is(written: Path, redis: dict[str, object], url: str) -> None:
    """It was ignored."""
    written.write_text(json.dumps({"redis": redis, "topics": {"prompt_queue": "prompts"}}))
    assert redis_url(Settings(connections=written)) == url
    assert read(written).topics == {"prompt_queue": "prompts"}
    assert redis_url(Settings(connections=written, redis_url="redis://set/1")) == "redis://set/1"


def test_without_a_redis_section_postgresql_carries(written: Path) -> None:
    written.write_text('{"topics": {"prompt_queue": "prompts"}}')
    assert redis_url(Settings(connections=written)) is None
    assert redis_url(Settings()) is None


@pytest.mark.parametrize(
    ("held", "told"),
    [
        ({"redis": 7}, "redis is no object"),
        ({"redis": {"hots": "h"}}, "'hots', which nothing here reads"),
        ({"redis": {"port": "6379"}}, r"redis\.port is no int"),
        ({"redis": {"port": True}}, r"redis\.port is no int"),
        ({"redis": {"url": "redis://h", "port": 1}}, "a url and more"),
        ({"redis": {"host": "h/1"}}, r"redis\.host is no name or address"),
        ({"redis": {"host": ""}}, r"redis\.host is no name or address"),
        ({"topics": {}, "queues": {}}, "the section 'queues', which nothing here reads"),
        ({"topics": 3}, "no object of topics"),
    ],
)
def test_what_means_nothing_here_is_refused_with_the_reason(
    written: Path, held: dict[str, object], told: str
) -> None:
    written.write_text(json.dumps(held))
    with pytest.raises(ConfigError, match=told):
        read(written)


@pytest.mark.parametrize(
    "held",
    [
        '{"redis": {"password": "hunter2-4f9a"',
        '["hunter2-4f9a"]',
        '{"redis": {"port": "6379", "password": "hunter2-4f9a"}}',
        '{"redis": {"hots": "h", "password": "hunter2-4f9a"}}',
        '{"redis": {"url": "redis://:hunter2-4f9a@h", "port": 1}}',
        '{"redis": {"host": "u:hunter2-4f9a@h"}}',
        '{"topics": {}, "postgres": {"url": "postgresql://u:hunter2-4f9a@h"}}',
    ],
)
def test_what_is_refused_shows_no_password(written: Path, held: str) -> None:
    written.write_text(held)
    with pytest.raises(ConfigError) as refused:
        read(written)
    assert "hunter2" not in "".join(format_exception(refused.value))
