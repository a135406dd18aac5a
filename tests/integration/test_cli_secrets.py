"""A secret that is given to any command, as any argument or option, is printed nowhere and nowhere kept."""

from __future__ import annotations

import random
import string
from pathlib import Path

import pytest
from cli_process import CommandLine, Done
from command_tree import Called, commands
from everywhere import found, in_catalogue

_DRAWN = random.Random(17)
SPACE = ("--space", "boat")
# What a command takes, such that it does something: what is not here is "keel".
FITTING = {
    "sql": "select 1",
    "data": '{"id": 1, "name": "x"}',
    "where": '{"id": 1}',
    "table": "boats",
    "mapping": '{"name": "name"}',
    "embed_fields": "name",
    "session": "two",
    "user": "ana",
    "time": "2026-01-01",
    "since": "2026-01-01",
    "until": "2027-01-01",
    "permission": "read",
    "role": "user",
}


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


def secret() -> str:
    return "AK" + "IA" + "".join(_DRAWN.choices(string.ascii_uppercase + "234567", k=16))


def lines(called: Called) -> list[tuple[str, str, list[str]]]:
    """The command for each text that it takes, with a secret there: the place, the secret, the line."""
    made: list[tuple[str, str, list[str]]] = []
    places = [*called.arguments, *(one for one in called.options if one.name not in ("home", "url"))]
    for place in places:
        for said, rest in (("{}", ()), ("the key is {}, keep it", ()), ("{}", ("--json",))):
            text = secret()
            values = {str(one.name): FITTING.get(str(one.name), "keel") for one in called.arguments}
            values |= {"space": "boat"} if any(one.name == "space" for one in called.options) else {}
            values |= {
                str(one.name): FITTING[str(one.name)]
                for one in called.options
                if one.required and one.name in FITTING
            }
            values[str(place.name)] = said.format(text)
            made.append((f"{called.name} {place.name}", text, called.line(values, *rest)))
    return made


@pytest.mark.long(only=True)
def test_no_command_prints_or_keeps_a_secret(quipu: CommandLine, url: str) -> None:
    quipu.text("observe", "The keel is of lead.", *SPACE, "--session", "two", "--user", "ana")
    quipu.text(
        *(
            "tables",
            "create-table",
            *SPACE,
            "--name",
            "boats",
            "--description",
            "Boats.",
            "--embed-fields",
            "name",
        ),
        *("--sql", "create table boats (id int primary key, name text)"),
    )
    sent: dict[str, str] = {}
    printed: list[str] = []
    done = 0

    def look(where: str, text: str, ran: Done) -> None:
        nonlocal done
        sent[text] = where
        done += ran.returncode == 0
        if text in ran.stdout + ran.stderr:
            printed.append(f"{where}: {(ran.stdout + ran.stderr)[:300]}")

    for called in commands():
        if called.path[0] in ("hooks", "model"):
            continue
        for where, text, line in lines(called):
            look(where, text, quipu.run(*line))
    for line in (
        ["{}"],
        ["--{}"],
        ["recall", "--{}=1", "x"],
        ["recall", "--limit", "{}", "x"],
        ["ledger", "{}"],
    ):
        for rest in ((), ("--json",)):
            text = secret()
            look(str(line), text, quipu.run(*(word.format(text) for word in line), *rest))
    quipu.text("transcripts", "index")
    kept = {*found(url, sent), *in_catalogue(url, sent)}
    places = [f"{sent[text]} -> {place}" for place, text in kept]
    files = [path for path in quipu.home.rglob("*") if path.is_file()]
    written = [
        f"{sent[text]} -> {path.relative_to(quipu.home)}"
        for path in files
        for raw in [path.read_bytes()]
        for text in sent
        if text.encode() in raw or text in path.name
    ]
    assert not [*printed, *places, *written], "\n".join(sorted([*printed, *places, *written]))
    assert len(sent) > 400
    assert done > 100


def test_no_traceback_repeats_a_secret(quipu: CommandLine) -> None:
    text = secret()
    debug = CommandLine(quipu.home, {**quipu.settings, "QUIPU_DEBUG": "1"})
    quipu.text("observe", "The keel is of lead.", *SPACE)
    query = ["tables", "query", f"select '{text}'::int", *SPACE]
    for line in (query, ["recall", "--since", text, *SPACE, "x"], ["settings", "set", "language", text]):
        ran = debug.run(*line)
        assert ran.returncode != 0
        assert "Traceback" in ran.stderr
        assert text not in ran.stderr
