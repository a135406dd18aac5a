"""The commands as processes of their own, over a real database."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from cli_process import LINES, CommandLine
from patience import PATIENCE_SECONDS, until


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


@pytest.fixture
def chat(quipu: CommandLine) -> CommandLine:
    """With four messages in the space ``chat``."""
    assert quipu.json("import", "jsonl", "-", "--space", "chat", given=LINES)["imported"] == 4
    return quipu


def test_what_was_observed_is_recalled(quipu: CommandLine) -> None:
    observed = quipu.process("observe", "I moved to Lisbon in May.")
    assert (observed.returncode, observed.stderr) == (0, "")
    assert "1 message taken in" in observed.stdout
    recalled = quipu.process("recall", "Who moved to Lisbon?")
    assert recalled.returncode == 0
    assert "I moved to Lisbon in May." in recalled.stdout
    assert "words" in recalled.stdout


def test_a_text_may_come_from_standard_input_or_a_file(quipu: CommandLine) -> None:
    quipu.text("observe", "-", "--speaker", "Ana", given="The parser is written in Rust.\n")
    (quipu.home / "note.txt").write_bytes("\ufeffThe invoice number is 4711.".encode())
    quipu.text("observe", "--file", "note.txt", "--session", "notes", "--time", "2025-03-01T10:00Z")
    hit = quipu.json("recall", "invoice number", "--session", "notes")["hits"][0]
    assert hit["text"] == "The invoice number is 4711."
    assert hit["happened_at"] == "2025-03-01T10:00:00+00:00"
    assert quipu.json("recall", "parser in Rust")["hits"][0]["source"]["speaker"] == "Ana"


@pytest.mark.parametrize(
    "wrong", [["observe", "  "], ["observe", "x", "--file", "y"], ["observe", "x", "--role", "k" * 65]]
)
def test_what_cannot_be_observed_is_said_and_not_stored(quipu: CommandLine, wrong: list[str]) -> None:
    done = quipu.run(*wrong)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert quipu.json("recall", "x")["hits"] == []


def test_bytes_that_are_no_text_are_refused(quipu: CommandLine) -> None:
    (quipu.home / "blob").write_bytes(b"abc\xff\xfe")
    done = quipu.run("observe", "--file", "blob")
    assert done.returncode == 2
    assert "not UTF-8 at byte 3" in done.stderr


def test_other_words_under_the_same_id_are_a_conflict(quipu: CommandLine) -> None:
    quipu.text("observe", "first", "--id", "a", "--session", "s")
    done = quipu.run("observe", "second", "--id", "a", "--session", "s", "--json")
    assert done.returncode == 4
    assert json.loads(done.stderr)["error"]["kind"] == "conflict"


def test_an_import_keeps_ids_speakers_and_times(chat: CommandLine) -> None:
    hit = chat.json("recall", "Whose bicycle was stolen?", "--space", "chat", "--limit", "1")["hits"][0]
    assert hit["source"]["message"] == "m4"
    assert hit["source"]["session"] == "s2"
    assert hit["source"]["speaker"] == "Bo"
    assert hit["happened_at"] == "2025-06-01T09:00:00+00:00"


def test_importing_again_changes_nothing(chat: CommandLine) -> None:
    again = chat.json("import", "jsonl", "-", "-s", "chat", given=LINES)
    assert (again["imported"], again["duplicates"]) == (0, 4)


def test_broken_lines_are_reported_by_number_and_the_rest_is_taken(quipu: CommandLine) -> None:
    file = quipu.home / "chat.jsonl"
    file.write_text('{"content": "one"}\n{"content": \n{"content": ""}\n{"content": "four"}\n', "utf-8")
    done = quipu.run("import", "jsonl", str(file))
    assert done.returncode == 0
    assert "2 messages taken in, 2 refused" in done.stdout
    assert "2:" in done.stdout
    assert "3:" in done.stdout


def test_an_import_of_which_nothing_could_be_taken_fails(quipu: CommandLine) -> None:
    assert quipu.run("import", "jsonl", "-", given="nonsense\n").returncode == 2


def test_an_import_of_nothing_is_no_failure(quipu: CommandLine) -> None:
    assert quipu.json("import", "jsonl", "-", given="")["imported"] == 0


def test_a_file_that_is_not_there_is_said(quipu: CommandLine) -> None:
    done = quipu.run("import", "jsonl", "missing.jsonl")
    assert done.returncode == 2
    assert "missing.jsonl" in done.stderr
    assert "Traceback" not in done.stderr


def test_recorded_sessions_go_to_a_space_for_each_project(quipu: CommandLine, repository: Path) -> None:
    done = quipu.json("import", "claude-code", str(repository / "samples" / "claude-code" / "projects"))
    assert set(done["spaces"]) == {"ferryboard", "labelpress"}
    assert all(report["imported"] > 0 for report in done["spaces"].values())
    assert sum(done["skipped"].values()) > 0
    hits = quipu.json("recall", "How many retries may the feed client make?", "-s", "ferryboard")["hits"]
    assert hits
    assert quipu.json("recall", "retries of the feed client", "-s", "default")["hits"] == []


def test_recorded_sessions_can_go_to_one_space(quipu: CommandLine, repository: Path) -> None:
    projects = repository / "samples" / "claude-code" / "projects"
    assert set(quipu.json("import", "claude-code", str(projects), "-s", "all")["spaces"]) == {"all"}


def test_options_of_every_command_stand_before_or_after_it(quipu: CommandLine) -> None:
    quipu.settings.pop("QUIPU_DATABASE_URL")
    url = "postgresql://nobody@127.0.0.1:1/none"
    before = quipu.run("--json", "--url", url, "recall", "x")
    after = quipu.run("recall", "x", "--json", "--url", url)
    assert before.returncode == after.returncode == 5
    assert json.loads(before.stderr)["error"]["kind"] == json.loads(after.stderr)["error"]["kind"]


def test_a_space_can_come_from_the_environment(quipu: CommandLine) -> None:
    quipu.text("observe", "The lift squeaks.", "--space", "ana")
    quipu.settings["QUIPU_SPACE"] = "ana"
    assert quipu.json("recall", "lift")["space"] == "ana"
    assert quipu.json("recall", "lift")["hits"]


def test_nothing_relevant_is_a_legal_answer(quipu: CommandLine) -> None:
    assert "Nothing is known" in quipu.text("recall", "anything")
    assert quipu.json("recall", "anything") == {
        "question": "anything",
        "space": "default",
        "known": 0.0,
        "notice": "Nothing is known of this.",
        "hits": [],
    }


def test_a_block_for_a_prompt_keeps_to_its_budget(chat: CommandLine) -> None:
    question = ("recall", "Who moved to Lisbon?", "-s", "chat", "--block", "120")
    block = chat.json(*question)
    assert 0 < block["tokens"] <= 120
    assert "Lisbon" in block["text"]
    assert chat.text(*question).strip() == block["text"].strip()


@pytest.mark.parametrize("limit", ["0", "1001", "-1"])
def test_a_limit_out_of_range_is_said(chat: CommandLine, limit: str) -> None:
    done = chat.run("recall", "x", "-s", "chat", "--limit", limit)
    assert done.returncode == 2
    assert "limit" in done.stderr


def test_why_explains_a_hit_of_the_last_question(chat: CommandLine) -> None:
    hits = chat.json("recall", "Who moved to Lisbon?", "-s", "chat")["hits"]
    told = chat.json("why", "2")
    assert told["hit"]["id"] == hits[1]["id"]
    shown = chat.text("why")
    assert hits[0]["text"] in shown
    assert "How is the flat?" in shown
    assert "sum of" in shown


def test_why_can_ask_anew(chat: CommandLine) -> None:
    told = chat.json("why", "1", "--question", "Whose bicycle was stolen?", "--space", "chat", "--limit", "2")
    assert told["hit"]["source"]["message"] == "m4"


@pytest.mark.parametrize("arguments", [["why"], ["why", "3", "--question", "x"]])
def test_why_without_such_a_hit_says_so(quipu: CommandLine, arguments: list[str]) -> None:
    done = quipu.run(*arguments)
    assert done.returncode == 3
    assert "quipu recall" in done.stderr


def test_sessions_are_listed_latest_first(chat: CommandLine) -> None:
    assert [one["name"] for one in chat.json("sessions", "-s", "chat")["items"]] == ["s2", "s1"]
    assert "s1" in chat.text("sessions", "-s", "chat", "-n", "1", "--offset", "1")
    assert "No sessions" in chat.text("sessions", "-s", "nobody")


def test_forgetting_is_shown_first_and_proved_then(chat: CommandLine, url: str) -> None:
    chat.text("recall", "Who moved to Lisbon?", "-s", "chat")
    assert "--yes" in chat.text("forget", "-s", "chat", "--session", "s1")
    assert len(chat.json("sessions", "-s", "chat")["items"]) == 2
    done = chat.json("forget", "-s", "chat", "--session", "s1", "--yes")
    assert done["counts"]["messages"] == 3
    assert done["receipt"] in receipts(url)
    assert [one["name"] for one in chat.json("sessions", "-s", "chat")["items"]] == ["s2"]
    assert not any("Lisbon" in path.read_text("utf-8") for path in chat.home.rglob("*") if path.is_file())


def receipts(url: str) -> str:
    with psycopg.connect(url) as conn:
        return str(conn.execute("select * from core.erasures").fetchall())


def test_a_whole_space_is_forgotten_only_when_it_is_named_as_such(chat: CommandLine) -> None:
    for arguments in (
        ["forget", "-s", "chat", "--yes"],
        ["forget", "-s", "chat", "--user", "Bo", "--everything", "--yes"],
    ):
        assert chat.run(*arguments).returncode == 2
    assert len(chat.json("sessions", "-s", "chat")["items"]) == 2
    chat.text("forget", "-s", "chat", "--everything", "--yes")
    assert chat.json("sessions", "-s", "chat")["items"] == []


def test_what_is_stored_does_not_steer_the_terminal(quipu: CommandLine) -> None:
    quipu.text("observe", "-", given="parser \x1b]0;owned\x07 \x1b[2J ends")
    shown = quipu.text("recall", "parser") + quipu.text("why")
    assert "parser" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_markup_in_what_is_stored_is_shown_as_it_is(quipu: CommandLine) -> None:
    quipu.text("observe", "The parser says [red]stop[/red] and :smile:")
    assert "[red]stop[/red] and :smile:" in quipu.text("recall", "parser")


def test_a_long_message_stays_on_one_line_in_a_pipe(quipu: CommandLine) -> None:
    quipu.text("observe", "The parser " + "reads on and " * 20)
    assert any(line.count("reads on and") == 20 for line in quipu.text("recall", "parser").splitlines())


def test_progress_and_notes_stay_off_standard_output(chat: CommandLine) -> None:
    done = chat.run("recall", "Who moved to Lisbon?", "-s", "chat")
    assert "why 1 explains" in done.stderr
    assert "why 1 explains" not in done.stdout
    assert chat.run("recall", "Who moved to Lisbon?", "-s", "chat", "--quiet").stderr == ""
    assert chat.run("recall", "Who moved to Lisbon?", "-s", "chat", "--json").stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGPIPE")
def test_a_reader_that_has_had_enough_is_no_error(chat: CommandLine) -> None:
    with chat.start("recall", "Who moved to Lisbon?", "-s", "chat") as process:
        assert process.stdout is not None
        process.stdout.close()
        _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 141
    assert "Traceback" not in err
    assert "Exception" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
@pytest.mark.skipif(sys.platform == "win32", reason="file descriptors are inherited otherwise there")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(chat: CommandLine, closed: str) -> None:
    call = f"exec {sys.executable} -m quipu recall bicycle --space chat {closed}"
    done = subprocess.run(
        ["/bin/sh", "-c", call],
        env=chat.environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert (done.returncode, done.stderr) == (0, "" if "2>" in closed else done.stderr)
    assert ("bicycle" in done.stdout) == (">&-" not in closed.replace("2>&-", ""))
    assert "unexpected" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is Linux's")
@pytest.mark.parametrize("how", [[], ["--json"]])
def test_an_answer_that_cannot_be_written_is_said(chat: CommandLine, how: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        process = chat.start("recall", "bicycle", "--space", "chat", *how, stdout=full)
        err = process.communicate(timeout=PATIENCE_SECONDS)[1]
    assert process.returncode == 1
    assert "could not be written" in err
    assert "Traceback" not in err


def test_a_question_needs_no_quotes(chat: CommandLine) -> None:
    asked = chat.json("recall", "Whose", "bicycle", "was", "stolen", "--space", "chat")
    assert asked["question"] == "Whose bicycle was stolen"
    assert asked["hits"][0]["source"]["message"] == "m4"


def test_an_interrupted_import_ends_at_once_and_keeps_what_it_took(
    quipu: CommandLine, tmp_path: Path
) -> None:
    recorded = (
        tmp_path / "recorded.jsonl"
    )  # half a minute's work, or more: nobody is through with it when the signal comes
    lines = (f'{{"content": "message number {number}"}}\n' for number in range(50_000))
    recorded.write_text("".join(lines), "utf-8")
    with quipu.start("import", "jsonl", str(recorded), "--space", "long") as process:
        wait_until_stored(quipu.settings["QUIPU_DATABASE_URL"])
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130
    assert stored(quipu.settings["QUIPU_DATABASE_URL"]) < 50_000
    assert "Traceback" not in err
    assert quipu.json("recall", "message number 7", "-s", "long")["hits"]


def wait_until_stored(url: str) -> None:
    assert until(lambda: stored(url)), "nothing was stored"


def stored(url: str) -> int:
    with psycopg.connect(url) as conn:
        row = conn.execute("select coalesce(sum(entries), 0) from core.spaces").fetchone()
    assert row is not None
    return row[0]


def test_the_spaces_are_listed_with_what_they_hold(chat: CommandLine) -> None:
    chat.run("observe", "hello", "--space", "ana")
    assert chat.json("spaces") == {
        "items": [
            {"name": "ana", "entries": 1, "sessions": 0},
            {"name": "chat", "entries": 4, "sessions": 2},
        ]
    }
    assert chat.text("spaces").splitlines()[1].split() == ["ana", "1", "0"]


def test_migrations_are_applied_once(quipu: CommandLine, url: str) -> None:
    assert quipu.json("migrate") == {"applied": []}
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("create database fresh_for_migrate")
        fresh = psycopg.conninfo.make_conninfo(url, dbname="fresh_for_migrate")
        try:
            assert len(quipu.json("migrate", "--url", fresh, "--check")["missing"]) > 2
            applied = quipu.json("migrate", "--url", fresh)["applied"]
            assert len(applied) > 2
            assert quipu.json("migrate", "--url", fresh, "--check") == {"missing": []}
        finally:
            conn.execute("drop database fresh_for_migrate with (force)")


def test_commands_of_the_embedded_database_leave_other_servers_alone(quipu: CommandLine) -> None:
    for command in ("start", "stop", "status"):
        assert quipu.run("db", command).returncode == 2


def test_models_are_listed_and_a_wrong_one_is_refused(quipu: CommandLine) -> None:
    listed = quipu.json("model", "list")
    assert "all-MiniLM-L6-v2" in [one["name"] for one in listed["models"]]
    (quipu.home / "empty").mkdir()
    done = quipu.run("model", "add", "empty")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_the_model_is_changed_while_everything_stays(chat: CommandLine) -> None:
    done = chat.json("reembed", "--model", "all-MiniLM-L6-v2")
    assert (done["model"], done["previous"], done["entries"]) == ("all-MiniLM-L6-v2", "hashing", 4)
    vectors = next(one for one in chat.json("doctor")["findings"] if one["name"] == "vectors")
    assert vectors["state"] == "warn"  # the settings still name the old one
    assert chat.json("recall", "Where is Ana's home?", "-s", "chat")["hits"][0]["source"]["speaker"] == "Ana"
    assert "already" in chat.text("reembed", "--model", "all-MiniLM-L6-v2")


def test_bench_measures_and_leaves_nothing_behind(chat: CommandLine) -> None:
    """What is left is looked for with psql, which is a command too."""
    found = chat.json("bench", "--messages", "100", "--questions", "10")
    assert found["imported_per_second"] > 0
    assert 0 < found["recall"]["p50_ms"] <= found["recall"]["p95_ms"]
    spaces = chat.process("db", "psql", "-At", "-c", "select name from core.spaces")
    assert spaces.stdout.split() == ["chat"], spaces.stderr


def test_psql_comes_with_the_package_where_the_machine_has_none(chat: CommandLine, tmp_path: Path) -> None:
    bare = CommandLine(chat.home, {**chat.settings, "PATH": str(tmp_path)})
    spaces = bare.process("db", "psql", "-At", "-c", "select name from core.spaces")
    assert spaces.stdout.split() == ["chat"], spaces.stderr
