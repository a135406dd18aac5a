"""Write docs/reference/rest.md and openapi.json: every route, from the OpenAPI and the route table.

python tools/dump_rest.py           rewrite the files
python tools/dump_rest.py --check   fail when one is stale

In openapi.json every route and every shape is a line, so that a review sees what a change does to each.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from quipu.interfaces.rest.routes import Listed, table
from quipu.interfaces.server import create_app

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"
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
    summary = f"{operation['summary']}."
    told = summary if first == summary else f"{summary} {first}"
    return f"| `{one.method} {one.path}` | {needs} | {told} |"


def lines(document: dict[str, Any]) -> str:
    """The OpenAPI document without its version, a line for each route and each shape."""
    info = {**document["info"], "version": ""}
    parts = [
        f'"openapi": {_line(document["openapi"])},\n"info": {_line(info)}',
        f'"paths": {{\n{_members(document["paths"])}\n}}',
        f'"components": {{\n"schemas": {{\n{_members(document["components"]["schemas"])}\n}},\n'
        f'"securitySchemes": {_line(document["components"]["securitySchemes"])}\n}}',
    ]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _members(of: dict[str, Any]) -> str:
    return ",\n".join(f"{_line(name)}: {_line(value)}" for name, value in sorted(of.items()))


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="Fail when the file is stale.")
    check = parser.parse_args(arguments).check
    document = create_app().openapi()
    stale = 0
    for name, text in (("rest.md", "\n".join(page(document))), ("openapi.json", lines(document))):
        target = FOLDER / name
        if target.exists() and target.read_text("utf-8") == text:
            continue
        if check:
            print(f"docs/reference/{name} is stale: run tools/dump_rest.py", file=sys.stderr)
            stale = 1
        else:
            target.write_text(text, "utf-8")
    return stale


if __name__ == "__main__":
    raise SystemExit(main())
