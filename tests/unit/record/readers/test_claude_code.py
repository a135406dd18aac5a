import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quipu.record.model import FoundMessage, Incoming, Refusal
from quipu.record.readers import claude_code
from quipu.record.rules import check

ROOT = Path(__file__).parents[3] / "fixtures" / "claude_code"
SESSION = ROOT / "projects" / "-home-ana-boats" / "s-1.jsonl"
SUBAGENT = SESSION.with_suffix("") / "subagents" / "agent-a7f3.jsonl"


def messages(path: Path) -> list[FoundMessage]:
    return [found for found in claude_code.read(path) if isinstance(found, FoundMessage)]


def said(path: Path, session: str) -> list[tuple[object, object]]:
    return [(found["role"], found["content"]) for found in messages(path) if found["session"] == session]


def test_what_people_and_agent_said_is_read_and_nothing_else():
    assert said(SESSION, "s-1") == [
        ("user", "How high is the tide in Lisbon tomorrow?"),
        ("assistant", "I will look at the tide table."),
        ("assistant", "Tomorrow it is 3.4 m,\n\nat 15:20."),
        ("user", "Look at this picture."),
        ("user", "And in Porto?"),
        ("user", "What does the <system-reminder> tag mean?"),
        ("user", "Explain the second column."),
        ("user", "Caveat: I have not read the manual."),
        ("user", "Use metres, please."),
        ("user", "A line with nothing but words."),
    ]


def test_a_message_has_the_identity_and_the_time_of_its_record():
    first = messages(SESSION)[0]
    assert first == {
        "id": "u-01",
        "session": "s-1",
        "role": "user",
        "content": "How high is the tide in Lisbon tomorrow?",
        "time": "2026-03-01T09:01:00.000Z",
    }
    assert (first.number, first.file) == (3, str(SESSION))


def test_a_subagent_is_a_session_of_its_own_and_nobody_there_is_a_person():
    assert said(SUBAGENT, "a7f3") == [
        ("assistant", "Read the almanac and report."),
        ("assistant", "The almanac says 3.2 m."),
    ]
    assert said(SESSION, "s-1/sidechain") == [
        ("assistant", "Ask a helper."),
        ("assistant", "The helper says 3.1 m."),
    ]


def test_a_session_without_an_id_is_named_after_its_file():
    assert messages(SESSION)[-1]["session"] == "s-1"


def test_what_is_passed_over_is_counted_by_kind():
    skipped: Counter[str] = Counter()
    list(claude_code.read(SESSION, skipped=skipped))
    assert skipped == {
        "summary": 1,
        "file-history-snapshot": 1,
        "thinking": 1,
        "redacted_thinking": 1,
        "tool_use": 1,
        "tool result": 1,
        "image": 1,
        "meta": 1,
        "no words": 10,
        "compact summary": 1,
        "notice": 2,
        "system": 2,
        "progress": 1,
        "attachment": 2,
        "queue-operation": 1,
        "custom-title": 1,
        "ai-title": 1,
        "agent-name": 1,
        "last-prompt": 1,
        "pr-link": 1,
        "mode": 1,
        "permission-mode": 1,
        "hologram": 1,
        "untyped": 1,
        "user": 1,
    }


def test_a_broken_line_is_refused_and_a_half_written_last_one_left_for_later():
    refusals = [found for found in claude_code.read(SESSION) if isinstance(found, Refusal)]
    assert [(refusal.line, refusal.file) for refusal in refusals] == [(21, str(SESSION))]


def test_a_whole_last_line_without_an_end_is_read(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps({"type": "user", "message": {"content": "done"}}))
    assert [message["content"] for message in messages(path)] == ["done"]


def test_every_message_passes_the_rules_of_the_record():
    now = datetime(2026, 5, 4, tzinfo=UTC)
    for path in claude_code.find(ROOT):
        for message in messages(path):
            checked = check(message, now=now)
            assert isinstance(checked, Incoming), checked
            assert checked.line == message.number


def test_sessions_are_found_and_other_files_are_not():
    assert list(claude_code.find(ROOT)) == [SUBAGENT, SESSION]
    assert list(claude_code.find(SESSION.parent)) == [SUBAGENT, SESSION]


def test_nothing_is_found_where_nothing_is(tmp_path: Path):
    (tmp_path / "folder.jsonl").mkdir()
    assert list(claude_code.find(tmp_path)) == []
    assert list(claude_code.find(tmp_path / "nowhere")) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
BLOCK = st.fixed_dictionaries(
    {}, optional={"type": st.sampled_from(["text", "tool_result", 7]), "text": JSON}
)
RECORD = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["user", "assistant", "attachment", "hologram"]) | JSON,
        "message": st.fixed_dictionaries(
            {}, optional={"content": st.lists(BLOCK | JSON) | JSON, "model": JSON}
        )
        | JSON,
        "attachment": st.fixed_dictionaries({"type": st.just("queued_command")}, optional={"prompt": JSON})
        | JSON,
        "uuid": JSON,
        "sessionId": JSON,
        "agentId": JSON,
        "timestamp": JSON,
        "isSidechain": JSON,
        "isMeta": st.booleans(),
    },
)


@given(st.lists(RECORD | JSON, max_size=5))
def test_any_record_is_read_or_passed_over(tmp_path_factory: pytest.TempPathFactory, records: list[object]):
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    skipped: Counter[str] = Counter()
    found = list(claude_code.read(path, skipped=skipped))
    assert len(found) + skipped.total() == len(records)
    assert all(isinstance(message, Refusal) or str(message["content"]).strip() for message in found)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (
            "Why <system-reminder>this</system-reminder> here?",
            "Why <system-reminder>this</system-reminder> here?",
        ),
        ("<command-name> is in my log, why?", "<command-name> is in my log, why?"),
        ("<bash-stdout>no such file</bash-stdout> is all I see", None),
        ("What is this?\n<local-command-stdout>x</local-command-stdout>", None),
        ("[Request interrupted by user] is what it says.", None),
        ("<system-reminder>\nThe date.\n</system-reminder>\nGo on.", "Go on."),
        ("Go on.\n\n<system-reminder>The date.</system-reminder>", "Go on."),
        ("Go on.<system-reminder>a</system-reminder>", "Go on."),
        ("<ide_opened_file>a</ide_opened_file> <system-reminder>b</system-reminder>Go on.", "Go on."),
        ("<ide_selection>a line</ide_selection>\n\nExplain it.", "Explain it."),
        ("<command-name>/clear</command-name>\n<command-args></command-args>", ""),
        ("<bash-stdout>it prints <bash-stdout></bash-stdout><bash-stderr></bash-stderr>", ""),
        ("<task-notification>done</task-notification>\nRead the output file.", ""),
        ("[Request interrupted by user for tool use]", ""),
    ],
)
def test_what_the_program_wrote_is_left_out_and_counted(typed: str, kept: str | None) -> None:
    """None: all of it."""
    inserted = claude_code.Inserted()
    record = {"type": "user", "uuid": "u", "message": {"role": "user", "content": typed}}
    found = claude_code.said(record, "s", inserted)
    content = "" if isinstance(found, str) else found["content"]
    kept = typed if kept is None else kept
    assert content == kept
    assert inserted.characters == len(typed) - len(kept)
