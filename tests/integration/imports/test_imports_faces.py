"""What a face of a peer keeps is read from the peer as the face would have written it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from anthropic.tools import BetaLocalFilesystemMemoryTool
from anthropic.types.beta import BetaMemoryTool20250818CreateCommand, BetaMemoryTool20250818ViewCommand
from anyio import to_thread
from importing import EXPORTS, imported

from quipu import AsyncMemory
from quipu.app.imports.found import Filed, Found
from quipu.app.imports.sources import anthropic_memory, server_memory
from quipu.compat.anthropic import AsyncMemoryTool
from quipu.compat.server_memory.graph import Graph
from quipu.compat.server_memory.shapes import Entities, Nothing, Query, Relations

pytestmark = pytest.mark.anyio
HELD = ("path", "key", "value", "body", "metadata", "index")


async def put(memory: AsyncMemory, found: list[Found], *, space: str) -> None:
    for one in found:
        assert isinstance(one, Filed)
        given = {name: getattr(one, name) for name in HELD}
        await memory.documents.put(**given, user=one.user, space=space)


async def held(memory: AsyncMemory, path: list[str], *, space: str) -> list[dict[str, Any]]:
    found = await memory.documents.list(path, space=space, order="key", limit=100)
    return [{name: getattr(one, name) for name in HELD} for one in found]


async def test_a_graph_of_server_memory_is_what_its_tools_would_have_written(memory: AsyncMemory) -> None:
    export = EXPORTS / "server_memory" / "memory.jsonl"
    lines = [json.loads(line) for line in export.read_text().splitlines()]
    entities, relations = ([one for one in lines if one["type"] == kind] for kind in ("entity", "relation"))
    await put(memory, imported(server_memory.SOURCE, export)[0], space="imported")
    made = Graph(memory, space="made", user=None)
    await made.create_entities(Entities.model_validate({"entities": entities}))
    await made.create_relations(Relations.model_validate({"relations": relations}))
    for path in (["server-memory", "entities"], ["server-memory", "relations"]):
        assert await held(memory, path, space="imported") == await held(memory, path, space="made")
    graph = Graph(memory, space="imported", user=None)
    shown, _ = await graph.read_graph(Nothing())
    plain = [{name: value for name, value in one.items() if name != "type"} for one in lines]
    assert [*shown["entities"], *shown["relations"]] == plain
    found, _ = await graph.search_nodes(Query(query="LISBON"))
    assert [one["name"] for one in found["entities"]] == ["Ana"]


async def test_a_folder_of_the_memory_tool_is_shown_as_the_tool_of_the_client_shows_it(
    memory: AsyncMemory, tmp_path: Path
) -> None:
    theirs = BetaLocalFilesystemMemoryTool(base_path=str(tmp_path))
    texts = {
        "/memories/ana.md": "- vegetarian\n",
        "/memories/boats/alba.txt": "\r\ngreen 緑\n",
        "/memories/e": "",
    }
    for path, text in texts.items():
        theirs.create(BetaMemoryTool20250818CreateCommand(command="create", path=path, file_text=text))
    found, account = imported(anthropic_memory.SOURCE, tmp_path)
    assert [one.id for one in found] == [path[1:] for path in texts]
    assert imported(anthropic_memory.SOURCE, tmp_path / "memories")[0] == found
    assert (account.refused, account.left_out) == ([], {})
    await put(memory, found, space="ana")
    ours = AsyncMemoryTool(memory, space="ana")
    for path in ("/memories", *texts):
        command = BetaMemoryTool20250818ViewCommand(command="view", path=path)
        shown = await ours.view(command)
        if path != "/memories":
            assert shown == await to_thread.run_sync(theirs.view, command)
        else:
            assert all(name.removeprefix("/memories/") in shown for name in texts)
