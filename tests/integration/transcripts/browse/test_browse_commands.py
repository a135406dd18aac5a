"""``quipu transcripts …`` over recorded sessions: for people, for pipes, for programs."""

from __future__ import annotations

import sys
from pathlib import Path

import psycopg
import pytest
from recording import boats

sys.path.append(str(Path(__file__).resolve().parents[2]))
from cli_process import CommandLine

READING = {
    "list": ("list",),
    "get": ("get", "s-1"),
    "search": ("search", "token", "--no-meaning"),
    "recall": ("recall", "token", "--no-meaning"),
    "tools": ("tools", "--by-project"),
    "files": ("files",),
    "stats": ("stats",),
    "query": ("query", "select id, title from sessions order by id"),
    "schema": ("schema", "sessions"),
    "compact": ("compact", "--older-than-days", "1"),
}
SEEN = {
    "list": "Fix the login",
    "get": "KeyError: 'csrf_token'",
    "search": ">>>token<<<",
    "recall": "▶ assistant",
    "tools": "Bash",
    "files": "src/app.py",
    "stats": "█",
    "query": "agent-7",
    "schema": "first_timestamp",
    "compact": "would be replaced",
}


@pytest.fixture(scope="module")
def quipu(filled: str, tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """The command line over the database that is shared."""
    home = tmp_path_factory.mktemp("home")
    return CommandLine(home, {"QUIPU_DATABASE_URL": filled, "QUIPU_EMBEDDING_MODEL": "hashing"})


@pytest.mark.parametrize("name", READING)
def test_what_is_shown_to_people_has_no_colours_in_a_pipe_and_is_a_document_for_programs(
    quipu: CommandLine, name: str
) -> None:
    shown = quipu.text("transcripts", *READING[name], "--space", "boats")
    assert SEEN[name] in shown
    assert "\x1b" not in shown
    assert quipu.json("transcripts", *READING[name], "--space", "boats")


@pytest.mark.parametrize("name", READING)
def test_where_there_is_nothing_the_answer_says_what_to_do_next(quipu: CommandLine, name: str) -> None:
    done = quipu.run("transcripts", *READING[name], "--space", "nowhere")
    said = done.stdout + done.stderr
    if name != "compact":
        assert any(one in said for one in ("quipu transcripts s", "Try fewer", "shows them", "lists them")), (
            said
        )


def test_what_is_looked_for_is_given_word_by_word(quipu: CommandLine) -> None:
    here = ("--no-meaning", "--space", "boats")
    words = quipu.json("transcripts", "search", "the", "login", *here)
    assert words == quipu.json("transcripts", "search", "the login", *here)
    assert words["hits"]


def test_an_option_that_takes_several_may_be_repeated(quipu: CommandLine) -> None:
    token = ("transcripts", "search", "token", "--no-meaning", "--space", "boats")
    for parts in (("said",), ("result",), ("said", "result")):
        options = [word for part in parts for word in ("--part", part)]
        assert {hit["part"] for hit in quipu.json(*token, *options)["hits"]} == {*parts}


def test_rows_of_a_query_can_be_had_as_csv(quipu: CommandLine) -> None:
    given = (
        "transcripts",
        "query",
        "select id, title from sessions order by id",
        "--csv",
        "--space",
        "boats",
    )
    assert quipu.text(*given).splitlines()[:2] == ["id,title", "agent-7,"]
    refused = quipu.run("transcripts", "query", "delete from lines", "--space", "boats")
    assert refused.returncode == 2


def test_indexing_and_compacting_say_what_they_did(url: str, tmp_path: Path) -> None:
    with psycopg.connect(url) as conn:
        boats(conn)
    quipu = CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})
    here = ("--space", "boats")
    assert "outputs were replaced" in quipu.text(
        "transcripts", "compact", "--older-than-days", "1", "--yes", *here
    )
    again = quipu.json("transcripts", "compact", "--older-than-days", "1", *here)
    assert (again["done"], again["shown"]["tools"]) == (False, [])
    assert "indexed by words" in quipu.text("transcripts", "index", *here)
