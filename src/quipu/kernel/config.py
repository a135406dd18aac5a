"""The settings of one process: arguments first, then ``QUIPU_*`` in the environment, then what is stored
in the database, then defaults.

Plain dataclasses: a library for settings took a sixth of the time in which ``quipu recall`` answers.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from quipu.errors import ConfigError
from quipu.kernel.base.setting import FLAG, PATH, SECRET, TEXT, Form, Secret, Setting, decimal, one_of, whole
from quipu.kernel.policy.setting import POLICY, USUAL

_T = TypeVar("_T")
Origin = Literal["argument", "environment", "space", "database", "default"]
"""Where a value is from: program, environment, what is stored (of a space or of all), the default."""

Stored = tuple[str, Any, Origin]
"""What is stored: its name, its value, and whether for the database or a space."""

_PREFIX = "QUIPU_"
_LLM: Final = "quipu llm use"
_LIST = "docs/reference/settings.md lists what can be set."
_UNSET: Final[Any] = object()
_SKIPPED: Final = "A stored setting is skipped (another version may have stored it): %s"
_log = logging.getLogger("quipu")


def _setting(
    form: Form[Any],
    meaning: str,
    default: Any = None,
    *,
    unit: str = "",
    stored: bool = False,
    of_space: bool = True,
    shown: bool = True,
    command: str = "",
) -> Any:
    """Declare a field of ``Settings``; see ``Setting``. Its name follows from the field."""
    return field(
        default=_UNSET,
        repr=shown,
        metadata={
            "form": form,
            "meaning": meaning,
            "default": default,
            "unit": unit,
            "stored": stored,
            "of_space": of_space,
            "shown": shown,
            "command": command,
        },
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings that can be made from outside. Each field is ``QUIPU_`` + its name in capitals.

    Raises ConfigError, naming the variable that is wrong and what it can be.
    """

    home: Path = _setting(PATH, "Directory of the embedded database and of added models.", "~/.quipu")
    database_url: str | None = _setting(
        TEXT, "postgresql:// URL of a server to use instead of the embedded one.", shown=False
    )
    direct_url: str | None = _setting(
        TEXT,
        "URL of the server itself, where QUIPU_DATABASE_URL is that of PgBouncer in transaction mode.",
        shown=False,
    )
    directory_url: str | None = _setting(
        TEXT,
        "URL of the directory of spaces that lie in many databases, in place of QUIPU_DATABASE_URL.",
        shown=False,
    )
    read_urls: str | None = _setting(
        TEXT,
        "URLs of standbys by streaming replication, with commas between, where recall, lists and pages read.",
        shown=False,
    )
    pooler_prepares: bool = _setting(
        FLAG,
        "PgBouncer carries prepared statements: 1.21 or newer, with max_prepared_statements above 0.",
        False,
    )
    pg_bin: Path | None = _setting(PATH, "Directory with other PostgreSQL binaries to embed.")
    pg_user: str | None = _setting(
        TEXT, "Account that runs the embedded server when we are root (postgres or nobody)."
    )
    shared_buffers_mb: int = _setting(
        whole(16, 65_536), "Page cache of the embedded server, MB.", 256, unit="MB"
    )
    backend_memory_mb: int | None = _setting(
        whole(0, 1_000_000),
        "Most memory of one process of the embedded server, MB, on Linux; 0 is no limit, an eighth of the"
        " machine's and the page cache if not given.",
        unit="MB",
    )
    archive: bool | None = _setting(
        FLAG, "Keep the log of the embedded server, to restore any moment; stays until it is false."
    )
    backup_dir: Path | None = _setting(
        PATH, "Directory of backups of the embedded database; beside it if not given."
    )
    open_catalogue: bool = _setting(
        FLAG,
        "Let SQL of agents and readers see the names and definitions of other spaces' tables, on a server"
        " that cannot be hardened.",
        False,
    )
    pool_size: int = _setting(whole(1, 200), "Connections that one process may hold.", 8, unit="connections")
    connect_seconds: float = _setting(
        decimal(0.001, 300), "How long to wait for a connection, seconds.", 10, unit="seconds"
    )
    statement_seconds: float = _setting(
        decimal(0, 3600), "Longest time for one statement, seconds; 0 is no limit.", 25, unit="seconds"
    )
    answer_seconds: float | None = _setting(
        decimal(0.1, 3600),
        "How long the database may be silent before it counts as unavailable, seconds;"
        " 30 if not given, or 5 more than a statement may take.",
        unit="seconds",
    )
    sql_at_once: int = _setting(
        whole(1, 1_000),
        "Statements of agents and readers that one process runs at once; of one space or key half of them.",
        4,
        unit="statements",
    )
    embedding_model: str = _setting(
        TEXT, "Name of an added model, 'hashing', 'st:NAME' or 'openai:NAME'.", "all-MiniLM-L6-v2"
    )
    embedding_threads: int = _setting(
        whole(1, 64),
        "Cores that embedding takes: texts share them, a long one that is alone takes two.",
        2,
        unit="threads",
    )
    embedding_url: str | None = _setting(
        TEXT, "Base URL of an OpenAI-compatible embedding server.", shown=False
    )
    embedding_key: Secret | None = _setting(SECRET, "Key for that server.")
    embedding_dimensions: int | None = _setting(
        whole(8, 4000), "Vector length that the remote model returns.", unit="numbers"
    )
    rerank: str | None = _setting(
        TEXT, "Re-ranker of the first hits: name of an added one, 'st:NAME' or 'endpoint:NAME'."
    )
    rerank_url: str | None = _setting(
        TEXT, "Base URL of a server with /rerank, as vLLM, TEI, LiteLLM, Cohere and Jina have.", shown=False
    )
    rerank_key: Secret | None = _setting(SECRET, "Key for that server.")
    rerank_candidates: int = _setting(whole(10, 50), "Hits that are re-ranked.", 30, unit="hits")
    rerank_seconds: float = _setting(
        decimal(0.01, 60),
        "Time for re-ranking one answer, seconds; after it the own order stands.",
        1,
        unit="seconds",
    )
    language: str = _setting(
        TEXT, "Language of new spaces: 'auto', or a name such as 'english' or 'german'.", "auto"
    )
    redact: bool = _setting(FLAG, "Remove secrets before anything is stored.", True)
    policy: str = _setting(
        POLICY,
        "When allergies, other health and money are kept of people, in every kind of memory: never, if"
        " requested, or always.",
        ", ".join(f"{kind}={rule}" for kind, rule in USUAL.items()),
        stored=True,
    )
    llm_base_url: str | None = _setting(
        TEXT,
        "Base URL of the server of a language model; without one, rules do it.",
        shown=False,
        of_space=False,
        command=_LLM,
    )
    llm_model: str | None = _setting(TEXT, "Name of the language model there.", of_space=False, command=_LLM)
    llm_api_key: Secret | None = _setting(SECRET, "Key for the language model.")
    llm_key_env: str | None = _setting(
        TEXT, "Another variable of the environment that holds the key.", of_space=False, command=_LLM
    )
    llm_dialect: str = _setting(
        one_of("openai", "anthropic"),
        "How the server speaks: openai (/chat/completions) or anthropic (/messages).",
        "openai",
        of_space=False,
        command=_LLM,
    )
    llm_form: str | None = _setting(
        one_of("json_schema", "tools", "plain"),
        "How an answer in a shape is asked for: json_schema, tools or plain; found out if not given.",
        of_space=False,
        command=_LLM,
    )
    llm_daily_tokens: int = _setting(
        whole(0, 10**12),
        "Tokens that language models may use in a UTC day; 0 is none.",
        1_000_000,
        unit="tokens",
        stored=True,
        of_space=False,
    )
    llm_answer_tokens: int = _setting(
        whole(256, 1_000_000),
        "Longest answer of a language model, with its thinking.",
        4096,
        unit="tokens",
        stored=True,
        of_space=False,
    )
    llm_timeout_seconds: float = _setting(
        decimal(0.001, 3600), "Longest time for one answer of a language model, seconds.", 60, unit="seconds"
    )
    snapshot_directory: Path | None = _setting(
        PATH, "Directory of the snapshots of agents' tables; 'snapshots' in the home if not given."
    )
    redis_url: str | None = _setting(
        TEXT, "redis:// URL of a server that carries jobs; PostgreSQL does if not given.", shown=False
    )
    connections: Path | None = _setting(
        PATH, "connections.json: other names of the queue's topics, and the Redis that carries jobs."
    )
    job_seconds: float = _setting(
        decimal(0.001, 86_400),
        "Longest time for one try at a job, seconds, if its kind names none.",
        600,
        unit="seconds",
    )
    job_tries: int = _setting(whole(1, 100), "Tries after which a job is given up.", 5, unit="tries")
    job_retry_seconds: float = _setting(
        decimal(0, 3600),
        "Pause after the first failed try, seconds; it doubles with each.",
        5,
        unit="seconds",
    )
    job_lease_seconds: int = _setting(
        whole(1, 3600),
        "Others take the jobs of a worker that is not heard of so long, seconds.",
        30,
        unit="seconds",
    )

    telemetry: bool = _setting(
        FLAG, "Send traces and metrics by OpenTelemetry, to where the variables OTEL_* say.", False
    )

    tuned: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False, compare=False)
    """Values of settings that kinds of memory define, by name; read them with ``of``."""

    origins: Mapping[str, Origin] | None = field(default=None, repr=False, compare=False)
    """Where values are from that are not the default. It fills itself; ``origin`` reads it."""

    def __post_init__(self) -> None:
        origins: dict[str, Origin] = dict(self.origins or {})
        for name, setting in described().items():
            value = getattr(self, name)
            if value is _UNSET:
                value = os.environ.get(setting.variable, setting.default)
                if setting.variable in os.environ:
                    origins[name] = "environment"
                self._set(setting, value)
            else:
                self._set(setting, value)
                if self.origins is None or getattr(self, name) != _default(setting):
                    origins.setdefault(name, "argument")
        tuned = dict(self.tuned)
        origins |= {name: origins.get(name, "argument") for name in tuned}
        if self.origins is None:
            for variable, text in os.environ.items():
                name = variable.removeprefix(_PREFIX).lower()
                if variable.startswith(_PREFIX) and name not in described() and name not in tuned:
                    tuned[name], origins[name] = text, "environment"
        object.__setattr__(self, "tuned", tuned)
        object.__setattr__(self, "origins", origins)
        if self.directory_url is not None:
            if self.database_url not in (None, self.directory_url):
                raise ConfigError(
                    "QUIPU_DIRECTORY_URL and QUIPU_DATABASE_URL are both set.",
                    hint="Set the first where spaces lie in many databases, else the second.",
                )
            if self.read_urls is not None:
                raise ConfigError(
                    "QUIPU_READ_URLS names standbys of one server, and a directory has many.",
                    hint="Unset it: with QUIPU_DIRECTORY_URL each space is read where it is.",
                )
            object.__setattr__(self, "database_url", self.directory_url)  # the directory is one, too
        if self.direct_url is not None and self.database_url is None:
            raise ConfigError(
                "QUIPU_DIRECT_URL names the server behind a pooler, and no pooler is named.",
                hint="Name it in QUIPU_DATABASE_URL; a server without one belongs there, too.",
            )

    @property
    def server_url(self) -> str | None:
        """The address of the server itself, for all but short transactions; None for the embedded one."""
        return self.direct_url or self.database_url

    def _set(self, setting: Setting[Any], value: Any) -> None:
        object.__setattr__(self, setting.name, _value(setting, value))

    def of(self, setting: Setting[_T]) -> _T:
        """Return the value of a setting, including one that a kind of memory defines.

        Raises:
            ConfigError: what the program or the environment says cannot be taken.
        """
        if setting.name in described():
            return getattr(self, setting.name)
        try:
            return _value(setting, self.tuned.get(setting.name, setting.default))
        except ConfigError as error:
            if self.origin(setting.name) in ("argument", "environment"):
                raise
            _log.warning(_SKIPPED, error.message)
            return _default(setting)

    def origin(self, name: str) -> Origin:
        """Return the source of a setting's value."""
        return (self.origins or {}).get(name, "default")

    def over(self, stored: Iterable[Stored]) -> Settings:
        """Return these settings over the stored ones: the process's own first, then the later of two rows.

        A stored value that cannot be read (another version has other bounds) is skipped with a warning.
        """
        here = self.origins or {}
        fresh = {name: (value, origin) for name, value, origin in stored if name not in here}
        known: dict[str, Any] = {}
        for name, (value, _) in list(fresh.items()):
            if name in described():
                try:
                    known[name] = read(described()[name], value)
                except ConfigError as error:
                    _log.warning(_SKIPPED, error.message)
                    del fresh[name]
        if not fresh:
            return self
        tuned = {name: value for name, (value, _) in fresh.items() if name not in known}
        origins = {**here, **{name: origin for name, (_, origin) in fresh.items()}}
        return replace(self, **known, tuned={**self.tuned, **tuned}, origins=origins)


@cache
def described() -> Mapping[str, Setting[Any]]:
    """Return the setting behind each field of ``Settings``, in their order."""
    return {one.name: Setting(name=one.name, **one.metadata) for one in fields(Settings) if one.metadata}


def _default(setting: Setting[_T]) -> _T:
    return _value(setting, setting.default)


def _value(setting: Setting[_T], value: Any) -> _T:
    """Read a value; None is one where it is the default."""
    return setting.default if value is None and setting.default is None else read(setting, value)


def load(settings: Settings | None, values: Mapping[str, Any]) -> Settings:
    """Return ``settings``, or those of the environment, with the ``values`` ones put in their place.

    Raises:
        ConfigError: naming the variable that is wrong.
    """
    if "database_url" in values:  # its other addresses are not those of this server
        values = {"direct_url": None, "directory_url": None, "read_urls": None, **values}
    return Settings(**values) if settings is None else replace(settings, **values)


def read(setting: Setting[_T], value: Any) -> _T:
    """Read the value of a setting from ``value``.

    Raises:
        ConfigError: it cannot be taken; names the variable and what it can be.
    """
    try:
        return setting.form.read(value)
    except ValueError as error:
        raise ConfigError(f"{setting.variable} {error}.", hint=_LIST) from None
