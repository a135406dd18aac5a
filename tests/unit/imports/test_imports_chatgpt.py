"""ChatGPT's export: both shapes, branches, what is no words of anybody, and what is spoiled."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from importing import EXPORTS, imported, imported_or_refused, recognised_as, spoiled, written

from quipu.app.imports.found import Said
from quipu.app.imports.sources.chatgpt import SOURCE
from quipu.errors import BadInput

SHARDED = EXPORTS / "chatgpt"


def message(id: str, role: str = "user", text: str = "Hello.", **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    return {"id": id, "author": {"role": role}, "create_time": 1746266401, "content": content, **more}


def conversation(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    before = "root"
    for one in messages:
        mapping[one["id"]] = {"id": one["id"], "message": one, "parent": before, "children": []}
        before = one["id"]
    return {"conversation_id": "c", "title": "T", "create_time": 1746266400, "mapping": mapping, **more}


def read(tmp_path: Path, *conversations: object) -> list[Said]:
    found, _ = imported(SOURCE, written(tmp_path / "conversations.json", list(conversations)))
    return [one for one in found if isinstance(one, Said)]


def test_the_way_to_the_current_node_is_heard_and_branches_are_not() -> None:
    found, account = imported(SOURCE, SHARDED)
    assert [(one.id, one.content, one.role, one.heard) for one in found if isinstance(one, Said)] == [
        ("n1", "I moved to Lisbon in May.", "user", True),
        ("n5", "drawn", "tool", True),
        ("n6", "Welcome to Lisbon!", "assistant", True),
        ("n2", "An answer that was regenerated away.", "assistant", False),
        ("a", "Rex is my dog.", "user", True),
        ("b", "Noted.", "assistant", True),
    ]
    first, drawn, _, branch, *_ = found
    assert isinstance(first, Said)
    assert first.time == datetime(2025, 5, 3, 10, 0, 1, 500_000, UTC)
    assert first.session == "6816-c1"
    assert first.metadata == {"title": "Move to Lisbon"}
    assert isinstance(drawn, Said)
    assert isinstance(branch, Said)
    assert drawn.item is not None
    assert "file-service://file-1" in json.dumps(drawn.item)
    assert branch.metadata["branch"] is True
    assert account.dropped["bytes of image"] == 1
    assert not account.unreadable


def test_one_file_and_several_say_the_same_in_a_folder_and_in_a_zip(tmp_path: Path) -> None:
    both = [json.loads((SHARDED / f"conversations-00{number}.json").read_text())[0] for number in (0, 1)]
    single = written(tmp_path / "conversations.json", both)
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for one in SHARDED.iterdir():
            archive.write(one, f"folder/{one.name}")
    expected, _ = imported(SOURCE, SHARDED)
    assert imported(SOURCE, single)[0] == expected
    assert imported(SOURCE, tmp_path / "export.zip")[0] == expected
    assert recognised_as(single) == recognised_as(tmp_path / "export.zip") == "chatgpt"


def test_instructions_hidden_and_weightless_messages_are_not_heard(tmp_path: Path) -> None:
    content = {
        "content_type": "user_editable_context",
        "user_profile": "A sailor.",
        "user_instructions": "Be brief.",
    }
    said = read(
        tmp_path,
        conversation(
            message("1", content=content),
            message("2", "system", "You are ChatGPT."),
            message("3", metadata={"is_visually_hidden_from_conversation": True}),
            message("4", weight=0.0),
            message("5"),
        ),
    )
    assert [(one.id, one.role, one.heard) for one in said] == [
        ("1", "system", False),
        ("2", "system", False),
        ("3", "user", False),
        ("4", "user", False),
        ("5", "user", True),
    ]
    assert said[0].content == "A sailor.\n\nBe brief."


@pytest.mark.parametrize(
    "content",
    [
        {"content_type": "code", "language": "python", "text": "print(1)"},
        {"content_type": "execution_output", "text": "1"},
        {"content_type": "thoughts", "thoughts": [{"summary": "s", "content": "c"}]},
        {"content_type": "reasoning_recap", "content": "Thought for 3 seconds"},
        {"content_type": "tether_quote", "url": "https://x.org", "text": "a page"},
        {"content_type": "model_editable_context", "model_set_context": "1. Likes olives."},
    ],
    ids=lambda content: content["content_type"],
)
def test_the_work_of_an_agent_is_an_item_without_words(tmp_path: Path, content: dict[str, Any]) -> None:
    (said,) = read(tmp_path, conversation(message("1", "assistant", content=content)))
    assert said.content == ""
    assert said.item is not None
    assert said.item["content"] == content


def test_what_is_said_to_a_tool_is_no_answer(tmp_path: Path) -> None:
    (said,) = read(tmp_path, conversation(message("1", "assistant", "Likes olives.", recipient="bio")))
    assert (said.content, said.item is None) == ("", False)


def test_words_are_taken_of_speech_and_pointers_kept_of_what_is_no_text(tmp_path: Path) -> None:
    parts = [
        {"content_type": "audio_transcription", "text": "I live in Lisbon.", "direction": "in"},
        {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file-2"},
        "Look:",
    ]
    content = {"content_type": "multimodal_text", "parts": parts}
    attached = {"attachments": [{"id": "f", "name": "boat.png", "mimeType": "image/png"}]}
    spoken, shown = read(
        tmp_path, conversation(message("1", content=content), message("2", metadata=attached))
    )
    assert spoken.content == "I live in Lisbon.\nLook:"
    assert spoken.item is not None
    assert spoken.item["content"] == content
    assert shown.content == "Hello."
    assert shown.item is not None


def test_a_message_without_a_time_follows_the_one_before_it(tmp_path: Path) -> None:
    path = written(
        tmp_path / "conversations.json",
        [conversation(message("0", create_time=None), message("1"), message("2", create_time=None))],
    )
    found, account = imported(SOURCE, path)
    times = [one.time.timestamp() for one in found if isinstance(one, Said) and one.time]
    assert times == [1746266400, 1746266401, 1746266401]
    assert len(account.assumed) == 1


def test_a_tree_with_circles_or_without_a_current_node_is_read_whole(tmp_path: Path) -> None:
    circle = conversation(message("1"), message("2"))
    circle["mapping"]["1"]["parent"] = "2"
    assert {one.id for one in read(tmp_path, circle)} == {"1", "2"}
    (tmp_path / "conversations.json").unlink()
    lost = read(tmp_path, conversation(message("1"), message("2"), current_node="nowhere"))
    assert [(one.id, one.heard) for one in lost] == [("1", True), ("2", True)]


def test_a_conversation_in_two_files_counts_once_and_the_newer_is_taken(tmp_path: Path) -> None:
    older, newer = conversation(message("1"), update_time=1), conversation(message("1"), update_time=2)
    assert len(read(tmp_path, newer, older)) == 1
    assert len(read(tmp_path, older, newer)) == 2


def test_long_chains_are_read_without_recursion(tmp_path: Path) -> None:
    said = read(tmp_path, conversation(*(message(str(number)) for number in range(5_000))))
    assert [one.id for one in said] == [str(number) for number in range(5_000)]


@pytest.mark.parametrize(
    "content", ["", "{}", "nothing", "[", '[{"mapping": ', "[[1]]", '[{"chat_messages": []}]', "[" * 100_000]
)
def test_a_file_that_is_no_export_is_named(tmp_path: Path, content: str) -> None:
    with pytest.raises(BadInput, match=r"conversations\.json"):
        imported(SOURCE, written(tmp_path / "conversations.json", content))


def test_one_unreadable_message_does_not_hide_the_others(tmp_path: Path) -> None:
    path = written(
        tmp_path / "conversations.json", [conversation(message("1"), message("2", author=7), message("3"))]
    )
    found, account = imported(SOURCE, path)
    assert len(found) == 2
    assert account.refused == ["conversation c, node 2: message.author: it is a number, not an object"]


@given(spoiled(json.loads((SHARDED / "conversations-000.json").read_text())))
def test_nothing_in_any_place_breaks_the_reader(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    path = written(tmp_path_factory.mktemp("spoiled") / "conversations.json", value)
    imported_or_refused(SOURCE, path, name="conversations.json")
