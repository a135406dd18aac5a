"""``quipu llm``: a model is found, tried on a sample, kept for every process, and given up again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cli_process import CommandLine

from language_server import KEY, LanguageServer, Reply, called, refused, said, spoke
from quipu import Memory
from quipu.kernel.config import Settings
from quipu.kernel.language.servers import KNOWN

BERGEN = {
    "category": "identity",
    "importance": "high",
    "summary": "The user lives in Bergen.",
    "turn": 0,
}
DAY = {"weekday": "tuesday"}
KEPT = {"inclusions": [BERGEN]}
OTHER = "somewhere.invalid"


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


def schema_of(body: dict[str, Any]) -> dict[str, Any] | None:
    """The shape that a request is held to, in whichever form."""
    if "response_format" in body:
        return body["response_format"]["json_schema"]["schema"]
    if "output_config" in body:
        return body["output_config"]["format"]["schema"]
    for tool in body.get("tools", []):
        return tool.get("input_schema") or tool["function"]["parameters"]
    return None


def model(kept: dict[str, Any] = KEPT) -> Callable[[dict[str, Any]], Reply]:
    """A server that holds answers to a schema."""

    def takes(body: dict[str, Any]) -> Reply:
        shape = schema_of(body) or {}
        return said(json.dumps(DAY if "weekday" in shape.get("properties", {}) else kept))

    return takes


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[LanguageServer]:
    """The server that is called ollama, on a port of this test; the others that are known do not run."""
    with LanguageServer(takes=model(), models=["llama3.2:latest", "nomic-embed-text"], key=None) as server:
        place(monkeypatch, ollama=server)
        yield server


def place(monkeypatch: pytest.MonkeyPatch, **running: LanguageServer) -> None:
    with LanguageServer() as gone:
        pass
    for name, known in list(KNOWN.items()):
        at = running[name].url if name in running else gone.url
        monkeypatch.setitem(KNOWN, name, replace(known, url=at))  # pyright: ignore[reportArgumentType]


def stored(url: str) -> dict[str, Any]:
    with psycopg.connect(url) as conn:
        return dict(conn.execute("select name, value from core.settings").fetchall())


def test_what_runs_here_is_found_tried_and_kept(quipu: CommandLine, ollama: LanguageServer, url: str) -> None:
    found = quipu.json("llm", "use")
    assert (found["model"], found["dialect"], found["form"]) == ("llama3.2:latest", "openai", "json_schema")
    assert (found["written"], found["obstacle"], found["leaves_this_machine"]) == (True, None, False)
    assert [one["summary"] for one in found["by_model"]] == ["The user lives in Bergen."]
    assert "allergic to peanuts" in str(found["by_rules"])
    assert stored(url) == {
        "llm_base_url": ollama.url,
        "llm_model": "llama3.2:latest",
        "llm_dialect": "openai",
        "llm_form": "json_schema",
        "longterm_evaluator": "llm",
    }


def test_people_see_both_beside_each_other(quipu: CommandLine, ollama: LanguageServer) -> None:
    shown = quipu.text("llm", "use", "ollama", "--model", "llama3.2")
    assert "llama3.2 at" in shown
    assert "held to a JSON schema" in shown
    assert "user: I'm Mara." in shown
    lines = shown.splitlines()
    assert any(line.startswith("the rules ") and "peanuts" in line for line in lines)
    assert any(line.startswith("llama3.2 ") and "lives in Bergen" in line for line in lines)
    assert "reads conversations from now on" in shown


def test_only_the_sample_is_sent(quipu: CommandLine, ollama: LanguageServer) -> None:
    quipu.text("observe", "I moved to Quito.", "--space", "s")
    quipu.json("llm", "use", "ollama")
    assert ollama.requests
    assert "Quito" not in str(ollama.requests)


def test_status_says_what_is_used_and_what_it_used(quipu: CommandLine, ollama: LanguageServer) -> None:
    assert quipu.json("llm", "status")["model"] is None
    assert "none; the rules do the work" in quipu.text("llm", "status")
    quipu.json("llm", "use", "ollama")
    found = quipu.json("llm", "status")
    assert (found["model"]["model"], found["model"]["named_by"]) == ("llama3.2:latest", "database")
    assert (found["reached"], found["longterm_evaluator"]) == ("served", "llm")
    assert found["by_purpose"] == {"language.trial": 100, "longterm.evaluate": 100}
    assert (found["tokens_today"], found["daily_tokens"]) == (200, 1_000_000)
    assert "long-term memory" in found["uses"]
    shown = quipu.text("llm", "status")
    assert "200 of 1,000,000" in shown
    assert "yes, it is there" in shown


def test_a_server_that_has_gone_is_told_with_a_code_of_its_own(
    quipu: CommandLine, ollama: LanguageServer
) -> None:
    quipu.json("llm", "use", "ollama")
    ollama.models = ["another"]
    assert quipu.json("llm", "status")["reached"] == "not served"
    ollama.key = "a key"
    done = quipu.run("llm", "status", "--json")
    assert (done.returncode, json.loads(done.stdout)["reached"]) == (8, None)


def test_off_goes_back_to_the_rules(quipu: CommandLine, ollama: LanguageServer, url: str) -> None:
    quipu.json("llm", "use", "ollama")
    assert "The rules read conversations" in quipu.text("llm", "off")
    assert stored(url) == {}
    assert quipu.json("llm", "off")["off"] is True
    assert quipu.json("llm", "status")["longterm_evaluator"] == "rules"


def test_a_model_of_the_environment_comes_first_and_that_is_said(
    quipu: CommandLine, ollama: LanguageServer
) -> None:
    quipu.settings.update({"QUIPU_LLM_BASE_URL": ollama.url, "QUIPU_LLM_MODEL": "another"})
    assert "QUIPU_LLM_BASE_URL comes before it here" in quipu.run("llm", "use", "ollama").stderr
    found = quipu.json("llm", "status")["model"]
    assert (found["model"], found["named_by"], found["form"]) == ("another", "environment", None)
    assert "still names a model" in quipu.run("llm", "off").stderr


def test_what_is_kept_is_used_by_a_program_that_was_told_nothing(
    quipu: CommandLine, ollama: LanguageServer, url: str
) -> None:
    quipu.json("llm", "use", "ollama")
    with Memory(settings=Settings(database_url=url, embedding_model="hashing")) as memory:
        memory.observe(
            [{"role": "user", "content": "I live in Bergen."}], space="s", session="s1", user="mara"
        )
        memory.work()
        (kept,) = memory.longterm.list(space="s")
    assert kept.summary == "The user lives in Bergen."


def test_without_anything_that_runs_all_that_was_tried_is_named(
    quipu: CommandLine, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    place(monkeypatch)
    done = quipu.run("llm", "use")
    assert done.returncode == 8
    for name in ("ollama", "lmstudio", "llamacpp", "vllm"):
        assert f"{name} at http://127.0.0.1:" in done.stderr
    assert "quipu llm use URL" in done.stderr
    assert stored(url) == {}


def test_a_server_that_does_not_run_is_told_with_how_it_is_started(
    quipu: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(monkeypatch)
    done = quipu.run("llm", "use", "ollama")
    assert done.returncode == 8
    assert "Start it (`ollama serve`)" in done.stderr
    assert "--base-url" in done.stderr


def test_an_address_at_which_nobody_answers_is_told(quipu: CommandLine) -> None:
    with LanguageServer() as gone:
        pass
    done = quipu.run("llm", "use", gone.url)
    assert done.returncode == 8
    assert gone.url in done.stderr
    assert "Is a server running there" in done.stderr


def test_a_longer_answer_can_be_allowed(quipu: CommandLine, ollama: LanguageServer) -> None:
    quipu.json("settings", "set", "llm_answer_tokens", "9000")
    quipu.json("llm", "use", "ollama")
    assert {request["max_tokens"] for request in ollama.requests} == {9000}


def test_of_two_that_run_one_has_to_be_named(
    quipu: CommandLine, ollama: LanguageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LanguageServer(takes=model(), models=["other"], key=None) as vllm:
        place(monkeypatch, ollama=ollama, vllm=vllm)
        done = quipu.run("llm", "use")
        assert (done.returncode, "ollama, vllm all run here" in done.stderr) == (2, True)
        assert quipu.json("llm", "use", "vllm")["model"] == "other"


@pytest.mark.parametrize(
    ("models", "arguments", "told"),
    [
        (["a", "b"], (), "several models: a, b"),
        (["a", "b"], ("--model", "c"), "no model 'c'"),
        (["nomic-embed-text"], (), "no model that answers"),
        ([], (), "no model that answers"),
    ],
)
def test_a_model_that_is_not_clear_is_asked_for(
    quipu: CommandLine, ollama: LanguageServer, models: list[str], arguments: tuple[str, ...], told: str
) -> None:
    ollama.models = models
    done = quipu.run("llm", "use", "ollama", *arguments)
    assert (done.returncode, told in done.stderr) == (2, True), done.stderr
    assert ollama.requests == []


def test_a_server_that_lists_nothing_takes_the_model_that_is_named(quipu: CommandLine) -> None:
    with LanguageServer(takes=model(), key=None) as server:
        assert "does not list its models" in quipu.run("llm", "use", server.url).stderr
        assert quipu.json("llm", "use", server.url, "--model", "m")["written"] is True


def test_an_address_without_its_path_is_completed(quipu: CommandLine, ollama: LanguageServer) -> None:
    assert quipu.json("llm", "use", ollama.url.removesuffix("/v1"))["url"] == ollama.url


@pytest.mark.parametrize("name", ["olama", "localhost:11434", "ftp://h/v1"])
def test_what_is_no_server_is_refused_with_those_that_are(quipu: CommandLine, name: str) -> None:
    done = quipu.run("llm", "use", name)
    assert (done.returncode, "anthropic-compatible" in done.stderr) == (2, True)


def test_a_password_in_an_address_is_not_kept(quipu: CommandLine, ollama: LanguageServer, url: str) -> None:
    done = quipu.run("llm", "use", ollama.url.replace("//", "//me:Xk29vLq81zRt@"), "--model", "llama3.2")
    assert (done.returncode, "holds a password" in done.stderr) == (2, True)
    assert "Xk29vLq81zRt" not in f"{done.stderr}{stored(url)}"


def test_a_key_is_named_by_its_variable_and_never_kept(quipu: CommandLine, url: str) -> None:
    with LanguageServer(takes=model(), models=["m"]) as server:
        assert "QUIPU_LLM_API_KEY" in quipu.run("llm", "use", server.url).stderr
        done = quipu.run("llm", "use", server.url, "--key-env", "MY_KEY")
        assert (done.returncode, "MY_KEY, which holds the key" in done.stderr) == (2, True)
        quipu.settings["MY_KEY"] = KEY
        found = quipu.json("llm", "use", server.url, "--key-env", "MY_KEY")
        assert found["key_variable"] == "MY_KEY"
        assert "needs MY_KEY in its environment" in quipu.text(
            "llm", "use", server.url, "--key-env", "MY_KEY"
        )
        assert stored(url)["llm_key_env"] == "MY_KEY"
        assert quipu.json("llm", "status")["model"]["has_key"] is True
        del quipu.settings["MY_KEY"]
        assert "MY_KEY" in quipu.run("llm", "status").stderr
    assert KEY not in f"{stored(url)}{found}"


def test_openai_and_anthropic_are_asked_with_the_key_that_is_usual_there(
    quipu: CommandLine, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    def tool(body: dict[str, Any]) -> Reply:
        if "tools" not in body:
            return refused(400, "Extra inputs are not permitted")
        shape = schema_of(body) or {}
        value = DAY if "weekday" in shape["properties"] else KEPT
        return spoke({"type": "tool_use", "id": "1", "name": "answer", "input": value}, ended="tool_use")

    with LanguageServer(takes=tool, models=["opus"], speaks="anthropic") as server:
        place(monkeypatch, **{"anthropic-compatible": server})
        done = quipu.run("llm", "use", "anthropic-compatible")
        assert (done.returncode, "ANTHROPIC_API_KEY" in done.stderr) == (2, True)
        quipu.settings["ANTHROPIC_API_KEY"] = KEY
        found = quipu.json("llm", "use", "anthropic-compatible")
    assert (found["dialect"], found["form"], found["key_variable"]) == (
        "anthropic",
        "tools",
        "ANTHROPIC_API_KEY",
    )
    assert [one["summary"] for one in found["by_model"]] == ["The user lives in Bergen."]
    assert stored(url)["llm_dialect"] == "anthropic"


def test_texts_do_not_leave_the_machine_without_a_word(
    quipu: CommandLine, ollama: LanguageServer, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setattr("quipu.app.language.Chosen.leaves", True)
    done = quipu.run("llm", "use", "ollama")
    assert done.returncode == 0
    assert "Not used yet: texts would leave this machine" in done.stdout
    assert "--yes" in done.stderr
    assert stored(url) == {}
    assert quipu.json("llm", "use", "ollama", "--yes")["written"] is True


def test_a_model_that_keeps_nothing_of_the_sample_is_not_used_by_itself(
    quipu: CommandLine, ollama: LanguageServer, url: str
) -> None:
    ollama.takes = model({"inclusions": [{**BERGEN, "turn": 7}]})
    found = quipu.json("llm", "use", "ollama")
    assert (found["written"], found["by_model"], found["dropped"]) == (False, [], 1)
    assert "nothing of the sample" in found["obstacle"]
    assert stored(url) == {}


def test_a_model_that_does_not_answer_in_the_shape_is_not_used(
    quipu: CommandLine, ollama: LanguageServer, url: str
) -> None:
    ollama.takes = lambda body: called("I would rather not.") if "tools" in body else said("Well.")
    done = quipu.run("llm", "use", "ollama")
    assert (done.returncode, "answered twice what is no" in done.stderr) == (8, True)
    assert stored(url) == {}


def test_no_door_sets_where_texts_go(quipu: CommandLine, url: str) -> None:
    for name in ("llm_base_url", "llm_model", "llm_key_env", "llm_dialect", "llm_form"):
        done = quipu.run("settings", "set", name, "openai")
        assert (done.returncode, "quipu llm use" in done.stderr) == (2, True), done.stderr
    assert stored(url) == {}


def test_doctor_looks_at_the_model_that_is_kept(quipu: CommandLine, ollama: LanguageServer) -> None:
    quipu.json("llm", "use", "ollama")
    found = {one["name"]: one for one in quipu.json("doctor")["findings"]}
    assert f"llama3.2:latest at {ollama.url}" in found["language"]["detail"]
    assert "200 of 1,000,000 tokens" in found["tokens"]["detail"]


def test_what_was_not_evaluated_is_counted_before_it_costs_anything(
    quipu: CommandLine, ollama: LanguageServer
) -> None:
    assert quipu.text("llm", "estimate") == "Nothing waits to be evaluated.\n"
    for number, space in enumerate(("a", "a", "b")):
        quipu.text("observe", "I live in Bergen.", "--space", space, "--session", f"s{number}")
    quipu.text("observe", "Good.", "--space", "a", "--session", "s0", "--role", "assistant")
    found = quipu.json("llm", "estimate")
    assert (found["sessions"], found["exchanges"], found["requests"]) == (3, 3, 3)
    assert found["input_tokens"] > found["output_tokens"] > 0
    assert found["cost"] is None
    one = quipu.json("llm", "estimate", "--space", "b", "--input-price", "1000000")
    assert (one["exchanges"], one["cost"]) == (1, one["input_tokens"])
    assert "price" in quipu.text("llm", "estimate", "--output-price", "2")

    quipu.json("llm", "use", "ollama")
    before = len(ollama.requests)
    assert quipu.json("llm", "estimate")["exchanges"] == 3
    assert len(ollama.requests) == before
    quipu.text("longterm", "evaluate-session", "s0", "--space", "a")
    assert quipu.json("llm", "estimate")["exchanges"] == 2
