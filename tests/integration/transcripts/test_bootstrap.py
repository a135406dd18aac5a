"""What a session is told when it begins, from the tables as a sync leaves them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from recorded import AT, PROJECT, answer, call, lesson, session

from quipu.errors import BadInput
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.transcripts.bootstrap.model import Bootstrap
from quipu.kinds.transcripts.bootstrap.service import AsyncBootstrap
from quipu.recall.generations import Models
from quipu.recall.search import Search
from quipu.recall.signatures import Cache

pytestmark = pytest.mark.anyio
TODOS = [
    {"content": "Write the changelog", "status": "completed"},
    {"content": "Tag the release", "status": "in_progress"},
    {"content": "Tell the harbour", "status": "pending"},
]


async def filled(database: Database) -> None:
    async with database.write("ferryboard") as tx:
        old = await session(tx, "s-old", title="Timetable parser", hours=-48)
        new = await session(tx, "s-new", title="Release 2", hours=-1)
        await session(tx, "agent-7", title="Subagent", parent="s-new")
        await session(tx, "s-other", title="Labels", project="/home/dana/src/labelpress")
        for name in ("c1", "c2"):
            await call(tx, old, name, "Edit", {"file_path": f"{PROJECT}/parser.py"})
        await call(tx, new, "c1", "Edit", {"file_path": f"{PROJECT}/parser.py"})  # copied by a resume
        await call(tx, new, "c3", "Write", {"file_path": f"{PROJECT}/CHANGES"})
        await call(tx, new, "c4", "Read", {"file_path": f"{PROJECT}/secret-plan"})
        await call(tx, old, "c5", "TodoWrite", {"todos": [{"content": "Forgotten", "status": "pending"}]}, -9)
        await call(tx, new, "c6", "TodoWrite", {"todos": TODOS})
        await lesson(tx, "The user prefers tabs.", confidence=0.8)
        await lesson(tx, "Everything was once in Perl.", confidence=0.9, days_ago=700, category="knowledge")
        await lesson(
            tx, "Everything was once in Fortran.", confidence=0.3, days_ago=20_000, category="knowledge"
        )
        await lesson(tx, "Labels are 62 mm wide.", project="/home/dana/src/labelpress")
        await lesson(tx, "The user wants short answers.", project="")
        await lesson(tx, "Gone.", status="archived")
        await lesson(tx, "Ask the harbour for the new berths.", category="todo")


async def asking(database: Database, settings: Settings, **asked: object) -> Bootstrap:
    async with Models.open(database, settings) as models:
        clock = FrozenClock(AT + timedelta(minutes=1))
        search = Search(models, clock=clock, cache=Cache())
        told = AsyncBootstrap(database, search=search, clock=clock)
        return await told.bootstrap(**{"space": "ferryboard", **asked})  # pyright: ignore[reportArgumentType]


async def test_a_project_is_told_its_own_and_what_holds_everywhere(
    database: Database, settings: Settings
) -> None:
    await filled(database)
    made = await asking(database, settings, project=PROJECT, budget_tokens=1000)
    assert [one.title for one in made.sessions] == ["Release 2", "Timetable parser"]
    assert [one.fact for one in made.memories] == [
        "The user wants short answers.",
        "The user prefers tabs.",
    ]  # of two others hardly any confidence is left
    assert [(one.path, one.edits, one.sessions) for one in made.frequent_files] == [
        (f"{PROJECT}/parser.py", 2, 2),
        (f"{PROJECT}/CHANGES", 1, 1),
    ]
    assert [(one.text, one.source) for one in made.todos] == [
        ("Tag the release", "list"),
        ("Tell the harbour", "list"),
        ("Ask the harbour for the new berths.", "memory"),
    ]
    assert made.sessions[0].prompts == 1
    assert "- parser.py (2 edits)" in made.text


async def test_tasks_that_were_made_one_by_one_are_told_as_they_stand(
    database: Database, settings: Settings
) -> None:
    await filled(database)
    async with database.write("ferryboard") as tx:
        new = await session(tx, "s-tasks", title="Tasks")
        for place, subject in enumerate(("Paint", "Caulk", "Launch", "Sink", "Sail"), start=1):
            await call(tx, new, f"t{place}", "TaskCreate", {"subject": subject, "description": "."})
            await answer(tx, new, f"t{place}", f"Task #{place} created successfully: {subject}")
        for name, hours, given in (
            ("u1", 1, {"taskId": "1", "status": "in_progress"}),
            ("u2", 2, {"taskId": "1", "status": "completed"}),
            ("u3", 1, {"taskId": "2", "status": "in_progress"}),
            ("u4", 2, {"taskId": "2", "subject": "Caulk the hull"}),
            ("u5", 1, {"taskId": "4", "status": "deleted"}),
            ("u6", 1, {"taskId": "5", "status": "completed"}),
        ):
            await call(tx, new, name, "TaskUpdate", given, hours)
            await answer(tx, new, name, "Updated", is_error=name == "u6")
        for subject in ("Launch", "Rig"):
            await tx.conn.execute(
                "with t as (insert into transcripts.teams (id, lead_session_id) values ('s-tasks', 's-tasks')"
                " on conflict do nothing)"
                " insert into transcripts.team_tasks (id, team_id, subject, created_at)"
                " values ('s-tasks:' || %s, 's-tasks', %s, now())",
                (subject, subject),
            )
    made = await asking(database, settings, project=PROJECT, budget_tokens=1000)
    assert [(one.text, one.status, one.source) for one in made.todos] == [
        ("Caulk the hull", "in_progress", "list"),
        ("Launch", "pending", "list"),
        ("Sail", "pending", "list"),
        ("Ask the harbour for the new berths.", "open", "memory"),
        ("Rig", "pending", "team"),
    ]


async def test_a_project_may_be_named_by_the_last_part_of_its_path(
    database: Database, settings: Settings
) -> None:
    await filled(database)
    made = await asking(database, settings, project="labelpress")
    assert [one.title for one in made.sessions] == ["Labels"]
    assert "Labels are 62 mm wide." in made.text


async def test_the_session_that_begins_is_left_out(database: Database, settings: Settings) -> None:
    await filled(database)
    made = await asking(database, settings, project=PROJECT, session="s-new")
    assert [one.id for one in made.sessions] == ["s-old"]


async def test_a_space_nobody_knows_is_told_nothing(database: Database, settings: Settings) -> None:
    assert (await asking(database, settings, space="nobody")).text == ""


async def test_limits_out_of_range_are_refused(database: Database, settings: Settings) -> None:
    for wrong in ({"limit": 0}, {"limit": 101}, {"budget_tokens": 0}, {"budget_tokens": True}):
        with pytest.raises(BadInput):
            await asking(database, settings, **wrong)
