"""What the rollouts of Codex say."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from quipu.kinds.transcripts.formats.model import Reading
from quipu.kinds.transcripts.formats.places import find, project
from quipu.kinds.transcripts.formats.transcript import reader

NOW = datetime(2026, 11, 1, tzinfo=UTC)
ID = "019a2d7a-41c4-78b1-b7cc-a45d62a89cd5"


def record(second: int, kind: str, /, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-03-01T09:00:{second:02}.000Z", "type": kind, "payload": payload}


def tokens(second: int, given: int, made: int, total: int) -> dict[str, Any]:
    last = {
        "input_tokens": given,
        "cached_input_tokens": 10,
        "output_tokens": made,
        "total_tokens": given + made,
    }
    return record(
        second,
        "event_msg",
        type="token_count",
        info={"last_token_usage": last, "total_token_usage": {"total_tokens": total}},
    )


RECORDS = [
    record(0, "session_meta", id=ID, cwd="/home/ana/boats", cli_version="0.46.0", git={"branch": "main"}),
    record(
        1,
        "response_item",
        type="message",
        role="user",
        content=[{"type": "input_text", "text": "<environment_context>x"}],
    ),
    record(
        2,
        "response_item",
        type="message",
        role="user",
        content=[{"type": "input_text", "text": "Fix the tide."}],
    ),
    record(2, "event_msg", type="user_message", message="Fix the tide."),
    record(3, "turn_context", cwd="/home/ana/boats", model="gpt-5-codex"),
    record(4, "response_item", type="reasoning", summary=[{"type": "summary_text", "text": "Look first."}]),
    record(
        5, "response_item", type="function_call", name="shell", arguments='{"command": ["ls"]}', call_id="c1"
    ),
    record(
        6,
        "response_item",
        type="function_call_output",
        call_id="c1",
        output='{"output": "tide.py", "metadata": {"exit_code": 1}}',
    ),
    record(
        7,
        "response_item",
        type="message",
        role="assistant",
        content=[{"type": "output_text", "text": "Fixed."}],
    ),
    tokens(8, 110, 20, 130),
    tokens(9, 110, 20, 130),
    record(9, "response_item", type="novelty", x=1),
]


@pytest.fixture
def reading(tmp_path: Path) -> Reading:
    path = tmp_path / "sessions" / "2026" / f"rollout-2026-03-01T09-00-00-{ID}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(one) + "\n" for one in RECORDS))
    (file,) = find([tmp_path]).transcripts
    assert project(file.path) == "boats"
    return reader(file, now=NOW).read(path.read_bytes().splitlines())


def test_a_rollout_is_a_session_of_its_id(reading: Reading) -> None:
    assert {entry.session for entry in reading.entries} == {ID}
    details = reading.details[ID]
    assert (details.source, details.project_path, details.git_branch) == ("codex", "/home/ana/boats", "main")
    assert details.first_prompt == "Fix the tide."


def test_speech_is_told_from_what_the_program_adds(reading: Reading) -> None:
    said = [(entry.said, entry.text) for entry in reading.entries if entry.said]
    assert said == [("user", "Fix the tide."), ("assistant", "Fixed.")]
    assert [entry.thinking for entry in reading.entries if entry.thinking] == ["Look first."]


def test_calls_meet_their_results(reading: Reading) -> None:
    (call,) = [call for entry in reading.entries for call in entry.calls]
    (result,) = [result for entry in reading.entries for result in entry.results]
    assert (call.id, call.name, call.input) == ("c1", "shell", {"command": ["ls"]})
    assert (result.call_id, result.content, result.is_error) == ("c1", "tide.py", True)


def test_a_cost_that_is_told_twice_is_one_response(reading: Reading) -> None:
    costs = {entry.response_id: entry.usage for entry in reading.entries if entry.usage}
    (usage,) = costs.values()
    assert (usage.input, usage.cache_read, usage.output) == (100, 10, 20)
    assert {entry.model for entry in reading.entries if entry.usage} == {"gpt-5-codex"}


def test_what_is_unknown_is_kept_as_it_came(reading: Reading) -> None:
    assert reading.unknown == {"response_item/novelty": 1}
    assert reading.entries[-1].rest == RECORDS[-1]
