"""The settings of one process: arguments first, then ``QUIPU_*`` in the environment, then defaults.

Plain dataclasses: a library for settings took a sixth of the time in which ``quipu recall`` answers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from quipu.errors import ConfigError

_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
_LIST = "docs/reference/settings.md lists what can be set."


@dataclass(frozen=True, slots=True)
class Secret:
    """A text that does not show itself: not when printed, not in a log, not in a traceback."""

    _text: str = field(repr=False)

    def reveal(self) -> str:
        """The text."""
        return self._text


@dataclass(frozen=True, slots=True)
class Setting:
    """What one setting means, its default, and how a value for it is read.

    ``read`` takes the text of the environment or a value of the program, and raises ValueError with the rest
    of a sentence that begins with the setting's name.
    """

    meaning: str
    default: Any
    read: Callable[[Any], Any]


def _whole(least: int, most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        number = _parsed(int, value, "a whole number")
        return _inside(number, least, most)

    return read


def _decimal(least: float, most: float) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        return _inside(_parsed(float, value, "a number"), least, most)

    return read


def _parsed(kind: type[Any], value: Any, called: str) -> Any:
    exact = isinstance(value, (int, kind)) and not isinstance(value, bool)
    if not exact and not isinstance(value, str):
        raise ValueError(f"is {value!r}, not {called}")
    try:
        return kind(value)
    except (ValueError, OverflowError):
        raise ValueError(f"is {value!r}, not {called}") from None


def _inside(number: Any, least: float, most: float) -> Any:
    if not least <= number <= most:  # so written, it refuses what is not a number, too
        raise ValueError(f"is {number}; it can be {least:g} to {most:g}")
    return number


def _flag(value: Any) -> bool:
    word = value.strip().lower() if isinstance(value, str) else value
    if word is True or word in _TRUE:
        return True
    if word is False or word in _FALSE:
        return False
    raise ValueError(f"is {value!r}; it can be true or false")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"is a {type(value).__name__}, not a text")
    if not value.strip():
        raise ValueError("is empty; leave it out to have the default")
    return value


def _secret(value: Any) -> Secret:
    return value if isinstance(value, Secret) else Secret(_text(value))


def _path(value: Any) -> Path:
    try:
        return Path(_text(value) if isinstance(value, str) else value).expanduser()
    except TypeError:
        raise ValueError(f"is a {type(value).__name__}, not a path") from None
    except RuntimeError as error:
        raise ValueError(f"is {str(value)!r}, and {str(error).rstrip('.').lower()}") from None


_UNSET: Final[Any] = object()


def _setting(read: Callable[[Any], Any], meaning: str, default: Any = None, *, shown: bool = True) -> Any:
    """A field; ``shown=False`` keeps what may hold a password out of the settings' representation."""
    return field(default=_UNSET, repr=shown, metadata={"setting": Setting(meaning, default, read)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What can be set from outside. Each field is ``QUIPU_`` + its name in capitals.

    Raises ConfigError, naming the variable that is wrong and what it can be.
    """

    home: Path = _setting(_path, "Directory of the embedded database and of added models.", "~/.quipu")
    database_url: str | None = _setting(
        _text, "postgresql:// URL of a server to use instead of the embedded one.", shown=False
    )
    pg_bin: Path | None = _setting(_path, "Directory with other PostgreSQL binaries to embed.")
    pg_user: str | None = _setting(
        _text, "Account that runs the embedded server when we are root (postgres or nobody)."
    )
    shared_buffers_mb: int = _setting(_whole(16, 65_536), "Page cache of the embedded server, MB.", 256)
    pool_size: int = _setting(_whole(1, 200), "Connections that one process may hold.", 8)
    connect_seconds: float = _setting(_decimal(0.001, 300), "How long to wait for a connection, seconds.", 10)
    statement_seconds: float = _setting(
        _decimal(0, 3600), "Longest time for one statement, seconds; 0 is no limit.", 60
    )
    embedding_model: str = _setting(
        _text, "Name of an added model, 'hashing', 'st:NAME' or 'openai:NAME'.", "all-MiniLM-L6-v2"
    )
    embedding_threads: int = _setting(_whole(1, 64), "Threads for embedding in bulk.", 2)
    embedding_url: str | None = _setting(
        _text, "Base URL of an OpenAI-compatible embedding server.", shown=False
    )
    embedding_key: Secret | None = _setting(_secret, "Key for that server.")
    embedding_dimensions: int | None = _setting(
        _whole(8, 4000), "Vector length that the remote model returns."
    )
    language: str = _setting(
        _text, "Language of new spaces: 'auto', or a name such as 'english' or 'german'.", "auto"
    )
    redact: bool = _setting(_flag, "Remove secrets before anything is stored.", True)
    llm_base_url: str | None = _setting(
        _text,
        "Base URL of an OpenAI-compatible language model; without one, rules do it.",
        shown=False,
    )
    llm_model: str | None = _setting(_text, "Name of the language model there.")
    llm_api_key: Secret | None = _setting(_secret, "Key for the language model.")
    llm_daily_tokens: int = _setting(
        _whole(0, 10**12), "Tokens that language models may use in a UTC day; 0 is none.", 1_000_000
    )
    llm_timeout_seconds: float = _setting(
        _decimal(0.001, 3600), "Longest time for one answer of a language model, seconds.", 60
    )
    preference_days: int = _setting(
        _whole(1, 36_500), "Days after which a preference expires that is not said again.", 90
    )
    session_days: int = _setting(
        _whole(0, 36_500), "Days after which retention takes a session nobody writes to; 0 is never.", 90
    )
    excerpt_days: int = _setting(
        _whole(0, 36_500), "Days after which retention cuts the excerpts of evidence; 0 is never.", 30
    )
    evidence_days: int = _setting(
        _whole(0, 36_500), "Days after which retention takes evidence and its recommendation; 0 is never.", 90
    )
    retention: bool = _setting(_flag, "Let workers do what retention would, every night.", False)
    redis_url: str | None = _setting(
        _text, "redis:// URL of a server that carries jobs; PostgreSQL does if not given.", shown=False
    )
    connections: Path | None = _setting(_path, "connections.json with other names of the queue's topics.")
    job_seconds: float = _setting(
        _decimal(0.001, 86_400), "Longest time for one try at a job, seconds, if its kind names none.", 600
    )
    job_tries: int = _setting(_whole(1, 100), "Tries after which a job is given up.", 5)
    job_retry_seconds: float = _setting(
        _decimal(0, 3600), "Pause after the first failed try, seconds; it doubles with each.", 5
    )
    job_lease_seconds: int = _setting(
        _whole(1, 3600), "Others take the jobs of a worker that is not heard of so long, seconds.", 30
    )
    agent: str | None = _setting(
        _text, "Who answers prompts: 'module:function'; a language model does if not given."
    )

    memory_half_life_days: float = _setting(
        _decimal(0.1, 36_500), "Days in which a memory that nobody uses loses half of its confidence.", 70
    )
    longterm_timeout_ms: int = _setting(
        _whole(1, 60_000), "Longest time to recover long-term memory before an answer, milliseconds.", 500
    )
    longterm_limit: int = _setting(_whole(1, 100), "Long-term memories for one answer, at most.", 10)
    longterm_tokens: int = _setting(
        _whole(1, 100_000), "Tokens of long-term memory in one prompt, at most.", 1_000
    )
    longterm_audit_days: int = _setting(
        _whole(0, 36_500), "Days after which lines of the audit of long-term memory go; 0 is never.", 90
    )
    longterm_every: int = _setting(
        _whole(0, 1_000), "Turns of the user after which a session is evaluated; 0 is never.", 1
    )
    longterm_evaluator: str = _setting(_text, "What evaluates sessions: rules, or llm.", "rules")
    longterm_policy: str = _setting(
        _text, "When health and money are kept: never, asked or always.", "health=asked, money=never"
    )

    def __post_init__(self) -> None:
        for name, setting in described().items():
            object.__setattr__(self, name, _value(name, setting, getattr(self, name)))


def described() -> Mapping[str, Setting]:
    """What each field of ``Settings`` means, in their order."""
    return {one.name: one.metadata["setting"] for one in fields(Settings)}


def load(settings: Settings | None, given: Mapping[str, Any]) -> Settings:
    """``settings``, or those of the environment, with the ``given`` ones put in their place.

    Raises:
        ConfigError: naming the variable that is wrong.
    """
    return Settings(**given) if settings is None else replace(settings, **given)


def _value(name: str, setting: Setting, given: Any) -> Any:
    variable = f"QUIPU_{name.upper()}"
    if given is _UNSET:
        given = os.environ.get(variable, setting.default)
    if given is None and setting.default is None:
        return None
    try:
        return setting.read(given)
    except ValueError as error:
        raise ConfigError(f"{variable} {error}.", hint=_LIST) from None
