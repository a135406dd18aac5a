"""``quipu model``: the embedding models and re-rankers there are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.opening import settings_of
from quipu.interfaces.cli.piped import FilePath
from quipu.interfaces.cli.screen import Screen
from quipu.kernel.embedding.adding import add_model
from quipu.kernel.embedding.convert import Precision
from quipu.kernel.embedding.stored import list_models
from quipu.kernel.rerank.adding import add_reranker
from quipu.kernel.rerank.stored import RerankerInfo, list_rerankers


@click.group("model", no_args_is_help=False)
def command() -> None:
    """Add and list embedding models and re-rankers. Nothing is downloaded."""


@command.command("list", short_help="List the models that can be chosen by name.")
@common
@click.pass_obj
def list_all(call: Call) -> None:
    """List the models that can be chosen by name, and which one the settings name."""
    settings = settings_of(call)
    found = list_models(settings.home)
    table = Table("", "model", "dimensions", "tokens at most", box=None, pad_edge=False)
    for one in found:
        chosen = "▶" if one.name == settings.embedding_model else ""
        table.add_row(chosen, one.name, str(one.dimensions), str(one.max_tokens))
    rerankers = list_rerankers(settings.home)
    shown: list[RenderableType] = [table]
    if rerankers:
        shown += [Text(), _rerankers(rerankers, settings.rerank)]
    screen = Screen(call)
    answer = {"chosen": settings.embedding_model, "models": found}
    screen.answer({**answer, "reranker": settings.rerank, "rerankers": rerankers}, *shown)
    screen.note("\nAlso 'hashing' (words only), 'st:NAME' and 'openai:NAME'; see docs/reference/settings.md.")


def _rerankers(found: Sequence[RerankerInfo], chosen: str | None) -> Table:
    table = Table("", "re-ranker", "tokens at most", box=None, pad_edge=False)
    for one in found:
        table.add_row("▶" if one.name == chosen else "", one.name, str(one.max_tokens))
    return table


@command.command("add", short_help="Convert a BERT-like encoder, or take a re-ranker, and keep it.")
@click.argument("directory", type=FilePath(path_type=Path, exists=True, file_okay=False))
@click.option("--name", metavar="NAME", help="Its name here; the directory's name if not given.")
@click.option(
    "--precision",
    type=click.Choice(["int8", "fp32"]),
    default="int8",
    show_default=True,
    help="Of the weights.",
)
@click.option("--reranker", is_flag=True, help="It is a cross-encoder: model.onnx and tokenizer.json.")
@common
@click.pass_obj
def add(call: Call, directory: Path, name: str | None, precision: Precision, reranker: bool) -> None:
    """Convert a BERT-like encoder (model.safetensors, tokenizer.json, config.json) and keep it.

    Needs the extra onnx: pip install 'quipu-memory[onnx]'. With --reranker it takes a cross-encoder that is
    an ONNX file already, as it is, and needs no extra.
    """
    screen = Screen(call)
    if reranker:
        with screen.busy("Trying"):
            taken = add_reranker(directory.expanduser(), home=settings_of(call).home, name=name)
        screen.answer(taken, Text(f"Added {taken.name}, which reads {taken.max_tokens} tokens."))
        screen.note(f"Use it: QUIPU_RERANK={taken.name} quipu recall …")
        return
    with screen.busy("Converting"):
        added = add_model(directory.expanduser(), home=settings_of(call).home, name=name, precision=precision)
    screen.answer(added, Text(f"Added {added.name}: {added.dimensions} dimensions."))
    screen.note(f"Use it: QUIPU_EMBEDDING_MODEL={added.name} quipu reembed")
