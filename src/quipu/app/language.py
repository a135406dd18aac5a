"""Choosing a language model: found, tried on a sample, kept for the whole database or given up again."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from quipu.app.kinds import PACKAGES
from quipu.app.memory import AsyncMemory
from quipu.errors import BadInput, ConfigError, LanguageFailed
from quipu.kernel.base.clock import Clock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.language.budget import DailyBudget, Spent, spent
from quipu.kernel.language.choose import keyed, named
from quipu.kernel.language.endpoint import Endpoint, is_web_address
from quipu.kernel.language.remote import RemoteLanguage
from quipu.kernel.language.servers import KNOWN, Found, Reach, Server, find, reach, running
from quipu.kernel.policy.policy import policy
from quipu.kinds.longterm.estimate import Estimate, Unevaluated, estimated, unevaluated
from quipu.kinds.longterm.evaluation.remote import RemoteEvaluator
from quipu.kinds.longterm.model import Evaluation
from quipu.kinds.longterm.sati import SatiEvaluationInput, SatiTurn
from quipu.kinds.longterm.settings import EVALUATOR
from quipu.upkeep.settings.settings import keep_after_trial

SAMPLE: Final = SatiEvaluationInput(
    recent_conversation=(
        SatiTurn(
            role="user",
            content="I'm Mara. I moved from Porto to Bergen in May, and I'm allergic to peanuts.",
        ),
        SatiTurn(role="assistant", content="Welcome to Bergen! What do you do there?"),
        SatiTurn(
            role="user",
            content="I'm a nurse at the harbour clinic. My sister Ines lives in Oslo. "
            "How would I say 'I hate fish' in Norwegian?",
        ),
    )
)
"""An exchange that nobody had, on which a model is tried."""

_LOADING_SECONDS: Final = 300.0
"""Longest time for the first answer: a server may have to load the model."""

_KEPT: Final = ("llm_base_url", "llm_model", "llm_dialect", "llm_form", "llm_key_env", EVALUATOR.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A model at a server; ``key_variable`` holds its key if that is not QUIPU_LLM_API_KEY."""

    endpoint: Endpoint
    key_variable: str | None = None

    @property
    def leaves(self) -> bool:
        """True if texts leave this machine for it."""
        host = urlsplit(self.endpoint.url).hostname or ""
        try:
            return not ip_address(host).is_loopback
        except ValueError:
            return host != "localhost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The sample as the model would keep it and as the rules would; the model took ``seconds`` for it."""

    chosen: Chosen
    by_model: Evaluation
    by_rules: Evaluation
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The model that is named, if one is, and its tokens of today. ``trouble`` is why it is not reached."""

    endpoint: Endpoint | None
    origin: str
    evaluator: str
    reached: Reach | None
    trouble: LanguageFailed | None
    spent: Sequence[Spent]
    daily_tokens: int


async def choose(
    server: str | None,
    *,
    base_url: str | None,
    model: str | None,
    key_variable: str | None,
    settings: Settings,
) -> Chosen:
    """Return a model that is there: at a server by its name or address, or at the only one that runs here.

    Raises:
        BadInput: there is no such server or model, or it is not clear which is meant.
        ConfigError: the key is not set.
        LanguageFailed: nobody answers.
        MissingExtra: the SDK is not installed.
    """
    if server is None and base_url is None:
        server, found = _only(await running({name: one for name, one in KNOWN.items() if one.local}))
        return Chosen(endpoint=replace(found.endpoint, model=_model(found, model, server)))
    known = _server(server, base_url)
    key, variable = _key(known, key_variable, settings)
    asked = Endpoint("", known.url, key, known.speaks)
    try:
        found = await find(asked)
    except LanguageFailed as error:
        if hasattr(error.__cause__, "status_code"):
            raise
        hint = "Is a server running there, and does this machine reach it?"
        if known.start:
            hint = f"Start it (`{known.start}`), or say where it is: quipu llm use {server} --base-url URL"
        raise LanguageFailed(error.message, hint=hint) from error
    return Chosen(
        endpoint=replace(found.endpoint, model=_model(found, model, server or known.url)),
        key_variable=variable,
    )


async def try_on_sample(url: str, settings: Settings, chosen: Chosen, *, clock: Clock) -> Trial:
    """Find out how the server is asked, and evaluate the sample by the model and by the rules.

    Raises:
        LanguageFailed: the model gives no answer that fits.
        BudgetSpent: the tokens of the day are used up.
    """
    async with Database.open(url, settings, packages=PACKAGES) as database:
        stands = await database.settings()
        budget, answer_tokens = DailyBudget(database, clock=clock), stands.llm_answer_tokens
        first = RemoteLanguage(
            replace(chosen.endpoint, form="json_schema"),
            budget=budget,
            timeout_seconds=max(stands.llm_timeout_seconds, _LOADING_SECONDS),
            answer_tokens=answer_tokens,
        )
        async with first:
            endpoint = replace(chosen.endpoint, form=await first.find_form())
        language = RemoteLanguage(
            endpoint,
            budget=budget,
            timeout_seconds=stands.llm_timeout_seconds,
            answer_tokens=answer_tokens,
        )
        async with language:
            evaluator = RemoteEvaluator(language, policy=policy(stands.policy))
            began = time.monotonic()
            by_model = await evaluator.evaluate(SAMPLE)
            seconds = time.monotonic() - began
    async with AsyncMemory(settings=replace(settings, database_url=url)) as memory:
        by_rules = await memory.longterm.evaluate(SAMPLE, evaluator="rules")
    return Trial(
        chosen=replace(chosen, endpoint=endpoint), by_model=by_model, by_rules=by_rules, seconds=seconds
    )


async def keep(url: str, settings: Settings, chosen: Chosen | None, *, clock: Clock) -> None:
    """Keep a model for the whole database, to evaluate sessions too; None gives up the one that is kept."""
    values: dict[str, str | None] = dict.fromkeys(_KEPT)
    if chosen is not None:
        endpoint = chosen.endpoint
        values |= {
            "llm_base_url": endpoint.url,
            "llm_model": endpoint.model,
            "llm_dialect": endpoint.speaks,
            "llm_form": endpoint.form,
            "llm_key_env": chosen.key_variable,
            EVALUATOR.name: "llm",
        }
    async with Database.open(url, settings, packages=PACKAGES) as database:
        await keep_after_trial(database, values, clock=clock)


async def status(url: str, settings: Settings, *, clock: Clock) -> Status:
    """Return the model that is named, whether it can be reached, and what it used today.

    Raises:
        ConfigError: only part of what is needed is set.
        MissingExtra: the SDK is not installed.
    """
    async with Database.open(url, settings, packages=PACKAGES) as database:
        stands = await database.settings()
        async with database.unscoped() as conn:
            today = await spent(conn, clock.now().date())
    endpoint, reached, trouble = named(stands), None, None
    if endpoint is not None:
        try:
            reached = await reach(endpoint)
        except LanguageFailed as error:
            trouble = error
    return Status(
        endpoint=endpoint,
        origin=stands.origin("llm_base_url"),
        evaluator=stands.of(EVALUATOR),
        reached=reached,
        trouble=trouble,
        spent=today,
        daily_tokens=stands.llm_daily_tokens,
    )


async def estimate(url: str, settings: Settings, *, space: str | None) -> tuple[Estimate, int]:
    """Count the exchanges the named model has not evaluated, in a space or in all, and the tokens of a day.

    Where none is named, it is everything.
    """
    async with Database.open(url, settings, packages=PACKAGES) as database:
        stands = await database.settings()
        endpoint = named(stands)
        evaluator = "" if endpoint is None else f"llm:{endpoint.name}"
        spaces = [one.name for one in await database.spaces()] if space is None else [space]
        waiting: list[Unevaluated] = []
        for name in spaces:
            waiting += await unevaluated(database, name, evaluator=evaluator)
    return estimated(waiting), stands.llm_daily_tokens


def _only(found: Mapping[str, Found]) -> tuple[str, Found]:
    """Return the one server that runs.

    Raises:
        LanguageFailed: none does; all that were tried are named.
        BadInput: several do.
    """
    if len(found) > 1:
        raise BadInput(f"{', '.join(found)} all run here.", field="server", hint="Name one of them.")
    for name, one in found.items():
        return name, one
    tried = ", ".join(f"{name} at {one.url}" for name, one in KNOWN.items() if one.local)
    raise LanguageFailed(
        f"No language model runs on this machine: {tried} do not answer.",
        hint="Start one, or give an address: quipu llm use URL. Without a model the rules do the work.",
    )


def _server(name: str | None, base_url: str | None) -> Server:
    """Return a server by its name or address.

    Raises:
        BadInput: it is neither, or the address holds a password, which would be kept.
    """
    known = KNOWN.get(name or "")
    address = base_url or (known.url if known else name or "")
    if (name is not None and known is None and not is_web_address(name)) or not is_web_address(address):
        raise BadInput(
            f"{name or address!r} is no server that is known by name, and no address.",
            field="server",
            hint=f"Known are {', '.join(KNOWN)}; an address begins with http:// or https://.",
        )
    if "@" in urlsplit(address).netloc:
        raise BadInput(
            "the address holds a password, and it would be kept in the database.",
            field="server",
            hint="Put the key into the environment: QUIPU_LLM_API_KEY, or --key-env NAME.",
        )
    return replace(known or Server("", "", local=False), url=address)


def _key(server: Server, variable: str | None, settings: Settings) -> tuple[str | None, str | None]:
    """Return the key and the variable that holds it, if that is not QUIPU_LLM_API_KEY.

    Raises:
        ConfigError: it is not set.
    """
    if variable is not None:
        return keyed(settings, variable), variable
    if settings.llm_api_key is not None:
        return settings.llm_api_key.reveal(), None
    if server.key is None:
        return None, None
    if server.key in os.environ:
        return keyed(settings, server.key), server.key
    raise ConfigError(
        f"The key is not set: neither QUIPU_LLM_API_KEY nor {server.key}.",
        hint="Set one of them, or name the variable that holds it: --key-env NAME",
    )


def _model(found: Found, wanted: str | None, server: str) -> str:
    """Return the model that is wanted, or the only one.

    Raises:
        BadInput: there is no such model, none, or more than one.
    """
    there = found.talkers
    names = ", ".join(there)
    if wanted is not None:
        if found.models is None or {wanted, f"{wanted}:latest"} & set(found.models):
            return wanted
        raise BadInput(
            f"{server} has no model {wanted!r}.", field="model", hint=f"It has {names}." if names else None
        )
    if len(there) == 1:
        return there[0]
    if there:
        raise BadInput(f"{server} has several models: {names}.", field="model", hint="Name one: --model NAME")
    none = "does not list its models" if found.models is None else "has no model that answers"
    raise BadInput(f"{server} {none}.", field="model", hint="Name one that it can load: --model NAME")
