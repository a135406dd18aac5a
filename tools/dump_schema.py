"""Write docs/schema.sql, the schema as a database has it after all migrations, and the records of archives.

    python tools/dump_schema.py           rewrite the files
    python tools/dump_schema.py --check   fail when one is stale

The first is for reading and for the diff of a review; nothing runs it. It is what pg_dump says of an
embedded database that was made for this purpose, without the lines that differ from run to run. The second,
docs/reference/archive.schema.json, is what programs can check records of an archive with.
"""

from __future__ import annotations

import argparse
import json
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
from quipu.upkeep.archive.export import layouts
from quipu.upkeep.archive.records import json_schema

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "schema.sql"
RECORDS = ROOT / "docs" / "reference" / "archive.schema.json"
HEAD = "-- The schema after all migrations. Written by tools/dump_schema.py; do not edit.\n"
# A comment line of pg_dump, a setting of the restoring session, a version, a random token, and rights on what
# is not ours (core.harden() changes hundreds).
NOISE = re.compile(
    r"^(--.*|SET .*|SELECT pg_catalog\.set_config.*|\\(un)?restrict .*"
    r"|(GRANT|REVOKE) .* ON (TABLE|FUNCTION) (pg_catalog|information_schema|public)\..*)$"
)


async def dumped(home: Path) -> tuple[str, str]:
    """What pg_dump says of a database under ``home`` that was just migrated, and its records in archives."""
    settings = Settings(home=home, database_url=None)
    async with await embedded.start(settings) as server:
        async with (
            Database.open(server.conninfo(), settings, packages=PACKAGES) as database,
            database.write("records") as tx,
        ):
            records = {one.carried.kind: json_schema(one) for one in await layouts(tx)}
        binaries = await embedded.programs(settings)
        pg_dump = [binaries.tool("pg_dump"), "--schema-only", "--no-owner", server.conninfo()]
        command = [str(word) for word in pg_dump]
        done = await anyio.run_process(command, env=binaries.environment(home), stderr=None)
    return done.stdout.decode(), schemas(records)


def schemas(records: dict[str, dict[str, object]]) -> str:
    """The JSON Schema of each kind of record, one a line."""
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Records of a Quipu archive 1.0",
    }
    lines = ",\n".join(f"  {json.dumps(kind)}: {json.dumps(one)}" for kind, one in records.items())
    return f'{json.dumps(head)[:-1]}, "$defs": {{\n{lines}\n}}}}\n'


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
            dump, records = anyio.run(dumped, Path(home))
    except subprocess.CalledProcessError as failed:
        print(f"dump_schema: pg_dump ended with code {failed.returncode}", file=sys.stderr)
        return 2
    stale = [
        (target, text)
        for target, text in ((TARGET, normalised(dump)), (RECORDS, records))
        if not target.is_file() or target.read_text("utf-8") != text
    ]
    for target, text in stale:
        if options.check:
            print(f"dump_schema: {target.relative_to(ROOT)} is stale; run: make schema", file=sys.stderr)
        else:
            target.write_text(text, "utf-8")
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
