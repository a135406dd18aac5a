"""The recipes of ``deploy/``: each is examined by the program that reads it, and its commands are run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest
import yaml
from cli_process import CommandLine
from patience import PATIENCE_SECONDS
from plain_server import PASSWORD, plain_server

from quipu.kernel.config import Settings
from quipu.kernel.db import embedded

needs = {
    program: pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not here")
    for program in ("systemd-analyze", "nginx", "caddy", "openssl")
}


@pytest.fixture(scope="module")
def recipes(repository: Path) -> Path:
    return repository / "deploy"


@pytest.fixture(scope="module")
def services(recipes: Path) -> Mapping[str, Any]:
    return yaml.safe_load((recipes / "compose.yaml").read_text("utf-8"))["services"]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The URL of a bare server, as compose.yaml starts one."""
    directory = Path(tempfile.mkdtemp(prefix="quipu-test-"))
    directory.chmod(0o711)
    binaries = anyio.run(embedded.programs, Settings(home=directory))
    with plain_server(binaries, directory / "database") as url:
        yield url
    shutil.rmtree(directory)


def environment(service: Mapping[str, Any], server: str) -> dict[str, str]:
    """The variables of a service, where its database is that server."""
    place = urlsplit(server).netloc.split("@")[1]
    values = {"POSTGRES_PASSWORD": PASSWORD, "QUIPU_PASSWORD": "riverstone"}

    def filled(text: str) -> str:
        text = re.sub(r"\$\{(\w+)(?::[?-][^}]*)?\}", lambda found: values.get(found[1], ""), text)
        return text.replace("@database/", f"@{place}/").replace("postgres:correct", "admin:correct")

    given = {name: filled(value) for name, value in service["environment"].items()}
    return {name: value for name, value in given.items() if value} | {"QUIPU_EMBEDDING_MODEL": "hashing"}


def test_the_commands_of_the_composition_work(
    services: Mapping[str, Any], server: str, tmp_path: Path
) -> None:
    by_name = {
        name: CommandLine(tmp_path, environment(services[name], server))
        for name in ("roles", "serve", "worker")
    }
    by_name["roles"].text(*services["roles"]["command"])
    by_name["worker"].text("migrate")
    key = by_name["worker"].json("keys", "create", "admin", "--level", "admin", "--all-spaces")["token"]
    started = [
        by_name["serve"].start(*services["serve"]["command"], "--port", "0"),
        by_name["worker"].start(*services["worker"]["command"]),
    ]
    try:
        assert started[0].stdout is not None
        place = started[0].stdout.readline().removeprefix("REST: ").removesuffix("/v1\n")
        asked = urllib.request.Request(f"{place}/ready")
        asked.add_header("Authorization", f"Bearer {key}")
        with urllib.request.urlopen(asked, timeout=PATIENCE_SECONDS) as answer:
            assert json.load(answer) == {"status": "ready"}
        asked.full_url = f"{place}/metrics"
        with urllib.request.urlopen(asked, timeout=PATIENCE_SECONDS) as answer:
            assert b"quipu_database_up 1.0" in answer.read()
    finally:
        for process in started:
            process.terminate()
    ends = [(process.communicate(timeout=PATIENCE_SECONDS)[1], process.returncode) for process in started]
    assert [code for _, code in ends] == [0, 0], ends


def test_the_composition_hides_its_words_and_waits_for_its_database(services: Mapping[str, Any]) -> None:
    for name, service in services.items():
        assert "secret" not in json.dumps(service), name
        if service.get("image") == "quipu":
            assert service["depends_on"]["database"]["condition"] == "service_healthy"
            assert service["read_only"]
            assert service["cap_drop"] == ["ALL"]
    published = services["serve"]["ports"]
    assert all(one.startswith("127.0.0.1:") for one in published)


def test_the_image_is_no_root_and_starts_the_server(recipes: Path) -> None:
    last = (recipes / "Dockerfile").read_text("utf-8").split("\nFROM ")[-1]
    said = dict(re.findall(r"(?m)^(USER|ENTRYPOINT|CMD|EXPOSE) (.+)$", last))
    assert said["USER"] == "quipu"
    assert json.loads(said["ENTRYPOINT"]) == ["quipu"]
    assert json.loads(said["CMD"]) == ["serve", "--host", "0.0.0.0"]
    assert "HEALTHCHECK" in last


@needs["systemd-analyze"]
@pytest.mark.parametrize("unit", ["serve", "worker"])
def test_the_units_are_sound_and_shut_in(recipes: Path, tmp_path: Path, unit: str) -> None:
    text = (recipes / "systemd" / f"quipu-{unit}.service").read_text("utf-8")
    assert f"\nExecStart=/usr/local/lib/quipu/bin/quipu {unit}\n" in text
    here = tmp_path / f"quipu-{unit}.service"
    here.write_text(text.replace("/usr/local/lib/quipu/bin/quipu", "/bin/true"), "utf-8")
    done = subprocess.run(["systemd-analyze", "verify", here], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", here], capture_output=True
    )
    assert rated.returncode == 0, rated.stdout


@needs["nginx"]
@needs["openssl"]
def test_nginx_takes_its_example(recipes: Path, tmp_path: Path) -> None:
    certificate = ["-keyout", tmp_path / "key.pem", "-out", tmp_path / "fullchain.pem", "-subj", "/CN=x"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *certificate],
        check=True,
        capture_output=True,
    )
    site = (recipes / "nginx.conf").read_text("utf-8")
    (tmp_path / "site.conf").write_text(site.replace("/etc/ssl/memory.example.org", str(tmp_path)), "utf-8")
    around = f"events {{}}\npid {tmp_path}/pid;\nhttp {{ include {tmp_path}/site.conf; }}\n"
    (tmp_path / "nginx.conf").write_text(around, "utf-8")
    done = subprocess.run(
        ["nginx", "-t", "-e", "stderr", "-c", tmp_path / "nginx.conf"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@needs["caddy"]
def test_caddy_takes_its_example(recipes: Path) -> None:
    command = ["caddy", "validate", "--adapter", "caddyfile", "--config", recipes / "Caddyfile"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
