"""Sessions, conversations, tools, files and numbers, as they were recorded."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from recording import START

from quipu.errors import BadInput, NotFound
from quipu.kinds.transcripts.browse.browse import AsyncBrowse

pytestmark = pytest.mark.anyio
HERE = {"space": "boats"}


async def test_sessions_are_listed_the_latest_first_with_subagents_under_their_parents(
    browse: AsyncBrowse,
) -> None:
    timetable, login = await browse.list(**HERE)
    assert (timetable.id, timetable.title, timetable.subagents) == ("s-2", "Timetable", ())
    assert (login.id, login.title, login.git_branch) == ("s-1", "Fix the login", "main")
    (explorer,) = login.subagents
    assert (explorer.id, explorer.parent_session, explorer.agent_type) == ("agent-7", "s-1", "explore")


async def test_a_session_is_counted_by_its_own_lines(browse: AsyncBrowse) -> None:
    _, login = await browse.list(**HERE)
    assert (login.messages, login.prompts, login.tool_calls, login.errors) == (4, 2, 3, 1)
    assert (login.input_tokens, login.output_tokens) == (1000, 10)
    assert login.seconds == timedelta(minutes=10).total_seconds()


async def test_sessions_are_narrowed_by_project_and_time_and_paged(browse: AsyncBrowse) -> None:
    assert [one.id for one in await browse.list(project="FERRIES", **HERE)] == ["s-2"]
    assert [one.id for one in await browse.list(project="%", **HERE)] == []
    later = START + timedelta(minutes=12)
    assert [one.id for one in await browse.list(since=later, **HERE)] == ["s-2"]
    assert [one.id for one in await browse.list(until=later, **HERE)] == ["s-1"]
    assert [one.id for one in await browse.list(limit=1, offset=1, **HERE)] == ["s-1"]
    assert await browse.list(space="nowhere") == []


async def test_a_session_is_shown_as_it_went(browse: AsyncBrowse) -> None:
    shown = await browse.get("s-1", **HERE)
    assert [line.uuid for line in shown.lines] == [
        "u1",
        "a1",
        *(f"s-1-t{n}-call" for n in (1, 2, 3)),
        "a2",
        "u2",
        "m1",
    ]
    assert shown.total == 8
    assert shown.lines[1].thinking == "Probably the session cookie."
    (call,) = shown.lines[3].calls
    assert (call.tool, call.is_error, call.seconds) == ("Bash", True, 9.0)
    assert call.result == "E   KeyError: 'csrf_token'"
    assert shown.lines[-1].role == "system"


async def test_the_beginning_of_a_name_is_enough_if_it_is_the_only_one(browse: AsyncBrowse) -> None:
    assert (await browse.get("agent", **HERE)).session.id == "agent-7"
    with pytest.raises(BadInput, match="2 sessions"):
        await browse.get("s-", **HERE)
    with pytest.raises(NotFound, match="sessions"):
        await browse.get("s-3", **HERE)
    with pytest.raises(NotFound):
        await browse.get("s-1", space="nowhere")


async def test_pages_of_a_session_follow_each_other(browse: AsyncBrowse) -> None:
    pages = [await browse.get("s-1", limit=3, offset=offset, **HERE) for offset in (0, 3, 6)]
    assert [len(page.lines) for page in pages] == [3, 3, 2]
    whole = await browse.get("s-1", **HERE)
    assert tuple(line for page in pages for line in page.lines) == whole.lines


async def test_tools_are_counted_with_failures_and_their_median_time(browse: AsyncBrowse) -> None:
    by_name = {one.tool: one for one in await browse.tools(**HERE)}
    assert {name: one.calls for name, one in by_name.items()} == {
        "Read": 1, "Bash": 1, "Edit": 1, "Grep": 1, "Write": 1,
    }  # fmt: skip
    assert (by_name["Bash"].errors, by_name["Bash"].median_seconds) == (1, 9.0)
    assert by_name["Read"].project_path is None
    apart = await browse.tools(by_project=True, project="ferries", **HERE)
    assert [(one.tool, one.project_path) for one in apart] == [("Write", "/home/ana/ferries")]


async def test_files_are_listed_by_how_much_they_were_changed(browse: AsyncBrowse) -> None:
    first, second = await browse.files(**HERE)
    assert (first.path, first.edits, first.reads, first.sessions) == ("/home/ana/boats/src/app.py", 1, 1, 1)
    assert (second.path, second.writes) == ("/home/ana/ferries/data/times.csv", 1)
    assert [one.path for one in await browse.files(session="s-2", **HERE)] == [second.path]


async def test_stats_count_what_the_space_holds_and_tokens_by_day_and_model(browse: AsyncBrowse) -> None:
    stats = await browse.stats(**HERE)
    assert stats is not None
    totals = stats.totals
    assert (totals.sessions, totals.subagents, totals.projects) == (2, 1, 2)
    assert (totals.messages, totals.prompts, totals.tool_calls, totals.errors) == (7, 4, 5, 1)
    assert (totals.input_tokens, totals.output_tokens) == (1500, 20)
    usage = [(one.day, one.model, one.input_tokens) for one in stats.usage]
    assert usage == [(date(2026, 3, 2), "opus", 1000), (date(2026, 3, 3), "haiku", 500)]
    latest = await browse.stats(limit=1, **HERE)
    assert latest is not None
    assert [one.model for one in latest.usage] == ["haiku"]
    assert await browse.stats(space="nowhere") is None


async def test_the_schema_lists_what_a_query_can_name_and_nothing_else(browse: AsyncBrowse) -> None:
    relations = await browse.schema(**HERE)
    assert {"sessions", "messages", "tool_calls", "memories"} <= {one.name for one in relations}
    assert not {"texts", "readers", "discarded_readers", "indexing", "unindexed"} & {
        one.name for one in relations
    }
    for one in relations:
        columns = ", ".join(f'"{column.name}"' for column in one.columns)
        got = await browse.query(f"select {columns} from {one.name}", **HERE)
        assert got.columns == tuple(column.name for column in one.columns)
    (messages,) = await browse.schema("messages", **HERE)
    assert "content_text" in {column.name for column in messages.columns}
    with pytest.raises(NotFound):
        await browse.schema("texts", **HERE)


async def test_a_match_is_recalled_with_the_messages_around_it(browse: AsyncBrowse) -> None:
    recalled = await browse.recall("csrf OR faster", turns=2, **HERE)
    (match,) = recalled.matches
    assert (match.session_id, match.project_path) == ("s-1", "/home/ana/boats")
    assert match.match.uuid == "a2"
    assert [turn.content_text for turn in match.before] == ["[used tools: Bash]", "[used tools: Edit]"]
    assert [turn.uuid for turn in match.after] == ["u2"]


async def test_windows_that_overlap_are_one_match_in_which_all_are_marked(browse: AsyncBrowse) -> None:
    recalled = await browse.recall("look", turns=1, **HERE)
    assert {match.match.uuid for match in recalled.matches} == {"a1", "u2"}
    (one,) = (await browse.recall("look", turns=3, **HERE)).matches
    turns = (*one.before, one.match, *one.after)
    assert [turn.uuid for turn in turns if turn.match] == ["a1", "u2"]
    assert [turn.uuid for turn in turns] == [
        "u1", "a1", "s-1-t1-call", "s-1-t2-call", "s-1-t3-call", "a2", "u2",
    ]  # fmt: skip


async def test_arguments_out_of_range_name_their_field(browse: AsyncBrowse) -> None:
    for field, call in {
        "limit": browse.list(limit=0, **HERE),
        "offset": browse.get("s-1", offset=-1, **HERE),
        "since": browse.tools(since="yesterday-ish", **HERE),
        "part": browse.search("a", part="nowhere", **HERE),  # type: ignore[arg-type]
        "sort": browse.search("a", sort="backwards", **HERE),  # type: ignore[arg-type]
        "turns": browse.recall("a", turns=-1, **HERE),
        "seconds": browse.query("select 1", seconds=0, **HERE),
    }.items():
        with pytest.raises(BadInput) as refused:
            await call
        assert refused.value.field == field
