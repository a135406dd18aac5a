"""What a hook asks for, what it was told already, and when the service ends."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from quipu.interfaces.hooks.daemon.answers import SeenHits, question, space_of
from quipu.interfaces.hooks.daemon.service import Life, resident_mb
from quipu.recall.model import Hit, Source

AT = datetime(2026, 5, 4, 12, tzinfo=UTC)


def hit(number: int, session: str = "old") -> Hit:
    return Hit(
        kind="message",
        id=str(number),
        text="x",
        score=0.9,
        parts={},
        happened_at=AT,
        recorded_at=AT,
        source=Source(f"m{number}", session),
        space="s",
        question="q",
    )


@pytest.mark.parametrize(
    ("project", "space"),
    [
        ("/home/dana/src/boat", "boat"),
        ("/boat/", "boat"),
        ("C:\\src\\boat", "boat"),
        ("/", None),
        (None, None),
    ],
)
def test_a_space_is_named_as_the_directory_of_the_project(project: object, space: str | None) -> None:
    assert space_of(project) == space


@pytest.mark.parametrize(
    "prompt", ["/clear", "!ls -la some files", "# remember this always", "yes", "go on", "", None, 7]
)
def test_commands_and_nods_are_no_questions(prompt: object) -> None:
    assert question(prompt) is None


def test_a_long_prompt_is_asked_by_its_beginning() -> None:
    asked = question("why is the boat late " * 10_000)
    assert asked is not None
    assert len(asked) == 2_000


def test_nothing_is_told_twice_in_a_session_nor_what_it_said_itself() -> None:
    told = SeenHits()
    told.tell("now", [hit(1)])
    assert told.new("now", [hit(1), hit(2), hit(3, session="now")]) == [hit(2)]
    assert told.new("other", [hit(1)]) == [hit(1)]


def test_a_session_that_begins_anew_may_be_told_again() -> None:
    told = SeenHits()
    told.tell("now", [hit(1)])
    told.forget("now")
    assert told.new("now", [hit(1)]) == [hit(1)]


def test_what_was_told_is_remembered_within_bounds() -> None:
    told = SeenHits()
    told.tell("long", [hit(number) for number in range(600)])
    assert [one.id for one in told.new("long", [hit(0), hit(99), hit(100), hit(599)])] == ["0", "99"]
    for number in range(64):
        told.tell(f"s{number}", [hit(1)])
    assert told.new("long", [hit(599)]) == [hit(599)]


def test_the_service_ends_for_rest_for_memory_and_for_another_version() -> None:
    life = Life(idle_seconds=60, most_mb=500)
    assert life.over(rested_seconds=59, resident_mb=400, same_code=True) is None
    assert life.over(rested_seconds=60, resident_mb=400, same_code=True) == "nobody asked for 60 s"
    assert life.over(rested_seconds=0, resident_mb=501, same_code=True) == "it held 501 MB"
    assert life.over(rested_seconds=0, resident_mb=1, same_code=False) == "another version was installed"


def test_a_process_knows_how_much_it_holds() -> None:
    assert 5 < resident_mb() < 10_000
