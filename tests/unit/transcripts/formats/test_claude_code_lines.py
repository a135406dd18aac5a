"""What each record of Claude Code says, as entries of its session."""

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from quipu.kinds.transcripts.formats.model import Reading, TranscriptEntry
from quipu.kinds.transcripts.formats.places import Transcript, find
from quipu.kinds.transcripts.formats.transcript import reader
from quipu.record.model import FoundMessage
from quipu.record.readers import claude_code

NOW = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture
def sessions(repository: Path) -> list[Transcript]:
    return find([repository / "tests" / "fixtures" / "claude_code"]).transcripts


def readings(sessions: list[Transcript]) -> list[Reading]:
    return [reader(file, now=NOW).read(file.path.read_bytes().splitlines()) for file in sessions]


@pytest.fixture
def entries(sessions: list[Transcript]) -> dict[str, TranscriptEntry]:
    return {entry.uuid: entry for reading in readings(sessions) for entry in reading.entries}


def test_what_was_said_is_what_the_import_takes(
    sessions: list[Transcript], entries: dict[str, TranscriptEntry]
) -> None:
    imported = [
        line for file in sessions for line in claude_code.read(file.path) if isinstance(line, FoundMessage)
    ]
    told = {(line["id"], line["session"], line["role"], line["content"]) for line in imported if line["id"]}
    said = {(e.uuid, e.session, e.said, e.text) for e in entries.values() if e.said}
    assert told < said
    assert len(said) == len(imported)  # the one without an id has the id that the import gives it


def test_records_are_known_by_what_they_have(entries: dict[str, TranscriptEntry]) -> None:
    assert entries["u-02"].thinking == "I should look it up."
    assert (entries["u-05"].calls[0].name, entries["u-06"].results[0].call_id) == ("Read", "toolu_1")
    assert entries["u-14"].is_meta
    assert entries["u-23"].is_compact_summary
    assert entries["u-17"].is_noise
    assert entries[
        "u-17"
    ].text == "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n" + (
        "<command-args></command-args>"
    )
    assert (entries["u-28"].subtype, entries["u-28"].text) == ("compact_boundary", "Conversation compacted")
    assert entries["u-28"].rest == {"compactMetadata": {"trigger": "auto", "preTokens": 1}}
    assert (entries["u-31"].said, entries["u-31"].text) == ("user", "Use metres, please.")
    assert entries["u-36"].session == "a7f3"
    assert entries["u-26"].session == "s-1/sidechain"
    assert entries["u-25"].usage is None  # what the program made up cost nothing
    assert {e.uuid for e in entries.values() if e.is_prompt} >= {"u-01", "u-08", "u-10", "u-31"}


def test_titles_belong_to_the_session_and_what_is_passed_over_is_counted(sessions: list[Transcript]) -> None:
    reading = next(r for r in readings(sessions) if "s-1" in r.details and r.summaries)
    details = reading.details["s-1"]
    assert (details.custom_title, details.ai_title, details.last_prompt) == ("Tides", "Tides of Lisbon", "x")
    assert details.pr_url == "https://example.com/1"
    assert [(s.leaf_uuid, s.text) for s in reading.summaries] == [("u-02", "Boats and tides")]
    assert reading.unknown == Counter(hologram=1, untyped=1)
    assert reading.passed["progress"] == reading.passed["file-history-snapshot"] == 1
    assert reading.faults["lines that are no JSON"] == 2


def test_a_subagent_knows_who_it_works_for(sessions: list[Transcript]) -> None:
    details = next(r.details["a7f3"] for r in readings(sessions) if "a7f3" in r.details)
    assert (details.parent_session, details.agent_type, details.tool_use_id) == (
        "s-1",
        "general-purpose",
        "toolu_1",
    )


def test_a_line_without_an_id_has_the_same_one_in_every_file(tmp_path: Path) -> None:
    line = b'{"type": "queue-operation", "operation": "enqueue", "sessionId": "s", "content": "x"}'
    found: set[str] = set()
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_bytes(line + b"\n")
        (file,) = find([tmp_path / name]).transcripts
        found |= {entry.uuid for entry in reader(file, now=NOW).read([line]).entries}
    assert len(found) == 1


def test_what_the_program_put_into_a_prompt_is_counted(tmp_path: Path) -> None:
    own = "<system-reminder>The date has changed.</system-reminder>\n"
    told = {"role": "user", "content": f"{own}Go on."}
    noise = {"role": "user", "content": "<command-name>/clear</command-name>"}
    lines = [
        json.dumps({"type": "user", "uuid": str(n), "message": one}).encode()
        for n, one in enumerate((told, noise))
    ]
    (tmp_path / "c.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    (file,) = find([tmp_path / "c.jsonl"]).transcripts
    found = reader(file, now=NOW).read(lines)
    assert [entry.text for entry in found.entries] == ["Go on.", noise["content"]]
    assert found.inserted == len(own)
