"""Measure a language model beside the rules: what is kept of conversations, for how many tokens, how quickly.

    python bench/with_model.py                          each labelled conversation, by both
    python bench/with_model.py --set tune --only life-  only these
    python bench/with_model.py --tokens 200000          stop asking after so many tokens

The model is the one that QUIPU_LLM_BASE_URL and QUIPU_LLM_MODEL name, else the one that `quipu llm use`
keeps in the memory of QUIPU_HOME or QUIPU_DATABASE_URL. Each conversation of bench/derived is observed, and a
worker derives what it can, once by the rules alone and once with the model, in fresh memories; statements and
facts are counted as bench/derived.py counts them. Nobody has judged what a model keeps: what has neither the
words of a fact nor those of a trap is not judged. Without a model nothing is measured: exit code 2.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import anyio
from rich.console import Console
from rich.table import Table

from derived import _SETS, Tally, _conversations, _judged, _kept, _table, _tallied
from quipu import Memory
from quipu.app import language
from quipu.interfaces.cli.memory import address
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.language.choose import named
from quipu.kernel.language.endpoint import Endpoint
from quipu.kinds.longterm.settings import EVALUATOR

_NO_MODEL: Final = (
    "No language model is named, so nothing was measured: quipu llm use, or set QUIPU_LLM_BASE_URL and "
    "QUIPU_LLM_MODEL."
)
By = Literal["rules", "llm"]
_BOTH: Final[tuple[By, ...]] = ("rules", "llm")


@dataclass(frozen=True, slots=True)
class Measured:
    """A conversation as one of the two kept it; ``given_up`` counts jobs that the model could not do."""

    tally: Tally
    tokens: int
    seconds_per_exchange: float
    given_up: int

    def row(self) -> list[str]:
        """Return the cells of a line: those of the tally, tokens, seconds an exchange, jobs given up."""
        return [*self.tally.row(), f"{self.tokens:,}", f"{self.seconds_per_exchange:.2f}", str(self.given_up)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bench/with_model.py", description=__doc__)
    parser.add_argument("--set", choices=_SETS, help="only the conversations of this set")
    parser.add_argument("--only", help="only conversations whose name begins so")
    parser.add_argument("--tokens", type=int, default=1_000_000, help="ask no more after so many tokens")
    options = parser.parse_args(arguments)
    endpoint = anyio.run(_model)
    if endpoint is None:
        print(_NO_MODEL)
        return 2
    paths = _conversations(options.set, options.only)
    judged = _judged()
    table = _columns(endpoint)
    for path in paths:
        labelled = json.loads(path.read_text("utf-8"))
        verdicts = judged.get(path.stem, {})
        for by in _BOTH:
            measured = _measured(by, endpoint, path.stem, labelled, verdicts, tokens=options.tokens)
            first = (path.parent.name, path.stem) if by == "rules" else ("", "")
            table.add_row(*first, "the rules" if by == "rules" else endpoint.model, *measured.row())
    Console(width=150).print(table)
    return 0


def _columns(endpoint: Endpoint) -> Table:
    table = _table()
    table.title = f"What is kept of conversations, by the rules and by {endpoint.model}"
    for name in ("tokens", "s an exchange", "given up"):
        table.add_column(name, justify="right")
    return table


async def _model() -> Endpoint | None:
    """Return the model of the environment, else the one that the memory there keeps."""
    settings = Settings()
    if (of_environment := named(settings)) is not None:
        return of_environment
    if settings.database_url is None and embedded.status(settings).state not in ("running", "stopped"):
        return None
    async with address(settings) as url:
        return (await language.status(url, settings, clock=SystemClock())).endpoint


def _measured(
    by: By,
    endpoint: Endpoint,
    name: str,
    labelled: Mapping[str, Any],
    verdicts: Mapping[str, str],
    *,
    tokens: int,
) -> Measured:
    with tempfile.TemporaryDirectory() as home:
        settings = _settings(by, endpoint, Path(home), tokens=tokens)
        with Memory(settings=settings) as memory:
            began = time.monotonic()
            kept = _kept(memory, name, labelled, extractor=by)
            seconds = time.monotonic() - began
            given_up = sum(one.dead for one in memory.queue.status().topics)
            used = anyio.run(_used, settings)
    exchanges = sum(
        message["role"] == "user" for session in labelled["sessions"] for message in session["messages"]
    )
    tally, _ = _tallied(labelled, kept, verdicts)
    return Measured(tally, used, seconds / max(1, exchanges), given_up)


def _settings(by: By, endpoint: Endpoint, home: Path, *, tokens: int) -> Settings:
    """Return the settings of a fresh memory, with the model or without one."""
    asks = by == "llm"
    return Settings(
        home=home,
        database_url=None,
        llm_base_url=endpoint.url if asks else None,
        llm_model=endpoint.model if asks else None,
        llm_api_key=endpoint.key if asks else None,  # pyright: ignore[reportArgumentType]
        llm_key_env=None,
        llm_dialect=endpoint.speaks,
        llm_form=endpoint.form,
        llm_daily_tokens=tokens,
        job_tries=2,
        job_retry_seconds=0,
        tuned={EVALUATOR.name: by},
    )


async def _used(settings: Settings) -> int:
    async with address(settings) as url:
        status = await language.status(url, settings, clock=SystemClock())
    return sum(one.tokens for one in status.spent)


if __name__ == "__main__":
    sys.exit(main())
