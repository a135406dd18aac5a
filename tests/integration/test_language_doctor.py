"""What ``quipu doctor`` says of the language model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cli_process import CommandLine

from language_server import KEY, LanguageServer, said


@pytest.fixture
def quipu(url: str, tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path, {"QUIPU_DATABASE_URL": url, "QUIPU_EMBEDDING_MODEL": "hashing"})


def named(quipu: CommandLine, server: LanguageServer, *, key: str = KEY) -> CommandLine:
    quipu.settings.update(
        {
            "QUIPU_LLM_BASE_URL": server.url,
            "QUIPU_LLM_MODEL": "small",
            "QUIPU_LLM_API_KEY": key,
            "QUIPU_LLM_DAILY_TOKENS": "900",
        }
    )
    return quipu


def findings(quipu: CommandLine) -> tuple[int, dict[str, Any], str]:
    done = quipu.run("doctor", "--json")
    return done.returncode, {one["name"]: one for one in json.loads(done.stdout)["findings"]}, done.stdout


def test_without_a_model_it_says_that_rules_are_used(quipu: CommandLine) -> None:
    code, found, _ = findings(quipu)
    assert (code, found["language"]["state"]) == (0, "ok")
    assert found["language"]["detail"].startswith("rules")
    assert "tokens" not in found


def test_a_model_that_is_there_is_named_with_what_it_used_today(quipu: CommandLine, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(
            "select core.reserve_language_tokens((now() at time zone 'utc')::date, 'episodes.gist', 123, 900)"
        )
    with LanguageServer([said("hi")], models=["small"]) as server:
        code, found, printed = findings(named(quipu, server))
        assert server.requests == []
    assert (code, found["language"]["state"], found["tokens"]["state"]) == (0, "ok", "ok")
    assert f"small at {server.url}" in found["language"]["detail"]
    assert "123 of 900 tokens" in found["tokens"]["detail"]
    assert "episodes.gist 123" in found["tokens"]["detail"]
    assert KEY not in printed


def test_a_model_that_the_server_does_not_list_is_a_warning(quipu: CommandLine) -> None:
    with LanguageServer(models=["large"]) as server:
        code, found, _ = findings(named(quipu, server))
    assert (code, found["language"]["state"]) == (0, "warn")


def test_a_server_that_is_not_there_is_a_failure_with_a_code_of_its_own(quipu: CommandLine) -> None:
    with LanguageServer() as server:
        pass
    code, found, printed = findings(named(quipu, server))
    assert (code, found["language"]["state"]) == (8, "fail")
    assert "QUIPU_LLM_BASE_URL" in found["language"]["hint"]
    assert KEY not in printed


def test_a_wrong_key_is_a_failure_that_does_not_show_it(quipu: CommandLine) -> None:
    with LanguageServer(models=["small"]) as server:
        code, found, printed = findings(named(quipu, server, key="wrong-key-of-mine"))
    assert (code, found["language"]["state"]) == (8, "fail")
    assert "wrong-key-of-mine" not in printed


def test_half_a_configuration_is_told(quipu: CommandLine) -> None:
    quipu.settings["QUIPU_LLM_MODEL"] = "small"
    code, found, _ = findings(quipu)
    assert (code, found["language"]["state"]) == (2, "fail")
    assert "QUIPU_LLM_BASE_URL" in found["language"]["hint"]
