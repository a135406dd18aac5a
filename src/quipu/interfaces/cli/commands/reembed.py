"""``quipu reembed``: the vectors of another model."""

from __future__ import annotations

import click
from rich.text import Text

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.memory import opened
from quipu.interfaces.cli.views.models import reembedded


@click.command()
@click.option(
    "--model", metavar="NAME", help="The model; that of the settings, else the database's, if not given."
)
@click.option("--background", is_flag=True, help="Only note the change; a worker makes it.")
@common
def command(call: Call, model: str | None, background: bool) -> None:
    """Make the vectors of everything stored again with another embedding model.

    Recall works on meanwhile, with the old vectors, until all new ones are there. Stopping is safe: doing
    it again goes on where it was.
    """
    with opened(call) as (screen, memory):
        if background:
            noted = memory.reembed(model, background=True)
            screen.answer(noted, Text(f"Noted: a worker changes everything to {noted.model}."))
            return
        held = memory.health().entries
        with screen.progress("Embedding", total=held, unit="texts") as steps:
            done = memory.reembed(model, progress=steps.advance)
    screen.answer(done, Text(reembedded(done)))
