"""Measure the query of the seed for sessions from which no memories were extracted.

    python bench/unprocessed.py                 10,000 sessions, 100 of them unprocessed
    python bench/unprocessed.py --sessions N

It prints the median of eleven rounds in milliseconds, and the pages that the last of them read, from memory
or not, as the application with row level security.
"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Final

import anyio
import psycopg

from quipu import AsyncMemory
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded

_ROUNDS: Final = 11
_FILL: Final = """
with known as (
    insert into core.sessions (space_id, name)
    select core.current_space(), 'session ' || n from generate_series(1, %(sessions)s::integer) n returning id
), details as (
    insert into transcripts.session_details (session_id, project_path, last_line_at)
    select id, '/home/ana/boats', now() - id * interval '1 minute' from known
)
insert into transcripts.extractions (session_id, extractor, version, status, attempted_at)
select id, 'rules', 1, 'done', now() from known where id %% 100 > 0
"""
_QUERY: Final = """
explain (analyze, buffers, format json)
select id, project_path, last_timestamp from transcripts.sessions
where memories_extracted = 0
order by last_timestamp desc
"""


def measure(url: str, sessions: int) -> str:
    """Fill the space and ask; what it took, in words."""
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("insert into core.spaces (name) values ('bench')")
        with conn.transaction():
            conn.execute("select core.enter('bench')")
            conn.execute(_FILL, {"sessions": sessions})
        conn.execute("vacuum analyze")
    with psycopg.connect(url) as conn:
        conn.execute("set local role quipu_app")
        conn.execute("select core.enter('bench')")
        plans = [conn.execute(_QUERY).fetchone() for _ in range(_ROUNDS)]
    told = [plan[0][0] for plan in plans if plan is not None]
    top = told[-1]["Plan"]
    pages = top["Shared Hit Blocks"] + top["Shared Read Blocks"]
    took = median(one["Execution Time"] for one in told)
    return f"{top['Actual Rows']:.0f} of {sessions:,} sessions: {took:.1f} ms, {pages:,} pages"


async def main(home: Path, sessions: int) -> None:
    """Run on a server of its own."""
    settings = Settings(home=home, embedding_model="hashing")
    running = await embedded.start(settings)
    async with AsyncMemory(settings=replace(settings, database_url=running.conninfo())):
        pass
    print(measure(running.conninfo(), sessions))
    await running.aclose()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sessions", type=int, default=10_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="quipu-bench-") as directory:
        place = Path(directory)
        place.chmod(0o711)  # the account that runs the server must be able to pass through
        anyio.run(main, place, chosen.sessions)
