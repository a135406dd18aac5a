"""Opening the memory that a call is about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from quipu import Memory
from quipu.interfaces.cli.call import Call
from quipu.interfaces.cli.screen import Screen
from quipu.kernel.config import Settings, load


def settings_of(call: Call) -> Settings:
    """The settings of a call: its options first, then the environment.

    Raises:
        ConfigError: naming the variable that is wrong.
    """
    given = {"home": call.home, "database_url": call.url}
    return load(None, {name: value for name, value in given.items() if value is not None})


@contextmanager
def opened(call: Call, screen: Screen) -> Iterator[Memory]:
    """The memory of a call, open for the block."""
    with ExitStack() as stack:
        with screen.busy("Opening the memory"):
            memory = stack.enter_context(Memory(settings=settings_of(call)))
        yield memory
