"""``quipu doctor``: how everything is, and what to do about what is not well."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

import anyio
import click
from anyio import to_thread
from rich.table import Table
from rich.text import Text

from quipu import AsyncMemory
from quipu.app.kinds import PACKAGES
from quipu.app.queue import AsyncQueue
from quipu.errors import QuipuError
from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.memory import DIRECTORY, address, each_database, owned, settings_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.text import count, day_and_time, size, visible
from quipu.interfaces.middleware.journal import Trouble, troubles
from quipu.interfaces.middleware.model import Part
from quipu.interfaces.problems import exit_code
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Database, stored_settings
from quipu.kernel.db.doctor import Finding, examine
from quipu.kernel.db.migrate import pending
from quipu.kernel.db.standbys import lags
from quipu.kernel.embedding.choose import choose
from quipu.kernel.embedding.embedder import LocalEmbedder
from quipu.kernel.language.budget import spent
from quipu.kernel.language.choose import named
from quipu.kernel.language.servers import reach
from quipu.kernel.rerank.choose import choose as choose_reranker
from quipu.kernel.rerank.local import LocalReranker
from quipu.kernel.rerank.trial import tried
from quipu.kinds.longterm.evaluation.jobs import EVALUATE
from quipu.kinds.tables.culprits import Culprit, culprits
from quipu.record.corrections.model import CorrectedKind, RuleCount
from quipu.upkeep import consistency
from quipu.upkeep.health import Health

_MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}


# What has another way out than the rest of what does not fit together.
_MENDED_BY_REEMBED = {"entries_without_vector"}
_REEMBED = "Make all vectors again, by another model and back: quipu reembed --model hashing; quipu reembed"
# Without --deep what agents' indexes compute is tried for so many pages of each table.
_COMPUTED_PAGES = 100
_COMPUTING_SECONDS = 2.0
_TAKE_IN_AGAIN = (
    "Keep a copy (pg_dump), then restore a backup, or forget what is named and take it in again; "
    "and report it: this should not happen."
)


_MOST_PURPOSES: Final = 3
_NO_ANSWER: Final = "Recall keeps its own order. Check the server, QUIPU_RERANK_URL and QUIPU_RERANK_KEY."
_NO_STANDBY: Final = "The primary answers instead. Mend it, or take it out of QUIPU_READ_URLS."
_NO_RERANKER: Final = "Is it a re-ranker? Embedding models behind the same path give scores, too."
_TOO_SLOW: Final = "Recall keeps its own order. Lower QUIPU_RERANK_CANDIDATES or raise QUIPU_RERANK_SECONDS."


_FAILED: Final[dict[Part, tuple[str, str]]] = {
    "open": ("opening failed", "openings failed"),
    "before": ("recovery failed or was late", "recoveries failed or were late"),
    "after": ("failure to write a turn", "failures to write turns"),
    "evaluate": ("evaluation failed", "evaluations failed"),
}


async def failures(settings: Settings) -> AsyncIterator[Finding]:
    """Yield the failures around agents in the last day, by kind."""
    try:
        recent = troubles(settings.home, since=SystemClock().now() - timedelta(days=1))
    except OSError as error:
        yield Finding("middleware", "warn", f"its journal cannot be read: {error}")
        return
    if not recent:
        yield Finding("middleware", "ok", "no failure around an agent was noted in the last day")
        return
    reports = [_told(part, [one for one in recent if one.part == part]) for part in _FAILED]
    hint = f"Answers went on without memory. All of it: {settings.home / 'middleware.jsonl'}"
    yield Finding("middleware", "warn", "in the last day " + "; ".join(one for one in reports if one), hint)


async def evaluations(settings: Settings) -> AsyncIterator[Finding]:
    """Yield the state of evaluations: what waits, and what was given up."""
    async with address(settings) as url:
        topics = (await AsyncQueue(url, clock=SystemClock(), settings=settings).status()).topics
    of_it = next(one for one in topics if one.topic == EVALUATE)
    waiting = count(of_it.waiting + of_it.later + of_it.handed_over, "conversation")
    if of_it.dead:
        summary = f"{count(of_it.dead, 'evaluation')} given up after failed tries; {waiting} to be evaluated"
        yield Finding("evaluation", "warn", summary, f"To see why: quipu queue dead --topic {EVALUATE}")
        return
    yield Finding("evaluation", "ok", f"none was given up; {waiting} to be evaluated")


async def corrections(memory: AsyncMemory) -> AsyncIterator[Finding]:
    """Yield the rules of which many statements were marked as wrong, in all spaces together."""
    wrong = await often_wrong(memory)
    if not wrong:
        yield Finding("corrections", "ok", "no rule is often corrected")
    for one in wrong:
        detail = f"{one.kind} rule `{one.rule}`: {one.wrong} of {one.statements} statements were marked wrong"
        hint = f"To see them: quipu corrections list --kind {one.kind} --rule {one.rule!r}"
        yield Finding("corrections", "warn", detail, hint)


async def often_wrong(memory: AsyncMemory) -> list[RuleCount]:
    """Return the rules that are often corrected, the most corrected first."""
    total: dict[tuple[CorrectedKind, str], RuleCount] = {}
    for space in await memory.space_names():
        for one in await memory.corrections.counts(space=space):
            known = total.get((one.kind, one.rule))
            total[one.kind, one.rule] = one if known is None else known + one
    return sorted((one for one in total.values() if one.is_often_wrong), key=lambda one: -one.wrong)


def _told(part: Part, recent: Sequence[Trouble]) -> str:
    if not recent:
        return ""
    last = max(recent, key=lambda one: one.at)
    number = count(sum(one.times for one in recent), *_FAILED[part])
    return f"{number}, last at {day_and_time(last.at)} ({last.trouble})"


async def model(settings: Settings) -> AsyncIterator[Finding]:
    """Yield the chosen language model, and if it can be reached; it is asked nothing.

    Raises:
        LanguageFailed: it cannot be reached.
        ConfigError: only part of what is needed is set.
        MissingExtra: the SDK is not installed.
    """
    endpoint = named(await _as_kept(settings))
    if endpoint is None:
        yield Finding("language", "ok", "rules; no language model is set, so no text leaves for one")
        return
    answer = await reach(endpoint)
    name = f"{endpoint.model} at {endpoint.shown}"
    match answer:
        case "served":
            yield Finding("language", "ok", f"{name}, which is there")
        case "unlisted":
            yield Finding("language", "ok", f"{name}, which answers and does not list its models")
        case "not served":
            yield Finding("language", "warn", f"{name}, which does not list it", "Check QUIPU_LLM_MODEL.")


async def _as_kept(settings: Settings) -> Settings:
    """Return the settings over those of the database, if it answers; it has a finding of its own."""
    if settings.database_url is None and embedded.status(settings).state != "running":
        return settings
    try:
        async with owned(settings) as conn:
            return settings if await pending(conn, PACKAGES) else settings.over(await stored_settings(conn))
    except QuipuError:
        return settings


async def spending(settings: Settings) -> AsyncIterator[Finding]:
    """Yield the share of today's tokens that is used, and by what most; nothing if no model is set."""
    async with owned(settings) as conn:
        stands = settings.over(await stored_settings(conn))
        purposes = await spent(conn, SystemClock().now().date())
    if stands.llm_model is None:
        return
    most = stands.llm_daily_tokens
    tokens = sum(one.tokens for one in purposes)
    requests = count(sum(one.requests for one in purposes), "request")
    summary = f"{tokens:,} of {most:,} tokens used today (UTC), {requests}"
    for one in sorted(purposes, key=lambda one: -one.tokens)[:_MOST_PURPOSES]:
        summary += f"; {one.purpose} {one.tokens:,}"
    if tokens < most:
        yield Finding("tokens", "ok", summary)
    else:
        yield Finding("tokens", "warn", summary, "Raise llm_daily_tokens: quipu settings.")


@click.command()
@click.option("--deep", is_flag=True, help="Read all that is stored: 20 s for 100,000 memories.")
@common
def command(call: Call, deep: bool) -> int:
    """Explain the state of everything. It never starts, changes or repairs anything.

    What is inside the database is looked at if its server runs; with --deep everything in it is read and
    checked against everything else. Exit code 0 if all is well or only worth a warning, else that of what
    failed: 5 for the database, 6 for the embedding model, 8 for the language model.
    """
    screen = Screen(call)
    with screen.busy("Reading everything" if deep else "Looking"):
        findings, code = anyio.run(_look, settings_of(call), deep)
    screen.answer({"findings": findings}, *_shown(findings))
    return code


async def _look(settings: Settings, deep: bool) -> tuple[list[Finding], int]:
    if settings.directory_url is None:
        return await _look_at(settings, _looks(settings, deep=deep))
    findings: list[Finding] = []
    code = 0
    try:
        async for name, one in each_database(settings):
            looks = _looks(one, deep=deep) if name == DIRECTORY else [("memory", _memory(one, deep=deep))]
            found, failed = await _look_at(one, looks)
            findings += (replace(finding, name=f"{name}: {finding.name}") for finding in found)
            code = code or failed
    except QuipuError as error:
        findings.append(Finding(DIRECTORY, "fail", error.message, error.hint or ""))
        code = code or exit_code(type(error))
    return findings, code


async def _look_at(
    settings: Settings, looks: Iterable[tuple[str, AsyncIterator[Finding]]]
) -> tuple[list[Finding], int]:
    findings = await examine(settings)
    codes = [5 for one in findings if one.state == "fail"]
    for name, look in looks:
        try:
            async for finding in look:
                findings.append(finding)
                codes += [5] if finding.state == "fail" else []
        except QuipuError as error:
            findings.append(Finding(name, "fail", error.message, error.hint or ""))
            codes.append(exit_code(type(error)))
    return findings, codes[0] if codes else 0


def _looks(settings: Settings, *, deep: bool) -> Iterator[tuple[str, AsyncIterator[Finding]]]:
    yield "model", _model(settings)
    yield "rerank", _rerank(settings)
    yield "language", model(settings)
    yield "middleware", failures(settings)
    if settings.read_urls is not None:
        yield "standbys", _standbys(settings)
    yield "memory", _memory(settings, deep=deep)


async def _model(settings: Settings) -> AsyncIterator[Finding]:
    embedder = choose(settings)
    try:
        if isinstance(embedder, LocalEmbedder):
            await to_thread.run_sync(embedder.verify)
    finally:
        await embedder.aclose()
    whole = "; its files are whole" if isinstance(embedder, LocalEmbedder) else ""
    yield Finding("model", "ok", f"{embedder.name}, {embedder.dimensions} dimensions{whole}")


async def _model_in_use(settings: Settings, health: Health) -> Finding:
    """Look at the model of a database that has another one than the settings say."""
    used = replace(settings, embedding_model=health.model, embedding_dimensions=health.dimensions)
    try:
        (findings,) = [one async for one in _model(used)]
    except QuipuError as error:
        return Finding("model in use", "fail", error.message, error.hint or "")
    return replace(findings, name="model in use")


async def _rerank(settings: Settings) -> AsyncIterator[Finding]:
    """Yield if the re-ranker answers, how fast, and if it tells an answer from something else."""
    reranker = choose_reranker(settings)
    if reranker is None:
        yield Finding("rerank", "ok", "none is set; recall has its own order")
        return
    try:
        if isinstance(reranker, LocalReranker):
            await to_thread.run_sync(reranker.verify)
        trial = await tried(reranker, texts=settings.rerank_candidates)
    finally:
        await reranker.aclose()
    if trial.failure:
        yield Finding("rerank", "warn", f"{reranker.name} {trial.failure}", _NO_ANSWER)
        return
    texts = f"{settings.rerank_candidates} texts in {trial.seconds * 1000:.0f} ms"
    if not trial.is_right:
        yield Finding(
            "rerank", "warn", f"{reranker.name}, {texts}, but not the right one first", _NO_RERANKER
        )
    elif trial.seconds > settings.rerank_seconds:
        yield Finding("rerank", "warn", f"{reranker.name}, {texts}: that is too slow", _TOO_SLOW)
    else:
        yield Finding("rerank", "ok", f"{reranker.name}, {texts}")


async def _standbys(settings: Settings) -> AsyncIterator[Finding]:
    """Yield of each standby that is to be read by how much it is behind, or why it is not read."""
    async with owned(settings) as conn:
        found = await lags(conn, settings)
    for one in found:
        if one.fault is not None:
            yield Finding("standby", "warn", f"{one.name} is not read: {one.fault}", _NO_STANDBY)
        elif not one.behind_bytes:
            yield Finding("standby", "ok", f"{one.name} has all that is written")
        else:
            age = "" if one.seconds is None else f"; its latest transaction is {one.seconds:.1f} s old"
            yield Finding("standby", "ok", f"{one.name} is {one.behind_bytes:,} bytes behind{age}")


async def _memory(settings: Settings, *, deep: bool) -> AsyncIterator[Finding]:
    if settings.database_url is None and embedded.status(settings).state != "running":
        yield Finding(
            "memory", "ok", "not looked into, because the server does not run", "To see it: quipu db start"
        )
        return
    async with owned(settings) as conn:
        waiting = await pending(conn, PACKAGES)
    if waiting:
        yield Finding("schema", "warn", f"{count(len(waiting), 'migration')} to be applied", "quipu migrate")
        return
    yield Finding("schema", "ok", "up to date")
    async with AsyncMemory(settings=settings) as memory:
        health = await memory.health()
        corrected = [finding async for finding in corrections(memory)]
    for finding in (*_of_health(health), *corrected):
        yield finding
    if health.model not in ("", settings.embedding_model):
        yield await _model_in_use(settings, health)
    async for finding in spending(settings):
        yield finding
    async for finding in evaluations(settings):
        yield finding
    async with (
        address(settings) as url,
        Database.open(url, settings, packages=PACKAGES) as database,
    ):
        if not deep:
            yield Finding("contents", "ok", "not read through", "To have it read: quipu doctor --deep")
            slow = await culprits(database, seconds=_COMPUTING_SECONDS, pages=_COMPUTED_PAGES)
        else:
            for finding in _of_contents(await consistency.examine(database)):
                yield finding
            slow = await culprits(database, seconds=settings.statement_seconds or 3600)
    for culprit in slow:
        yield _of_culprit(culprit)


def _of_culprit(culprit: Culprit) -> Finding:
    detail = (
        f"space {culprit.space!r}: the {culprit.kind} {culprit.name} ({culprit.expression}) of"
        f" {culprit.table} cannot be computed: {culprit.why}"
    )
    return Finding(
        "maintenance",
        "warn",
        detail,
        "It stops ANALYZE and VACUUM FULL of the whole database; Quipu's own maintenance goes on. Repair its"
        f' function, or drop it: quipu tables execute "drop {culprit.kind} {culprit.name}" --space'
        f" {culprit.space} --schema {culprit.schema} --yes. Until then name the tables when you run these.",
    )


def _of_contents(faults: Sequence[consistency.Fault]) -> Iterator[Finding]:
    if not faults:
        yield Finding("contents", "ok", "all that is stored fits together")
    for fault in faults:
        some = ", ".join(fault.found[:3]) + (", …" if len(fault.found) > 3 else "")
        detail = f"space {fault.space!r}: {fault.rule.replace('_', ' ')} ({some})"
        hint = _REEMBED if fault.rule in _MENDED_BY_REEMBED else _TAKE_IN_AGAIN
        yield Finding("contents", "fail", detail, hint)


def _of_health(health: Health) -> Iterator[Finding]:
    extensions = f"pgvector {health.pgvector}; PostGIS {'is' if health.postgis else 'is not'} there"
    yield Finding("server version", "ok", f"PostgreSQL {health.server_version}, {extensions}")
    held = f"{count(health.entries, 'memory', 'memories')} in {count(health.spaces, 'space')}"
    yield Finding("memory", "ok", f"{held}, {size(health.size_bytes)}")
    if health.model != health.wanted_model:
        detail = f"recall uses {health.model}, the settings name {health.wanted_model}"
        yield Finding("vectors", "warn", detail, "Make the vectors of the new model: quipu reembed")
    else:
        yield Finding("vectors", "ok", f"all of {health.model}")


def _shown(findings: Sequence[Finding]) -> list[Table | Text]:
    table = Table.grid(padding=(0, 2))
    for one in findings:
        mark, colour = _MARKS[one.state]
        detail = Text(visible(one.detail))
        if one.hint:
            detail.append(f"\n{visible(one.hint)}", "dim")
        table.add_row(Text(mark, style=colour), one.name, detail)
    bad = sum(one.state == "fail" for one in findings)
    warned = sum(one.state == "warn" for one in findings)
    if not bad and not warned:
        return [table, Text("\nAll is well.", style="green")]
    return [table, Text(f"\n{count(bad, 'failure')}, {count(warned, 'warning')}.")]
