"""From the settings to the model: all of it, none of it, or a sentence that says what is missing."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from patience import PATIENCE_SECONDS

from quipu.errors import ConfigError, MissingExtra
from quipu.kernel.config import Settings, Stored
from quipu.kernel.language.choose import choose, named
from quipu.kernel.language.endpoint import Endpoint
from quipu.kernel.language.model import Budget, Reservation
from quipu.kernel.language.remote import RemoteLanguage

URL = "http://localhost:11434/v1"


class Untouched(Budget):
    """Choosing costs nothing."""

    async def reserve(self, purpose: str, tokens: int) -> Reservation:
        raise AssertionError

    async def settle(self, reservation: Reservation, *, used: int) -> None:
        raise AssertionError


def test_without_a_model_the_rules_do_the_work() -> None:
    assert choose(Settings(), budget=Untouched()) is None


async def test_the_settings_name_the_model() -> None:
    settings = Settings(llm_base_url=URL, llm_model="llama3.2", llm_timeout_seconds=7)
    language = choose(settings, budget=Untouched())
    assert isinstance(language, RemoteLanguage)
    assert language.name == "openai:llama3.2"
    await language.aclose()


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"llm_base_url": URL}, "QUIPU_LLM_MODEL"),
        ({"llm_model": "m"}, "QUIPU_LLM_BASE_URL"),
        ({"llm_api_key": "k-secret"}, "QUIPU_LLM_BASE_URL"),
        ({"llm_model": "m", "llm_api_key": "k-secret"}, "QUIPU_LLM_BASE_URL"),
    ],
)
def test_half_of_what_is_needed_is_refused_and_not_taken_for_none(given: Any, missing: str) -> None:
    with pytest.raises(ConfigError, match=f"Set {missing}") as refused:
        choose(Settings(**given), budget=Untouched())
    assert "k-secret" not in str(refused.value)


@pytest.mark.parametrize(
    "url", ["localhost:11434/v1", "not a url", "http://", "ftp://x/v1", "http://[::1", "http://h:99999/v1"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="QUIPU_LLM_BASE_URL is no address"):
        named(Settings(llm_base_url=url, llm_model="m"))


def kept(**values: str) -> list[Stored]:
    return [(name, value, "database") for name, value in values.items()]


KEPT = kept(
    llm_base_url="http://127.0.0.1:9/v1",
    llm_model="kept",
    llm_dialect="anthropic",
    llm_form="tools",
    llm_key_env="KEY_THAT_IS_KEPT",
)


def test_what_the_database_keeps_names_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_THAT_IS_KEPT", "k")
    found = named(Settings().over(KEPT))
    assert found == Endpoint("kept", "http://127.0.0.1:9/v1", "k", "anthropic", "tools")


def test_nothing_kept_stands_beside_an_address_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIPU_LLM_BASE_URL", URL)
    with pytest.raises(ConfigError, match="Set QUIPU_LLM_MODEL"):
        named(Settings().over(KEPT))
    monkeypatch.setenv("QUIPU_LLM_MODEL", "mine")
    monkeypatch.setenv("KEY_THAT_IS_KEPT", "k")
    assert named(Settings().over(KEPT)) == Endpoint("mine", URL)


def test_a_key_that_is_not_set_is_told_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KEY_THAT_IS_KEPT", raising=False)
    with pytest.raises(ConfigError, match="KEY_THAT_IS_KEPT, which holds the key"):
        named(Settings().over(KEPT))


@pytest.mark.parametrize("name", ["llm_dialect", "llm_form"])
def test_a_dialect_or_form_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=f"QUIPU_{name.upper()} is 'grpc'; it can be"):
        Settings(**{name: "grpc"})  # pyright: ignore[reportArgumentType]


def test_the_key_and_the_address_are_not_shown() -> None:
    settings = Settings(llm_base_url="http://u:hidden1@h/v1", llm_model="m", llm_api_key="hidden2")  # pyright: ignore[reportArgumentType]
    assert "hidden" not in f"{settings!r} {settings} {named(settings)!r}"


def test_without_the_extra_one_sentence_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtra, match=r"pip install 'quipu-memory\[llm\]'"):
        choose(Settings(llm_base_url=URL, llm_model="m"), budget=Untouched())


def test_nothing_is_loaded_before_a_model_is_chosen() -> None:
    program = (
        "import sys\n"
        "from quipu.kernel.config import Settings\n"
        "from quipu.kernel.language.choose import choose\n"
        "assert choose(Settings(), budget=None) is None\n"
        "print(sorted({'openai', 'pydantic', 'httpx', 'anyio'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
