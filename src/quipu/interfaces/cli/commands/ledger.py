"""``quipu ledger``: facts and assumptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from rich.text import Text

from quipu import Memory
from quipu.interfaces.cli.asked import drop
from quipu.interfaces.cli.call import Call, common, in_space
from quipu.interfaces.cli.opening import opened, settings_of
from quipu.interfaces.cli.said import value_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views.facts import change, differences, history, keys, values
from quipu.interfaces.cli.views.retention import went

Command = TypeVar("Command", bound=Callable[..., Any])

_EXAMPLES = """\b
Examples:
  quipu ledger open --new --session s-1 --user ana
  quipu ledger assume baseline.scope value=all --session s-1
  quipu ledger correct baseline.scope value=single locationLabel=Lisbon --session s-1
  quipu ledger set ui.response_depth value=verbose --user ana
  quipu ledger set favourite-boat 'the green one' --user ana
  quipu ledger state --session s-1 --as-of 2026-05-01T10:00Z
"""


def _whose(function: Command) -> Command:
    """Add ``--session`` and ``--user``."""
    function = click.option("--user", metavar="NAME", help="Of this person.")(function)
    return click.option("--session", metavar="ID", help="In this session.")(function)


def _circumstances(function: Command) -> Command:
    """Add what may be said of every write."""
    for option in (
        click.option("--actor", metavar="NAME", help="Who or what writes it."),
        click.option("--reason", metavar="TEXT", help="Why."),
        click.option("--correlation-id", metavar="ID", help="What else it belongs to."),
        click.option("--turn", type=int, metavar="NUMBER", help="The turn of the session (the present one)."),
        click.option("--scope", type=click.Choice(["session", "cross_session"]), help="Against the rule."),
    ):
        function = option(function)
    return function


def _until(function: Command) -> Command:
    """Add ``--expires-at``."""
    return click.option("--expires-at", metavar="TIME", help="When it stops to hold (ISO 8601).")(function)


@click.group("ledger", no_args_is_help=False, epilog=_EXAMPLES)
def command() -> None:
    """Facts and assumptions: say, correct and take back what is so, and see what was believed when.

    Every write is an event that is never changed. VALUE is JSON, a text, or NAME=VALUE pairs of an object.
    """


@command.command("set")
@click.argument("key")
@click.argument("value", nargs=-1, required=True)
@in_space
@_whose
@click.option("--source", type=click.Choice(["explicit", "inferred", "default"]), default="explicit")
@_until
@_circumstances
@common
@click.pass_obj
def set_(call: Call, key: str, value: tuple[str, ...], **said: Any) -> None:
    """Say what is so: of a session (--session) or of a person (--user)."""
    _write(call, lambda memory: memory.ledger.set(key, value_of(value), **said))


@command.command("assume")
@click.argument("key")
@click.argument("value", nargs=-1, required=True)
@in_space
@_whose
@click.option("--cap", type=click.Choice(["medium", "low"]), default="medium", help="Bounds confidence.")
@_until
@_circumstances
@common
@click.pass_obj
def assume(call: Call, key: str, value: tuple[str, ...], **said: Any) -> None:
    """Note what is assumed; it never replaces what was said."""
    _write(call, lambda memory: memory.ledger.assume(key, value_of(value), **said))


@command.command("correct")
@click.argument("key")
@click.argument("value", nargs=-1, required=True)
@in_space
@_whose
@_until
@_circumstances
@common
@click.pass_obj
def correct(call: Call, key: str, value: tuple[str, ...], **said: Any) -> None:
    """Put a value in the place of the one that stands."""
    _write(call, lambda memory: memory.ledger.correct(key, value_of(value), **said))


@command.command("expire")
@click.argument("key")
@in_space
@_whose
@_circumstances
@common
@click.pass_obj
def expire(call: Call, key: str, **said: Any) -> None:
    """End a value because its time is over."""
    _write(call, lambda memory: memory.ledger.expire(key, **said))


@command.command("forget")
@click.argument("key")
@in_space
@_whose
@_circumstances
@common
@click.pass_obj
def forget(call: Call, key: str, **said: Any) -> None:
    """Take a value back. Its history stays; `quipu forget` removes that too."""
    _write(call, lambda memory: memory.ledger.delete(key, **said))


@command.command("undo")
@click.argument("event", type=int)
@in_space
@click.option("--force", is_flag=True, help="Also take back what came after it.")
@common
@click.pass_obj
def undo(call: Call, event: int, space: str, force: bool) -> None:
    """Make a key what it was before the event of that number."""
    _write(call, lambda memory: memory.ledger.undo(event, space=space, force=force))


@command.command("open")
@in_space
@_whose
@click.option("--new", is_flag=True, help="Open a session instead, with --session ID or a new id.")
@common
@click.pass_obj
def open_(call: Call, space: str, session: str | None, user: str | None, new: bool) -> None:
    """List open assumptions: what is to be disclosed or confirmed. With --new, open a session."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        if new:
            name = memory.ledger.open_session(space=space, session=session, user=user)
            screen.answer({"space": space, "session": name}, Text(name))
            return
        found = memory.ledger.open_assumptions(space=space, session=session, user=user)
    screen.answer({"space": space, "assumptions": found}, values(found, none="No open assumptions."))


@command.command("list")
@in_space
@_whose
@common
@click.pass_obj
def list_(call: Call, space: str, session: str | None, user: str | None) -> None:
    """List everything that stands: in a session, for a person, or in the whole space."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.ledger.values(space=space, session=session, user=user)
    screen.answer({"space": space, "values": found}, values(found, none="Nothing stands."))


@command.command("state")
@in_space
@_whose
@click.option("--as-of", metavar="TIME", help="What was believed then (ISO 8601).")
@common
@click.pass_obj
def state(call: Call, space: str, session: str | None, user: str | None, as_of: str | None) -> None:
    """Show what holds in a session or for a person: its values first, preferences where there are none."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.ledger.state(space=space, session=session, user=user, as_of=as_of)
    screen.answer({"space": space, "state": found}, values([*found.values()], none="Nothing stands."))


@command.command("history")
@click.argument("key")
@in_space
@_whose
@common
@click.pass_obj
def history_(call: Call, key: str, space: str, session: str | None, user: str | None) -> None:
    """Show every event of a key: when, why, by whom, the old and the new value."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.ledger.history(key, space=space, session=session, user=user)
    screen.answer({"space": space, "key": key, "events": found}, history(found))


@command.command("keys")
@in_space
@common
@click.pass_obj
def keys_(call: Call, space: str) -> None:
    """List the keys whose values have a shape: those of every space, and those that programs registered.

    With --json the shapes too, as JSON Schema.
    """
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.ledger.keys(space=space)
    screen.answer({"space": space, "keys": found}, keys(found))


@command.command("diff")
@click.argument("since")
@click.argument("until", required=False)
@in_space
@_whose
@common
@click.pass_obj
def diff(
    call: Call, since: str, until: str | None, space: str, session: str | None, user: str | None
) -> None:
    """Show what is believed otherwise at UNTIL (or now) than at SINCE."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.ledger.diff(since, until, space=space, session=session, user=user)
    screen.answer({"space": space, "differences": found}, differences(found))


@command.command("rebuild")
@in_space
@common
@click.pass_obj
def rebuild(call: Call, space: str) -> None:
    """Make both projections anew from the events."""
    screen = Screen(call)
    with opened(call, screen) as memory:
        found = memory.ledger.rebuild(space=space)
    made = f"{found.session_rows:,} session values and {found.preference_rows:,} preferences"
    screen.answer(
        found,
        Text(f"{made}, made from {found.events:,} events."),
        Text(f"{found.changed:,} rows were not what the events say."),
    )


@command.command("retention")
@in_space
@click.option("--session-days", type=int, metavar="DAYS", help="Instead of QUIPU_SESSION_DAYS.")
@click.option("--excerpt-days", type=int, metavar="DAYS", help="Instead of QUIPU_EXCERPT_DAYS.")
@click.option("--evidence-days", type=int, metavar="DAYS", help="Instead of QUIPU_EVIDENCE_DAYS.")
@click.option("--confirm", is_flag=True, help="Do it. Without this, only what would go is shown.")
@common
@click.pass_obj
def retention(call: Call, **given: Any) -> None:
    """Take out what is no longer needed: idle sessions, expired values, old evidence.

    Without --confirm nothing is changed. DAYS of 0 keep for ever.
    """
    screen = Screen(call)
    if given["confirm"]:
        drop(home=settings_of(call).home)
    with opened(call, screen) as memory:
        found = memory.ledger.retention(**given)
    screen.answer(found, *went(found))


def _write(call: Call, act: Callable[[Memory], Any]) -> None:
    screen = Screen(call)
    with opened(call, screen) as memory:
        done = act(memory)
    screen.answer(done, change(done))
