"""Embedding models, what a change of the model costs, and how it went."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.views.text import count, size
from quipu.kernel.embedding.stored import ModelInfo
from quipu.upkeep.reembed.reembed import ReembedPlan, ReembedReport


def quoted(prefix: str) -> str:
    """Show a prefix so that its spaces are seen; nothing for none."""
    return repr(prefix) if prefix else ""


def model(one: ModelInfo) -> Table:
    """Show all there is to know of a model."""
    table = Table.grid(padding=(0, 2))
    table.add_row("dimensions", str(one.dimensions))
    table.add_row("tokens at most", str(one.max_tokens))
    table.add_row("weights", one.precision)
    table.add_row("before a question", quoted(one.prefixes.query) or "nothing")
    table.add_row("before a memory", quoted(one.prefixes.passage) or "nothing")
    table.add_row("mean vector", "subtracted" if one.centred else "not measured")
    table.add_row("digest", one.digest)
    table.add_row("files", str(one.directory))
    return table


def plan(one: ReembedPlan) -> Text:
    """Say what a change would cost."""
    if not one.entries and one.model == one.previous:
        return Text(f"All vectors are of {one.model} already.")
    work = (
        f"{count(one.entries, 'memory', 'memories')} in {count(one.spaces, 'space')} would be embedded again"
    )
    if one.seconds_about is not None:
        work += f", in about {_duration(one.seconds_about)}"
    lines = [f"{one.previous} → {one.model}: {work}."]
    if one.bytes_meanwhile:
        lines.append(f"Meanwhile the vectors of both models take {size(one.bytes_meanwhile)} more.")
    if one.to_be_made:
        lines.append(
            "The model is made first, once on this machine: about 10 s, 1.3 GB of memory, 130 MB of disk."
        )
    lines.append("Do it: the same command with --yes")
    return Text("\n".join(lines))


def reembedded(done: ReembedReport) -> str:
    """Say what was embedded, and which model is used now."""
    if not done.entries and not done.spaces:
        return f"All vectors are of {done.model} already."
    changed = (
        f"{count(done.entries, 'memory', 'memories')} embedded, {count(done.spaces, 'space')} changed over"
    )
    return f"{changed}: recall uses {done.model} now; {done.seconds:.1f} s"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
