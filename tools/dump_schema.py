"""Write docs/schema.sql: the whole schema, as a database has it after all migrations.

    python tools/dump_schema.py           rewrite the file
    python tools/dump_schema.py --check   fail when it is stale

The file is for reading and for the diff of a review; nothing runs it. It is what pg_dump says of an
embedded database that was made for this purpose, without the lines that differ from run to run.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import anyio

from quipu.app.kinds import PACKAGES
from quipu.kernel.config import Settings
from quipu.kernel.db import embedded
from quipu.kernel.db.database import Database

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "schema.sql"
HEAD = "-- The schema after all migrations. Written by tools/dump_schema.py; do not edit.\n"
# A comment line of pg_dump, a setting of the restoring session, a version, a random token, and rights on what
# is not ours (core.harden() changes hundreds).
NOISE = re.compile(
    r"^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\(un)?restrict .*"
    r"|(GRANT|REVOKE) .* ON (TABLE|FUNCTION) (pg_catalog|information_schema|public)\..*)$"
)


async def dumped(home: Path) -> str:
    """What pg_dump says of a database under ``home`` that was just migrated."""
    settings = Settings(home=home, database_url=None)
    async with await embedded.start(settings) as server:
        async with Database.open(server.conninfo(), settings, packages=PACKAGES):
            pass  # opening it has migrated it
        binaries = await embedded.programs(settings)
        pg_dump = [binaries.tool("pg_dump"), "--schema-only", "--no-owner", server.conninfo()]
        command = [str(word) for word in pg_dump]
        done = await anyio.run_process(command, env=binaries.environment(home), stderr=None)
    return done.stdout.decode()


def normalised(dump: str) -> str:
    """The dump without noise, with at most one empty line in a row."""
    kept = "\n".join(line.rstrip() for line in dump.splitlines() if not NOISE.match(line))
    return HEAD + "\n" + re.sub(r"\n{3,}", "\n\n", kept).strip() + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write docs/schema.sql from the migrations.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail when the file is stale")
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="quipu-schema-") as home:
            Path(home).chmod(0o711)  # when we are root, another account runs the server and must get in
            text = normalised(anyio.run(dumped, Path(home)))
    except subprocess.CalledProcessError as failed:
        print(f"dump_schema: pg_dump ended with code {failed.returncode}", file=sys.stderr)
        return 2
    if TARGET.is_file() and TARGET.read_text("utf-8") == text:
        return 0
    if options.check:
        print("dump_schema: docs/schema.sql is stale; run: make schema", file=sys.stderr)
        return 1
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
