"""``quipu worker`` and ``quipu queue``, as processes of their own would run them."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import psycopg
import pytest
from cli_process import CommandLine
from errands import AT_NIGHT
from patience import PATIENCE_SECONDS

from quipu import Memory
from quipu.app.workers import duties

DEAD = """
insert into core.outbox (space_id, topic, key, payload, attempts, dead_at, error)
select id, 'note', 'k' || n, '{"about": "the boat"}', 5, now(),
    'ValueError: no boat' || chr(27) || E'\\nline 7'
from core.spaces, generate_series(1, 3) as n
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def shared(module_url: str, home: Path) -> CommandLine:
    with Memory(url=module_url) as memory:
        memory.observe([{"content": "The boat is green."}], space="ana")
    return CommandLine(home, {"QUIPU_DATABASE_URL": module_url, "QUIPU_EMBEDDING_MODEL": "hashing"})


@pytest.fixture
def quipu(shared: CommandLine, module_url: str) -> CommandLine:
    """With three jobs that were given up."""
    with psycopg.connect(module_url) as conn:
        conn.execute("truncate core.outbox restart identity")
        conn.execute("truncate core.schedules")
        conn.execute(DEAD)
    return shared


def test_status_lists_every_topic_and_what_waits(quipu: CommandLine) -> None:
    found = quipu.json("queue", "status")
    topics = {one["topic"]: one for one in found["topics"]}
    assert {"chat_history", "prompt_queue", "memory_chunker", "episodic_memory", "schedules"} <= set(topics)
    assert topics["chat_history"]["queue"] == "llm-chat"
    assert (topics["note"]["queue"], topics["note"]["dead"]) == (None, 3)
    assert (found["carrier"], found["workers"]) == ("PostgreSQL", 0)
    assert "nobody knows it" in quipu.text("queue", "status")


def test_dead_jobs_are_listed_and_shown(quipu: CommandLine) -> None:
    listed = quipu.json("queue", "dead", "--limit", "2")["items"]
    assert [job["key"] for job in listed] == ["k3", "k2"]
    shown = quipu.json("queue", "get", str(listed[0]["id"]))
    assert (shown["space"], shown["payload"], shown["attempts"]) == ("ana", {"about": "the boat"}, 5)
    text = quipu.text("queue", "get", str(listed[0]["id"])) + quipu.text("queue", "dead")
    assert "line 7" in text
    assert "\x1b" not in text
    missing = quipu.run("queue", "get", "999")
    assert (missing.returncode, missing.stdout) == (3, "")


def test_retry_takes_jobs_by_number_by_topic_or_all(quipu: CommandLine) -> None:
    assert quipu.json("queue", "retry", "1") == {"count": 1}
    assert quipu.json("queue", "retry", "1") == {"count": 0}
    assert quipu.json("queue", "retry", "--all") == {"count": 2}
    assert quipu.json("queue", "dead")["items"] == []
    for unclear in ([], ["1", "--all"]):
        assert quipu.run("queue", "retry", *unclear).returncode == 2


def test_purge_previews_first(quipu: CommandLine) -> None:
    assert quipu.json("queue", "purge", "--all") == {"done": False, "jobs": {"note": 3}}
    assert "say the same with --yes" in quipu.text("queue", "purge", "1")
    assert quipu.json("queue", "purge", "1", "--yes") == {"done": True, "jobs": {"note": 1}}
    quipu.text("queue", "retry", "2")
    assert quipu.json("queue", "purge", "--all", "--yes")["jobs"] == {"note": 1}
    assert quipu.json("queue", "purge", "--all", "--waiting", "--yes")["jobs"] == {"note": 1}
    assert "no such job" in quipu.text("queue", "purge", "--all")


def test_a_topic_that_there_is_not_is_named_with_those_that_there_are(quipu: CommandLine) -> None:
    for words in (["queue", "dead", "--topic", "chats"], ["worker", "--burst", "--topics", "llm-chat,chats"]):
        wrong = quipu.run(*words)
        assert (wrong.returncode, wrong.stdout) == (2, "")
        assert "nobody works on" in wrong.stderr
        assert "schedules" in wrong.stderr


def test_a_burst_does_what_is_due_and_ends(quipu: CommandLine, module_url: str) -> None:
    quipu.json("worker", "--burst")  # notes the schedules; none is due, but where a minute ends just then
    with psycopg.connect(module_url) as conn:
        conn.execute("update core.schedules set due_at = now() - interval '1 day'")
    assert quipu.json("worker", "--burst", "--topics", "schedules")["done"] >= AT_NIGHT
    schedules = quipu.json("queue", "status")["schedules"]
    assert {one["name"] for one in schedules if one["fired_at"]} == set(duties().schedules)


def test_a_worker_works_until_it_is_told_to_end(quipu: CommandLine) -> None:
    with quipu.start("worker") as running:
        assert running.stderr is not None
        assert running.stderr.readline().startswith("Working on ")
        running.send_signal(signal.SIGTERM)
        out, err = running.communicate(timeout=PATIENCE_SECONDS)
    assert (running.returncode, err) == (0, "Finishing what is in hand.\n")
    assert re.fullmatch(r"\d+ jobs? done\n", out)


def test_a_redis_that_does_not_answer_ends_a_burst_with_the_way_out(
    quipu: CommandLine, module_url: str
) -> None:
    away = CommandLine(quipu.home, {**quipu.settings, "QUIPU_REDIS_URL": "unix:///nowhere/redis.sock"})
    away.json("worker", "--burst")  # nothing is due, so nobody asks it
    with psycopg.connect(module_url) as conn:
        conn.execute("update core.schedules set due_at = now() - interval '1 day'")
    failed = away.run("worker", "--burst")
    assert (failed.returncode, failed.stdout) == (5, "")
    assert "Redis does not answer" in failed.stderr
    assert "QUIPU_REDIS_URL" in failed.stderr
    with psycopg.connect(module_url) as conn:
        waiting = conn.execute("select count(*) from core.outbox where topic = 'schedules'").fetchone()
    assert waiting == (AT_NIGHT,)
