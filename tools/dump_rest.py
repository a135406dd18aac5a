"""Write docs/reference/rest.md: every route, from the OpenAPI and the route table.

python tools/dump_rest.py           rewrite the file
python tools/dump_rest.py --check   fail when it is stale
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from quipu.interfaces.rest.table import Listed, table
from quipu.interfaces.server import create_app

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "rest.md"
HEAD = """# REST

<!-- Written by tools/dump_rest.py; do not edit. -->

What holds for every route stands in [how to serve](../howto/serve.md). `/v1/openapi.json` of a running server
has the shapes of requests and answers, with examples. **Needs** is the least level of a key;
"all" means a key for all spaces, since it is about the whole database.
"""


def page(document: dict[str, Any]) -> Iterator[str]:
    """The lines of the page."""
    yield HEAD
    for tag, routes in groupby(
        sorted(table(), key=lambda one: _tag(document, one)), lambda one: _tag(document, one)
    ):
        yield f"## {tag}\n"
        yield "| route | needs | what |"
        yield "|---|---|---|"
        yield from (_row(document, one) for one in routes)
        yield ""


def _operation(document: dict[str, Any], one: Listed) -> dict[str, Any]:
    return document["paths"][one.path][one.method.lower()]


def _tag(document: dict[str, Any], one: Listed) -> str:
    return _operation(document, one)["tags"][0]


def _row(document: dict[str, Any], one: Listed) -> str:
    operation = _operation(document, one)
    needs = one.level if one.of_space else f"{one.level}, all"
    first = " ".join(operation["description"].split("\n\n")[0].split()).replace("|", "\\|").replace("``", "`")
    return f"| `{one.method} {one.path}` | {needs} | {operation['summary']}. {first} |"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="Fail when the file is stale.")
    check = parser.parse_args(arguments).check
    text = "\n".join(page(create_app().openapi()))
    if check:
        stale = not TARGET.exists() or TARGET.read_text("utf-8") != text
        if stale:
            print("docs/reference/rest.md is stale: run tools/dump_rest.py", file=sys.stderr)
        return int(stale)
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
