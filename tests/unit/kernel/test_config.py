"""Settings: where they come from, what they refuse, and what they never show."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.errors import ConfigError
from quipu.kernel.config import Settings, described, load


def test_an_argument_comes_before_the_environment_and_that_before_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert Settings().pool_size == 8
    monkeypatch.setenv("QUIPU_POOL_SIZE", "5")
    assert Settings().pool_size == 5
    assert Settings(pool_size=3).pool_size == 3


def test_none_as_an_argument_hides_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIPU_DATABASE_URL", "postgresql://elsewhere/x")
    assert Settings(database_url=None).database_url is None


def test_texts_of_the_environment_become_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIPU_CONNECT_SECONDS", "2.5")
    monkeypatch.setenv("QUIPU_REDACT", "Off")
    monkeypatch.setenv("QUIPU_PG_BIN", "/usr/lib/postgresql/17/bin")
    found = Settings()
    assert (found.connect_seconds, found.redact) == (2.5, False)
    assert found.pg_bin == Path("/usr/lib/postgresql/17/bin")


def test_a_tilde_leads_to_the_home_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIPU_HOME", "~/memories")
    assert Settings().home == Path.home() / "memories"


WRONG: list[tuple[str, Any, str]] = [
    ("pool_size", "zero", "'zero', not a whole number"),
    ("pool_size", 0, "1 to 200"),
    ("pool_size", 2.5, "not a whole number"),
    ("pool_size", True, "not a whole number"),
    ("pool_size", "9" * 400, "1 to 200"),
    ("pool_size", None, "not a whole number"),
    ("connect_seconds", "nan", "0.001 to 300"),
    ("connect_seconds", 10**400, "not a number"),
    ("statement_seconds", -1, "0 to 3600"),
    ("redact", "perhaps", "true or false"),
    ("redact", 1, "true or false"),
    ("home", "", "is empty"),
    ("home", 7, "not a path"),
    ("home", "~no-such-user-here/x", "home"),
    ("database_url", "", "is empty"),
    ("embedding_model", 5, "not a text"),
    ("embedding_dimensions", 7, "8 to 4000"),
]


@pytest.mark.parametrize(("name", "value", "why"), WRONG)
def test_a_wrong_value_is_refused_by_the_name_of_its_variable(name: str, value: Any, why: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(None, {name: value})
    assert caught.value.message.startswith(f"QUIPU_{name.upper()} ")
    assert why in caught.value.message
    assert "settings.md" in (caught.value.hint or "")
    with pytest.raises(ConfigError):
        load(Settings(), {name: value})


def test_an_empty_variable_is_refused_and_not_taken_for_an_unset_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """``QUIPU_DATABASE_URL=$URL`` with a forgotten ``URL`` must not fill another database."""
    monkeypatch.setenv("QUIPU_DATABASE_URL", "")
    with pytest.raises(ConfigError, match="QUIPU_DATABASE_URL is empty"):
        Settings()


def test_what_may_hold_a_secret_is_not_shown() -> None:
    made = Settings(
        database_url="postgresql://u:hidden1@h/d",
        embedding_url="https://u:hidden2@h/v1",
        embedding_key="hidden3",  # pyright: ignore[reportArgumentType]
    )
    assert "hidden" not in f"{made} {made!r} {made.embedding_key} {made.embedding_key!r}"
    assert made.embedding_key is not None
    assert made.embedding_key.reveal() == "hidden3"


def test_a_wrong_secret_is_not_repeated() -> None:
    with pytest.raises(ConfigError) as caught:
        load(None, {"embedding_key": b"hidden"})
    assert "hidden" not in str(caught.value)


def test_changing_settings_reads_no_environment_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Settings()
    monkeypatch.setenv("QUIPU_POOL_SIZE", "5")
    assert replace(made, redact=False).pool_size == 8


def test_a_setting_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TypeError):
        load(None, {"pool": 5})


def test_every_default_is_a_value_that_may_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, setting in described().items():
        if setting.default is not None:
            monkeypatch.setenv(f"QUIPU_{name.upper()}", str(setting.default))
    by_environment = Settings()
    for name in described():
        monkeypatch.delenv(f"QUIPU_{name.upper()}", raising=False)
    assert by_environment == Settings()


def refusal(name: str, value: Any) -> str | None:
    """Why a value is refused; None if it is taken, and taken again from what it became."""
    try:
        taken = load(None, {name: value})
    except ConfigError as error:
        return error.message
    assert replace(taken) == taken
    return None


@given(st.one_of(st.text(), st.integers(), st.floats(), st.binary(), st.none(), st.booleans()))
def test_whatever_is_set_is_taken_or_refused_in_one_way(value: Any) -> None:
    for name in described():
        assert (refusal(name, value) or f"QUIPU_{name.upper()}").startswith(f"QUIPU_{name.upper()}")


def test_the_environment_is_not_changed() -> None:
    before = dict(os.environ)
    Settings()
    assert dict(os.environ) == before
