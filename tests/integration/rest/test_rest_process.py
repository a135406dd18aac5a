"""``quipu serve`` as a process of its own: under load, restarted, with slow clients beside it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from cli_process import CommandLine
from patience import PATIENCE_SECONDS, until
from server_process import Serving, serving

from quipu import Memory
from quipu.kernel.config import Settings


@dataclass
class Writers:
    """Clients that write as fast as they can, each message under an id of its own, and note what was kept."""

    url: str
    token: str
    kept: set[str] = field(default_factory=set)
    refused: list[int] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def at_work(self, count: int) -> Iterator[None]:
        threads = [threading.Thread(target=self._write, args=(n,)) for n in range(count)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.over.set()
            for thread in threads:
                thread.join()

    def _write(self, who: int) -> None:
        number = 0
        with httpx.Client(
            base_url=self.url, headers={"authorization": f"Bearer {self.token}"}, timeout=PATIENCE_SECONDS
        ) as client:
            while not self.over.is_set():
                name = f"{who}.{number}"
                said = {"messages": [{"id": name, "content": f"Message {name}."}]}
                try:
                    answer = client.post("/v1/observe", json=said)
                except httpx.TransportError:  # the server is not there now; the same again later
                    time.sleep(0.02)
                    continue
                if answer.status_code == 201:
                    self.kept.add(name)
                    number += 1
                else:
                    self.refused.append(answer.status_code)

    def wait_for(self, count: int) -> None:
        assert until(lambda: len(self.kept) >= count), f"{len(self.kept)} kept, refused: {self.refused[:5]}"


@pytest.fixture(scope="module")
def quipu(module_url: str, tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    home: Path = tmp_path_factory.mktemp("home")
    return CommandLine(home, {"QUIPU_DATABASE_URL": module_url, "QUIPU_EMBEDDING_MODEL": "hashing"})


def test_a_restart_under_load_loses_nothing_that_was_acknowledged(
    quipu: CommandLine, module_url: str, server_settings: Settings
) -> None:
    created = quipu.json(
        "keys", "create", "load", "--space", "load", "--level", "write", "--requests-per-minute", "1000000"
    )
    with serving(quipu) as first:
        writers = Writers(first.url, created["token"])
        with writers.at_work(3):
            writers.wait_for(20)
            assert first.end() == 0
            acknowledged = len(writers.kept)
            with serving(quipu, port=first.port) as second:
                writers.wait_for(acknowledged + 20)
                slow_clients_do_not_hold_up_others(second, created["token"])
                assert second.end() == 0
    assert writers.refused == []
    with Memory(url=module_url, settings=server_settings) as memory:
        stored = memory.import_messages(
            [{"id": name, "content": f"Message {name}."} for name in sorted(writers.kept)], space="load"
        )
    assert (stored.imported, stored.duplicates) == (0, len(writers.kept))


def slow_clients_do_not_hold_up_others(server: Serving, token: str) -> None:
    """Forty that stop in the middle of a request, while another asks."""
    head = b"POST /v1/recall HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token.encode()
    begun = [head, head + b"\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"]
    slow: list[socket.socket] = []
    try:
        for number in range(40):
            one = socket.create_connection(("127.0.0.1", server.port))
            one.sendall(begun[number % 2])
            slow.append(one)
        with httpx.Client(base_url=server.url, headers={"authorization": f"Bearer {token}"}) as client:
            for _ in range(5):
                assert (
                    client.post("/v1/recall", json={"question": "Who?"}, timeout=PATIENCE_SECONDS).status_code
                    == 200
                )
    finally:
        for one in slow:
            one.close()


def test_other_machines_are_not_let_in_without_keys(url: str, tmp_path: Path) -> None:
    fresh = CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})
    done = fresh.run("serve", "--host", "0.0.0.0", "--port", "0")
    assert done.returncode == 2
    assert "no API key" in done.stderr


def test_a_port_that_is_taken_is_told_in_one_line(quipu: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = quipu.run("serve", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "Nothing can listen" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_key_for_one_user_is_made_on_the_command_line(quipu: CommandLine) -> None:
    made = quipu.json("keys", "create", "phone", "--space", "ana", "--user", "cy", "--level", "write")
    assert (made["key"]["space"], made["key"]["user"], made["key"]["level"]) == ("ana", "cy", "write")
    assert "cy" in quipu.text("keys", "list", "--space", "ana")
    for wrong in (["--all-spaces", "--user", "cy"], ["--space", "ana", "--user", "cy", "--level", "admin"]):
        done = quipu.run("keys", "create", "phone", *wrong)
        assert done.returncode == 2
        assert "a key for one user opens one space" in done.stderr
    assert quipu.run("keys", "create", "phone", "--space", "ana", "--user", "x" * 600).returncode == 2


def test_keys_are_made_listed_and_ended_on_the_command_line(quipu: CommandLine) -> None:
    made = quipu.json("keys", "create", "notes", "--space", "ana", "--level", "write")
    assert made["token"].startswith(f"quipu_{made['key']['id']}_")
    shown = quipu.text("keys", "list", "--space", "ana")
    assert "notes" in shown
    assert made["token"] not in shown
    assert "revoked" not in quipu.text("keys", "revoke", made["key"]["id"])
    assert "revoked" in quipu.text("keys", "revoke", made["key"]["id"], "--yes")
    assert quipu.run("keys", "revoke", "000000000000").returncode == 3
    for wrong in (
        ["x"],
        ["x", "--space", "a", "--all-spaces"],
        ["x", "--all-spaces", "--requests-per-minute", "0"],
    ):
        assert quipu.run("keys", "create", *wrong).returncode == 2
