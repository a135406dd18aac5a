from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[3] / "samples"


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_chat_is_long_dated_and_has_several_speakers():
    messages = lines(SAMPLES / "chat.jsonl")
    times = [datetime.fromisoformat(str(message["time"])) for message in messages]
    assert len(messages) >= 300
    assert len({message["id"] for message in messages}) == len(messages)
    assert {message["speaker"] for message in messages} == {"Mira", "Jonas", "Tove", "Rafa"}
    assert times == sorted(times)
    assert (times[-1] - times[0]).days >= 150


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("projects/*/*.jsonl")), ids=lambda path: path.stem[:8])
def test_a_coding_session_is_a_chain_of_lines_with_answered_tool_calls(path: Path):
    records = lines(path)
    known = [record["uuid"] for record in records if "uuid" in record]
    assert len(known) == len(set(known))
    for record in records:
        assert record.get("parentUuid") is None or record["parentUuid"] in known
    blocks = [block for record in records for block in message_blocks(record)]
    asked = {block["id"] for block in blocks if block["type"] == "tool_use"}
    answered = {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
    assert asked == answered
    assert asked


def message_blocks(record: dict[str, object]) -> list[dict[str, object]]:
    message = record.get("message")
    content = message["content"] if isinstance(message, dict) else []
    return content if isinstance(content, list) else []


def test_every_question_has_evidence_that_exists():
    said = {name: {message["id"] for message in lines(SAMPLES / f"{name}.jsonl")} for name in ("chat", "ana")}
    coding = {record.get("uuid") for path in SAMPLES.rglob("projects/*/*.jsonl") for record in lines(path)}
    questions = json.loads((SAMPLES / "questions.json").read_text(encoding="utf-8"))
    assert 8 <= len(questions) <= 10
    for question in questions:
        known = said.get(question["sample"], coding)
        assert question["evidence"]
        assert set(question["evidence"]) <= known
