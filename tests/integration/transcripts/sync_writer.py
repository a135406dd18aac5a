"""A process that syncs until it is killed: ``sync_writer.py HOME ROOT``."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio

from quipu import AsyncMemory
from quipu.kernel.config import Settings
from quipu.kinds.transcripts.formats import chunks
from quipu.kinds.transcripts.sync import pieces


async def sync(home: Path, root: Path) -> None:
    settings = Settings(home=home, embedding_model="hashing", shared_buffers_mb=16, pool_size=2)
    async with AsyncMemory(settings=settings) as memory:
        await memory.transcripts.sync([root], space="all", progress=lambda done: print(done, flush=True))


if __name__ == "__main__":
    # Small transactions, so that there are many moments to be killed at.
    pieces.FIRST_BYTES = pieces.CHUNK_BYTES = 4_000
    chunks.chunks.__kwdefaults__["size_bytes"] = 4_000
    anyio.run(sync, Path(sys.argv[1]), Path(sys.argv[2]))
