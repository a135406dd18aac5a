"""What a key may do, route by route, from the route table: a new route is covered by itself."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from route_table import entries

from quipu.interfaces.mcp.server import TOOLS
from quipu.upkeep.keys.model import LEVELS

pytestmark = pytest.mark.anyio

ANYTHING = "0198c5a2-7f3e-7cc1-9d55-3a1f0c9b2e4d"
# These ask with POST because a question is long; they change nothing.
QUESTIONS = {
    "/v1/recall",
    "/v1/recall/many",
    "/v1/gather",
    "/v1/why",
    "/v1/documents/search",
    "/v1/episodes/search",
    "/v1/longterm/search",
    "/v1/longterm/evaluate",
    "/v1/lessons/search",
    "/v1/receipts/verify",
    "/v1/tables/browse",
    "/v1/tables/embedded",
    "/v1/tables/near",
    "/v1/tables/query",
    "/v1/tables/row",
    "/v1/transcripts/query",
    "/v1/transcripts/recall",
    "/v1/transcripts/search",
}


async def test_no_route_answers_who_has_no_key_or_one_of_too_low_a_level(app: FastAPI, clients: Any) -> None:
    stranger = await clients.with_token(None)
    for entry in entries(app):
        path = entry.path.replace("{id}", ANYTHING).replace("{number}", "1")
        assert (await stranger.request(entry.method, path)).status_code == 401, entry.name
        for level in LEVELS[: LEVELS.index(entry.level)]:
            client = await clients(level, space="levels" if entry.of_space else None)
            assert (await client.request(entry.method, path)).status_code == 403, (entry.name, level)


async def test_no_route_about_the_whole_database_answers_a_key_for_one_space(
    app: FastAPI, clients: Any
) -> None:
    client = await clients("admin", space="levels")
    engine = [one for one in entries(app) if not one.of_space]
    assert len(engine) >= 10
    for entry in engine:
        path = entry.path.replace("{number}", "1")
        assert (await client.request(entry.method, path)).status_code == 403, entry.name


async def test_what_changes_something_needs_more_than_reading(app: FastAPI) -> None:
    reading = {entry.path for entry in entries(app) if entry.level == "read" and entry.method != "GET"}
    assert reading == QUESTIONS


async def test_what_destroys_for_good_needs_an_administrator(app: FastAPI) -> None:
    levels = {entry.path: entry.level for entry in entries(app) if entry.method != "GET"}
    for path in (
        "/v1/forget",
        "/v1/beliefs/{id}/erase",
        "/v1/episodes/{id}/erase",
        "/v1/ledger/retention",
        "/v1/transcripts/compact",
        "/v1/tables/schemas/drop",
        "/v1/tables/execute",
        "/v1/queue/purge",
    ):
        assert levels[path] == "admin", path


# What each tool of MCP does, as routes: a key opens both doors alike.
TOOLS_AS_ROUTES = {
    "recall": ["/v1/recall"],
    "gather": ["/v1/gather"],
    "why": ["/v1/why"],
    "remember": ["/v1/observe"],
    "forget": ["/v1/forget"],
    "set_fact": ["/v1/ledger/set"],
    "open_loops": ["/v1/loops"],
    "close_loop": ["/v1/loops/{id}/close", "/v1/loops/{id}/reopen"],
    "tables_list": ["/v1/tables"],
    "tables_query": ["/v1/tables/query"],
    "tables_write": ["/v1/tables/insert", "/v1/tables/update", "/v1/tables/delete"],
    "tables_create": ["/v1/tables/create", "/v1/tables/recreate"],
    "tables_execute": ["/v1/tables/execute"],
}


async def test_a_tool_needs_the_level_of_its_routes(app: FastAPI) -> None:
    routes: dict[str, set[str]] = {}
    for entry in entries(app):
        routes.setdefault(entry.path, set()).add(entry.level)
    assert {tool.name for tool in TOOLS} == set(TOOLS_AS_ROUTES)
    for tool in TOOLS:
        levels = set.union(*(routes[path] for path in TOOLS_AS_ROUTES[tool.name]))
        assert levels == {tool.level}, tool.name
