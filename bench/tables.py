"""Measure what embedded tables cost beside the embedding alone, and how fast they are asked.

    python bench/tables.py                 300 rows one by one, 10,000 at once, 100,000 asked, 200 tables
    python bench/tables.py --check         exit code 1 if a promise is not kept
    python bench/tables.py --short         a few of each: does it run at all?

The row that is inserted has two fields, a sentence and a paragraph, and the same words are embedded beside it
in the same run, in turns: once with embedding on one core (``QUIPU_EMBEDDING_THREADS=1``), which on a machine
with two leaves the other to the database, and once on two, as it is by default. The 100,000 rows have vectors
of the hashing embedder, so that filling them takes a minute; asking does the same work whatever made the
vectors.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from pace import promises
from pace.promises import Measured
from quipu import AsyncMemory
from quipu.app.memory import AsyncMemory as Opened
from quipu.kernel.config import Settings
from quipu.kinds.tables.access import Access, SchemaPlace
from quipu.kinds.tables.embedding.follow import Follower

_MOST_OVERHEAD = 0.3
_MOST_PROMPT_MS = 50.0
_WARM = 10
_WORDS = (Path(__file__).parent / "pace" / "words.txt").read_text("utf-8").split()
_SPACE = "default"


async def measure(home: Path, options: argparse.Namespace) -> tuple[list[Measured], str]:
    """All lines; the embedded servers live in ``home``."""
    lines: list[Measured] = []
    for model, cores, parts in (
        ("all-MiniLM-L6-v2", 1, [_single]),
        ("all-MiniLM-L6-v2", 2, [_single, _bulk]),
        ("hashing", 1, [_asked, _prompt]),
    ):
        place = home / f"{model}-{cores}"
        settings = Settings(home=place, embedding_model=model, embedding_threads=cores, statement_seconds=600)
        async with AsyncMemory(settings=settings) as memory:
            for part in parts:
                lines += await part(memory, options)
    return lines, ""


async def _single(memory: Opened, options: argparse.Namespace) -> list[Measured]:
    models, cores = memory._ready.models, (await memory._ready.database.settings()).embedding_threads
    await _make(memory, "heroes", "id int primary key, motto text, backstory text", ["motto", "backstory"])
    rng = random.Random(1)
    raw: list[float] = []
    ours: list[float] = []
    for number in range(options.rows + _WARM):
        motto, backstory = _text(rng, 12), _text(rng, 70)
        begun = perf_counter()
        await models.embed([_shuffled(rng, motto), _shuffled(rng, backstory)])
        middle = perf_counter()
        row = {"id": number, "motto": motto, "backstory": backstory}
        done = await memory.tables.insert("heroes", row, space=_SPACE)
        ended = perf_counter()
        assert done.embedded == 2, done
        if number >= _WARM:
            raw.append((middle - begun) * 1000)
            ours.append((ended - middle) * 1000)
    by = f"on {cores} {'core' if cores == 1 else 'cores'}"
    base = Measured.of(f"embedding of two fields alone, {by}", raw)
    line = Measured.of(f"insert of a row with them, {by}", ours)
    over = line.median_ms / base.median_ms - 1
    promise = f"at most {_MOST_OVERHEAD:.0%} more"
    return [base, replace(line, beside=f"{over:+.0%}", promise=promise, kept=over <= _MOST_OVERHEAD)]


async def _bulk(memory: Opened, options: argparse.Namespace) -> list[Measured]:
    parts = memory._ready
    await _make(memory, "notes", "id int primary key, body text", ["body"])
    rng = random.Random(2)
    texts = [_text(rng, 12) for _ in range(options.bulk)]
    rows = [{"id": number, "body": text} for number, text in enumerate(texts)]
    sample = [_shuffled(rng, text) for text in texts[: max(20, options.bulk // 10)]]
    begun = perf_counter()
    await parts.models.embed(sample)
    alone = (perf_counter() - begun) * 1000 / len(sample)
    begun = perf_counter()
    await memory.tables.insert("notes", rows, space=_SPACE)
    returned = (perf_counter() - begun) * 1000
    schema = await Access(parts.database).schema(SchemaPlace.of(_SPACE, "memory", None), "read")
    await Follower(parts.database, parts.models, parts.logins).advance(_SPACE, schema, seconds=None)
    ended = (perf_counter() - begun) * 1000
    each = ended / len(rows)
    return [
        Measured(f"insert of {len(rows):,} rows: until it returns", returned, returned),
        Measured("embedding of one of them alone", alone, alone),
        Measured("until all are found, each", each, each, f"{each / alone - 1:+.0%}"),
    ]


async def _asked(memory: Opened, options: argparse.Namespace) -> list[Measured]:
    parts = memory._ready
    await _make(memory, "pages", "id int primary key, body text", ["body"])
    rng = random.Random(3)
    for first in range(0, options.asked, 10_000):
        last = min(first + 10_000, options.asked)
        rows = [{"id": number, "body": _text(rng, 12)} for number in range(first, last)]
        await memory.tables.insert("pages", rows, space=_SPACE)
    schema = await Access(parts.database).schema(SchemaPlace.of(_SPACE, "memory", None), "read")
    begun = perf_counter()
    done, _ = await Follower(parts.database, parts.models, parts.logins).advance(_SPACE, schema, seconds=None)
    filed = (perf_counter() - begun) * 1000 / max(done, 1)
    async with parts.database.owner() as conn:
        await conn.execute("analyze")
    nearest = (
        "select p.id, e.content from memory.embeddings e join memory.pages p on p.id::text = e.source_id"
        " where e.source_table = 'pages' order by e.embedding <=> :search_embedding limit 10"
    )
    sql: list[float] = []
    recalled: list[float] = []
    for number in range(options.questions + 2):
        question = _text(rng, 8)
        begun = perf_counter()
        found = await memory.tables.query(nearest, search_text=question, space=_SPACE)
        middle = perf_counter()
        hits = await memory.recall(question, space=_SPACE, limit=10)
        ended = perf_counter()
        assert found.count
        assert hits
        if number >= 2:
            sql.append((middle - begun) * 1000)
            recalled.append((ended - middle) * 1000)
    size = f"{options.asked:,} rows"
    return [
        Measured(f"filing of a row among {size}, vectors of hashing", filed, filed),
        Measured.of(f"semantic query in SQL over {size}, exact", sql),
        Measured.of(f"recall over {size}", recalled),
    ]


async def _prompt(memory: Opened, options: argparse.Namespace) -> list[Measured]:
    for number in range(options.tables):
        columns = "id int primary key, name text not null, body text, at timestamptz, level int"
        await _make(memory, f"table_{number}", columns, ["body"])
    times: list[float] = []
    for _ in range(options.questions):
        memory.tables._briefings.clear()
        begun = perf_counter()
        await memory.tables.prompt(space=_SPACE)
        times.append((perf_counter() - begun) * 1000)
    line = Measured.of(f"prompt with {options.tables} tables, rendered again", times)
    promise = f"at most {_MOST_PROMPT_MS:g} ms"
    return [replace(line, promise=promise, kept=line.median_ms <= _MOST_PROMPT_MS)]


async def _make(memory: Opened, name: str, columns: str, fields: Sequence[str]) -> None:
    statement = f"create table memory.{name} ({columns})"
    told = {"id": "The number that it is known by"}
    await memory.tables.create_table(
        name,
        statement,
        description=f"What there is of {name}",
        embed_fields=fields,
        column_descriptions=told,
        space=_SPACE,
    )


def _text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(_WORDS, k=words)) + "."


def _shuffled(rng: random.Random, text: str) -> str:
    """The same words in another order: an embedder that remembers texts does not know it."""
    words = text.rstrip(".").split()
    rng.shuffle(words)
    return " ".join(words) + "."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = promises.parser(prog="bench/tables.py", doc=__doc__)
    parser.add_argument("--rows", type=int, default=300, help="rows inserted one by one")
    parser.add_argument("--bulk", type=int, default=10_000, help="rows inserted at once, at most 10,000")
    parser.add_argument("--asked", type=int, default=100_000, help="rows of the table that is asked")
    parser.add_argument("--tables", type=int, default=200, help="tables of the prompt")
    parser.add_argument("--questions", type=int, default=30, help="questions asked, prompts rendered")
    options = parser.parse_args(arguments)
    if options.short:
        options.rows, options.bulk, options.asked, options.tables, options.questions = 5, 20, 40, 3, 3
    return promises.run(measure, options)


if __name__ == "__main__":
    sys.exit(main())
