"""Agent files of Letta: who said what, events, thoughts, blocks, files, and what is spoiled."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import EXPORTS, imported, imported_or_refused, recognised_as, spoiled, written

from quipu.app.imports.found import Filed, Said, Stated
from quipu.app.imports.sources.letta import SOURCE
from quipu.errors import BadInput

FIRST, SECOND = (EXPORTS / "letta" / name for name in ("first.af", "second.af"))
FILE: dict[str, Any] = json.loads(SECOND.read_text())


def with_messages(*messages: dict[str, Any], kind: str = "letta_v1_agent") -> dict[str, Any]:
    file = copy.deepcopy(FILE)
    file["agents"][0] |= {"agent_type": kind, "messages": list(messages)}
    return file


def said_in(
    tmp_path: Path, *messages: dict[str, Any], kind: str = "letta_v1_agent"
) -> tuple[list[Said], Any]:
    path = written(tmp_path / "agent.af", with_messages(*messages, kind=kind))
    found, account = imported(SOURCE, path)
    return [one for one in found if isinstance(one, Said)], account


def message(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": "m", "role": role, "content": content, "created_at": "2026-05-03T10:00:00Z", **more}


def test_an_agent_that_speaks_by_a_call_says_what_it_sends() -> None:
    found, account = imported(SOURCE, SECOND)
    said = {one.id: one for one in found if isinstance(one, Said)}
    assert [(one.id, one.role, one.content, one.heard) for one in said.values()] == [
        ("message-0", "system", "You are a helper.\n<human>lives in Lisbon</human>", False),
        ("message-1", "assistant", "More human than human is our motto.", False),
        ("message-2", "tool", "", True),
        ("message-3", "user", "", False),
        ("message-4", "user", "Test message for export", True),
        ("message-5", "assistant",
         "Test message received successfully. Ready for further instructions or queries.", True),
        ("message-6", "tool", "", True),
    ]  # fmt: skip
    assert {one.session for one in said.values()} == {"helper"}
    assert said["message-3"].metadata == {"event": "login"}
    assert said["message-1"].metadata == {"event": "boot"}
    thought = said["message-5"].item
    assert thought is not None
    assert thought["content"][0]["text"] == "Responding to test message for export with confirmation."
    assert said["message-4"].item is None
    assert said["message-4"].time == datetime(2025, 10, 10, 7, 14, 31, 639749, UTC)
    assert account.version == "066857381578"
    assert "secrets" not in account.dropped
    assert recognised_as(SECOND) == "letta"


def test_blocks_are_statements_and_a_persona_is_an_instruction() -> None:
    found, _ = imported(SOURCE, SECOND)
    stated = {one.category: one for one in found if isinstance(one, Stated)}
    assert (stated["human"].id, stated["human"].text) == ("block-1", "name: Ana\nlives in Lisbon")
    assert stated["human"].metadata["agents"] == ["helper"]
    assert stated["project_context"].text == "Ana restores boats."
    (persona,) = (one for one in found if isinstance(one, Filed))
    assert (persona.id, persona.body, persona.index) == ("block-0", "I am a patient helper.", False)


def test_the_first_version_has_positions_for_ids_and_utc_without_saying_so() -> None:
    found, account = imported(SOURCE, FIRST)
    said = [one for one in found if isinstance(one, Said)]
    assert [one.id for one in said] == [str(number) for number in range(10)]
    assert said[0].time == datetime(2025, 4, 1, 3, 47, 27, 492924, UTC)
    assert (said[4].content, said[4].role) == ("hi my name is actually sarah not chad ", "user")
    assert (said[5].content, said[8].metadata) == ("", {"event": "heartbeat"})
    assert said[9].content.startswith("Apologies for the confusion, Sarah.")
    assert {one.id for one in found if not isinstance(one, Said)} == {"sam/human", "sam/persona"}
    assert account.version == "0.6.47"
    assert account.left_out == {"tool": 1}
    assert recognised_as(FIRST) == "letta"


def test_agents_that_write_say_what_they_write(tmp_path: Path) -> None:
    text = {"type": "text", "text": "I looked."}
    reasoning = {"type": "reasoning", "reasoning": "Hm.", "is_native": True}
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    said, _ = said_in(
        tmp_path,
        message("assistant", [reasoning, text]) | {"id": "1"},
        message("approval", [reasoning, text], tool_calls=[call]) | {"id": "2"},
        message("approval", None, approve=True, approvals=[{"approve": True}]) | {"id": "3"},
        message("summary", [text]) | {"id": "4"},
        message("assistant", "Plain.") | {"id": "5"},
    )
    assert [(one.role, one.content) for one in said] == [
        ("assistant", "I looked."), ("assistant", "I looked."), ("approval", ""), ("summary", ""),
        ("assistant", "Plain."),
    ]  # fmt: skip
    assert said[1].item is not None
    assert said[1].item["tool_calls"] == [call]
    assert (said[3].heard, said[4].item) == (False, None)


def test_of_an_image_a_pointer_is_kept_and_no_byte(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}}
    (said,), account = said_in(tmp_path, message("user", [{"type": "text", "text": "See:"}, image]))
    assert said.content == "See:\n[image: image/png]"
    assert account.dropped["message.image"] == 1
    assert "QUJD" not in json.dumps([said.item, said.raw])


def test_an_alert_is_no_word_of_the_user_and_json_that_is_pasted_is(tmp_path: Path) -> None:
    packed = json.dumps({"type": "system_alert", "message": "A summary of Ana's life.", "time": "now"})
    pasted = json.dumps({"type": "login", "user": "ana"})
    named = json.dumps({"type": "user_message", "message": "Hello.", "name": "Ben", "time": "now"})
    said, _ = said_in(
        tmp_path, *(message("user", text) | {"id": str(n)} for n, text in enumerate((packed, pasted, named)))
    )
    assert [(one.content, one.heard, one.speaker) for one in said] == [
        ("", False, None), (pasted, True, None), ("Hello.", True, "Ben"),
    ]  # fmt: skip


def test_files_and_skills_are_documents_and_secrets_stay_behind(tmp_path: Path) -> None:
    file = copy.deepcopy(FILE)
    file["files"] = [
        {"id": "f1", "file_name": "yard/alba.md", "content": "Alba is green.", "file_type": "text/markdown"},
        {"id": "f2", "file_name": "gone.pdf", "content": None},
    ]
    file["skills"] = [{"name": "sail", "files": {"SKILL.md": "Reef early."}}]
    file["agents"][0]["tool_exec_environment_variables"] = {"TOKEN": "secret-value"}
    found, account = imported(SOURCE, written(tmp_path / "agent.af", file))
    filed = {one.key: one for one in found if isinstance(one, Filed)}
    assert filed["alba.md"].path == ("letta", "files", "yard")
    assert (filed["SKILL.md"].path, filed["SKILL.md"].index) == (("letta", "skills", "sail"), False)
    assert account.left_out == {"file without its text": 1}
    assert account.dropped["agent.tool_exec_environment_variables"] == 1
    assert "secret-value" not in repr(found)


@pytest.mark.parametrize("name", ["first.af", "second.af"])
@given(data=st.data())
def test_a_spoiled_file_is_refused_or_read(name: str, data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        value = data.draw(spoiled(json.loads((EXPORTS / "letta" / name).read_text())))
        imported_or_refused(SOURCE, written(Path(folder) / "agent.af", value), name="agent.af")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"agents": [', "[" * 100_000, '{"a": ' * 5_000])
def test_what_is_no_agent_file_is_refused_by_name(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match=r"agent\.af"):
        imported(SOURCE, written(tmp_path / "agent.af", text))
