"""``quipu llm``: the language model that reads conversations, if one is to do that instead of the rules."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import anyio
import click
from rich.text import Text

from quipu.app import language
from quipu.app.language import SAMPLE, Chosen, Status, Trial
from quipu.errors import LanguageFailed
from quipu.interfaces.cli.call import Call, common, in_one_space
from quipu.interfaces.cli.memory import address, settings_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import llm as views
from quipu.interfaces.problems import exit_code
from quipu.kernel.base.clock import SystemClock
from quipu.kernel.config import Settings
from quipu.kinds.longterm.estimate import Estimate
from quipu.kinds.longterm.model import Evaluation

_EXAMPLES = """\b
Examples:
  quipu llm use                              # what runs on this machine
  quipu llm use ollama --model llama3.2
  quipu llm use openai --model gpt-5-mini --yes
  quipu llm use http://gpu:8000/v1 --yes
  quipu llm estimate --input-price 0.25 --output-price 2
"""
_USE_EXPLAINED = "Without it, what sends texts to another machine is only tried."


@click.group("llm", no_args_is_help=False, epilog=_EXAMPLES)
def command() -> None:
    """Choose a language model to read conversations in place of the rules. None is needed.

    Recall never asks one.
    """


@command.command("use", short_help="Find a model, try it on a sample, and use it from now on.")
@click.argument("server", required=False, metavar="[SERVER]")
@click.option("--model", metavar="NAME", help="Its name there; the only one if not given.")
@click.option("--base-url", metavar="URL", help="Where the server is, if not where it usually is.")
@click.option("--key-env", metavar="NAME", help="The variable of the environment that holds the key.")
@click.option("--yes", is_flag=True, help=f"Use it in any case. {_USE_EXPLAINED}")
@common
def use(
    call: Call,
    server: str | None,
    model: str | None,
    base_url: str | None,
    key_env: str | None,
    yes: bool,
) -> None:
    """Find a model, show what it would keep of a sample beside what the rules keep, and use it from now on.

    SERVER is ollama, lmstudio, llamacpp, vllm, openai, anthropic-compatible, or the URL of a server that
    speaks as OpenAI's; without one, what runs on this machine is looked for. The sample is made up: nothing
    of yours is sent before the model is used. The database keeps the model, for every process that uses it.
    The key stays in the environment: QUIPU_LLM_API_KEY, or the variable that --key-env names.
    """
    settings, screen = settings_of(call), Screen(call)
    with screen.busy("Trying the model on a sample"):
        trial, obstacle = anyio.run(_use, settings, server, model, base_url, key_env, yes)
    written = obstacle is None
    document = _trial(trial) | {"written": written, "obstacle": obstacle}
    screen.answer(document, views.trial(trial, SAMPLE), Text(obstacle or _kept(trial.chosen)))
    if not written:
        screen.note("Use it all the same: the same command with --yes")
        return
    if settings.origin("llm_base_url") in ("argument", "environment"):
        screen.note("QUIPU_LLM_BASE_URL comes before it here: unset it to use what is kept.")
    screen.note("What earlier conversations would cost: quipu llm estimate. To go back: quipu llm off")


async def _use(
    settings: Settings,
    server: str | None,
    model: str | None,
    base_url: str | None,
    key_variable: str | None,
    yes: bool,
) -> tuple[Trial, str | None]:
    """Return the trial, and why the model is not used if it is not."""
    clock = SystemClock()
    chosen = await language.choose(
        server, base_url=base_url, model=model, key_variable=key_variable, settings=settings
    )
    async with address(settings) as url:
        trial = await language.try_on_sample(url, settings, chosen, clock=clock)
        obstacle = None if yes else _obstacle(trial)
        if obstacle is None:
            await language.keep(url, settings, trial.chosen, clock=clock)
    return trial, obstacle


def _obstacle(trial: Trial) -> str | None:
    if trial.chosen.leaves:
        return f"Not used yet: texts would leave this machine for {trial.chosen.endpoint.shown}."
    return "Not used yet: it keeps nothing of the sample." if trial.by_model.empty else None


def _kept(chosen: Chosen) -> str:
    words = f"{chosen.endpoint.model} reads conversations from now on, in every process of this database."
    if chosen.endpoint.key is None:
        return words
    return f"{words} Each of them needs {chosen.key_variable or 'QUIPU_LLM_API_KEY'} in its environment."


@command.command("status", short_help="Show which model is used, for what, and whether it is there.")
@common
def status(call: Call) -> int:
    """Show the model in use, its tasks, whether it is there, and the tokens it used today.

    It is asked nothing. Exit code 8 if it cannot be reached.
    """
    found = anyio.run(_status, settings_of(call))
    Screen(call).answer(_state(found), views.status(found))
    return 0 if found.trouble is None else exit_code(LanguageFailed)


async def _status(settings: Settings) -> Status:
    async with address(settings) as url:
        return await language.status(url, settings, clock=SystemClock())


@command.command("off", short_help="Go back to the rules.")
@common
def off(call: Call) -> None:
    """Go back to the rules. What the model wrote stays; spaces with an evaluator of their own keep that."""
    settings, screen = settings_of(call), Screen(call)
    anyio.run(_off, settings)
    own = settings.llm_base_url is not None
    screen.answer(
        {"off": True, "named_by_environment": own}, Text("The rules read conversations from now on.")
    )
    if own:
        screen.note("QUIPU_LLM_BASE_URL still names a model in this environment: unset it, too.")


async def _off(settings: Settings) -> None:
    async with address(settings) as url:
        await language.keep(url, settings, None, clock=SystemClock())


@command.command("estimate", short_help="Show what it takes to evaluate what was not evaluated.")
@in_one_space("Only of this space; of all if not given.")
@click.option(
    "--input-price", type=click.FloatRange(min=0), metavar="PRICE", help="Of a million tokens read."
)
@click.option(
    "--output-price", type=click.FloatRange(min=0), metavar="PRICE", help="Of a million tokens written."
)
@common
def estimate(call: Call, space: str | None, input_price: float | None, output_price: float | None) -> None:
    """Estimate the tokens it takes to evaluate the exchanges that the model has not read.

    Nothing is asked. Models that think before they answer write more than is estimated.
    """
    found, daily_tokens = anyio.run(_estimate, settings_of(call), space)
    cost = None
    if input_price is not None or output_price is not None:
        cost = found.cost(input_price=input_price or 0, output_price=output_price or 0)
    screen = Screen(call)
    screen.answer(
        {**asdict(found), "daily_tokens": daily_tokens, "cost": cost},
        views.estimate(found, daily_tokens, cost),
    )
    if found.exchanges:
        screen.note("Evaluate a session: quipu longterm evaluate-session SESSION --evaluator llm")


async def _estimate(settings: Settings, space: str | None) -> tuple[Estimate, int]:
    async with address(settings) as url:
        return await language.estimate(url, settings, space=space)


def _model(chosen: Chosen) -> dict[str, Any]:
    """Return a model without its key."""
    one = chosen.endpoint
    shown = {"url": one.shown, "model": one.model, "dialect": one.speaks, "form": one.form}
    return {**shown, "key_variable": chosen.key_variable, "leaves_this_machine": chosen.leaves}


def _trial(trial: Trial) -> dict[str, Any]:
    sample = [{"role": one.role, "content": one.content} for one in SAMPLE.recent_conversation]
    return {
        **_model(trial.chosen),
        "sample": sample,
        "by_model": _inclusions(trial.by_model),
        "by_rules": _inclusions(trial.by_rules),
        "dropped": trial.by_model.dropped,
        "seconds": round(trial.seconds, 3),
    }


def _inclusions(evaluation: Evaluation) -> list[dict[str, Any]]:
    return [
        {"category": one.category, "importance": one.importance, "summary": one.summary}
        for one in evaluation.inclusions
    ]


def _state(found: Status) -> dict[str, Any]:
    named = None if found.endpoint is None else _model(Chosen(endpoint=found.endpoint))
    if named is not None:
        named |= {
            "named_by": found.origin,
            "has_key": found.endpoint is not None and bool(found.endpoint.key),
        }
    return {
        "model": named,
        "reached": found.reached,
        "trouble": None if found.trouble is None else found.trouble.message,
        "longterm_evaluator": found.evaluator,
        "uses": views.uses(found),
        "tokens_today": sum(one.tokens for one in found.spent),
        "daily_tokens": found.daily_tokens,
        "by_purpose": {one.purpose: one.tokens for one in found.spent},
    }
