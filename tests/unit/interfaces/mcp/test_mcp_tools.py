"""What a model reads of the tools: few, short, honest, and silent about whose memory it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from quipu.interfaces.mcp import shown
from quipu.interfaces.mcp.clients import CLIENTS
from quipu.interfaces.mcp.model import Tool
from quipu.interfaces.mcp.resources import RESOURCES
from quipu.interfaces.mcp.server import INSTRUCTIONS, TOOLS
from quipu.recall.render import estimate_tokens

WHOSE = {"space", "user", "schema", "agent", "level", "key", "owner"}
OF_ADMINISTRATORS = (
    "restore",
    "import",
    "export",
    "snapshot",
    "backup",
    "key",
    "migrate",
    "space",
    "retention",
)
every_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


def test_there_are_at_most_thirteen_tools_with_different_names() -> None:
    assert len(TOOLS) <= 13
    assert len({tool.name for tool in TOOLS}) == len(TOOLS)


def test_no_tool_administers_or_restores() -> None:
    assert [tool.name for tool in TOOLS if any(word in tool.name for word in OF_ADMINISTRATORS)] == []


def test_all_tools_together_cost_a_conversation_less_than_6600_tokens() -> None:
    told = "".join(shown.tool(tool).model_dump_json(by_alias=True, exclude_none=True) for tool in TOOLS)
    assert estimate_tokens(told) < 6_600
    assert estimate_tokens(INSTRUCTIONS) < 200


@every_tool
def test_a_tool_says_in_few_words_what_it_is_for_and_what_comes_back(tool: Tool) -> None:
    assert 80 <= len(tool.about) <= 420
    assert "eturn" in tool.about or "ist" in tool.about
    assert tool.title


@every_tool
def test_no_tool_lets_a_model_choose_whose_memory_it_is(tool: Tool) -> None:
    chosen = WHOSE - ({"key"} if tool.name == "set_fact" else set())  # there it is the key of a fact
    assert not chosen & set(tool.arguments.model_fields)


@every_tool
def test_the_schemas_are_json_schemas_of_objects_without_ballast(tool: Tool) -> None:
    listed = shown.tool(tool)
    for schema in (listed.input_schema, listed.output_schema):
        assert schema is not None
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert '"title":' not in json.dumps({k: v for k, v in schema.items() if k != "properties"})
    assert listed.input_schema["additionalProperties"] is False


@every_tool
def test_what_may_be_left_out_is_not_said_to_be_null(tool: Tool) -> None:
    for name, field in shown.tool(tool).input_schema["properties"].items():
        assert {"type": "null"} not in field.get("anyOf", []), name
        assert field.get("default", 0) is not None, name


@every_tool
def test_every_argument_without_a_closed_set_of_values_is_explained(tool: Tool) -> None:
    for name, field in shown.tool(tool).input_schema["properties"].items():
        assert "enum" in field or "anyOf" in field or field.get("description"), name


@every_tool
def test_hints_tell_clients_how_careful_to_be(tool: Tool) -> None:
    hints = shown.tool(tool).annotations
    assert hints is not None
    assert hints.read_only_hint is (tool.level == "read")
    assert hints.destructive_hint is tool.destructive
    assert not (hints.read_only_hint and hints.destructive_hint)
    assert hints.open_world_hint is False


@every_tool
def test_what_destroys_takes_the_token_of_a_preview(tool: Tool) -> None:
    assert ("token" in tool.arguments.model_fields) is tool.destructive
    assert ("token" in tool.answer.model_fields) is tool.destructive
    if tool.destructive:
        assert "token" in tool.about


def test_resources_have_addresses_of_ours_and_say_when_to_read_them() -> None:
    assert [resource.uri for resource in RESOURCES] == ["quipu://briefing", "quipu://tables"]
    for resource in RESOURCES:
        assert "read it" in resource.about


def test_every_tool_resource_and_client_is_documented_and_nothing_else(repository: Path) -> None:
    text = (repository / "docs" / "howto" / "mcp.md").read_text("utf-8")
    tables = text.split("\n## ")
    tools = re.findall(r"`([a-z_]+)`", "\n".join(re.findall(r"^\| (`.+?`) \|", tables[2], re.MULTILINE)))
    assert sorted(tools) == sorted(tool.name for tool in TOOLS)
    assert set(re.findall(r"quipu://\w+", text)) == {resource.uri for resource in RESOURCES}
    assert re.findall(r"^\| `([a-z-]+)` \|", tables[0], re.MULTILINE) == list(CLIENTS)
