"""Arguments for every tool, made from its own schema: a new tool is tried without anybody thinking of it."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from quipu.interfaces.mcp import shown
from quipu.interfaces.mcp.model import Tool

MARK = {"ana": "aardvark", "bob": "bonobo"}
SQL = {
    "tables_query": ["select * from notes", "select * from pets", "select * from core.messages", "select 1"],
    "tables_execute": [
        "insert into notes values (1, 'boat')",
        "create index on pets (a)",
        "drop table notes",
    ],
    "tables_create": [
        "create table notes (id int primary key, a text)",
        "create table pets (id int, a text)",
    ],
}


def properties(tool: Tool) -> Mapping[str, Mapping[str, Any]]:
    """The schemas of its arguments."""
    return shown.tool(tool).input_schema["properties"]


def needed(tool: Tool) -> list[str]:
    """The arguments that must be given."""
    return shown.tool(tool).input_schema.get("required", [])


def likely(tool: Tool, rng: random.Random, known: Mapping[str, list[str]], told: str) -> dict[str, Any]:
    """Arguments that fit the schema and often mean something; ``known``: ids that were seen, by argument."""
    fields = properties(tool)
    given = {name: field for name, field in fields.items() if name in needed(tool) or rng.random() < 0.5}
    return {name: _value(tool, name, field, rng, known, told) for name, field in given.items()}


def _value(
    tool: Tool,
    name: str,
    field: Mapping[str, Any],
    rng: random.Random,
    known: Mapping[str, list[str]],
    told: str,
) -> Any:
    if name == "sql":
        return rng.choice(SQL[tool.name])
    if known.get(name):
        return rng.choice(known[name])
    if "enum" in field:
        return rng.choice(field["enum"])
    if name == "claims":
        told_of = {
            "category": "context",
            "words": f"boat {told}",
            "statement": f"The user has a boat {told}.",
        }
        there = known.get("message") or [None]
        return [{**told_of, **({"message": one} if (one := rng.choice(there)) else {})}]
    kind = field.get("type", field.get("anyOf", [{}])[0].get("type", "string"))
    match kind:
        case "integer":
            return rng.randint(field.get("minimum", 0), min(field.get("maximum", 5), 50))
        case "boolean":
            return rng.random() < 0.5
        case "array":
            return ["a"] if name == "embed_fields" else ["message", "ledger"]
        case "object":
            return rng.choice([{"id": rng.randrange(3)}, {"a": told}]) if name != "mapping" else {"a": "a"}
        case _:
            return {"table": "notes", "name": rng.choice(["notes", "pets"]), "until": "2999-01-01"}.get(
                name, "2000-01-01" if name in {"since", "time"} else f"boat {told}"
            )
