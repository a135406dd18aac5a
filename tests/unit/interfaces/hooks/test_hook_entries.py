"""Our entries in the settings of Claude Code, beside those of others."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.errors import BadInput
from quipu.interfaces.hooks import entries

COMMANDS = entries.commands({})
EVENTS = {event for event, _, _ in entries.EVENTS}
FOREIGN = {"type": "command", "command": "make lint", "timeout": 30}

hooks = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=20)})
groups = st.fixed_dictionaries({"matcher": st.text(max_size=5), "hooks": st.lists(hooks, max_size=3)})
documents = st.fixed_dictionaries(
    {"model": st.text(max_size=5)},
    optional={
        "hooks": st.dictionaries(
            st.sampled_from([*sorted(EVENTS), "PreToolUse"]), st.lists(groups, max_size=3), max_size=4
        )
    },
)


def test_every_event_gets_one_entry() -> None:
    made = entries.installed({}, COMMANDS)
    assert set(made["hooks"]) == EVENTS
    for event, name, seconds in entries.EVENTS:
        assert made["hooks"][event] == [
            {"hooks": [{"type": "command", "command": COMMANDS[name], "timeout": seconds}]}
        ]


def test_entries_of_others_stay_even_in_one_group_with_ours() -> None:
    ours = {"type": "command", "command": COMMANDS["stop"]}
    before = {"hooks": {"Stop": [{"hooks": [FOREIGN, ours]}], "PreToolUse": [{"hooks": [FOREIGN]}]}}
    after = entries.removed(before)
    assert after == {"hooks": {"Stop": [{"hooks": [FOREIGN]}], "PreToolUse": [{"hooks": [FOREIGN]}]}}


def test_entries_of_an_earlier_place_are_replaced() -> None:
    old = "/old/bin/python -I -S /old/quipu/interfaces/hooks/client.py stop || true"
    before = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": old}]}]}}
    assert entries.found(entries.installed(before, COMMANDS))["Stop"] == [COMMANDS["stop"]]


@settings(max_examples=40)
@given(documents)
def test_installing_twice_is_installing_once_and_removing_brings_back_what_was(
    document: dict[str, Any],
) -> None:
    once = entries.installed(document, COMMANDS)
    assert entries.installed(once, COMMANDS) == once
    back = entries.removed(once)
    before, after = document.get("hooks", {}), back.get("hooks", {})
    assert {k: v for k, v in after.items() if v} == {k: v for k, v in before.items() if v}
    assert back["model"] == document["model"]
    assert entries.removed(document) == document


@pytest.mark.parametrize(
    "document", [{"hooks": []}, {"hooks": {"Stop": {}}}, {"hooks": "none"}], ids=["list", "object", "text"]
)
def test_what_claude_code_would_not_understand_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        entries.installed(document, COMMANDS)


def test_a_command_quotes_what_a_shell_would_read() -> None:
    made = entries.commands({"space": "it's $HOME; rm", "budget-tokens": "9"})
    assert made["prompt"].endswith(" prompt --space 'it'\"'\"'s $HOME; rm' --budget-tokens 9 || true")
