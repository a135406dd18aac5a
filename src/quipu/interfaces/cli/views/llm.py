"""A language model as people read of it: tried on a sample, in use, and what it would cost."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from quipu.app.language import Status, Trial
from quipu.interfaces.cli.views.layout import named_values
from quipu.interfaces.cli.views.text import count, visible
from quipu.kinds.longterm.estimate import Estimate
from quipu.kinds.longterm.model import Evaluation
from quipu.kinds.longterm.sati import SatiEvaluationInput

_FORMS = {
    "json_schema": "held to a JSON schema",
    "tools": "as the call of a tool",
    "plain": "as plain JSON, checked here",
    None: "not found out",
}
_REACHED = {
    "served": "yes, it is there",
    "not served": "the server answers and does not list it",
    "unlisted": "the server answers and does not list its models",
    None: "no",
}
_FROM = {
    "argument": "the program",
    "environment": "the environment",
    "database": "the database, by quipu llm use",
    "default": "nobody",
}


def trial(tried: Trial, sample: SatiEvaluationInput) -> RenderableType:
    """Show a sample, and what the rules and the model would keep of it."""
    endpoint = tried.chosen.endpoint
    rows = {
        "model": f"{endpoint.model} at {endpoint.shown}",
        "answers": _FORMS[endpoint.form],
        "time": f"{tried.seconds:.1f} s for the sample",
    }
    said = [Text(f"  {one.role}: {one.content}", style="dim") for one in sample.recent_conversation]
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in ("kept by", "category", "importance", "memory"):
        table.add_column(heading)
    for row in (*_kept("the rules", tried.by_rules), *_kept(endpoint.model, tried.by_model)):
        table.add_row(*map(visible, row))
    parts: list[RenderableType] = [named_values(rows), Text(), Text("Of the sample"), *said, Text(), table]
    if tried.by_model.dropped:
        dropped = count(tried.by_model.dropped, "thing")
        parts.append(Text(f"{dropped} more that the model named cannot stand or may not be kept."))
    return Group(*parts, Text())


def _kept(by: str, evaluation: Evaluation) -> Iterator[tuple[str, str, str, str]]:
    for one in evaluation.inclusions:
        yield by, one.category, one.importance, one.summary
    if not evaluation.inclusions:
        yield by, "", "", "nothing"


def uses(found: Status) -> list[str]:
    """Return the work that the model does."""
    if found.endpoint is None:
        return []
    work = ["reading exchanges and condensing them into episodes", "prompts that are left for a worker"]
    if found.evaluator == "llm":
        work.insert(0, "long-term memory")
    return [*work, "lessons, where they are asked of it"]


def status(found: Status) -> RenderableType:
    """Show a model, what it does, and its tokens of today."""
    tokens = sum(one.tokens for one in found.spent)
    requests = count(sum(one.requests for one in found.spent), "request")
    today = f"{tokens:,} of {found.daily_tokens:,} (UTC), {requests}"
    if found.endpoint is None:
        rows = {"model": "none; the rules do the work", "tokens today": today}
        return Group(named_values(rows), Text("Find one: quipu llm use", style="dim"))
    rows = {
        "model": f"{found.endpoint.model} at {found.endpoint.shown}",
        "named by": _FROM[found.origin],
        "dialect": found.endpoint.speaks,
        "answers": _FORMS[found.endpoint.form],
        "key": "set" if found.endpoint.key else "none",
        "reached": _REACHED[found.reached],
        "does": "; ".join(uses(found)),
        "tokens today": today,
    }
    spent = [Text(f"  {one.purpose} {one.tokens:,}", style="dim") for one in found.spent]
    parts: list[RenderableType] = [named_values(rows), *spent]
    if found.trouble is not None:
        parts.append(Text(visible(f"{found.trouble.message} {found.trouble.hint or ''}"), style="red"))
    return Group(*parts)


def estimate(found: Estimate, daily_tokens: int, cost: float | None) -> RenderableType:
    """Show the exchanges that are not evaluated yet, and the cost of that."""
    if not found.exchanges:
        return Text("Nothing waits to be evaluated.")
    days = f", about {count(-(-found.tokens // daily_tokens), 'day')} of them" if daily_tokens else ""
    rows = {
        "not evaluated": f"{count(found.exchanges, 'exchange')} in {count(found.sessions, 'session')}",
        "requests": f"{found.requests:,}",
        "tokens read": f"about {found.input_tokens:,}",
        "tokens written": f"about {found.output_tokens:,}",
        "tokens of a day": f"{daily_tokens:,}{days}",
        "price": None if cost is None else f"about {cost:,.{2 if cost >= 1 else 4}f}",
    }
    return named_values(rows)
