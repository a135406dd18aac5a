"""Nothing that Quipu runs on reports about its user: the libraries it loads leave no trace outside."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from patience import PATIENCE_SECONDS
from tree import SOURCE

EMBED = """
import anyio
from pathlib import Path
from quipu.kernel.config import Settings
from quipu.kernel.embedding.choose import choose

async def main():
    embedder = choose(Settings())
    await embedder.embed(["Who repaired the violin?"])
    await embedder.aclose()

anyio.run(main)
"""


def test_the_embedding_runtime_keeps_no_identifier_and_no_events(tmp_path: Path) -> None:
    """onnxruntime reports to its maker unless it is told not to before it is loaded."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    environment |= {"HOME": str(tmp_path), "PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("CI", None)  # in which it is silent by itself
    done = subprocess.run(
        [sys.executable, "-c", EMBED],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.rglob("*")) == []
