"""``quipu serve`` as several processes: what one of them knows all know, and one that dies is replaced.

Which one answers is decided by stopping all others for a while.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import psycopg
import pytest
from cli_process import CommandLine
from patience import PATIENCE_SECONDS, until
from server_process import Serving, serving

from quipu.interfaces.serving.rates import burst

SERVERS = 4
SAID = {"messages": [{"content": "The boat is green."}]}


def children(parent: int) -> dict[int, str]:
    """The processes that a process started and that live: what each does, by its id."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,stat=,args="], check=True, capture_output=True, text=True
    ).stdout
    rows = [line.split(maxsplit=3) for line in listed.splitlines()]
    return {
        int(pid): args[0].rsplit(maxsplit=1)[-1]
        for pid, ppid, stat, *args in rows
        if int(ppid) == parent and not stat.startswith("Z")
    }


def lives(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


@dataclass(frozen=True)
class Several:
    """A server of several processes, and a key that opens everything."""

    running: Serving
    token: str

    def servers(self) -> list[int]:
        """The ids of the processes that answer."""
        return [pid for pid, does in children(self.running.process.pid).items() if does == "server"]

    def client(self, token: str | None = None) -> httpx.Client:
        headers = {"authorization": f"Bearer {token or self.token}"}
        return httpx.Client(base_url=self.running.url, headers=headers, timeout=PATIENCE_SECONDS)

    def browser(self) -> httpx.Client:
        return httpx.Client(base_url=self.running.url, timeout=PATIENCE_SECONDS)

    @contextmanager
    def only(self, pid: int) -> Iterator[None]:
        """Leave the answers of this block to one process; new connections come to it."""
        others = [other for other in self.servers() if other != pid]
        for other in others:
            os.kill(other, signal.SIGSTOP)
        try:
            yield
        finally:
            for other in others:
                os.kill(other, signal.SIGCONT)

    def counted(self, sample: str) -> float:
        """The value of one sample of /metrics."""
        with self.client() as client:
            text = client.get("/metrics").text
        found = re.search(rf"^{re.escape(sample)} (\S+)$", text, re.MULTILINE)
        return float(found[1]) if found else 0.0


@pytest.fixture(scope="module")
def quipu(module_url: str, tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    home: Path = tmp_path_factory.mktemp("home")
    settings = {"QUIPU_DATABASE_URL": module_url, "QUIPU_EMBEDDING_MODEL": "hashing"}
    return CommandLine(home, {**settings, "TMPDIR": str(home)})


@pytest.fixture(scope="module")
def token(quipu: CommandLine) -> str:
    issued = quipu.json(
        "keys", "create", "all", "--all-spaces", "--level", "admin", "--requests-per-minute", "1000000"
    )
    return issued["token"]


@pytest.fixture(scope="module")
def several(quipu: CommandLine, token: str) -> Iterator[Several]:
    """Four processes; they end by themselves where the one that started them is killed."""
    with serving(quipu, "--processes", str(SERVERS)) as running:
        made = Several(running, token)
        assert until(lambda: len(made.servers()) == SERVERS)
        yield made
        left = made.servers()
    assert len(left) == SERVERS
    assert until(lambda: not any(map(lives, left)))


def test_who_signs_in_at_one_process_is_signed_in_and_out_at_all(several: Several) -> None:
    first, *others = several.servers()
    with several.browser() as browser:
        with several.only(first):
            assert browser.get(several.running.link).status_code == 303
        for pid in others:
            with several.only(pid), several.browser() as there:
                assert there.get(several.running.link).status_code == 403
                there.cookies = browser.cookies
                assert there.get("/v1/spaces").status_code == 200
        with several.only(others[0]), several.browser() as there:
            there.cookies = browser.cookies
            form = re.search(r'name="csrf_token" value="([^"]+)"', there.get("/").text)
            assert form is not None
            assert there.post("/signout", data={"csrf_token": form[1]}).status_code == 303
        for pid in several.servers():
            with several.only(pid), several.browser() as there:
                there.cookies = browser.cookies
                assert until(lambda asked=there: asked.get("/v1/spaces").status_code == 401)


def test_a_limit_holds_over_all_processes(several: Several, quipu: CommandLine) -> None:
    slow = ("--all-spaces", "--level", "admin", "--requests-per-minute", "60")
    issued = quipu.json("keys", "create", "slow", *slow)
    begun, answered = time.monotonic(), []
    for pid in several.servers():
        with several.only(pid), several.client(issued["token"]) as client:
            answered += [client.get("/v1/spaces").status_code for _ in range(10)]
    seconds = time.monotonic() - begun
    assert set(answered) <= {200, 429}
    assert burst(60) <= answered.count(200) <= burst(60) + seconds + 1


def test_a_repeated_write_is_answered_by_another_process(several: Several) -> None:
    answers = []
    for pid in several.servers():
        with several.only(pid), several.client() as client:
            answers.append(
                client.post("/v1/observe?space=boats", json=SAID, headers={"Idempotency-Key": "one"})
            )
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    assert ["idempotency-replayed" in answer.headers for answer in answers] == [False, True, True, True]


def test_counters_are_those_of_all_processes_whoever_is_asked(several: Several) -> None:
    sample = 'quipu_requests_total{method="GET",route="/health",status="200"}'
    before = several.counted(sample)
    for count, pid in enumerate(several.servers(), 1):
        with several.only(pid), several.client() as client:
            for _ in range(count):
                assert client.get("/health").status_code == 200
    for pid in several.servers():
        with several.only(pid):
            assert several.counted(sample) - before == sum(range(1, SERVERS + 1))
    # A process that was stopped as soon as it had answered counts its answer when it goes on.
    assert until(lambda: several.counted("quipu_requests_now") == 1)


def test_where_a_process_is_killed_others_answer_and_another_takes_its_place(several: Several) -> None:
    sample = 'quipu_requests_total{method="GET",route="/ready",status="200"}'
    killed, *others = several.servers()
    with several.only(killed), several.client() as client:
        assert client.get("/ready").status_code == 200
    before = several.counted(sample)
    os.kill(killed, signal.SIGKILL)
    assert until(lambda: killed not in several.servers())
    for _ in range(20):
        with several.client() as client:
            assert client.get("/ready").status_code == 200
    assert until(lambda: len(several.servers()) == SERVERS)
    (new,) = set(several.servers()) - set(others)
    with several.only(new), several.client() as client:
        assert client.get("/ready").status_code == 200
    assert several.counted(sample) == before + 21
    assert "another takes its place" in several.running.said()


def test_a_worker_beside_the_server_does_jobs_and_sigterm_ends_all(
    quipu: CommandLine, token: str, module_url: str
) -> None:
    with psycopg.connect(module_url) as conn:
        conn.execute("insert into core.outbox (space_id, topic, key) values (0, 'schedules', 'disks')")
    with serving(quipu, "--worker") as running:
        alone = Several(running, token)
        assert until(lambda: alone.counted('quipu_jobs_total{outcome="done",topic="schedules"}'))
        pids = children(running.process.pid)
        assert sorted(pids.values()) == ["server", "worker"]
        assert running.end() == 0
        assert not any(map(lives, pids))
        assert "Traceback" not in running.said()


def test_processes_that_cannot_begin_end_all_with_the_reason(quipu: CommandLine, tmp_path: Path) -> None:
    none = tmp_path / "none.pem"
    none.touch()
    files = ("--certificate", str(none), "--private-key", str(none))
    done = quipu.process("serve", "--port", "0", "--processes", "2", *files)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("quipu: The certificate and its key cannot be used:")
    assert done.stderr.count("\n") == 1
    for wrong in ("0", "65"):
        assert quipu.run("serve", "--processes", wrong).returncode == 2
